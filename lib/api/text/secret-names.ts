/**
 * The only list of names of secrets. The library compares words, not parts of words: `db.pwd` has the word `pwd`;
 * `monkey.name` does not have the word `key`.
 */

/** A word that makes any name secret, in which other words may stand, as in `PGPASSWORD` and `clientsecret`. */
const SECRET_WORD =
  /passw(?:or)?[dt]|passphrase|passcode|credential|webhook|(?:api|access|secret|private|account|shared)key|(?:secret|token|pwd)s?$|^(?:pass|pw|db-?pass|userpass|jwt|otp|sig|signature|authorization|cookies?|psk)$/;

/** A word that makes a name secret if it is the last one. */
const SECRET_LAST_WORD = /^(?:auth|digest|bearer)$/;

/** A key is a secret, unless it is one of these: `sort.key`, `primaryKey`. A key of nothing, `key`, may be anything. */
const HARMLESS_KEY =
  /^(?:primary|foreign|partition|partitioning|sort|routing|public|unique|row|cache|object|message|record|event|lock|group|map|order|shard|sharding|business|redis|hot|idempotency|duplicate|config|property|setting|translation|sentence|dedup|deduplication|index|search|lookup|natural)$/;

/** Words that may follow the word `key` in the name of a secret: `accessKeyId`. */
const KEY_ENDS = /^(?:id|pem|value)$/;

/** A last word with which a name is no secret: a measure, an error, a class, a file of source. */
const HARMLESS_LAST_WORD =
  /^(?:milliseconds|millis|ms|seconds|minutes|hours|days|count|size|length|ttl|timeout|interval|enabled|disabled|required|type|policy|errors?|exception|provider|service|manager|handler|factory|filter|controller|resolver|validator|encoder|strategy|m?c?js|tsx?|jsx|java|kt|vue|py|go)$/;

/** Longer names are judged by their ends. */
const LONGEST_NAME = 256;

/**
 * True if the value of this name is a secret. The name is that of a property, field, option, header or URL parameter.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name.slice(-LONGEST_NAME));
  const last = words.at(-1);
  if (last === undefined || HARMLESS_LAST_WORD.test(last)) return false;
  return words.some((word) => SECRET_WORD.test(word)) || SECRET_LAST_WORD.test(last) || isSecretKey(words);
}

/** `awsAccessKeyId` has four words, and so has `AWS_ACCESS_KEY_ID`. */
function wordsOf(name: string): readonly string[] {
  const apart = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return apart.toLowerCase().match(/[a-z]+/g) ?? [];
}

function isSecretKey(words: readonly string[]): boolean {
  const rest = KEY_ENDS.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  if (!/^keys?$/.test(rest.at(-1) ?? '')) return false;
  return rest.length > 1 && !rest.some((word) => HARMLESS_KEY.test(word));
}
