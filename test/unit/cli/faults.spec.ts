/**
 * The answer of each command to an unusable input: a sentence that names the fault and a valid form, the exit code of
 * docs/command-line.md, no stack trace, and nothing that steers the terminal. A command without a row is found.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Command } from 'commander';
import { createProgram } from '../../../lib/cli/program/program.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { RegistryUnavailableError } from '../../../lib/api/errors/errors.js';
import { CommandStage, type Outcome } from './stage.js';

/** Each command with words that it can use. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  jobs: ['jobs'],
  job: ['job', 'bill'],
  items: ['items', 'bill'],
  servers: ['servers'],
  next: ['next', '--job', 'bill'],
  watch: ['watch', 'bill'],
  dump: ['dump', 'bill'],
  explain: ['explain', 'bill'],
  doctor: ['doctor', 'bill', '--settle', '1ms'],
  trigger: ['trigger', 'bill'],
  disable: ['disable', 'bill'],
  enable: ['enable', 'bill'],
  shutdown: ['shutdown', 'bill', '-y'],
  remove: ['remove', 'bill', '-y'],
  prune: ['prune', 'bill', '-y'],
  graphs: ['graphs'],
  graph: ['graph', 'nightly'],
  'run-again': ['run-again', 'nightly', '-y'],
  skip: ['skip', 'nightly', 'report', '-y'],
  stop: ['stop', 'nightly', '-y'],
  pause: ['pause', 'nightly', '-y'],
  resume: ['resume', 'nightly', '-y'],
  'config get': ['config', 'get', 'bill'],
  'config set': ['config', 'set', 'bill', 'cron=0 0 3 * * ?'],
  'config edit': ['config', 'edit', 'bill'],
  'config diff': ['config', 'diff', 'bill'],
  'audit verify': ['audit', 'verify', '--state', '.'],
  console: ['console', '--port', '0'],
  'hash-password': ['hash-password'],
  completion: ['completion', 'bash'],
  'registry migrate': ['registry', 'migrate', '--dry-run'],
  'registry copy': ['registry', 'copy', '--to', 'other:2181', '--dry-run'],
};

/** Commands that need no registry centre, or only for what they do later. */
const WITHOUT_REGISTRY = ['audit verify', 'console', 'hash-password', 'completion', 'registry migrate'];
/** The job of `config diff` is one of the file. */
const OF_JOBS = Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.includes('bill') && name !== 'config diff');
const OF_REGISTRIES = Object.keys(COMMANDS).filter((name) => !WITHOUT_REGISTRY.includes(name));

const PLACE = { ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181', ELASTICJOB_REGCENTER_NAMESPACE: 'orders' };

let folder: string;
let stage: CommandStage;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-faults-'));
  writeFileSync(join(folder, 'elasticjob.yaml'), 'elasticjob: { jobs: { bill: { cron: 0 0 2 * * ? } } }\n');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  stage = await CommandStage.open();
  await stage.store();
});
afterEach(() => stage[Symbol.asyncDispose]());

const run = (words: readonly string[], more: object = {}): Promise<Outcome> =>
  // The editor leaves all as it is.
  stage.run(words, { answers: [] }, { directory: folder, environment: { ...PLACE, EDITOR: 'true' }, ...more });

const withJob = (name: string, job: string): readonly string[] =>
  (COMMANDS[name] ?? []).map((word) => (word === 'bill' ? job : word));

/** The message about a fault, on lines that a terminal shows unchanged. */
function complaint({ err, out, exitCode }: Outcome, expected: number): string {
  expect({ exitCode, out }).toEqual({ exitCode: expected, out: '' });
  expect(err).not.toMatch(/\n\s+at |TypeError|RangeError|node:internal|\[object |undefined/);
  // eslint-disable-next-line no-control-regex
  expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  expect(err).toMatch(/^(elasticjob|error): \s*\S.*\n/);
  return err;
}

test('each command has a row', () => {
  const namesOf = (command: Command, above: string): readonly string[] =>
    command.commands.length === 0
      ? [above]
      : command.commands.flatMap((each) => namesOf(each, `${above} ${each.name()}`.trim()));
  const program = createProgram(
    () => '1',
    () => Promise.resolve(),
  );

  // The scripts of shells ask `complete`, which answers everything.
  const names = namesOf(program, '').filter((name) => name !== 'complete');
  expect([...names].sort()).toEqual(Object.keys(COMMANDS).sort());
});

describe.each(Object.keys(COMMANDS))('%s', (name) => {
  const words = COMMANDS[name] ?? [];

  test('refuses an unknown option, with the nearest one and how it is used', async () => {
    const said = complaint(await run([...words, '--timeot', '1s']), 2);

    expect(said).toContain("unknown option '--timeot'\n(Did you mean --timeout?)");
    expect(said).toContain(`How it is used: elasticjob ${name} --help\n`);
  });

  test('refuses words that it does not take', async () => {
    const said = complaint(await run([...words, 'a', 'b', '\u001b[31m', '']), 2);

    expect(said).toMatch(/too many arguments|must be a setting and its value|Give a cron expression/);
  });

  test('refuses the option that Node has taken, and names ours', async () => {
    expect(complaint(await run([...words, '--env-file', '.env']), 2)).toContain('give --settings-env <file>.');
  });

  test('reports wrong usage as JSON if it is asked for JSON', async () => {
    const { err, exitCode } = await run([...words, '--json', '--timeot']);

    expect(exitCode).toBe(2);
    expect(JSON.parse(err)).toEqual({
      error: { code: null, exitCode: 2, message: expect.stringContaining("unknown option '--timeot'") as unknown },
    });
  });
});

describe.each(OF_JOBS)('%s', (name) => {
  test('refuses to go on without a job where it needs one', async () => {
    // Commands that also work on all jobs are left out.
    if (['watch', 'doctor', 'prune'].includes(name)) return;
    const words = withJob(name, 'bill').filter((word) => word !== 'bill');

    const said = complaint(await run(words), 2);

    expect(said).toMatch(/missing|Name a job|Give settings|must be a setting|Give a cron/);
  });

  test.each([
    ['an empty text', '', 'must be a text that is not empty'],
    ['a space', ' ', 'must not begin or end with a space'],
    ['U+0000', 'a\0b', 'must not contain control characters'],
    ['a colour', 'a\u001b[31mb', 'must not contain control characters'],
    ['two lines', 'a\nb', 'must not contain control characters'],
    ['half a character', 'a\ud800', 'must not contain'],
    ['an emoji', 'a😀', 'must not contain'],
    ['a path', 'a/b', "must not contain '/'"],
    ['the node above', '..', 'must be another name'],
  ])('refuses a job called %s', async (_, job, requirement) => {
    expect(complaint(await run(withJob(name, job)), 2)).toContain(requirement);
  });

  test.each([
    ['bil', "did you mean 'bill'?"],
    ['同步订单-ü', 'bill'],
    ['x'.repeat(5_000), ''],
  ])('says that there is no job %s, and which there is', async (job, known) => {
    const answer = await run(withJob(name, job));

    // The answer of `explain` is its result.
    if (name === 'explain')
      expect(answer).toMatchObject({ exitCode: 3, out: expect.stringContaining('Check the name') as unknown });
    else expect(complaint(answer, 3)).toContain(known);
  });

  test('says in a namespace without jobs that it has none', async () => {
    const { exitCode, out, err } = await run([...withJob(name, 'bill'), '--namespace', '订单']);

    expect(exitCode).toBe(3);
    expect(out + err).toMatch(/no job 'bill' in \/订单|Job 'bill' does not exist|has no job/);
  });
});

describe.each(OF_REGISTRIES)('%s', (name) => {
  const words = COMMANDS[name] ?? [];

  test.each([
    ['--namespace', ['', '/a', '..', 'a\0b'], "must be a name like 'orders'", '(from --namespace)'],
    ['--servers', ['', 'a:99999', 'a\0b:1', ','], "must be servers like 'host1:2181,host2:2181'", '(from --servers)'],
    ['--digest-file', ['/no/such', 'a\0b', ''], 'could not be read', 'File '],
    ['--settings-env', ['/no/such', 'a\0b'], 'could not be read', 'File '],
    ['--config', ['/no/such', '/tmp', 'a\0b'], 'could not be read', 'Configuration file '],
    ['--timeout', ['', 'soon', '0s', '-1s', '9999h'], 'It must be a duration such as 30s', 'How it is used'],
    ['--tls-ca', ['/no/such'], 'must be the path of a file that can be read', '(from --tls-ca)'],
    ['--sasl-username', [''], 'must not be empty', '(from --sasl-username)'],
  ])('refuses values of %s that it cannot use', async (option, values, requirement, where) => {
    for (const value of values) {
      const said = complaint(await run([...words, option, value]), 2);

      expect(said).toContain(requirement);
      expect(said).toContain(where);
    }
  });

  test('says which registry centre cannot be reached, and why', async () => {
    const openRegistry = () => {
      const registry = new EmbeddedRegistryCenter({ server: stage.server, namespace: 'orders' });
      return Object.assign(registry, {
        connect: () => {
          throw new RegistryUnavailableError('reach', '/', new Error('zoo:2181 refuses connections'));
        },
      });
    };

    expect(complaint(await run(words, { openRegistry }), 6)).toMatch(/did not answer/);
  });
});

test.each<readonly [words: readonly string[], exitCode: number, says: string]>([
  [[''], 2, "unknown command ''"],
  [['\0'], 2, String.raw`unknown command '\u0000'`],
  [['jbos'], 2, '(Did you mean jobs?)'],
  [['config', 'gte', 'bill'], 2, '(Did you mean get?)'],
  [['jobs', '--server', ''], 2, 'It must be the address of a server such as 10.0.0.7.'],
  [['jobs', '--server', '10.0.0.9'], 4, "did you mean '10.0.0.1'?"],
  [['next'], 2, "such as next '0 0 2 * * ?'"],
  [['next', ''], 2, 'but 5 or 6 are needed'],
  [['next', '0 0 2 * * ?', '--zone', ''], 2, 'It must be a time zone such as GMT+08:00 or Europe/Berlin.'],
  [['next', '0 0 2 * * ?', '--zone', 'Mars'], 2, "IANA ids such as 'Asia/Shanghai'"],
  [['next', '0 0 2 * * ?', '--count', '0'], 2, 'It must be an integer from 1 to 1000.'],
  [['next', '0 0 2 * * ?', '--from', ''], 2, 'It must be an instant such as 2026-11-24T02:00:00Z.'],
  [['trigger', 'bill', '--items', ''], 2, 'It must be items such as 3 or 0-3,7.'],
  [['trigger', 'bill', '--items', '99'], 4, 'its items are 0 to 1'],
  [['trigger', 'bill', '--server', 'a/b'], 2, 'It must be the address of a server such as 10.0.0.7.'],
  [['trigger', 'bill', '--parameter', '\0'], 2, 'must not contain the character U+0000'],
  [['trigger', 'bill', '--reason', '\0'], 2, 'It must be a text of at most 1000 characters'],
  [['trigger', 'bill', '--reason', 'x'.repeat(1_001)], 2, 'It must be a text of at most 1000 characters'],
  [['trigger', 'bill', '--wait-timeout', ''], 2, 'It must be a duration such as 30s'],
  [['disable', 'bill', '--item', ''], 2, 'It must be an integer from 0 to 100000.'],
  [['disable', 'bill', '--item', '99'], 4, 'has items 0 to 1'],
  [['disable', '--server', '\0'], 2, 'It must be the address of a server such as 10.0.0.7.'],
  [['shutdown', '--server', '', '-y'], 2, 'It must be the address of a server such as 10.0.0.7.'],
  [['config', 'set', 'bill', 'krone=x'], 2, "did you mean 'cron'?"],
  [['config', 'set', 'bill', 'cron'], 2, 'such as shardingTotalCount=4'],
  [['config', 'set', 'bill', 'cron=banana'], 2, 'but 5 or 6 are needed'],
  [['config', 'set', 'bill', 'description=\0'], 2, 'must not contain the character U+0000'],
  [['config', 'set', 'bill', '--from-file', 'cron=a\0b'], 2, 'could not be read'],
  [['config', 'get', 'bill', 'krone'], 2, "did you mean 'cron'?"],
  [['config', 'get', 'bill', '\u001b[31m'], 2, String.raw`There is no setting '\u001b[31m'`],
  [['config', 'get', 'bill', 'failover-x'], 2, 'There is no setting'],
  [['config', 'diff', 'bil'], 2, "has no job 'bil'; did you mean 'bill'?"],
  [['explain', 'bill', ''], 2, 'It must be an integer from 0 to 100000.'],
  [['dump', 'bill', '--from', 'a\0b:1'], 2, 'It must be a host and a port such as 10.0.0.7:9888.'],
  [['dump', 'bill', '--from', '127.0.0.1:1'], 6, 'cannot be asked'],
  [['completion', 'tcsh'], 2, 'Allowed choices are bash, zsh, fish.'],
  [['console', '--port', '99999'], 2, 'It must be an integer from 0 to 65535.'],
  [['console', '--host', ''], 2, 'It must be an address.'],
  [['console', '--port', '0', '--state', '\0'], 2, 'must be the path of a folder'],
  [['console', '--port', '0', '--state', '/dev/null'], 2, 'must be a folder that this process may make and write'],
  [['console', '--port', '0', '--digest-file', '/no/such'], 2, "File '/no/such' could not be read"],
])('%j is answered with exit code %d', async (words, exitCode, says) => {
  expect(complaint(await run(words), exitCode)).toContain(says);
});

test.each([
  ['no.such.name.invalid', '--host: the name no.such.name.invalid has no address'],
  ['192.0.2.1', '--host: this machine has no address 192.0.2.1'],
])('the console does not start at %s, and says why', async (host, says) => {
  const { err, exitCode } = await run(['console', '--port', '0', '--insecure-http', '--host', host]);

  expect(exitCode).toBe(2);
  expect(err).toContain(`elasticjob: ${says}`);
  expect(err).not.toContain('ERROR');
});
