/** Holds the glossary against the code: what it names exists. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/program.js';

/** An entry of the glossary. */
interface Entry {
  readonly term: string;
  readonly text: string;
}

const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');

const entries: readonly Entry[] = glossary
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [term = '', ...lines] = section.split('\n');
    return { term, text: lines.join(' ').trim() };
  });

/** The code of lib/, without its comments, as one text. */
const library = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'lib', file), 'utf8').replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ''))
  .join('\n');

/**
 * The names in a piece of code: `JobView.crashReports` has two, the path `leader/election/instance` three, `{id}` none.
 */
function namesIn(code: string): readonly string[] {
  return code
    .replace(/\{\w+\}|\(\)/g, '')
    .split(/[./]/)
    .filter((name) => name !== '');
}

/** True if lib/ has the name: as a word, so that `Mark` is not found in `Marked`. */
function isKnown(name: string): boolean {
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(library);
}

test('the terms stand in alphabetical order, each once', () => {
  const terms = entries.map(({ term }) => term);

  expect(terms.length).toBeGreaterThan(40);
  expect(terms).toEqual([...new Set(terms)].sort());
});

describe.each(entries.map((entry) => [entry.term, entry] as const))('%s', (_, { text }) => {
  test('is explained in few sentences', () => {
    const sentences = text.split(/\.(?: |$)/).filter((each) => each !== '');

    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.length).toBeLessThanOrEqual(4);
  });

  test('names only what lib/ has', () => {
    const names = [...text.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => namesIn(code));

    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  });
});

test('a name that lib/ does not have is noticed', () => {
  expect(namesIn('JobView.crashReport()').map(isKnown)).toEqual([true, true]);
  expect(namesIn('x-node/meetings/{id}').map(isKnown)).toEqual([true, false]);
  expect(isKnown('JobVie')).toBe(false);
});
