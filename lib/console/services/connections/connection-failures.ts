import { inEnglish, type Wording, wording } from '../../../wording/wording.js';
import { type ConnectionTest } from '../../contract/registries.js';
import { TargetRefusedError } from './target-guard.js';

type Reason = NonNullable<ConnectionTest['reason']>;

const PATTERNS: readonly (readonly [RegExp, Reason])[] = [
  [/ENOTFOUND|EAI_AGAIN|name-unknown/i, 'name-unknown'],
  [/ECONNREFUSED|refused the connection|connection refused/i, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|no route/i, 'no-route'],
  [/certificate|\btls\b|\bssl\b|self.signed/i, 'tls'],
  [/credential|password|authenticat|access denied|AUTH_FAILED|NO_AUTH|digest/i, 'credentials'],
  [/timed? ?out|ETIMEDOUT|DEADLINE|in vain|did not answer|no answer/i, 'time-out'],
];

/** The categories in words. None contains text of the other side. */
const DETAILS: Readonly<Record<Reason, Wording>> = {
  refused: wording('failed-refused'),
  'time-out': wording('failed-time-out'),
  'name-unknown': wording('failed-name-unknown'),
  'no-route': wording('failed-no-route'),
  credentials: wording('failed-credentials'),
  tls: wording('failed-tls'),
  'not-allowed': wording('failed-not-allowed'),
  other: wording('failed-other'),
};

/**
 * The category of a failure, never the answer of the other side: callers must not read other services through the
 * console.
 */
export function failedTest(error: unknown): ConnectionTest {
  const reason = error instanceof TargetRefusedError ? error.reason : categoryOf(error);
  return { isOk: false, reason, detail: inEnglish(DETAILS[reason]), wording: DETAILS[reason] };
}

function categoryOf(error: unknown): Reason {
  const texts: string[] = [];
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++)
    texts.push(`${(each as { code?: unknown }).code as string} ${each.message}`);
  const text = texts.join('\n') || String(error);
  return PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
}
