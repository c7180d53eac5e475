import { describe, expect, test } from '@jest/globals';
import { paintFor, plain } from '../../../lib/cli/terminal/style.js';
import { type Column, tableText } from '../../../lib/cli/terminal/table.js';
import { cutTo, printable, widthOf } from '../../../lib/cli/terminal/text.js';

interface Row {
  readonly name: string;
  readonly count: number;
  readonly note: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', text: ({ name }) => name, tone: ({ count }) => (count > 9 ? 'bad' : undefined) },
  { title: 'COUNT', text: ({ count }) => String(count), align: 'right' },
  { title: 'NOTE', text: ({ note }) => note },
];
const rows: readonly Row[] = [
  { name: 'bill', count: 2, note: 'at night, when nobody waits' },
  { name: '同步订单', count: 12, note: '' },
];

const table = (width?: number): readonly string[] => tableText(columns, rows, { width, paint: plain }).split('\n');

describe('a table', () => {
  test('is as wide as its texts, in the columns of a terminal', () => {
    expect(table()).toEqual([
      'NAME      COUNT  NOTE',
      'bill          2  at night, when nobody waits',
      '同步订单     12',
      '',
    ]);
  });

  test.each([60, 44, 43, 35, 30, 25, 23])(
    'fits a terminal of %d columns: the widest column gives way first',
    (width) => {
      for (const line of table(width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(table(width)).toHaveLength(4);
    },
  );

  test('becomes paragraphs where not even that is enough', () => {
    expect(table(12)).toEqual([
      'NAME: bill',
      'COUNT: 2',
      'NOTE: at night, when nobody waits',
      '',
      'NAME: 同步订单',
      'COUNT: 12',
      '',
    ]);
  });

  test('paints texts, and not the blanks between them', () => {
    const paint = paintFor({ isTerminal: true, environment: {}, color: true });

    expect(tableText(columns, rows, { width: undefined, paint }).split('\n')[2]).toBe(
      '\u001b[31m同步订单\u001b[0m     12',
    );
  });
});

test('10,000 rows are a table, for which each text is read once and painted once', () => {
  const many = Array.from({ length: 10_000 }, (_, count) => ({ name: `job${count}`, count, note: 'x'.repeat(100) }));
  const calls = { text: 0, paint: 0 };
  const counted = columns.map((column) => ({ ...column, text: (row: Row) => (calls.text++, column.text(row)) }));
  const paint: typeof plain = (tone, text) => (calls.paint++, plain(tone, text));

  expect(tableText(counted, many, { width: 80, paint }).split('\n')).toHaveLength(10_002);
  expect(calls).toEqual({ text: 30_000, paint: 30_003 });
});

test.each([
  [{ isTerminal: true, environment: {}, color: true }, true],
  [{ isTerminal: false, environment: {}, color: true }, false],
  [{ isTerminal: true, environment: { NO_COLOR: '1' }, color: true }, false],
  [{ isTerminal: true, environment: { NO_COLOR: '' }, color: true }, true],
  [{ isTerminal: true, environment: { TERM: 'dumb' }, color: true }, false],
  [{ isTerminal: true, environment: {}, color: false }, false],
  [{ isTerminal: false, environment: { FORCE_COLOR: '1' }, color: true }, true],
  [{ isTerminal: false, environment: { FORCE_COLOR: '0' }, color: true }, false],
  [{ isTerminal: true, environment: { FORCE_COLOR: '1', NO_COLOR: '1' }, color: true }, false],
])('%j: colours %s', (choice, hasColours) => {
  expect(paintFor(choice)('good', 'OK') !== 'OK').toBe(hasColours);
});

test('a text is cut to columns, not to characters', () => {
  expect(cutTo(5, '同步订单')).toBe('同步…');
  expect(cutTo(8, '同步订单')).toBe('同步订单');
  expect(widthOf('👩‍👩‍👧')).toBe(2);
});

test('what would steer a terminal is shown instead', () => {
  expect(printable('a\u001b[2Jb\nc\u202ed\u0007')).toBe('a\\u001b[2Jb\\nc\\u202ed\\u0007');
});
