/** What tells spreadsheets that a file is UTF-8; it stands before the first line. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A line of a CSV file (RFC 4180), with its end. Spreadsheets take a text that begins like a formula for one, also
 * behind blanks: it gets an apostrophe before it, which they show as text. Numbers stay numbers.
 */
export function csvLine(values: readonly (string | number | undefined)[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[\s\uFEFF]*[=+\-@|%]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n;]|^\s|\s$/.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe;
}
