/**
 * What is wrong with a text that the registry centre is to keep for a job, said as what it must be; `undefined`: nothing.
 * Half a surrogate pair cannot be encoded, and YAML of different versions disagrees on these line separators.
 */
export function storedTextProblem(text: string): string | undefined {
  if (/[\ud800-\udfff]/u.test(text)) return 'must not contain half a surrogate pair';
  return /[\u0085\u2028\u2029]/.test(text)
    ? 'must not contain the line separators U+0085, U+2028 and U+2029'
    : undefined;
}

/** As `storedTextProblem`, for texts inside a list or a map: Java keeps control characters as binary data, which it reads back in other places only. */
export function storedEntryProblem(text: string): string | undefined {
  const isPrintable = /^[\t\n\r -~\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text);
  return (
    storedTextProblem(text) ??
    (isPrintable ? undefined : 'must not contain control characters, which Java peers could not read back')
  );
}
