/** A line of a CSV file, with its end. Spreadsheets take a text that begins like a formula for one: it gets an apostrophe. */
export function csvLine(values: readonly string[]): string {
  const cells = values.map((value) => {
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(',')}\r\n`;
}
