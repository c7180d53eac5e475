import { expect, test } from '@jest/globals';
import { OutputLines } from '../../../lib/executors/output-lines.js';

/** The lines of an output that comes in these pieces. */
function linesOf(...chunks: readonly (string | Uint8Array)[]): readonly string[] {
  const lines: string[] = [];
  const output = new OutputLines((line) => lines.push(line));
  for (const chunk of chunks) output.write(Buffer.from(chunk as string));
  output.end();
  return lines;
}

test.each<[what: string, chunks: readonly string[], lines: readonly string[]]>([
  ['lines', ['one\ntwo\n'], ['one', 'two']],
  ['a last line without a line break', ['one\ntwo'], ['one', 'two']],
  ['a line in pieces', ['o', 'n', 'e\nt', 'wo\n'], ['one', 'two']],
  ['line breaks of Windows, also in pieces', ['one\r\ntwo\r', '\nthree'], ['one', 'two', 'three']],
  ['blank lines, which are left out', ['\n\n  \none\n\n'], ['one']],
  ['indented lines', ['  at a\n\tat b  \n'], ['  at a', '\tat b']],
  ['colours, which are taken away', ['\u001b[31mred\u001b[0m\n'], ['red']],
  ['control characters', ['a\u0007b\rc\u2028d\n'], ['a\\u0007b\\u000dc\\u2028d']],
  ['nothing', [], []],
])('%s', (_, chunks, lines) => {
  expect(linesOf(...chunks)).toEqual(lines);
});

test('characters that come in pieces are put together, and bytes that are no text are replaced', () => {
  const bytes = Buffer.from('北京😀\n');

  expect(linesOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(['北京😀']);
  expect(linesOf(Uint8Array.of(0x61, 0xff, 0x62))).toEqual(['a\ufffdb']);
});

test('of a line of a million characters the beginning is kept, and the next line is whole', () => {
  const chunks = Array.from({ length: 100 }, () => 'x'.repeat(10_000));

  expect(linesOf(...chunks, '\nnext\n')).toEqual([`${'x'.repeat(8_192)}… (991808 more characters)`, 'next']);
});
