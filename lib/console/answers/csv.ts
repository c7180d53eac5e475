/** The mark before the first line by which spreadsheets recognise UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A line of a CSV file (RFC 4180), with its end. Spreadsheets would evaluate a text that begins like a formula, even
 * after blanks: an apostrophe is put before it, so that they show it as text. Numbers stay numbers.
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
