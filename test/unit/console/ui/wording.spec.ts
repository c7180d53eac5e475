/** The page words each code of the server in each of its languages. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { JOB_STATE_CODES } from '../../../../lib/api/errors/errors.js';
import { PROBLEM_CODES } from '../../../../lib/console/answers/problem-codes.js';
import { en } from '../../../../lib/console/ui/i18n/en.js';
import { zh } from '../../../../lib/console/ui/i18n/zh.js';
import { CURE_CODES, LIMIT_CODES, REASON_CODES } from '../../../../lib/operations/explain/codes.js';
import { FINDING_CODES } from '../../../../lib/operations/doctor/finding.js';
import { inEnglish, SENTENCES, wording } from '../../../../lib/wording/wording.js';

/** The server's own sentences, which the page shows in English as they come. */
const CLAUSES = Object.fromEntries(Object.entries(SENTENCES).map(([code, text]) => [`clause.${code}`, text]));

const BUNDLES: Readonly<Record<string, Readonly<Record<string, string>>>> = { en: { ...en, ...CLAUSES }, zh };

/** The texts of each group, by the server's codes. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  reason: REASON_CODES,
  cure: CURE_CODES,
  limit: LIMIT_CODES,
  finding: FINDING_CODES.flatMap((code) => [code, `${code}.then`, `${code}.cure`]),
  state: JOB_STATE_CODES,
  clause: Object.keys(SENTENCES),
  // The page has some of its own, for what the server does not answer.
  problem: [...PROBLEM_CODES, 'page', 'request', 'unexpected-answer', 'unreachable'],
};

const valuesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort();

describe.each(Object.entries(GROUPS))('the codes of %s', (group, codes) => {
  test.each(Object.keys(BUNDLES))('each have a text in %s, and no text is left over', (language) => {
    const keys = Object.keys(BUNDLES[language]!).filter((key) => key.startsWith(`${group}.`));

    expect(keys.sort()).toEqual(codes.map((code) => `${group}.${code}`).sort());
  });
});

test('both languages have the same texts, with the same values in them', () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(BUNDLES['en']!).sort());
  // Of an error, the general text of a language may leave out the server's English sentence.
  const differ = Object.entries(BUNDLES['en']!).filter(
    ([key, text]) => !key.startsWith('problem.') && valuesIn(text).join() !== valuesIn(BUNDLES['zh']![key]!).join(),
  );
  expect(differ.map(([key]) => key)).toEqual([]);
});

test('a Chinese text is Chinese', () => {
  const sameInBoth =
    /^(clause\.(setting|sentence|trigger-setting)|confirm\.title|table\.of|kind|col\.pid|setting\.shardingItemParameters\.hint|span|theme|test)/;
  const english = Object.entries(zh).filter(([key, text]) => !/\p{Script=Han}/u.test(text) && !sameInBoth.test(key));
  expect(english).toEqual([]);
});

test('an error in Chinese needs no English sentence of the server', () => {
  // The browser, and what stands between the page and the console, answer in words of their own.
  const english = Object.entries(zh).filter(
    ([key, text]) =>
      key.startsWith('problem.') && text.includes('{detail}') && !/\.(?:page|unexpected-answer)$/.test(key),
  );
  expect(english).toEqual([]);
});

test('the code of each sentence stands in the source that says it', () => {
  const source = sourceOf(new URL('../../../../lib/', import.meta.url)).join('\n');
  const unsaid = Object.keys(SENTENCES).filter((code) => !source.includes(`'${code}'`));
  expect(unsaid).toEqual([]);
});

/** The text of all modules that may say sentences. */
function sourceOf(folder: URL): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === 'ui' ? [] : sourceOf(new URL(`${entry.name}/`, folder));
    return /(?<!-sentences)\.ts$/.test(entry.name) ? [readFileSync(new URL(entry.name, folder), 'utf8')] : [];
  });
}

describe('a sentence in English', () => {
  test('has the values in it, and clauses with values of their own', () => {
    const problem = wording('integer-min', { min: 1 });
    const got = wording('got', { problem, got: wording('map') });

    expect(inEnglish(wording('setting', { setting: 'days', problem: got }))).toBe(
      'days must be an integer of at least 1, got keys with values.',
    );
  });

  test('ends once, also if a clause asks', () => {
    const problem = wording('is-unknown', { hint: wording('did-you-mean', { name: 'cert' }) });

    expect(inEnglish(wording('setting', { setting: 'tls.crt', problem }))).toBe(
      "tls.crt is unknown; did you mean 'cert'?",
    );
  });

  test('keeps braces and whatever stands in a value', () => {
    expect(inEnglish(wording('cron-option', { option: '{setting} $& $1' }))).toBe(
      "unknown option '{setting} $& $1'; the only one is timeZone, as in { timeZone: 'Asia/Shanghai' }",
    );
  });
});
