import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readYamlFile } from '../../../lib/settings/yaml-file.js';

const directory = mkdtempSync(join(tmpdir(), 'elasticjob-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const fileWith = (text: string): string => {
  const file = join(directory, `${++files}.yaml`);
  writeFileSync(file, text);
  return file;
};

test('the settings under elasticjob are read, however the key is spelt; other keys are ignored', () => {
  const text = 'spring: { datasource: x }\nELASTIC-JOB: { jobs: { a: { label: b } } }\n';

  expect(readYamlFile(fileWith(text))).toEqual({ jobs: { a: { label: 'b' } } });
});

test('a number that JavaScript would write in another way stays the text that it is', () => {
  expect(readYamlFile(fileWith('elasticjob: { a: 7, b: 007, c: 1e3, d: 1.50 }'))).toEqual({
    a: 7,
    b: '007',
    c: '1e3',
    d: '1.50',
  });
});

test('an empty section says nothing', () => {
  expect(readYamlFile(fileWith('elasticjob:\n'))).toEqual({});
});

describe('a file that cannot be used is named:', () => {
  const printedRefusalOf = (file: string): string => {
    try {
      return inspect(readYamlFile(file));
    } catch (error) {
      return inspect(error, { showHidden: true, depth: 9 });
    }
  };
  const refusalOf = (file: string): string => {
    try {
      readYamlFile(file);
      return 'it is used';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('it is missing, or a directory', () => {
    expect(refusalOf('missing.yaml')).toMatch(/^Configuration file 'missing\.yaml' could not be read: ENOENT/);
    expect(refusalOf(directory)).toMatch(/could not be read: EISDIR/);
  });

  test.each([
    ['a: [', 'is not valid YAML: '],
    ['a: 1\na: 2', 'is not valid YAML: Map keys must be unique'],
    ['a: 1\n---\nb: 2', 'is not valid YAML: it has more than one document at line 2, column 1'],
    ['elasticjob: !env FOO', 'is not valid YAML: Unresolved tag: !env at line 1, column 13'],
    ['cron: */5 * * * *', "at line 1, column 11; a text that begins with '*' must be quoted"],
    ['cron: *x', "x; a text that begins with '*' must be quoted"],
    ['', "must be a map with the key 'elasticjob', got null"],
    ['- a', "must be a map with the key 'elasticjob', got a list"],
    ['text', "must be a map with the key 'elasticjob', got a string that is not shown"],
    ['jobs: {}', "has no top-level key 'elasticjob'"],
    ['elasticjobs: {}', "has no top-level key 'elasticjob', but 'elasticjobs'; did you mean 'elasticjob'?"],
    ['elasticjob: 5', "must have a map under 'elasticjob', got a number that is not shown"],
    ['elasticjob: {}\nelastic-job: {}', "has both 'elasticjob' and 'elastic-job' at the top"],
  ])('%j', (text, said) => {
    const file = fileWith(text);

    expect(refusalOf(file)).toContain(`Configuration file '${file}' `);
    expect(refusalOf(file)).toContain(said);
  });

  test('without quoting its contents', () => {
    const file = fileWith('elasticjob:\n  regCenter:\n    digest: "user:hunter2\n');

    expect(refusalOf(file)).toContain('is not valid YAML: ');
    expect(refusalOf(file)).not.toContain('hunter2');
    expect(printedRefusalOf(file)).not.toContain('hunter2');
  });
});
