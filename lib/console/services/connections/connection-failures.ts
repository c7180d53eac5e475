import { inEnglish, type Wording, wording } from '../../../wording/wording.js';
import { type ConnectionTest } from '../../contract/registries.js';
import { MissingPackageError } from '../../../registry/missing-package.js';
import { TargetRefusedError } from './target-guard.js';

type Reason = NonNullable<ConnectionTest['reason']>;

const PATTERNS: readonly (readonly [RegExp, Reason])[] = [
  [/ENOTFOUND|EAI_AGAIN|name-unknown/i, 'name-unknown'],
  [/ECONNREFUSED|refused the connection|connection refused/i, 'refused'],
  [/EHOSTUNREACH|ENETUNREACH|no route/i, 'no-route'],
  [/npm install/, 'package-missing'],
  [/notify must be false/, 'pooler'],
  [/certificate|\btls\b|\bssl\b|self.signed|ERR_(?:TLS|SSL)_|_CERT\b|UNABLE_TO_VERIFY/i, 'tls'],
  // Codes of PostgreSQL come first: the text is of the server, in its language.
  [/^(?:42501|3F000) |permission denied|PERMISSION_DENIED/im, 'rights'],
  [/^3D000 /m, 'database-unknown'],
  [/^28[0P]0[01] |credential|password|authenticat|user name|access denied|AUTH_FAILED|NO_AUTH|digest/i, 'credentials'],
  [/timed? ?out|ETIMEDOUT|DEADLINE|in vain|did not answer|no answer/i, 'time-out'],
];

/** The categories in words. None contains text of the other side. */
const DETAILS: Readonly<Record<Reason, Wording>> = {
  refused: wording('failed-refused'),
  'time-out': wording('failed-time-out'),
  'name-unknown': wording('failed-name-unknown'),
  'no-route': wording('failed-no-route'),
  credentials: wording('failed-credentials'),
  rights: wording('failed-rights'),
  'database-unknown': wording('failed-database'),
  pooler: wording('failed-pooler'),
  'package-missing': wording('failed-other'),
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
  const missing = chainOf(error).find((each) => each instanceof MissingPackageError);
  const detail =
    missing === undefined ? DETAILS[reason] : wording('failed-package', { packages: missing.packages.join(' ') });
  return { isOk: false, reason, detail: inEnglish(detail), wording: detail };
}

/** An error and its causes, the outermost first. */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each);
  return chain;
}

function categoryOf(error: unknown): Reason {
  const texts = chainOf(error).map((each) => `${(each as { code?: unknown }).code as string} ${each.message}`);
  // Advice names settings such as regCenter.tls, which says nothing about the failure.
  const text = (texts.join('\n') || String(error)).replaceAll(/ Check regCenter\.[^\n]*/g, '');
  return PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
}
