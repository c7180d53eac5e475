import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { QUOTED } from '../../../lib/settings/files/refused-text.js';
import { readSettingsFile } from '../../../lib/settings/files/settings-file.js';

const directory = mkdtempSync(join(tmpdir(), 'elasticjob-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const fileWith = (text: string | Buffer, extension = 'yaml'): string => {
  const file = join(directory, `${++files}.${extension}`);
  writeFileSync(file, text);
  return file;
};

const read = (file: string, environment: Record<string, string> = {}): Readonly<Record<string, unknown>> =>
  readSettingsFile(file, environment);

test('the settings under elasticjob are read, however the key is spelt; other keys are ignored', () => {
  const text = 'spring: { datasource: x }\nELASTIC-JOB: { jobs: { a: { label: b } } }\n';

  expect(read(fileWith(text))).toEqual({ jobs: { a: { label: 'b' } } });
});

test('a number that JavaScript would write in another way stays the text that it is', () => {
  expect(read(fileWith('elasticjob: { a: 7, b: 007, c: 1e3, d: 1.50 }'))).toEqual({
    a: 7,
    b: '007',
    c: '1e3',
    d: '1.50',
  });
});

test('a key with more than 50 parts is no path', () => {
  const key = (parts: number): string => `x${'.x'.repeat(parts - 1)}`;

  expect(Object.keys(read(fileWith(`elasticjob: { ${key(50)}: 1 }`)))).toEqual(['x']);
  expect(read(fileWith(`elasticjob: { ${key(40_000)}: 1 }`))).toEqual({ [key(40_000)]: 1 });
});

test('an empty section says nothing', () => {
  expect(read(fileWith('elasticjob:\n'))).toEqual({});
});

test('keys with dots are nested ones, and are merged with the maps that they lead into', () => {
  const text = `
elasticjob.enabled: true
elasticjob:
  reg-center.server-lists: zoo
  reg-center: { tls.ca: a.pem }
  jobs.nightly.cron: 0 0 0 * * ?
  jobs:
    nightly: { props.email.host: mail, shardingTotalCount: 1 }
    org.acme.report: { label: x }
    weekly.props.a.b: c
    weekly.jobListenerTypes[1]: B
    weekly.jobListenerTypes[0]: A
`;

  expect(read(fileWith(text))).toEqual({
    enabled: true,
    'reg-center': { 'server-lists': 'zoo', tls: { ca: 'a.pem' } },
    jobs: {
      nightly: { cron: '0 0 0 * * ?', props: { 'email.host': 'mail' }, shardingTotalCount: 1 },
      'org.acme.report': { label: 'x' },
      weekly: { props: { 'a.b': 'c' }, jobListenerTypes: ['A', 'B'] },
    },
  });
});

test('indexes with gaps are no list, whose entries would move', () => {
  const text = 'elasticjob:\n  jobs.a.shardingItemParameters[0]: x\n  jobs.a.shardingItemParameters[2]: y\n';

  expect(read(fileWith(text))).toEqual({ jobs: { a: { shardingItemParameters: { 0: 'x', 2: 'y' } } } });
});

test('a value that is a map, a list or empty stays as it is', () => {
  const text =
    'elasticjob: { jobs: { a: { shardingItemParameters: { 0: x.y }, jobListenerTypes: [B], cron: , props: {} }, b: } }';

  expect(read(fileWith(text))).toEqual({
    jobs: { a: { shardingItemParameters: { 0: 'x.y' }, jobListenerTypes: ['B'], cron: null, props: {} }, b: null },
  });
});

test('names in brackets, and keys that are no paths, stay as they are', () => {
  const text = "elasticjob: { jobs: { '[a b.c]': { label: x } }, 'jobs.[d.e].label': y, 'odd..key': 1 }";

  expect(read(fileWith(text))).toEqual({
    jobs: { '[a b.c]': { label: 'x' }, '[d.e]': { label: 'y' } },
    'odd..key': 1,
  });
});

describe("Java's properties", () => {
  test('have the same settings', () => {
    const text = String.raw`# of the starter
elasticjob.reg-center.server-lists = zoo1:2181,\
    zoo2:2181
elasticjob.regCenter.namespace:orders
elasticjob.jobs.sync\u004frders.cron=0 0 2 * * ?
! another comment
elasticjob.jobs.syncOrders.props.email.host smtp
elasticjob.jobs.syncOrders.props.email=x
elasticjob.jobs.syncOrders.jobListenerTypes[0]=A
elasticjob.jobs[a.b].label=\ t\ta\=b\\
elasticjob.tracing.excludeJobNames=[ a, b ]
elasticjob.dump.port=
spring.application.name=shop`;

    expect(read(fileWith(text, 'properties'))).toEqual({
      'reg-center': { 'server-lists': 'zoo1:2181,zoo2:2181' },
      regCenter: { namespace: 'orders' },
      jobs: {
        syncOrders: { cron: '0 0 2 * * ?', props: { 'email.host': 'smtp', email: 'x' }, jobListenerTypes: ['A'] },
        '[a.b]': { label: ' t\ta=b\\' },
      },
      tracing: { excludeJobNames: '[ a, b ]' },
      dump: { port: '' },
    });
  });

  test('of which the last one counts if a key is there twice, and which need no value and no last line break', () => {
    const text = 'elasticjob.enabled=x\r\nelasticjob.enabled\r\n\r\nelasticjob.jobs.a.label=b\\';

    expect(read(fileWith(text, 'properties'))).toEqual({ enabled: '', jobs: { a: { label: 'b' } } });
  });

  test('in quotes are refused when their setting is read, as Java does not remove them', () => {
    const { jobs } = read(fileWith('elasticjob.jobs.a.label="b"\nelasticjob.jobs.a.cron=say "b"', 'properties'));

    expect(jobs).toEqual({ a: { label: QUOTED, cron: 'say "b"' } });
  });

  test('without any of ElasticJob are refused', () => {
    expect(() => read(fileWith('elasticjobs.enabled=true', 'properties'))).toThrow("has no top-level key 'elasticjob'");
  });
});

describe('placeholders', () => {
  const environment = { ZK: 'zoo:2181', EMPTY: '', SPRING_APPLICATION_NAME: 'from-env', MAX_ITEMS: '3', A: 'B' };
  const value = (text: string): unknown =>
    read(
      fileWith(`app: { name: shop, port: 80 }\nloop: \${loop}\nelasticjob: { x: ${JSON.stringify(text)} }`),
      environment,
    )['x'];

  test.each([
    ['${ZK}', 'zoo:2181'],
    ['lite-job/${spring.application.name}/x', 'lite-job/from-env/x'],
    ['${max-items}', '3'],
    ['${app.name}:${app.port}', 'shop:80'],
    ['${NOPE:a:b}', 'a:b'],
    ['${NOPE:}', ''],
    ['${NOPE:-1}', '-1'],
    ['${NOPE:${NEITHER:${ZK}}}', 'zoo:2181'],
    ['${EMPTY:default}', 'default'],
    ['${EMPTY}', ''],
    ['${ZK:default}', 'zoo:2181'],
    ['echo \\${ZK} ${A}', 'echo ${ZK} B'],
    ['${NOPE:{"a":1}}', '{"a":1}'],
    ['not closed ${ZK', 'not closed ${ZK'],
    ['$ZK {ZK} $', '$ZK {ZK} $'],
  ])('%s', (text, expected) => {
    expect(value(text)).toBe(expected);
  });

  test.each([
    [
      '${zk_addr}',
      'has the placeholder ${zk_addr}, for which neither the environment nor the file has a value; set it, write ${zk_addr:default} to give a default, or \\${zk_addr} if this very text is meant',
    ],
    ['${NOPE:${NEITHER}}', 'has the placeholder ${NEITHER}, for which'],
    ['user:pa${ss!word}', 'has the placeholder ${…}, for which'],
    ['${loop}', 'must not refer to itself, as ${loop} does'],
  ])('without a value are a problem of the setting: %s', (text, problem) => {
    expect(value(text)).toEqual({ problem: expect.stringContaining(problem) as unknown });
  });

  test('may be in the defaults of others, 50 deep at most', () => {
    const within = (depth: number): string =>
      `${Array.from({ length: depth }, (_, index) => `\${NOPE${index}:`).join('')}x${'}'.repeat(depth)}`;

    expect(value(within(50))).toBe('x');
    expect(value(within(51))).toEqual({ problem: 'must not have more than 50 placeholders within each other' });
    expect(value(within(10_000))).toEqual({ problem: 'must not have more than 50 placeholders within each other' });
  });

  test('are replaced in lists and maps; keys, and texts of other types, are left alone', () => {
    const text = 'elasticjob: { jobs: { "${ZK}": { jobListenerTypes: ["${A}"], props: { a: "${A}", n: 5 } } } }';

    expect(read(fileWith(text), environment)).toEqual({
      jobs: { '${ZK}': { jobListenerTypes: ['B'], props: { a: 'B', n: 5 } } },
    });
  });
});

describe('a file that cannot be used is named:', () => {
  const printedRefusalOf = (file: string): string => {
    try {
      return inspect(read(file));
    } catch (error) {
      return inspect(error, { showHidden: true, depth: 9 });
    }
  };
  const refusalOf = (file: string): string => {
    try {
      read(file);
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
    ['a: 1\na: 2', 'is not valid YAML: Map keys must be unique at line 2, column 1'],
    ['a:\n  b: 1\n  c: 2\n  b: 3', 'is not valid YAML: Map keys must be unique at line 4, column 3'],
    ['a: 1\n---\nb: 2', 'is not valid YAML: it has more than one document at line 2, column 1'],
    ['elasticjob: !env FOO', 'is not valid YAML: Unresolved tag: !env at line 1, column 13'],
    ['cron: */5 * * * *', "at line 1, column 11; a text that begins with '*' must be quoted"],
    ['cron: *x', "x; a text that begins with '*' must be quoted"],
    ['elasticjob:\n  cron: ? * * * * *', "at line 2, column 9; a text that begins with '?' must be quoted"],
    [
      'elasticjob:\n  jobs:\n    null: { cron: x }',
      "a key is empty or null at line 3, column 5; a key of the name null is written in quotes: 'null'",
    ],
    ['elasticjob:\n  ~: x', 'a key is empty or null at line 2, column 3'],
    ['elasticjob:\n  : x', 'a key is empty or null at line 2, column '],
    ['elasticjob: &a\n  jobs:\n    x: *a', 'is not valid YAML: *a lies within its own anchor &a at line 3, column 8'],
    ['elasticjob:\n  ? [a, b]\n  : c', 'is not valid YAML: a key must be a text at line 2, column 5'],
    ['a: @x', "; a text that begins with '@' must be quoted"],
    ['elasticjob: { enabled: true, enabled.x: 1 }', "has 'elasticjob.enabled' twice"],
    ['elasticjob: { jobs: { a: { cron: x } }, jobs.a.cron: y }', "has 'elasticjob.jobs.a.cron' twice"],
    ['', "must have the key 'elasticjob', got null"],
    ['- a', "must have the key 'elasticjob', got a list"],
    ['text', "must have the key 'elasticjob', got a string that is not shown"],
    ['jobs: {}', "has no top-level key 'elasticjob'"],
    [
      'spring: { elasticjob: { simples: {} } }',
      "has no top-level key 'elasticjob', but 'spring.elasticjob', as starters for ElasticJob 2 have it; docs/settings.md has the names of today",
    ],
    ['elasticjobs: {}', "has no top-level key 'elasticjob', but 'elasticjobs'; did you mean 'elasticjob'?"],
    [
      'elasticjob:\njobs: { a: }',
      "has nothing below 'elasticjob', but 'jobs' beside it: indent what belongs to 'elasticjob'",
    ],
    ['elastic-job:\nreg-center: { a: }', "has nothing below 'elastic-job', but 'reg-center' beside it"],
    ['elasticjob: 5', "must have keys with values (key: value) under 'elasticjob', got a number that is not shown"],
    ['elasticjob: {}\nelastic-job: {}', "has both 'elasticjob' and 'elastic-job' at the top"],
  ])('%j', (text, said) => {
    const file = fileWith(text);

    expect(refusalOf(file)).toContain(`Configuration file '${file}' `);
    expect(refusalOf(file)).toContain(said);
  });

  test('it is nested deeper than 50 levels', () => {
    const text = `elasticjob:\n  ${'- '.repeat(50_000)}`;

    expect(refusalOf(fileWith(text))).toMatch(
      /is not valid YAML: Collections are nested deeper than 50 levels at line 2, column \d+$/,
    );
  });

  test('it is not in UTF-8, or has NUL characters', () => {
    const said = 'must be a text in UTF-8, but has bytes of another encoding; save it as UTF-8';

    expect(refusalOf(fileWith(Buffer.from('elasticjob: { a: größe }', 'latin1')))).toContain(said);
    expect(refusalOf(fileWith(Buffer.from('elasticjob: {}', 'utf16le')))).toContain(said);
    expect(read(fileWith('\ufeffelasticjob: { a: größe }'))).toEqual({ a: 'größe' });
  });

  test('without quoting its contents', () => {
    const file = fileWith('elasticjob:\n  regCenter:\n    digest: "user:hunter2\n');

    expect(refusalOf(file)).toContain('is not valid YAML: ');
    expect(refusalOf(file)).not.toContain('hunter2');
    expect(printedRefusalOf(file)).not.toContain('hunter2');
  });
});
