/** Holds the way of a firing, as `docs/how-it-works.md` has it, against the code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/program.js';

interface Hop {
  readonly number: number | undefined;
  readonly file: string;
  readonly name: string;
}

const page = readFileSync(join(root, 'docs/how-it-works.md'), 'utf8');
const hops = [...page.matchAll(/^\| +(\d*) \| `([\w/.-]+\.ts)` +\| `(#?\w+)` +\|/gm)].map(
  ([, number = '', file = '', name = '']): Hop => ({ number: number === '' ? undefined : Number(number), file, name }),
);

/** True if the text of a file declares a function, or a method, of that name. */
function declares(text: string, name: string): boolean {
  const method = String.raw`^  (?:async )?${name}[(<]`;
  const called = String.raw`^export (?:async )?function ${name}[(<]`;
  return new RegExp(`${method}|${called}`, 'm').test(text);
}

describe('the way of a firing', () => {
  test.each(hops.map((hop) => [hop.file, hop.name]))('passes through %s, which has the function %s', (file, name) => {
    const path = join(root, 'lib', file);

    expect(existsSync(path)).toBe(true);
    expect(declares(readFileSync(path, 'utf8'), name)).toBe(true);
  });

  test('is counted by the changes of file: ten to the code of the job, thirteen to the removed marks', () => {
    expect(hops.map(({ number }) => number)).toEqual([undefined, ...hops.slice(1).map((_, index) => index + 1)]);
    expect(hops.filter(({ file }, index) => file === hops[index - 1]?.file)).toEqual([]);
    expect(hops.find(({ name }) => name === 'process')?.number).toBe(10);
    expect(hops.findLast(({ name }) => name === 'commit')?.number).toBe(13);
    expect(hops).toHaveLength(15);
  });
});

test('a function that is only called, or named in a comment, is not declared', () => {
  expect(declares('  begin(items: string): void {', 'begin')).toBe(true);
  expect(declares('  async #fire(): Promise<void> {', '#fire')).toBe(true);
  expect(declares('export function chooseItems(\n', 'chooseItems')).toBe(true);
  expect(declares('    begin(items);\n  /** begin(items) */\n  begins(items) {', 'begin')).toBe(false);
});
