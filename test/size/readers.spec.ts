/**
 * No text that others have written may keep the process busy: each reader reads 100,000 characters of the texts that
 * are hardest for it within a second of processor time. Readers that are not listed are found, and read as well.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/program.js';
import { type ExportedReader, exportedReaders, readersIn } from './exported-readers.js';
import { HOSTILE_LENGTH, type HostileText, hostileTexts } from './hostile-texts.js';
import { leastProcessorMs, LIMIT_MS, processorMsOf } from './processor-time.js';
import { type KnownReader, NOT_CALLED, type Reader, READERS } from './readers.js';

/**
 * If a reader is quick with an eighth of a text, the whole takes at most 64 times as long even if its work is
 * quadratic.
 */
const SHORT = 1 / 8;
const QUICK = 1 / 250;

/** A reader that is too slow is so with many texts, and each of them takes long. */
const MOST_REPORTED = 3;

/** The value of the other texts that a reader needs. */
const WORD = 'a';

const found = exportedReaders();
const isCalled = ({ name }: ExportedReader): boolean => !NOT_CALLED.some(([pattern]) => pattern.test(name));

/** Each way to read a text, found or written down. */
const ways: readonly (readonly [name: string, reader: () => Promise<KnownReader>])[] = [
  ...found
    .filter(({ name, texts }) => texts !== undefined && !(name in READERS))
    .filter(isCalled)
    .map((reader) => [reader.name, async () => ({ read: await plainReader(reader) })] as const),
  ...Object.entries(READERS).map(([name, reader]) => [name, () => Promise.resolve(reader)] as const),
];

test.each(ways)('%s reads 100,000 hostile characters within a second of processor time', async (_name, reader) => {
  const { read, starts } = await reader();

  const tooSlow = await slowTexts(read, hostileTexts(starts));

  expect(tooSlow).toEqual([]);
});

describe('the gate', () => {
  test('knows how to call each exported reader, or says why it is not called', () => {
    const unknown = found.filter(isCalled).filter(({ name, texts }) => texts === undefined && !(name in READERS));

    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('names no reader that is gone', () => {
    const names = found.map(({ name }) => name);
    const isGone = (name: string): boolean => {
      const [, file, exported] = /^(\S+\.ts) (\w+)/.exec(name) ?? [];
      return file !== undefined && !readFileSync(join(root, 'lib', file), 'utf8').includes(` ${exported}`);
    };

    expect(Object.keys(READERS).filter(isGone)).toEqual([]);
    expect(NOT_CALLED.filter(([pattern]) => !names.some((name) => pattern.test(name)))).toEqual([]);
  });

  test('finds readers in the sources', () => {
    const source = `
      export function parse(text: string): void {}
      export const twice = (one: string, other: unknown) => 1;
      export function parseIn(view: JobView, yaml: string): void {}
      export class Cron { static parse(expression: string) {} #own(text: string) {} }
      function own(text: string): void {}
      export function owner(view: JobView, id: string): void {}`;

    expect(readersIn('a.ts', source)).toEqual([
      { name: 'a.ts parse', file: 'a.ts', exportedAs: 'parse', texts: 1 },
      { name: 'a.ts twice', file: 'a.ts', exportedAs: 'twice', texts: 2 },
      { name: 'a.ts parseIn', file: 'a.ts', exportedAs: 'parseIn', texts: undefined },
      { name: 'a.ts Cron.parse', file: 'a.ts', exportedAs: 'Cron', texts: undefined },
    ]);
  });

  test('finds quadratic readers, and readers that recurse as deep as a text is nested', async () => {
    const few = hostileTexts().filter(({ name }) => /^"(aa|\[\[)…/.test(name));
    const quadratic = (text: string): boolean => /^a*a*b$/.test(text);
    const recursive = (text: string): number => (text.startsWith('[') ? 1 + recursive(text.slice(1)) : 0);

    expect(await slowTexts(quadratic, few, { length: 30_000, limitMs: 100 })).toContainEqual(
      expect.stringMatching(/^"aa…": \d+ ms$/),
    );
    expect(await slowTexts(recursive, few)).toContainEqual('"[[…": Maximum call stack size exceeded');
  });
});

/** @returns the texts that take too long, or that exhaust the stack or the memory, with the reason */
async function slowTexts(
  read: Reader,
  texts: readonly HostileText[],
  { length = HOSTILE_LENGTH, limitMs = LIMIT_MS } = {},
): Promise<readonly string[]> {
  const tooSlow: string[] = [];
  for (const { name, of } of texts) {
    const mayBeSlow = (await problemWith(read, of(length * SHORT), limitMs * QUICK)) !== undefined;
    const problem = mayBeSlow ? await problemWith(read, of(length), limitMs) : undefined;
    if (problem !== undefined) tooSlow.push(`${name}: ${problem}`);
    if (tooSlow.length >= MOST_REPORTED) break;
  }
  return tooSlow;
}

async function problemWith(read: Reader, text: string, limitMs: number): Promise<string | undefined> {
  let exhausted: string | undefined;
  const ms = await leastProcessorMs(limitMs, () =>
    processorMsOf(async () => {
      try {
        await read(text);
      } catch (error) {
        // Readers refuse texts; only what the engine itself throws is a fault.
        if (error instanceof RangeError && /call stack|string length|array length/.test(error.message))
          exhausted = error.message;
      }
    }),
  );
  return exhausted ?? (ms < limitMs ? undefined : `${ms} ms`);
}

/** Reads a text in the place of each parameter. */
async function plainReader({ file, exportedAs, texts = 1 }: ExportedReader): Promise<Reader> {
  const module = (await import(join(root, 'lib', file))) as Readonly<Record<string, (...texts: string[]) => unknown>>;
  const read = module[exportedAs]!;
  return async (text) => {
    for (let place = 0; place < texts; place++) {
      const words = Array.from({ length: texts }, (_, index) => (index === place ? text : WORD));
      await read(...words);
    }
  };
}
