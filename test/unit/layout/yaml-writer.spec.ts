import { describe, expect, test } from '@jest/globals';

import { isReadAsText } from '../../../lib/layout/yaml-scalars.js';
import { YamlMapping } from '../../../lib/layout/yaml-mapping.js';
import { yamlEntry } from '../../../lib/layout/yaml-writer.js';

// job-configuration-yaml.spec.ts checks with texts of Java that these are Java’s very bytes. Here are the cases that
// random configurations meet too seldom.

describe('a text that Java would read as something else without quotes gets quotes', () => {
  test.each([
    ...['~', 'null', 'Null', '', 'yes', 'Off', 'FALSE', '<<'],
    ...['0', '-7', '+12', '1_000', '0b1011', '-0b1', '-0777', '-0x1f', '0x12ab', '1:30', '-190:20:30', '59:1:2'],
    ...['1.', '1.5', '-1.5', '1_0.5', '1.5e3', '1.5e+3', '1.25E-10', '1e5', '-12e5', '1e+5', '1e-10'],
    ...['.5', '-.5', '.5e3', '.5e+3', '.5E-10', '1:30.5', '-190:20:30.15', '190:5.', '-.inf', '.NaN'],
    ...['2026-01-02', '2026-1-2T3:04:05', '2026-01-02  03:04:05', '2026-01-02 03:04:05.123', '2026-01-02t03:04:05 Z'],
    ...['2026-01-02 03:04:05+5', '2026-01-02 03:04:05 -05', '2026-01-02T03:04:05.5+05:30'],
  ])('%p', (text) => {
    expect(yamlEntry('label', text)).toBe(`label: '${text}'\n`);
    expect(isReadAsText(text)).toBe(false);
  });

  test('0899, which is no number: Java quotes all texts of digits with a zero in front', () => {
    expect(yamlEntry('label', '0899')).toBe("label: '0899'\n");
    expect(isReadAsText('0899')).toBe(true);
  });

  test('unless it is longer than what Java compares with numbers and times', () => {
    const time = '2026-01-02 03:04:05.'.padEnd(50, '0');
    const number = '1'.repeat(1024);

    expect([time, `${time}0`].map((text) => yamlEntry('label', text))).toEqual([
      `label: '${time}'\n`,
      `label: ${time}0\n`,
    ]);
    expect([number, `${number}1`].map((text) => yamlEntry('label', text))).toEqual([
      `label: '${number}'\n`,
      `label: ${number}1\n`,
    ]);
  });
});

test.each([
  '1e',
  '0b2',
  '0x',
  '1:60',
  '1.5e',
  '.e5',
  '2026-1-2',
  '12-01-02',
  '2026-01-02 03:04',
  'nul',
  'Yes!',
  '<<<',
  '-',
])('%p is text to Java even without quotes', (text) => {
  expect(isReadAsText(text)).toBe(true);
});

describe('a line is not broken', () => {
  const key = 'k'.repeat(90);

  test('at the last space of a text, which Java’s reader would lose', () => {
    expect(yamlEntry('label', `${'a'.repeat(90)} `)).toBe(`label: '${'a'.repeat(90)} '\n`);
  });

  test.each([
    [' x', "' x'"],
    ['\ta', '"\\ta"'],
    [' \t', '" \\t"'],
  ])('before the first character of %j, even if its key is longer than a line', (value, written) => {
    expect(yamlEntry('props', { [key]: value })).toBe(`props:\n  ${key}: ${written}\n`);
  });
});

describe('a name that YAML has no characters for is written in base 64', () => {
  test('on the line of its value', () => {
    expect(yamlEntry('props', { 'bell\u0007': 'x' })).toBe('props:\n  !!binary "YmVsbAc=": x\n');
  });

  test.each([
    [87, false],
    [88, true],
  ])(
    'of %i bytes: on lines of its own is %p, for Java’s reader accepts 128 characters of name and tag',
    (length, own) => {
      const name = '\u0007'.repeat(length);
      const written = yamlEntry('props', { [name]: 'x' });

      expect(written.startsWith('props:\n  ? !!binary |-\n    Bw')).toBe(own);
      expect(written.startsWith('props:\n  !!binary "Bw')).toBe(!own);
      expect(new YamlMapping(written).texts('props')).toEqual({ [name]: 'x' });
    },
  );
});
