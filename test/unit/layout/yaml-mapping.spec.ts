import { describe, expect, test } from '@jest/globals';

import { YamlMapping } from '../../../lib/layout/yaml-mapping.js';

describe('what cannot be read counts as absent, and is a fault', () => {
  test.each([
    ['a: x', 'must be a list of texts, got "x"'],
    ['a: [x, [y]]', 'must be a list of texts, got "[x, [y]]"'],
    ['a: [x, ~]', 'must be a list of texts, got "[x, ~]"'],
  ])('of the list %j', (text, fault) => {
    const yaml = new YamlMapping(text);

    expect(yaml.list('a')).toEqual([]);
    expect(yaml.faults).toEqual([`a ${fault}`]);
  });

  test.each([
    ['a: x', {}, 'a must be a mapping of texts, got "x"'],
    ['a: {x: [1], y: z}', { y: 'z' }, 'a.x must be a text, got "[1]"'],
    ['a: {[x]: z}', {}, 'a.? must be a text, got "z"'],
  ])('of the mapping %j', (text, texts, fault) => {
    const yaml = new YamlMapping(text);

    expect(yaml.texts('a')).toEqual(texts);
    expect(yaml.faults).toEqual([fault]);
  });

  test.each([
    ['2147483647', 2147483647],
    ['-2147483648', -2147483648],
    ['2147483648', undefined],
    ['-2147483649', undefined],
  ])('of the integer %s, if Java’s integers are too small for it', (text, integer) => {
    const yaml = new YamlMapping(`a: ${text}`);

    expect(yaml.integer('a')).toBe(integer);
    expect(yaml.faults).toEqual(integer === undefined ? [`a must be an integer, got "${text}"`] : []);
  });

  test('the fault shows the first hundred characters, as what somebody else has stored may be of any length', () => {
    const yaml = new YamlMapping(`a: ${'x'.repeat(5000)}`);

    yaml.flag('a');
    expect(yaml.faults).toEqual([`a must be true or false, got "${'x'.repeat(100)}"`]);
  });
});

test('a document that is no YAML is faulted for that alone, with the place', () => {
  expect(new YamlMapping('"abc').faults).toEqual(['Missing closing "quote at line 1, column 5']);
});

test.each(['', ' \n\n', '# a\n', '---\n# b'])('%j is empty or no mapping, and has no keys', (text) => {
  const yaml = new YamlMapping(text);

  expect(yaml.faults).toHaveLength(1);
  expect(yaml.unasked).toEqual([]);
});

describe('a key without a value is absent', () => {
  test('among the keys', () => {
    const yaml = new YamlMapping('{a, b: 1}');

    expect([yaml.text('a'), yaml.integer('b'), yaml.faults]).toEqual([undefined, 1, []]);
  });

  test('among texts', () => {
    const yaml = new YamlMapping('a: {x: ~, y: z}');

    expect([yaml.texts('a'), yaml.faults]).toEqual([{ y: 'z' }, []]);
  });
});

test('numbers among texts become text as Java’s numbers do', () => {
  const written = { a: '0b1011', b: '-0777', c: '+0x12ab', d: '1:30:05', e: '-1_000', f: 'y', g: 'Off', h: '0899' };
  const text = Object.entries(written).map(([key, value]) => `${key}: ${value}`);

  expect(new YamlMapping(`all: {${text.join(', ')}}`).texts('all')).toEqual({
    a: '11',
    b: '-511',
    c: '4779',
    d: '5405',
    e: '-1000',
    f: 'y',
    g: 'false',
    h: '0899',
  });
});

describe('line ends that YAML 1.1 has beyond line feeds', () => {
  test.each([
    ['a: "x\u2028  y"', 'x y'],
    ['a: x\u2029  y', 'x y'],
    ['a: >-\n  x\u2028  y', 'x y'],
    ['a: |-\n  x\u2028  y\u2029  z', 'x\ny\nz'],
    ['a: "x\u0085  y"', 'x y'],
    ['a: "x\\Ly"', 'x\u2028y'],
  ])('of %j are read as line feeds, unless they are escaped', (text, expected) => {
    const yaml = new YamlMapping(text);

    expect([yaml.text('a'), yaml.faults]).toEqual([expected, []]);
  });

  test('are line feeds in faults and in entries that are kept as they are', () => {
    const text = 'a: "x\u2028  y"\nb:\n- "x\u2029  y"\n';
    const yaml = new YamlMapping(text);

    yaml.flag('a');
    expect(yaml.faults).toEqual(['a must be true or false, got "\\"x\\n  y\\""']);
    expect(yaml.verbatim('b')).toBe('b:\n- "x\n  y"\n');
  });
});

test('an entry is kept as it stands, with its own indentation, wherever in an indented document it is', () => {
  const yaml = new YamlMapping('  a: 1\n  b:\n    c:\n    - d\n  e: 2\n');

  expect(yaml.verbatim('b')).toBe('b:\n  c:\n  - d\n');
  expect(yaml.verbatim('f')).toBeUndefined();
});

describe('a text that anybody may have written', () => {
  test.each(['[', '{', '- ', '? ', '[a, {b: '])('is refused if it is nested very deep, as in %j', (piece) => {
    const { faults } = new YamlMapping(piece.repeat(20_000));

    expect(faults).toEqual([
      expect.stringMatching(/^Collections are nested deeper than 50 levels at line 1, column \d+$/),
    ]);
  });

  test('may be nested as deep as SnakeYAML reads it', () => {
    const nested = (depth: number): string => `a: ${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;

    expect(new YamlMapping(nested(50)).faults).toEqual([]);
    expect(new YamlMapping(nested(51)).faults).toHaveLength(1);
  });

  test('has its first faults told, of however many', () => {
    expect(new YamlMapping('a: 1\n' + ']'.repeat(20_000)).faults.length).toBeLessThanOrEqual(6);
  });

  test('is read up to its second document, which is a fault', () => {
    expect(new YamlMapping('a: 1\n---\nb: 2\n').faults).toEqual([
      'There are several documents; the second one begins at line 2, column 1',
    ]);
  });

  test('may have aliases, each of which stands for the last anchor of its name before it', () => {
    const yaml = new YamlMapping('a: &x one\nb: [*x, *x]\nc: &x two\nd: *x\ne: *y\n');

    expect(yaml.list('b')).toEqual(['one', 'one']);
    expect([yaml.text('d'), yaml.text('e')]).toEqual(['two', undefined]);
  });
});
