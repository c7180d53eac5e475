import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommandStage, type Outcome } from './stage.js';

const ENVIRONMENT = {
  ...process.env,
  ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181',
  ELASTICJOB_REGCENTER_NAMESPACE: 'orders',
};
const SECRETS = { 'email.password': 's3cret', 'email.host': 'mail', 'http.uri': 'https://user:pa55@host/' };

let stage: CommandStage;
let directory: string;
beforeEach(async () => {
  stage = await CommandStage.open();
  directory = mkdtempSync(join(tmpdir(), 'cli-config-'));
  await stage.store({ props: SECRETS });
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await stage[Symbol.asyncDispose]();
});

const stored = async () => String(await stage.get('/bill/config'));
const file = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

/** The text that an editor has left behind; its folder is removed. */
function keptText({ err }: Outcome): string {
  const path = /kept in (\S+)/.exec(err)?.[1] ?? '';
  const text = readFileSync(path, 'utf8');
  rmSync(dirname(path), { recursive: true });
  return text;
}

describe('config get', () => {
  test('prints the settings as YAML, without secrets', async () => {
    const { out } = await stage.run('config get bill');

    expect(out).toBe(
      [
        'shardingTotalCount: 2',
        'monitorExecution: true',
        'failover: false',
        'misfire: true',
        'maxTimeDiffSeconds: -1',
        'reconcileIntervalMinutes: 10',
        'disabled: false',
        'overwrite: false',
        'staticSharding: false',
        'cron: 0 0 2 * * ?',
        'timeZone: GMT',
        'props:',
        '  email.password: "******"',
        '  email.host: mail',
        '  http.uri: https://******@host/',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await stage.run('config get bill --json')).out)).toMatchObject({
      jobName: 'bill',
      version: 0,
      cron: '0 0 2 * * ?',
      props: { 'email.password': '******' },
    });
  });

  test('prints one setting, however its name is spelt', async () => {
    expect((await stage.run('config get bill cron')).out).toBe('0 0 2 * * ?\n');
    expect((await stage.run('config get bill sharding-total-count')).out).toBe('2\n');
    expect((await stage.run('config get bill props.email.host')).out).toBe('mail\n');
    expect((await stage.run('config get bill props.email.password')).out).toBe('******\n');
  });

  test('of a setting that is not set is an answer of its own', async () => {
    for (const setting of ['label', 'Job-Parameter', 'props.audit'])
      expect(await stage.run(`config get bill ${setting}`)).toMatchObject({
        out: '',
        err: `elasticjob: Setting '${setting}' of job 'bill' is not set.\n`,
        exitCode: 4,
      });
  });

  test('of a property that is not set names the nearest one that is', async () => {
    expect((await stage.run('config get bill props.email.hots')).err).toBe(
      "elasticjob: Setting 'props.email.hots' of job 'bill' is not set; did you mean 'props.email.host'?\n",
    );
  });

  test('of a setting that does not exist names the nearest one', async () => {
    expect(await stage.run('config get bill cronn')).toMatchObject({
      err: "elasticjob: There is no setting 'cronn'; did you mean 'cron'?\n",
      exitCode: 2,
    });
    expect(await stage.run('config get bill xyz')).toMatchObject({
      err: "elasticjob: There is no setting 'xyz'.\n",
      exitCode: 2,
    });
  });

  test('of a configuration that cannot be read says why', async () => {
    await stage.registry.put('/bill/config', 'garbage');

    expect(await stage.run('config get bill')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('/bill/config: ') as unknown,
    });
  });
});

describe('config set', () => {
  test('changes settings and properties, shows what has changed, and keeps the rest', async () => {
    const words = [
      'config',
      'set',
      'bill',
      'cron=0 0 3 * * ?',
      'sharding-total-count=4',
      'failover=true',
      'props.email.host=post',
    ];

    const { out, err } = await stage.run(words);

    expect(out.split('\n')).toEqual([
      'SETTING             BEFORE       AFTER',
      'cron                0 0 2 * * ?  0 0 3 * * ?',
      'failover            false        true',
      'props.email.host    mail         post',
      'shardingTotalCount  2            4',
      '',
    ]);
    expect(err).toBe('Stored as version 1. Running instances take it up at once.\n');
    expect(await stored()).toContain('cron: 0 0 3 * * ?\n');
    expect(await stored()).toContain('shardingTotalCount: 4\n');
    expect(await stored()).toContain('email.password: s3cret');
    expect(await stored()).toContain('email.host: post');
  });

  test('shows what would change, and changes nothing, with --dry-run', async () => {
    const before = await stored();

    const { out } = await stage.run(['config', 'set', 'bill', 'misfire=false', '--dry-run', '--json']);

    expect(JSON.parse(out)).toEqual({
      jobName: 'bill',
      changes: [{ setting: 'misfire', before: 'true', after: 'false' }],
      version: 0,
    });
    expect(await stored()).toBe(before);
  });

  test('takes a secret from a file, and shows it nowhere', async () => {
    const secret = file('password', 'n3w\n');

    const { out } = await stage.run([
      'config',
      'set',
      'bill',
      '--from-file',
      `props.email.password=${secret}`,
      '--json',
    ]);

    expect(await stored()).toContain('email.password: n3w\n');
    expect(out).not.toMatch(/n3w|s3cret/);
    expect(JSON.parse(out)).toMatchObject({ version: 1, record: { operation: 'update-configuration' } });
  });

  test('unsets settings and properties', async () => {
    await stage.run('config set bill --unset cron --unset props.email.host --unset failover');

    expect(await stored()).not.toMatch(/cron|email\.host/);
    expect(await stored()).toContain('email.password: s3cret');
  });

  test('stores limits of runs as the properties that they are', async () => {
    await stage.run('config set bill maxRetries=3');
    await stage.run('config set bill maxRetries=4');

    expect(await stored()).toContain("run.maxRetries: '4'");
  });

  test('stores the jobs after which a job runs as the properties that they are, and unsets them', async () => {
    await stage.run('config set bill cron= after=importA,importB afterItems=same');
    expect(await stored()).toContain('graph.after: importA,importB');
    expect(await stored()).toContain('graph.afterItems: same');

    await stage.run('config set bill after= --unset afterItems');
    expect(await stored()).not.toContain('graph.');
  });

  test('stores no cron expression beside the jobs after which a job runs', async () => {
    const before = await stored();
    const { err } = await stage.run('config set bill after=importA');

    expect(err).toContain("must not have the key 'graph.after' beside cron");
    expect(await stored()).toBe(before);
  });

  test.each([
    ['cron=0 0 25 * * ?', "hours '25'"],
    ['shardingTotalCount=many', 'must be an integer'],
    ['cronn=x', "did you mean 'cron'"],
    ['autoStart=true', 'autoStart: unknown key'],
    ['cron', 'must be a setting and its value'],
  ])('refuses %j, and changes nothing', async (assignment, message) => {
    const before = await stored();

    const { err, exitCode } = await stage.run(['config', 'set', 'bill', assignment]);

    expect(err).toContain(message);
    expect(exitCode).toBe(2);
    expect(await stored()).toBe(before);
  });

  test.each([
    [['cron=0 0 1 * * ?', 'cron=0 0 2 * * ?'], 'cron'],
    [['label=a', '--unset', 'label'], 'label'],
    [['props.a=1', '--unset', 'props.a'], 'props.a'],
  ])('refuses %j, which names a setting twice, and changes nothing', async (words, setting) => {
    const before = await stored();

    expect(await stage.run(['config', 'set', 'bill', ...words])).toMatchObject({
      err: `elasticjob: The setting '${setting}' is given twice. Give it once.\n`,
      exitCode: 2,
    });
    expect(await stored()).toBe(before);
  });

  test('without a setting is wrong usage', async () => {
    expect((await stage.run('config set bill')).exitCode).toBe(2);
  });

  test('says so if nothing changes', async () => {
    const { out, err, exitCode } = await stage.run('config set bill misfire=true');

    expect([out, err, exitCode]).toEqual(['', 'Nothing changes.\n', 0]);
  });
});

test('config set stores no asterisks', async () => {
  const { err, exitCode } = await stage.run(['config', 'set', 'bill', 'props.http.uri=https://******@other/']);

  expect(exitCode).toBe(2);
  expect(err).toMatch(/props\.http\.uri has \*{6}, which stands for a secret: give the secret itself/);
});

describe('config edit', () => {
  const edit = (script: string, answers: readonly (string | undefined)[] = ['y']) =>
    stage.run('config edit bill', { answers }, { environment: { ...ENVIRONMENT, EDITOR: `sed -i ${script}` } });

  test('stores what the editor leaves behind, and leaves secrets as they were', async () => {
    const { out, exitCode } = await edit(
      `-e 's/^cron: .*/cron: 0 0 4 * * ?/' -e 's/email.host: mail/email.host: post/'`,
    );

    expect(out).toMatch(
      /^SETTING +BEFORE +AFTER\ncron +0 0 2 \* \* \? +0 0 4 \* \* \?\nprops\.email\.host +mail +post\n$/,
    );
    expect(exitCode).toBe(0);
    expect(await stored()).toContain('cron: 0 0 4 * * ?\n');
    expect(await stored()).toContain('email.password: s3cret');
    expect(await stored()).toContain('http.uri: https://user:pa55@host/');
  });

  test('refuses a value that was changed beside a secret that it does not show, and stores no asterisks', async () => {
    const before = await stored();

    const changed = await edit(`-e s/host.$/other/`, ['n']);
    const added = await edit(`-e '$ajobParameter: "******"'`, ['n']);

    expect(changed.err).toMatch(/props\.http\.uri has a secret that is shown as \*{6}, and was changed beside it/);
    expect(added.err).toMatch(/jobParameter is \*{6}, but there is no stored secret/);
    expect(await stored()).toBe(before);
    keptText(changed);
    keptText(added);
  });

  test('keeps a text of digits as it was written', async () => {
    await edit(`-e '$ajobParameter: 007'`);

    expect(await stored()).toContain("jobParameter: '007'\n");
  });

  test('says where the text is no YAML', async () => {
    const outcome = await edit(`-e 's/^cron: .*/cron: "never/'`, ['n']);

    expect(outcome.err).toMatch(/The text is not valid YAML: .+ at line \d+, column \d+/);
    expect(keptText(outcome)).toContain('cron: "never');
  });

  test('lets the person correct a text that cannot be used', async () => {
    const script = file(
      'editor.sh',
      `if grep -q 'cron: 0 0 25' "$1"; then sed -i 's/0 0 25/0 0 5/' "$1"; else sed -i 's/0 0 2 /0 0 25 /' "$1"; fi`,
    );

    const { err, exitCode } = await stage.run(
      'config edit bill',
      { answers: ['', 'y'] },
      { environment: { ...ENVIRONMENT, VISUAL: `sh ${script}` } },
    );

    expect(err).toContain("hours '25'");
    expect(exitCode).toBe(0);
    expect(await stored()).toContain('cron: 0 0 5 * * ?\n');
  });

  test('keeps the text if the person gives up, or somebody else was faster', async () => {
    const givenUp = await edit(`-e 's/^cron: .*/cron: never/'`, ['n']);
    expect(givenUp.exitCode).toBe(2);
    expect(keptText(givenUp)).toContain('cron: never');

    const faster = file('faster.sh', `sed -i 's/0 0 2 /0 0 6 /' "$1"`);
    const overtaken = async (): Promise<string> => {
      await stage.registry.put('/bill/config', await stored());
      return 'y';
    };
    const outcome = await stage.run(
      'config edit bill',
      { answers: [overtaken] },
      { environment: { ...ENVIRONMENT, EDITOR: `sh ${faster}` } },
    );
    expect(outcome.exitCode).toBe(4);
    expect(keptText(outcome)).toContain('cron: 0 0 6 ');
  });

  test('changes nothing if nothing was edited, the editor fails, or the answer is no', async () => {
    const before = await stored();

    expect(await edit(`-e s/x/x/`)).toMatchObject({ exitCode: 0, err: 'Nothing changes.\n' });
    expect(
      await stage.run('config edit bill', { answers: [] }, { environment: { ...ENVIRONMENT, EDITOR: 'false' } }),
    ).toMatchObject({
      exitCode: 5,
      err: 'elasticjob: The editor (false) has failed. Nothing was changed.\n',
    });
    expect(await edit(`-e 's/^cron: .*/cron: 0 0 4 * * ?/'`, ['n'])).toMatchObject({ exitCode: 5 });
    expect(await stored()).toBe(before);
  });

  test('needs a terminal', async () => {
    expect(await stage.run('config edit bill')).toMatchObject({
      exitCode: 5,
      err: expect.stringContaining('config set') as unknown,
    });
  });
});

describe('config diff', () => {
  const diff = (yaml: string, more = '') => {
    const path = file('app.yaml', yaml);
    return stage.run(`config diff --config ${path} ${more}`);
  };

  test('shows where the stored settings differ from those of the file, with exit code 1', async () => {
    const { out, exitCode } = await diff(`
      elasticjob:
        jobs:
          bill:
            elasticJobClass: BillJob
            cron: 0 0 3 * * ?
            misfire: true
            props:
              email.host: post
              email.password: other
          audit:
            elasticJobClass: AuditJob
            shardingTotalCount: 1
    `);

    expect(out.split('\n')).toEqual([
      'JOB    SETTING               STORED       FILE',
      'bill   cron                  0 0 2 * * ?  0 0 3 * * ?',
      'bill   props.email.host      mail         post',
      'bill   props.email.password  ******       ******',
      'audit                        no such job  job',
      '',
    ]);
    expect(exitCode).toBe(1);
  });

  test('is silent, with exit code 0, if there is no difference', async () => {
    const { out, err, exitCode } = await diff(
      'elasticjob: { jobs: { bill: { elasticJobClass: BillJob, cron: 0 0 2 * * ? } } }',
      'bill',
    );

    expect([out, err, exitCode]).toEqual(['', 'No difference in 1 job.\n', 0]);
  });

  test('needs a file with that job', async () => {
    expect((await stage.run('config diff')).err).toContain('Compare with which file?');
    expect(await diff('elasticjob: {}')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('has no job.') as unknown,
    });
  });
});
