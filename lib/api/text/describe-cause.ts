import { inspect, types } from 'node:util';

/**
 * A thrown value in words for a message. Anything can be thrown, even an object whose `toString` throws, so this never
 * throws itself.
 */
export function describeCause(cause: unknown): string {
  return attempt(() => (isError(cause) ? String(cause) : inspect(cause, INSPECTION))) ?? UNDESCRIBABLE;
}

/** The stack trace of a thrown value; `undefined` if it has none that can be read. Never throws. */
export function stackOf(cause: unknown): string | undefined {
  const stack: unknown = attempt(() => (isError(cause) ? cause.stack : undefined));
  return typeof stack === 'string' ? stack : undefined;
}

/**
 * A thrown value with its causes and, for an `AggregateError`, with its errors: `Error: no stock (caused by TypeError:
 * …)`. Never throws.
 */
export function describeFailure(cause: unknown): string {
  return describeWithCauses(cause, new Set());
}

/** The stack trace of a thrown value, followed by those of its causes; `undefined` if it has none. Never throws. */
export function stackWithCauses(cause: unknown): string | undefined {
  const stack = stackOf(cause);
  if (stack === undefined) return undefined;
  const stacks = [stack];
  const seen = new Set<unknown>([cause]);
  for (let inner = causeOf(cause); inner !== undefined && stacks.length < MOST_CAUSES; inner = causeOf(inner)) {
    if (seen.has(inner)) break;
    seen.add(inner);
    stacks.push(`Caused by: ${stackOf(inner) ?? describeCause(inner)}`);
  }
  return stacks.join('\n');
}

/** Most causes of causes, and errors of an `AggregateError`, that are described. */
const MOST_CAUSES = 5;

function describeWithCauses(error: unknown, seen: ReadonlySet<unknown>): string {
  if (seen.has(error) || seen.size >= MOST_CAUSES) return '…';
  const known = new Set([...seen, error]);
  const errors = errorsOf(error);
  const others = errors.length > MOST_CAUSES ? [`and ${errors.length - MOST_CAUSES} more`] : [];
  const each = errors.slice(0, MOST_CAUSES).map((one) => describeWithCauses(one, known));
  const inner = causeOf(error);
  const remarks = [
    ...(errors.length === 0
      ? []
      : [`${errors.length} ${errors.length === 1 ? 'error' : 'errors'}: ${[...each, ...others].join('; ')}`]),
    ...(inner === undefined ? [] : [`caused by ${describeWithCauses(inner, known)}`]),
  ];
  return describeCause(error) + remarks.map((remark) => ` (${remark})`).join('');
}

function causeOf(error: unknown): unknown {
  return attempt(() => (isError(error) ? error.cause : undefined));
}

function errorsOf(error: unknown): readonly unknown[] {
  const errors = attempt((): unknown => (error instanceof AggregateError ? error.errors : undefined));
  return Array.isArray(errors) ? errors : [];
}

const INSPECTION = { depth: 2, breakLength: Infinity } as const;
const UNDESCRIBABLE = 'an error that throws when it is described';

function attempt<T>(describe: () => T): T | undefined {
  try {
    return describe();
  } catch {
    // The error of the attempt says nothing about the failure to describe.
    return undefined;
  }
}

/** Also an error of another realm, as Node's own modules throw them under Jest. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
