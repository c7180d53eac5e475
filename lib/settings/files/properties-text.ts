/**
 * Reads the format of `java.util.Properties`:
 *
 * ```
 *   # a comment
 *   elasticjob.jobs.syncOrders.cron = 0 0 2 * * ?
 *   elasticjob.jobs.syncOrders.description : on \
 *       two lines, with \u00e4
 * ```
 */

/** A key and its value. */
export type Property = readonly [key: string, value: string];

/** The properties of a text in their order; a key may be there several times. */
export function parseProperties(text: string): readonly Property[] {
  return logicalLines(text).map((line) => {
    // The key ends at the first '=', ':' or white space that no backslash precedes.
    const key = /^(?:\\.|[^\\=:\s])*/s.exec(line)?.[0] ?? '';
    const value = line.slice(key.length).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
    return [unescaped(key), unescaped(value)];
  });
}

/** Lines without comments; a line whose end has an odd number of backslashes goes on in the next one. */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let begun: string | undefined;
  for (const natural of text.split(/\r\n|\n|\r/)) {
    const line = natural.replace(/^[ \t\f]+/, '');
    if (begun === undefined && (line === '' || /^[#!]/.test(line))) continue;
    const whole: string = (begun ?? '') + line;
    begun = backslashesAtEnd(line) % 2 === 1 ? whole.slice(0, -1) : undefined;
    if (begun === undefined) lines.push(whole);
  }
  return begun === undefined || begun === '' ? lines : [...lines, begun];
}

function backslashesAtEnd(line: string): number {
  let count = 0;
  while (line.at(-1 - count) === '\\') count++;
  return count;
}

const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, char: string | undefined) =>
    code === undefined ? (CONTROLS[char ?? ''] ?? char ?? '') : String.fromCharCode(parseInt(code, 16)),
  );
}
