import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { knownBugs } from './known-bugs/index.js';
import { applyEdits, editsByFile, type Mutant, OutdatedMutantError, select } from './mutant.js';
import { describeMisfit, misfits, withNewFiles } from './relocate.js';
import { jestFinding } from './suite.js';
import { table, wrap } from './table.js';
import { root } from './tree-copy.js';

const edit = (find: string, replace: string) => ({ file: 'kernel/rules/plan.ts', find, replace });

describe('an edit', () => {
  test('replaces its one place, whatever characters it has', () => {
    expect(applyEdits('a $& b', [edit('$&', "$' and $1")])).toBe("a $' and $1 b");
  });

  test('is made after those before it', () => {
    expect(applyEdits('one', [edit('one', 'two'), edit('two', 'three')])).toBe('three');
  });

  test.each([
    ['no place', 'a b c', 'x'],
    ['2 places', 'x a x', 'x'],
    ['no place', 'a', ''],
  ])('that fits %s is outdated, and the message says where and what', (places, source, find) => {
    const outdated = (): string => applyEdits(source, [edit(find, 'y')]);
    expect(outdated).toThrow(OutdatedMutantError);
    expect(outdated).toThrow(`lib/kernel/rules/plan.ts has ${places} with\n    ${find}`);
  });
});

describe('mutants', () => {
  const some = ['one', 'two'].map((name, index): Mutant => ({
    threads: [`EJ${index}`, 'EJ9'],
    name,
    bug: '',
    edits: [],
    first: '',
  }));

  test.each([
    ['all', [], ['one', 'two']],
    ['by name', ['two'], ['two']],
    ['by thread', ['ej#0'], ['one']],
    ['by a thread of several', ['EJ9'], ['one', 'two']],
  ])('are selected %s', (_, wanted, names) => {
    expect(select(some, wanted).map(({ name }) => name)).toEqual(names);
  });

  test('of an unknown thread are a mistake', () => {
    expect(() => select(some, ['EJ0', 'EJ7'])).toThrow('No mutant is named EJ7');
  });
});

describe('a known bug', () => {
  test.each(knownBugs.map((mutant) => [mutant.name, mutant] as const))(
    '%s can still be re-introduced; if not, say in test/campaigns/mutants/known-bugs how it would look now',
    (_, mutant) => {
      for (const [file, edits] of editsByFile(mutant)) {
        const source = readFileSync(join(root, 'lib', file), 'utf8');
        const mutated = applyEdits(source, edits);
        expect(mutated).not.toBe(source);
        const { diagnostics } = ts.transpileModule(mutated, { reportDiagnostics: true });
        expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
      }
      expect(existsSync(join(root, 'test', mutant.first))).toBe(true);
    },
  );

  test('has a name of its own', () => {
    expect(new Set(knownBugs.map(({ name }) => name)).size).toBe(knownBugs.length);
  });
});

describe('relocating', () => {
  const list = (file: string) =>
    `const list = [\n  { name: 'a-bug', edits: [{ file: 'old.ts', find: 'x' }, { file: '${file}', find: 'y', replace: '' }] },\n];\n`;
  const mutant: Mutant = {
    ...{ threads: [], name: 'a-bug', bug: '', first: '' },
    edits: [
      { file: 'old.ts', find: 'x', replace: 'x z' },
      { file: 'old.ts', find: 'y', replace: '' },
    ],
  };
  const missing = (sources: Record<string, string>) => misfits([mutant], new Map(Object.entries(sources)));

  test('names the one other file that has the text, and leaves all else in the list as it is', () => {
    const found = missing({ 'old.ts': 'x', 'new.ts': 'a y b' });

    expect(withNewFiles(list('old.ts'), found)).toBe(list('new.ts'));
    expect(found.map(describeMisfit)).toEqual(['a-bug: moved from lib/old.ts to lib/new.ts']);
  });

  test.each([
    ['that is in no file', { 'old.ts': 'x', 'new.ts': 'b' }, []],
    ['that is in several files', { 'old.ts': 'x', 'new.ts': 'y', 'other.ts': 'y y' }, ['new.ts', 'other.ts']],
    ['that is in another file twice', { 'old.ts': 'x', 'new.ts': 'y y' }, ['new.ts']],
    ['that is in its own file twice', { 'old.ts': 'x y y', 'new.ts': 'y' }, ['old.ts', 'new.ts']],
  ])('reports text %s, and changes nothing', (_, sources, candidates) => {
    const found = missing(sources);

    expect(found).toMatchObject([{ mutant: 'a-bug', index: 1, candidates, newFile: undefined }]);
    expect(withNewFiles(list('old.ts'), found)).toBe(list('old.ts'));
  });

  test('leaves an edit alone that fits only after the one before it', () => {
    const edits = [mutant.edits[0]!, { file: 'old.ts', find: 'z', replace: '' }];
    expect(misfits([{ ...mutant, edits }], new Map([['old.ts', 'x']]))).toEqual([]);
  });
});

describe('the output of the tests', () => {
  const finding = (...events: object[]) =>
    jestFinding('/copy', ['noise', ...events.map((event) => `MUTANT ${JSON.stringify(event)}`)].join('\n'));

  test('names the first test that has failed', () => {
    const path = '/copy/test/unit/kernel/rules/plan.spec.ts';
    expect(finding({ failed: 'a leader leads', path }, { failed: 'another', path }, { passed: 3 })).toEqual({
      type: 'failed',
      by: 'unit/kernel/rules/plan.spec.ts: a leader leads',
    });
  });

  test('tells of a file that could not be run, which is no failure', () => {
    expect(finding({ unrunnable: 'SyntaxError', path: 'x.ts' }, { passed: 3 })).toEqual({
      type: 'broken',
      why: 'x.ts: SyntaxError',
    });
  });

  test.each([
    ['some tests', 3, 'passed'],
    ['no test', 0, 'broken'],
  ])('after %s that passed', (_, passed, type) => {
    expect(finding({ passed })?.type).toBe(type);
  });

  test('that ends early says nothing', () => {
    expect(finding()).toBeUndefined();
  });
});

describe('a table', () => {
  test('has columns of a width, and further lines for what is too long', () => {
    const columns = [
      { title: 'thread', width: 6 },
      { title: 'bug', width: 9 },
    ];
    expect(table(columns, [['EJ1', 'it never ends'], ['EJ2']])).toBe(
      ['thread  bug', '──────  ─────────', 'EJ1     it never', '        ends', 'EJ2'].join('\n'),
    );
  });

  test.each([
    ['', ['']],
    ['one two', ['one two']],
    ['one two three', ['one two', 'three']],
    ['abcdefghijk', ['abcdefgh', 'ijk']],
    ['a bcdefghij', ['a', 'bcdefghi', 'j']],
  ])('wraps %p between words where it can', (text, lines) => {
    expect(wrap(text, 8)).toEqual(lines);
  });
});
