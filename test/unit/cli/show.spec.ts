import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CommandStage } from './stage.js';

let stage: CommandStage;
beforeEach(async () => {
  stage = await CommandStage.open();
});
afterEach(() => stage[Symbol.asyncDispose]());

const lines = (text: string): readonly string[] => text.split('\n').slice(0, -1);

describe('jobs', () => {
  test('lists all jobs in a table, an unreadable configuration in its row only', async () => {
    await stage.store({ jobName: 'bill', description: 'bills at night' });
    await stage.store({ jobName: '同步订单', shardingTotalCount: 1 });
    await stage.registry.put('/broken/config', 'shardingTotalCount: many');

    const { out, err, exitCode } = await stage.run('jobs');

    expect(lines(out)).toEqual([
      'JOB       STATUS   ITEMS  INSTANCES  CRON         DESCRIPTION',
      'bill      OK           2          2  0 0 2 * * ?  bills at night',
      expect.stringMatching(/^broken {4}CRASHED {6}\? {10}0 {2}\? {12}\/broken\/config: /) as unknown,
      '同步订单  OK           1          1  0 0 2 * * ?',
    ]);
    expect([err, exitCode]).toEqual(['', 0]);
  });

  test('prints JSON for scripts', async () => {
    await stage.store();

    const { out } = await stage.run('jobs --json');

    expect(JSON.parse(out)).toEqual([
      { jobName: 'bill', status: 'OK', description: '', cron: '0 0 2 * * ?', instanceCount: 2, shardingTotalCount: 2 },
    ]);
  });

  test('lists those of a server', async () => {
    await stage.store();
    await stage.registry.put('/bill/servers/10.0.0.2', 'DISABLED');

    const { out } = await stage.run('jobs --server 10.0.0.2');

    expect(lines(out)).toEqual(['JOB   STATUS    INSTANCES', 'bill  DISABLED          1']);
  });

  test('says that there is none beside the table, which stays empty, and [] in JSON', async () => {
    expect(await stage.run('jobs')).toEqual({ out: '', err: 'There is no job in /orders.\n', exitCode: 0 });
    expect(await stage.run('jobs --json')).toEqual({ out: '[]\n', err: '', exitCode: 0 });
  });

  test('shows 1,000 jobs', async () => {
    await stage.store({ shardingTotalCount: 1 });
    const config = (await stage.get('/bill/config')) ?? '';
    await Promise.all(Array.from({ length: 999 }, (_, job) => stage.registry.put(`/job${job}/config`, config)));

    const { out } = await stage.run('jobs');

    expect(lines(out)).toHaveLength(1_001);
  });

  test('does not let a text of the registry centre steer the terminal', async () => {
    await stage.store({ description: 'red \u001b[31m\nand\u202eback' });

    const { out } = await stage.run('jobs');

    expect(out).toContain('red \\u001b[31m\\nand\\u202eback');
  });
});

describe('items', () => {
  test('lists the items with their states, owners and takeovers', async () => {
    await stage.store({ shardingTotalCount: 3 });
    await stage.registry.put('/bill/sharding/0/running', '');
    await stage.registry.put('/bill/sharding/1/disabled', '');
    await stage.registry.remove('/bill/instances/10.0.0.3@-@3-a');
    await stage.registry.put('/bill/sharding/2/failover', '10.0.0.1@-@1-a');

    const { out } = await stage.run('items bill');

    expect(lines(out)).toEqual([
      'ITEM  STATUS         SERVER    INSTANCE        TAKEN OVER',
      '   0  RUNNING        10.0.0.1  10.0.0.1@-@1-a',
      '   1  DISABLED       10.0.0.2  10.0.0.2@-@2-a',
      '   2  SHARDING_FLAG  10.0.0.3  10.0.0.3@-@3-a  yes',
    ]);
  });

  test('are 1,000 in a table', async () => {
    await stage.store({ shardingTotalCount: 1_000 });

    const { out } = await stage.run('items bill', { columns: 50 });

    expect(lines(out)).toHaveLength(1_001);
    expect(lines(out).at(-1)).toMatch(/999/);
  });

  test('of a job that is not there are refused, with a guess', async () => {
    await stage.store();

    const { out, err, exitCode } = await stage.run('items bil');

    expect(out).toBe('');
    expect(err).toBe("elasticjob: There is no job 'bil' in /orders of the registry centre; did you mean 'bill'?\n");
    expect(exitCode).toBe(3);
  });

  test('of a job that has not been assigned yet are none, which is said', async () => {
    await stage.store();
    await stage.registry.remove('/bill/sharding');

    expect((await stage.run('items bill')).err).toContain("Job 'bill' has no items yet");
  });
});

test('servers lists the servers with their instances and jobs', async () => {
  await stage.store();
  await stage.store({ jobName: 'audit', shardingTotalCount: 1 });
  await stage.registry.put('/audit/servers/10.0.0.1', 'DISABLED');
  await stage.registry.put('/audit/servers/10.0.0.9', 'ENABLED');

  expect(lines((await stage.run('servers')).out)).toEqual([
    'SERVER    INSTANCES  JOBS  DISABLED  NAMES OF JOBS',
    '10.0.0.1          1     2         1  audit, bill',
    '10.0.0.2          1     1         0  bill',
    '10.0.0.9          0     1         0  audit',
  ]);
  expect(JSON.parse((await stage.run('servers --json')).out)).toContainEqual({
    serverIp: '10.0.0.1',
    instances: ['10.0.0.1@-@1-a'],
    jobNames: ['audit', 'bill'],
    instancesNum: 1,
    jobsNum: 2,
    disabledJobsNum: 1,
  });
});

describe('job', () => {
  test('shows settings, items, servers and instances, and no secret', async () => {
    await stage.store({ shardingTotalCount: 3, props: { 'email.password': 's3cret', 'email.host': 'mail' } });
    await stage.registry.put('/bill/leader/election/instance', '10.0.0.1@-@1-a');
    await stage.registry.put('/bill/servers/10.0.0.9', 'DISABLED');

    const { out } = await stage.run('job bill');

    expect(out).toMatch(
      /^Job: {10}bill\nStatus: {7}OK\nClass: {8}org\.acme\.Job\nNext firing: {2}\w{3} \d{4}-.* 02:00:00 \(/,
    );
    expect(out).toContain('Items:        3 PENDING\nLeader:       10.0.0.1@-@1-a\n');
    expect(out).toMatch(/\ncron +0 0 2 \* \* \?\n/);
    expect(out).toMatch(/\nprops\.email\.host +mail\nprops\.email\.password +\*{6}\n/);
    expect(out).toMatch(/\n10\.0\.0\.1 {2}ENABLED {3}10\.0\.0\.1@-@1-a {2}0 +(leader Java|leader)\n/);
    expect(out).toMatch(/\n10\.0\.0\.9 {2}DISABLED {2}none lives\n/);
    expect(out).not.toContain('s3cret');
    expect((await stage.run('job bill --json')).out).not.toContain('s3cret');
  });

  test('shows what is wrong with a configuration, and the rest', async () => {
    await stage.store();
    await stage.registry.put('/bill/config', 'garbage');

    const { out, exitCode } = await stage.run('job bill');

    expect(out).toContain('Problem:      /bill/config: ');
    expect(out).toContain('10.0.0.1@-@1-a');
    expect(exitCode).toBe(0);
  });

  test('shows what is wrong with a stored cron expression, and the rest', async () => {
    await stage.store();
    const config = (await stage.get('/bill/config')) ?? '';
    await stage.registry.put('/bill/config', config.replace('0 0 2 * * ?', '0 0 25 * * ?'));

    const { out } = await stage.run('job bill');

    expect(out).toMatch(/Problem: +Cron expression '0 0 25 \* \* \?' cannot be used/);
  });
});

describe('next', () => {
  const from = '--from 2026-11-23T00:00:00Z';

  test('shows the next firings of crontab text in a time zone, quoted or not', async () => {
    const { out, err } = await stage.run(`next 30 9 * * 1-5 --zone GMT+08:00 -n 2 ${from}`);

    expect(lines(out)).toEqual([
      'FIRES (GMT+08:00)        UTC',
      'Mon 2026-11-23 09:30:00  2026-11-23T01:30:00Z',
      'Tue 2026-11-24 09:30:00  2026-11-24T01:30:00Z',
    ]);
    expect(err).toBe('As Quartz cron: 0 30 9 ? * 2-6\n');
  });

  test('shows those of a job in its own zone', async () => {
    await stage.store({ timeZone: 'GMT-05:00' });

    const { out } = await stage.run(`next --job bill --count 1 ${from} --json`);

    expect(JSON.parse(out)).toEqual({
      cron: '0 0 2 * * ?',
      timeZone: 'GMT-05:00',
      firings: ['2026-11-23T07:00:00.000Z'],
    });
    expect((await stage.run(`next --job bill --zone GMT+08:00 -n 1 ${from}`)).out).toContain('2026-11-23T18:00:00Z');
  });

  test.each([
    [['next', '0 0 25 * * ?'], "hours '25'"],
    [['next', '0 0 2 * * ?', '--zone', 'Mars'], "Time zone 'Mars'"],
    [['next'], 'Give a cron expression'],
    [['next', '0 0 2 * * ?', '-n', '0'], 'from 1 to 1000'],
    [['next', '0 0 2 * * ?', '--from', 'soon'], '2026-11-24T02:00:00Z'],
  ])('%j is wrong usage', async (words, message) => {
    const { err, exitCode } = await stage.run(words);

    expect(err).toContain(message);
    expect(exitCode).toBe(2);
  });

  test('says so if there is no next firing', async () => {
    const { out, err, exitCode } = await stage.run(['next', '0 0 0 1 1 ? 2020']);

    expect([out, err, exitCode]).toEqual(['', "'0 0 0 1 1 ? 2020' does not fire again.\n", 0]);
  });
});

test('a job that runs after others is no one-off job', async () => {
  await stage.store({ jobName: 'report', cron: '', props: { 'graph.after': 'importA,importB' } });

  const { err, exitCode } = await stage.run('next --job report');

  expect(err).toContain("Job 'report' has no cron expression: it runs after importA, importB.");
  expect(exitCode).not.toBe(0);
  expect((await stage.run('job report')).out).toMatch(/^Runs after: +importA, importB$/m);
  expect(JSON.parse((await stage.run('job report --json')).out)).toMatchObject({ after: ['importA', 'importB'] });
});
