/** A quarter of what a ZooKeeper server with its usual settings accepts for all settings of a job together. */
const MOST_BYTES = 250_000;

/**
 * Checks a text that the registry centre stores for a job. Half a surrogate pair cannot be encoded, versions of YAML
 * disagree about these line separators, and programs, databases and log files end a text at U+0000.
 * @returns the problem with the text, as a requirement, or undefined
 */
export function storedTextProblem(text: string): string | undefined {
  if (Buffer.byteLength(text) > MOST_BYTES)
    return `must not be longer than ${MOST_BYTES} bytes, for ZooKeeper keeps at most a megabyte a node`;
  if (/[\ud800-\udfff]/u.test(text)) return 'must not contain half a surrogate pair';
  if (text.includes('\0')) return 'must not contain the character U+0000, at which programs and databases end a text';
  return /[\u0085\u2028\u2029]/.test(text)
    ? 'must not contain the line separators U+0085, U+2028 and U+2029'
    : undefined;
}

/**
 * As `storedTextProblem`, for texts inside a list or a map: there Java writes control characters as binary data, which
 * it does not read back.
 * @returns the problem with the text, as a requirement, or undefined
 */
export function storedEntryProblem(text: string): string | undefined {
  const isPrintable = /^[\t\n\r -~\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text);
  return (
    storedTextProblem(text) ??
    (isPrintable ? undefined : 'must not contain control characters, which Java peers could not read back')
  );
}
