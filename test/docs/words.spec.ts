/** Words for which the documentation has better ones. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/program.js';

/** Each with what to say instead. */
const BANNED: Readonly<Record<string, string>> = {
  anew: 'again',
  'by hand': 'manually',
  "nobody's": 'unowned',
  whoever: 'the instance, or the person, that …',
  merely: 'only',
};

/** Where a page has to use such a word: the piece of text, and why. */
const EXCEPTIONS: readonly { readonly page: string; readonly text: string; readonly why: string }[] = [];

/** The page's text that is checked: of the changelog, what is not released yet. */
function textOf(page: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  return page === 'CHANGELOG.md' ? (/^## \[Unreleased\]\n([^]*?)(?=^## \[|(?![^]))/m.exec(text)?.[1] ?? '') : text;
}

/** The banned words in a text, each with its line. */
function bannedIn(text: string): readonly string[] {
  return Object.entries(BANNED).flatMap(([word, better]) => {
    const pattern = new RegExp(`(?<!\\w)${word.replace(' ', '\\s+')}(?!\\w)`, 'gi');
    return [...text.matchAll(pattern)].map(
      ({ index }) => `line ${text.slice(0, index).split('\n').length}: '${word}'; say '${better}'`,
    );
  });
}

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
  'sample/README.md',
  'test/scenarios/README.md',
  'test/campaigns/interop/README.md',
  'bench/README.md',
];

test.each(pages)('%s is in plain words', (page) => {
  const allowed = EXCEPTIONS.filter((exception) => exception.page === page);
  const text = textOf(page);

  expect(text).not.toBe('');
  expect(allowed.filter((exception) => !text.includes(exception.text))).toEqual([]);
  expect(bannedIn(allowed.reduce((rest, exception) => rest.replace(exception.text, ''), text))).toEqual([]);
});

describe('a banned word is noticed', () => {
  test.each(['Made anew.', 'Run by\nhand.', "It is Nobody's.", 'Whoever comes', 'It merely waits'])('in %j', (text) => {
    expect(bannedIn(text)).toHaveLength(1);
  });

  test('only as a word of its own', () => {
    expect(bannedIn('renewable, byHand, by-hand.ts')).toEqual([]);
  });
});
