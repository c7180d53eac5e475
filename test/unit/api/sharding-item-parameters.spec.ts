import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  itemParametersDoubts,
  itemParametersProblem,
  itemParametersText,
} from '../../../lib/api/job/sharding-item-parameters.js';
import { readItemParameters } from '../../../lib/layout/sharding-item-parameters.js';
import { expectProperty } from '../../support/property.js';
import { english } from '../../support/english.js';
import { inEnglish } from '../../../lib/wording/wording.js';

const like = (complaint: string): string => `must be like '0=Beijing,1=Shanghai', but ${complaint}`;

test.each<[text: string, total: unknown]>([
  ['', 2],
  [',', 2],
  ['0=a,1=b', 2],
  ['  0=a,1=b  ', 2],
  ['0 = a , 1 = b', 2],
  ['0=a,,', 2],
  ['1=b', 2],
  ['00=a', 1],
  ['+1=a', 2],
  ['0=a b', 1],
  ['9=a', 'no number: the fault is that of the total'],
  ['9=a', 0],
  ['9=a', -3],
  ['9=a', undefined],
])('%j is accepted, with a total of %p', (text, total) => {
  expect(english(itemParametersProblem(text, total))).toBeUndefined();
});

test.each(['   ', ' , ,', '0=a, ', '0=a, ,\t'])(
  '%j is refused at start, because each firing would fail with it',
  (text) => {
    expect(() => readItemParameters(text)).toThrow('format error');
    expect(english(itemParametersProblem(text, 2))).toContain('is not of the form item=parameter');
  },
);

test('commas at the end and items with leading zeros or a plus sign are doubts, which say how the text is read', () => {
  expect(itemParametersDoubts('0=a,1=b').map(inEnglish)).toEqual([]);
  expect(itemParametersDoubts('0=a,10=b,100=c').map(inEnglish)).toEqual([]);
  expect(itemParametersDoubts('0=a,,').map(inEnglish)).toEqual([
    "the commas at the end of shardingItemParameters '0=a,,' have no effect: no item gets an empty parameter",
  ]);
  expect(itemParametersDoubts('00=a, 01 = b').map(inEnglish)).toEqual([
    "shardingItemParameters names item '00', which is read as item 0",
    "shardingItemParameters names item '01', which is read as item 1",
  ]);
  expect(itemParametersDoubts('+1=a').map(inEnglish)).toEqual([
    "shardingItemParameters names item '+1', which is read as item 1",
  ]);
});

test.each<[text: string, problem: string]>([
  ['0', like("'0' is not of the form item=parameter")],
  ['0=', like("'0=' is not of the form item=parameter")],
  ['=a', like("'=a' is not of the form item=parameter")],
  ['0= ', like("'0= ' is not of the form item=parameter")],
  [' =a', like("' =a' is not of the form item=parameter")],
  ['0=a=b', like("'0=a=b' is not of the form item=parameter")],
  ['0=a,,1=b', like("'' is not of the form item=parameter")],
  [',0=a', like("'' is not of the form item=parameter")],
  ['x=a', like("'x' is not the number of an item")],
  ['++1=a', like("'++1' is not the number of an item")],
  ['-1=a', like("'-1' is not the number of an item")],
  ['1.5=a', like("'1.5' is not the number of an item")],
  ['12345678901=a', like("'12345678901' is not the number of an item")],
  ['0=a,0=b', like('item 0 has two parameters')],
  ['0=a,00=b', like('item 0 has two parameters')],
  ['0=a,+0=b', like('item 0 has two parameters')],
  ['2=c', 'must only name items from 0 to 1, as shardingTotalCount is 2, but names item 2'],
  ['0=a,5=c,9=d', 'must only name items from 0 to 1, as shardingTotalCount is 2, but names item 5'],
])('%j is refused', (text, problem) => {
  expect(english(itemParametersProblem(text, 2))).toBe(problem);
});

test('a job of one item has item 0 only', () => {
  expect(english(itemParametersProblem('0=a', 1))).toBeUndefined();
  expect(english(itemParametersProblem('1=a', 1))).toBe(
    'must only name items from 0 to 0, as shardingTotalCount is 1, but names item 1',
  );
});

const JSON_FORM = `must be like '{"0":"Beijing","1":"a,b"}', but`;

test('parameters in JSON may have commas, equals signs and quotes', () => {
  const text = JSON.stringify({ 0: 'a,b', 1: 'cGFkZGVk==', 2: '{"from":"x"}', 3: 'https://example.org/?a=1,2' });

  expect(english(itemParametersProblem(text, 4))).toBeUndefined();
  expect([...readItemParameters(` ${text}`).values()]).toEqual([
    'a,b',
    'cGFkZGVk==',
    '{"from":"x"}',
    'https://example.org/?a=1,2',
  ]);
});

test.each([
  ['{"0":"a"', `${JSON_FORM} is not valid JSON`],
  ['{0=a}', `${JSON_FORM} is not valid JSON`],
  ['{"zero":"a"}', `${JSON_FORM} 'zero' is not the number of an item`],
  ['{"00":"a"}', `${JSON_FORM} '00' is not the number of an item`],
  ['{"0":1}', `${JSON_FORM} the parameter of item 0 is not a text`],
])('the JSON %j is refused at start and at a firing', (text, problem) => {
  expect(english(itemParametersProblem(text, 2))).toBe(problem);
  expect(() => readItemParameters(text)).toThrow(problem);
});

test('JSON names only items that the job has', () => {
  expect(english(itemParametersProblem('{"2":"a"}', 2))).toContain('must only name items from 0 to 1');
});

test('JSON is a doubt, as Java instances cannot read it', () => {
  expect(itemParametersDoubts('{"0":"a,b"}').map(inEnglish)).toEqual([
    'Java instances cannot run the job, because Java ElasticJob refuses shardingItemParameters in JSON, which only Node reads',
  ]);
});

test.each<[given: Parameters<typeof itemParametersText>[0], text: string]>([
  ['0=a,1=b', '0=a,1=b'],
  [{ 0: 'Beijing', 1: 'Shanghai' }, '0=Beijing,1=Shanghai'],
  [{ 2: 5, 1: true, 0: 'a b' }, '0=a b,1=true,2=5'],
  [['Beijing', 'Shanghai'], '0=Beijing,1=Shanghai'],
  [{}, ''],
  [[], ''],
  [{ 0: 'a', 1: undefined as never, 2: null as never }, '0=a'],
  [{ 0: 'a,b', 1: 'c' }, '{"0":"a,b","1":"c"}'],
  [['cGFkZGVk=='], '{"0":"cGFkZGVk=="}'],
  [['a', ''], '{"0":"a","1":""}'],
  [[' a'], '{"0":" a"}'],
  [['a\n'], '{"0":"a\\n"}'],
  [['\u0001a'], '{"0":"\\u0001a"}'],
])('%j is stored as %j, which is JSON only if Java’s form cannot hold it', (given, text) => {
  expect(english(itemParametersProblem(given, 3))).toBeUndefined();
  expect(itemParametersText(given)).toBe(text);
  expect(english(itemParametersProblem(text, 3))).toBeUndefined();
});

test('all parameters by item are read as they were written, and so are those of a list', () => {
  const values = fc.array(fc.string({ unit: fc.constantFrom(...'a,= {}":\n\t0ü') }), { maxLength: 4 });

  expectProperty(
    fc.property(values, (list) => {
      const byItem = Object.fromEntries(list.entries());
      for (const given of [list, byItem]) {
        expect(english(itemParametersProblem(given, 4))).toBeUndefined();
        expect(Object.fromEntries(readItemParameters(itemParametersText(given)))).toEqual(byItem);
      }
    }),
  );
});

const FORMS = "must be a text like '0=Beijing,1=Shanghai', a list of texts, or texts by item (0: Beijing)";

test.each<[given: unknown, problem: string]>([
  [5, FORMS],
  [null, FORMS],
  [true, FORMS],
  [new Map([[0, 'a']]), FORMS],
  [{ zero: 'a' }, `${FORMS}, but 'zero' is not the number of an item`],
  [{ '00': 'a' }, `${FORMS}, but '00' is not the number of an item`],
  [{ '0=a': null, '1=b': null }, `${FORMS}, but '0=a' is not the number of an item`],
  [{ '-1': 'a' }, `${FORMS}, but '-1' is not the number of an item`],
  [{ '0-1': 'a' }, `${FORMS}, but '0-1' is not the number of an item`],
  [{ 0: ['a', 'b'] }, `${FORMS}, but the parameter of item 0 is a list`],
  [{ 0: NaN }, `${FORMS}, but the parameter of item 0 is NaN`],
  [['a', null], `${FORMS}, but the parameter of item 1 is null`],
  // eslint-disable-next-line no-sparse-arrays -- A list of code may have holes.
  [[, 'b'], `${FORMS}, but the parameter of item 0 is undefined`],
  [['a', undefined], `${FORMS}, but the parameter of item 1 is undefined`],
  [['a', 'b', 'c'], 'must only name items from 0 to 1, as shardingTotalCount is 2, but names item 2'],
  [{ 5: 'a' }, 'must only name items from 0 to 1, as shardingTotalCount is 2, but names item 5'],
  [['a', '\ud800'], 'must not contain half a surrogate pair, as the parameter of item 1 does'],
  [
    { 0: 'a\0' },
    'must not contain the character U+0000, at which programs and databases end a text, as the parameter of item 0 does',
  ],
  [
    ['x'.repeat(130_000), 'y'.repeat(130_000)],
    'must not be longer than 250000 bytes, for ZooKeeper keeps at most a megabyte a node',
  ],
])('the parameters %j are refused', (given, problem) => {
  expect(english(itemParametersProblem(given, 2))).toBe(problem);
});
