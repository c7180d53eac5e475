import { type Wording, wording } from '../../wording/wording.js';
import { describedValue, isMap, legible } from '../text/describe-value.js';
import { storedEntryProblem } from '../text/stored-text.js';

/** A job's properties as users write them: texts by key, possibly nested. */
export interface PropsOptions {
  readonly [key: string]: string | number | boolean | PropsOptions;
}

/** Deeper nesting is a circle or a mistake. */
const DEEPEST = 16;

/**
 * Properties as the registry centre stores them: texts by dotted key, so that `email: { port: 25 }` is `email.port` →
 * `25`.
 * @returns the properties, or the problem with them, as a requirement
 */
export function flattenProps(
  props: unknown,
): { readonly flat: ReadonlyMap<string, string> } | { readonly problem: Wording } {
  if (!isMap(props)) return { problem: wording('props-form') };
  const flat = new Map<string, string>();
  const problem = collect(props, { prefix: '', depth: 0, flat });
  return problem === undefined ? { flat } : { problem };
}

interface Collection {
  readonly prefix: string;
  readonly depth: number;
  readonly flat: Map<string, string>;
}

function collect(props: Readonly<Record<string, unknown>>, { prefix, depth, flat }: Collection): Wording | undefined {
  if (depth > DEEPEST) return wording('props-deep', { most: DEEPEST });
  for (const [name, value] of Object.entries(props)) {
    const key = prefix + name;
    if (key === '' || key.split('.').includes('__proto__')) return wording('props-key', { key: legible(key) });
    const problem = isMap(value)
      ? collect(value, { prefix: `${key}.`, depth: depth + 1, flat })
      : put(flat, key, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function put(flat: Map<string, string>, key: string, value: unknown): Wording | undefined {
  if (!isText(value))
    return wording('props-value', {
      key: legible(key),
      got: describedValue(value, Array.isArray(value) ? 'hidden' : 'shown'),
    });
  if (flat.has(key)) return wording('props-twice', { key: legible(key) });
  const problem = storedEntryProblem(key) ?? storedEntryProblem(String(value));
  if (problem !== undefined) return wording('as-key', { problem, key: legible(key) });
  flat.set(key, String(value));
  return undefined;
}

/** True if a value can be written as a text. NaN and the infinities are refused, as they come from mistakes. */
function isText(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
