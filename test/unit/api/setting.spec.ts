/** Settings that classes declare, and what is said of values that do not fit. */
import { describe, expect, test } from '@jest/globals';
import {
  BooleanSetting,
  IntegerSetting,
  problemsInMap,
  rule,
  SectionSetting,
  Setting,
  settingProblems,
  settingsOf,
  TextListSetting,
  TextSetting,
  UncheckedSetting,
} from '../../../lib/api/settings/setting.js';
import { wording } from '../../../lib/wording/wording.js';

class Pool {
  @IntegerSetting({ min: 1, max: 10 }) size?: unknown;
}

class Settings {
  @IntegerSetting({ min: 1, required: true }) count?: unknown = 1;
  @IntegerSetting({ min: 0, also: { value: -1, meaning: wording('no-check') } }) limit?: unknown;
  @BooleanSetting() isOn?: unknown;
  @TextSetting(
    { required: true, requirement: 'must be a name' },
    rule('short', (text: string) => (text.length > 3 ? 'must be short' : undefined)),
  )
  name?: unknown = 'a';
  @TextSetting({ secrecy: 'hidden' }) password?: unknown;
  @TextListSetting() names?: unknown;
  @SectionSetting() pool?: unknown;
  @UncheckedSetting() anything?: unknown;
  @Setting(
    { kind: 'code' },
    rule('agreeing', (value: unknown, owner: Settings) =>
      value === owner.count ? undefined : `must be $count, not ${String(value)}`,
    ),
  )
  agreeing?: unknown;
}

class MoreSettings extends Settings {
  @TextSetting() more?: unknown;
}

const problemsWith = (changes: object): readonly string[] =>
  settingProblems(Object.assign(new MoreSettings(), changes)).map(
    ({ place, problem }) => `${place.join('.')} ${problem}`,
  );

test('declarations say of each setting, inherited ones too, how text becomes its value, and whether it may be shown', () => {
  expect(Object.fromEntries(settingsOf(MoreSettings))).toEqual({
    count: { kind: 'integer', secrecy: 'shown' },
    limit: { kind: 'integer', secrecy: 'shown' },
    isOn: { kind: 'boolean', secrecy: 'shown' },
    name: { kind: 'text', secrecy: 'shown' },
    password: { kind: 'text', secrecy: 'hidden' },
    names: { kind: 'text-list', secrecy: 'shown' },
    pool: { kind: 'section', secrecy: 'shown' },
    anything: { kind: 'section', secrecy: 'shown' },
    agreeing: { kind: 'code', secrecy: 'shown' },
    more: { kind: 'text', secrecy: 'shown' },
  });
  expect([...settingsOf(Settings).keys()]).not.toContain('more');
});

describe('a value', () => {
  test.each<[changes: object]>([
    [{}],
    [{ limit: -1 }],
    [{ limit: 0 }],
    [{ pool: Object.assign(new Pool(), { size: 10 }), anything: () => 1, agreeing: 1, names: ['a'], isOn: false }],
  ])('that fits has no problem: %p', (changes) => {
    expect(problemsWith(changes)).toEqual([]);
  });

  test.each<[problem: string, changes: object]>([
    ['count is required and must be an integer of at least 1', { count: undefined }],
    ['count must be an integer of at least 1, got null', { count: null }],
    ['count must be an integer of at least 1, got 0', { count: 0 }],
    ['limit must be -1 (no check) or an integer of at least 0, got -2', { limit: -2 }],
    ['isOn must be true or false, got "yes"', { isOn: 'yes' }],
    ['name is required and must be a name', { name: undefined }],
    ['name must be a name, got 5', { name: 5 }],
    ['name must be short, got "long"', { name: 'long' }],
    ['password must be a text, got a number that is not shown', { password: 5 }],
    ['names must be a list of texts that are not empty, got [""]', { names: [''] }],
    ['agreeing must be $count, not $value, got "$value"', { agreeing: '$value' }],
  ])('that does not fit is named: %s', (problem, changes) => {
    expect(problemsWith(changes)).toEqual([problem]);
  });

  test('below a section is named by its place, after the problems of the section above', () => {
    const pool = Object.assign(new Pool(), { size: 11 });
    expect(problemsWith({ pool, isOn: 1 })).toEqual([
      'isOn must be true or false, got 1',
      'pool.size must be an integer of at most 10, got 11',
    ]);
  });
});

test('an object whose class declares nothing has no problem', () => {
  expect(settingProblems({ limit: -2 })).toEqual([]);
});

describe('options given from outside', () => {
  const problems = (given: unknown): readonly string[] => problemsInMap(given, MoreSettings, 'Centre');

  test('have no problem if all keys are known and fit; those left out, or undefined, count as such', () => {
    expect(problems({ count: 1, name: 'a', isOn: undefined, unheardOf: undefined })).toEqual([]);
    expect(problems({})).toEqual([]);
  });

  test('are named by their path; unknown keys come first, with the nearest known one', () => {
    expect(problems({ isOn: 1, limmit: 1 })).toEqual([
      "Centre.limmit: unknown key; did you mean 'limit'?",
      'Centre.isOn: must be true or false, got 1',
    ]);
  });

  test('have sections that are not checked with them', () => {
    expect(problems({ pool: Object.assign(new Pool(), { size: 11 }) })).toEqual([]);
  });

  test('are checked although a key would replace what their class declares', () => {
    expect(problems(JSON.parse('{ "__proto__": {}, "isOn": 1 }'))).toEqual([
      expect.stringMatching(/^Centre\.__proto__: unknown key/),
      'Centre.isOn: must be true or false, got 1',
    ]);
  });

  test.each([
    [undefined, 'undefined'],
    ['secret', 'a string that is not shown'],
    [[], 'a list'],
  ])('must be keys with values (key: value): %p', (given, got) => {
    expect(problems(given)).toEqual([`Centre: needs a plain object of settings, got ${got}`]);
  });
});
