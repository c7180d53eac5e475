import { expect, test } from '@jest/globals';
import { OutputLines } from '../../../lib/executors/output-lines.js';

/** The lines of an output that comes in these pieces. */
async function linesOf(...chunks: readonly (string | Uint8Array)[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const output = new OutputLines((line) => lines.push(line));
  for (const chunk of chunks) await output.write(Buffer.from(chunk as string));
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
])('%s', async (_, chunks, lines) => {
  expect(await linesOf(...chunks)).toEqual(lines);
});

test('characters that come in pieces are put together, and bytes that are no text are replaced', async () => {
  const bytes = Buffer.from('北京😀\n');

  expect(await linesOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(['北京😀']);
  expect(await linesOf(Uint8Array.of(0x61, 0xff, 0x62))).toEqual(['a\ufffdb']);
  expect(await linesOf(Uint8Array.of(0x61, 0xe5, 0x0a, 0x62))).toEqual(['a\ufffd', 'b']);
});

test('of a line of a million characters the beginning is kept, and the next line is whole', async () => {
  const chunks = Array.from({ length: 100 }, () => 'x'.repeat(10_000));

  expect(await linesOf(...chunks, '\nnext\n')).toEqual([`${'x'.repeat(8_192)}… (991808 more characters)`, 'next']);
});

test('of very many lines the first 10,000 are passed on, then one that counts the others and has the last one', async () => {
  const text = Array.from({ length: 100_000 }, (_, n) => `line ${n}\n`).join('');
  const lines = await linesOf(text.slice(0, 500_000), text.slice(500_000));

  expect(lines.length).toBe(10_001);
  expect(lines[9_999]).toBe('line 9999');
  expect(lines[10_000]).toBe('… (90000 more lines, 990000 bytes, are not logged; the last line: line 99999)');
});

test('of an output of 5 MiB the first 4 MiB are passed on', async () => {
  const line = `${'x'.repeat(8_191)}\n`;
  const lines = await linesOf(...Array.from({ length: 640 }, () => line), 'the end');

  expect(lines.length).toBe(513);
  expect(lines[512]).toBe('… (128 more lines, 1048583 bytes, are not logged; the last line: the end)');
});

test('other work has its turn while lines are passed on', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);

  await linesOf('line\n'.repeat(10_000));

  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(49);
});

test('the last line of an output is known also if it is not passed on, and has no line break', async () => {
  const output = new OutputLines(() => undefined);
  expect(output.last).toBe('');

  await output.write(Buffer.from('line\n'.repeat(20_000)));
  await output.write(Buffer.from('why it failed\n \n'));
  output.end();

  expect(output.last).toBe('why it failed');
});
