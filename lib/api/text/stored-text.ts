import { type Wording, wording } from '../../wording/wording.js';

/**
 * A quarter of the bytes that a ZooKeeper server with its usual settings accepts for all settings of a job together.
 */
const MOST_BYTES = 250_000;

/**
 * Checks a text that the registry centre stores for a job. Half a surrogate pair cannot be encoded, versions of YAML
 * disagree about these line separators, and programs, databases and log files end a text at U+0000.
 * @returns the problem with the text, as a requirement, or undefined
 */
export function storedTextProblem(text: string): Wording | undefined {
  if (Buffer.byteLength(text) > MOST_BYTES) return wording('too-many-bytes', { most: MOST_BYTES });
  if (/[\ud800-\udfff]/u.test(text)) return wording('half-surrogate');
  if (text.includes('\0')) return wording('null-character');
  return /[\u0085\u2028\u2029]/.test(text) ? wording('line-separators') : undefined;
}

/**
 * As `storedTextProblem`, for texts inside a list or a map: there Java writes control characters as binary data, which
 * it does not read back.
 * @returns the problem with the text, as a requirement, or undefined
 */
export function storedEntryProblem(text: string): Wording | undefined {
  const isPrintable = /^[\t\n\r -~\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text);
  return storedTextProblem(text) ?? (isPrintable ? undefined : wording('control-characters'));
}
