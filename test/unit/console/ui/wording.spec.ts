/** The page words each code of the server in each of its languages. */
import { describe, expect, test } from '@jest/globals';
import { JOB_STATE_CODES } from '../../../../lib/api/errors/errors.js';
import { PROBLEM_CODES } from '../../../../lib/console/http/problem-codes.js';
import { en } from '../../../../lib/console/ui/i18n/en.js';
import { zh } from '../../../../lib/console/ui/i18n/zh.js';
import { CURE_CODES, LIMIT_CODES, REASON_CODES } from '../../../../lib/operations/explain/codes.js';
import { FINDING_CODES } from '../../../../lib/operations/doctor/finding.js';

const BUNDLES: Readonly<Record<string, Readonly<Record<string, string>>>> = { en, zh };

/** The texts of each group, by the server's codes. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  reason: REASON_CODES,
  cure: CURE_CODES,
  limit: LIMIT_CODES,
  finding: FINDING_CODES.flatMap((code) => [code, `${code}.then`, `${code}.cure`]),
  state: JOB_STATE_CODES,
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
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  // Of an error, the general text of a language may leave out the server's English sentence.
  const differ = Object.entries(en).filter(
    ([key, text]) => !key.startsWith('problem.') && valuesIn(text).join() !== valuesIn(BUNDLES['zh']![key]!).join(),
  );
  expect(differ.map(([key]) => key)).toEqual([]);
});

test('a Chinese text is Chinese', () => {
  const sameInBoth = /^(confirm\.title|table\.of|kind|col\.pid|setting\.shardingItemParameters\.hint|span|theme|test)/;
  const english = Object.entries(zh).filter(([key, text]) => !/\p{Script=Han}/u.test(text) && !sameInBoth.test(key));
  expect(english).toEqual([]);
});
