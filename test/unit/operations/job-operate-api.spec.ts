import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/async/deferred.js';
import { JobStatisticsAPI } from '../../../lib/operations/job-statistics-api.js';
import { ServerStatisticsAPI } from '../../../lib/operations/server-statistics-api.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { joinJavaInstance } from '../../support/java-instance.js';
import { idOf, ipOf } from '../../support/views.js';
import { letTimePass, operationsOn } from './stage.js';

describe('Servers', () => {
  test('are disabled and enabled for a job, all of them in one commit', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs, records } = operationsOn(cluster);
    const servers = ['A', 'B'].map((name) => ({ jobName: 'job', serverIp: cluster.ipOf(name) }));
    const commits: number[] = [];
    cluster.server.namespace('elasticjob').watch('/job/servers', ({ changes }) => commits.push(changes.length));

    expect(await jobs.disable({ jobName: 'job', reason: 'maintenance' })).toEqual(servers);
    await cluster.fire();

    expect(cluster.ran).toEqual({});
    expect(commits).toEqual([2]);
    expect(records).toMatchObject([
      {
        operation: 'disable',
        jobName: 'job',
        reason: 'maintenance',
        before: { [`/job/servers/${cluster.ipOf('A')}`]: 'ENABLED', [`/job/servers/${cluster.ipOf('B')}`]: 'ENABLED' },
        after: { [`/job/servers/${cluster.ipOf('A')}`]: 'DISABLED', [`/job/servers/${cluster.ipOf('B')}`]: 'DISABLED' },
        outcome: 'done',
      },
    ]);
    expect([...cluster.tree.values()].join()).not.toContain('maintenance');

    await jobs.enable({ jobName: 'job' });
    await cluster.fire();
    expect(cluster.ran).toEqual({ A: [1], B: [0] });
  });

  test('are disabled one by one, for one job or for all, also before they have ever run the job', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);
    await cluster.operator.create('/other/servers/10.0.0.9', 'ENABLED');

    await jobs.disable({ jobName: 'job', serverIp: '10.0.0.9' });
    expect(cluster.view.servers.get('10.0.0.9')).toBe('DISABLED');
    expect(await cluster.operator.get('/other/servers/10.0.0.9')).toBe('ENABLED');

    expect(await jobs.enable({ serverIp: '10.0.0.9' })).toEqual([
      { jobName: 'job', serverIp: '10.0.0.9' },
      { jobName: 'other', serverIp: '10.0.0.9' },
    ]);
    expect(cluster.view.servers.get('10.0.0.9')).toBe('ENABLED');
    expect(cluster.view.servers.get(cluster.ipOf('A'))).toBe('ENABLED');
  });

  test('that no job has, and no target at all, are refused', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { jobs, records } = operationsOn(cluster);

    await expect(jobs.disable({})).rejects.toThrow('At least indicate jobName or serverIp.');
    await expect(jobs.disable({ jobName: 'job', serverIp: 'a/b' })).rejects.toThrow('serverIp must be');
    await expect(jobs.disable({ jobName: 'job', serverIp: 'undefined' })).rejects.toThrow(
      `has a server undefined; known are: ${cluster.ipOf('A')}.`,
    );
    await expect(jobs.disable({ serverIp: '10.0.0.6' })).rejects.toThrow(
      `No job in /elasticjob has a server 10.0.0.6; did you mean '${cluster.ipOf('A')}'?`,
    );
    await expect(jobs.disable({ jobName: 'jbo' })).rejects.toMatchObject({ code: 'UNKNOWN_JOB' });
    expect(records.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'failed', 'failed']);
  });

  test('that no job has are not shut down or removed, while nothing to do at one that a job has is no fault', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { jobs } = operationsOn(cluster);
    await cluster.operator.create('/other/servers/10.0.0.9', 'ENABLED');

    await expect(jobs.shutdown({ serverIp: '10.0.0.8' })).rejects.toThrow('has a server 10.0.0.8; did you mean');
    await expect(jobs.remove({ jobName: 'job', serverIp: '10.0.0.8' })).rejects.toMatchObject({ code: 'JOB_STATE' });
    await expect(new JobStatisticsAPI(cluster.operator).getJobsBriefInfo('10.0.0.8')).rejects.toThrow('10.0.0.8');

    expect(await jobs.shutdown({ jobName: 'job', serverIp: '10.0.0.9' })).toEqual([]);
    expect(await jobs.shutdown({ serverIp: '10.0.0.9' })).toEqual([]);
    expect(await jobs.remove({ serverIp: '10.0.0.9' })).toEqual({
      instances: [],
      servers: [{ jobName: 'other', serverIp: '10.0.0.9' }],
    });
  });

  test('may be named as in the manual, the job before the server', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);
    const [a, b] = ['A', 'B'].map((name) => ({ jobName: 'job', serverIp: cluster.ipOf(name) }));

    expect(await jobs.disable('job', cluster.ipOf('A'))).toEqual([a]);
    await cluster.fire();
    expect(cluster.ran).toEqual({ B: [0, 1] });

    expect(await jobs.enable('job', cluster.ipOf('A'))).toEqual([a]);
    expect(await jobs.shutdown('job', cluster.ipOf('B'))).toMatchObject([b]);
    expect(await jobs.remove('job', cluster.ipOf('B'))).toEqual({ instances: [], servers: [b] });
  });

  test.each<[readonly unknown[], string]>([
    [[], 'the options must be a plain object, got undefined; write { jobName:'],
    [['j'], 'got "j"; write { jobName: "j" }, or (jobName, serverIp)'],
    [['j', '10.0.0.7', 'why'], 'got "j", "10.0.0.7", "why"; write { jobName: "j" }'],
    [[{ jobName: 'job' }, '10.0.0.7'], 'takes one object, such as { jobName, serverIp, reason }, got 2 arguments'],
    [[{ jobName: 'job' }, { reason: 'maintenance' }], 'takes one object'],
  ])('are not guessed from %j', async (target, problem) => {
    await using cluster = await TestCluster.start(['A']);
    const { jobs } = operationsOn(cluster);

    const untyped = jobs as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>;
    for (const call of ['disable', 'enable', 'shutdown', 'remove']) {
      await expect(untyped[call]!(...target)).rejects.toThrow(`JobOperateAPI.${call}(): ${problem}`);
    }
    expect(cluster.view.servers.get(cluster.ipOf('A'))).toBe('ENABLED');
    expect(cluster.view.instances.size).toBe(1);
  });

  test.each(['', 'disabled', 'on'])(
    'whose text is %j count as disabled in all statistics, as the kernel gives them no items',
    async (text) => {
      await using cluster = await TestCluster.start(['A']);
      const [jobs, servers] = [new JobStatisticsAPI(cluster.operator), new ServerStatisticsAPI(cluster.operator)];

      await cluster.operator.put(`/job/servers/${cluster.ipOf('A')}`, text);
      await cluster.fire();

      expect(cluster.ran).toEqual({});
      expect(await jobs.getJobBriefInfo('job')).toMatchObject({ status: 'DISABLED' });
      expect(await jobs.getAllJobsBriefInfo()).toMatchObject([{ status: 'DISABLED' }]);
      expect(await jobs.getJobsBriefInfo(cluster.ipOf('A'))).toMatchObject([{ status: 'DISABLED' }]);
      expect(await servers.getAllServersBriefInfo()).toMatchObject([{ disabledJobsNum: 1 }]);
    },
  );

  test('without a living instance are pruned, after a dry run has shown them; disabled ones only if asked for', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C']);
    const { jobs, records } = operationsOn(cluster);
    await cluster.leave('B');
    await cluster.leave('C');
    await cluster.disable('C');
    const [b, c] = ['B', 'C'].map((name) => ({ jobName: 'job', serverIp: cluster.ipOf(name) }));

    expect(await jobs.pruneServers({ dryRun: true })).toEqual([b]);
    expect(cluster.view.servers.size).toBe(3);
    expect(records).toEqual([]);

    expect(await jobs.pruneServers({ jobName: 'job' })).toEqual([b]);
    expect(await jobs.pruneServers({ includeDisabled: true })).toEqual([c]);
    expect([...cluster.view.servers.keys()]).toEqual([cluster.ipOf('A')]);
  });
});

describe('Instances', () => {
  test('are shut down on one server; the others take their items', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);

    const ended = await jobs.shutdown({ jobName: 'job', serverIp: cluster.ipOf('A') });
    await cluster.advance('1s');

    expect(ended).toEqual([{ jobName: 'job', serverIp: cluster.ipOf('A'), instanceId: cluster.idOf('A') }]);
    expect(cluster.owners).toEqual({ B: [0, 1] });
    expect(cluster.view.servers.has(cluster.ipOf('A'))).toBe(true);
  });

  test('are removed with their servers, and the configuration stays', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);

    const removed = await jobs.remove({ serverIp: cluster.ipOf('A') });
    await cluster.advance('1h');

    expect(removed.instances).toHaveLength(1);
    expect(removed.servers).toEqual([{ jobName: 'job', serverIp: cluster.ipOf('A') }]);
    expect([...cluster.view.servers.keys()]).toEqual([cluster.ipOf('B')]);
    expect([...cluster.view.instances.keys()]).toEqual([cluster.idOf('B')]);
    expect(cluster.view.config).toBeDefined();
  });

  test('that have gone between reading and removing are left out', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);

    const shutdown = jobs.shutdown({ jobName: 'job' });
    cluster.member('A').registry.faults.expire();

    expect(await shutdown).toHaveLength(1);
  });
});

describe('A trigger', () => {
  test('says which instances have taken it, and can be awaited until their items have ended', async () => {
    const ends = [new Deferred(), new Deferred()];
    await using cluster = await TestCluster.start(['A', 'B'], {
      job: { cron: '' },
      work: (_, { shardingItem }) => ends[shardingItem]!.promise,
    });
    const { jobs, records } = operationsOn(cluster);

    const triggered = await letTimePass(cluster, jobs.trigger('job'));

    expect(triggered.instances).toMatchObject([
      { instanceId: cluster.idOf('A'), serverIp: cluster.ipOf('A'), answer: 'taken', willRun: true },
      { instanceId: cluster.idOf('B'), serverIp: cluster.ipOf('B'), answer: 'taken', willRun: true },
    ]);
    expect(records).toMatchObject([{ operation: 'trigger', outcome: 'done' }]);
    ends[0]!.resolve();
    await expect(letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }))).rejects.toThrow(
      "Waited 1000 ms in vain for triggered items of job 'job' to end: 1",
    );
    ends[1]!.resolve();
    await letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }));
    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  test('says which instances were busy, and is over when they have run their items again', async () => {
    const gates = [new Deferred(), new Deferred()];
    await using cluster = await TestCluster.start(['A'], {
      job: { cron: '', shardingTotalCount: 1 },
      work: () => gates[cluster.runs.length - 1]!.promise,
    });
    const { jobs } = operationsOn(cluster);
    await cluster.trigger();

    const triggered = await letTimePass(cluster, jobs.trigger('job'));
    expect(triggered.instances).toMatchObject([{ answer: 'busy', willRun: true }]);
    gates[0]!.resolve();
    await cluster.settle();
    const early = letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }));
    await expect(early).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });

    gates[1]!.resolve();
    await letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }));
    expect(cluster.runs).toHaveLength(2);
  });

  test('is over although runs were too short to be seen', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);
    for (const round of [1, 2]) {
      const triggered = await letTimePass(cluster, jobs.trigger('job'));
      await cluster.settle();

      await letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }));

      expect(cluster.runs.filter(({ cause }) => cause === 'manual')).toHaveLength(2 * round);
    }
  });

  test('is not waited for where it makes nothing run: at disabled items and servers', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '' } });
    const { jobs } = operationsOn(cluster);
    await cluster.disableItem(0);
    await cluster.disableItem(1);

    const triggered = await letTimePass(cluster, jobs.trigger('job'));

    await letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }));
    expect(cluster.runs).toEqual([]);
  });

  test('says of an instance that does not answer that it waits, and of one that ends meanwhile that it is gone', async () => {
    await using cluster = await TestCluster.start(['A', 'B', 'C']);
    const { jobs } = operationsOn(cluster);
    cluster.freeze('B');
    cluster.freeze('C');

    const answered = jobs.trigger('job', { acceptTimeoutMs: 1_000 });
    await cluster.settle();
    cluster.server.namespace('elasticjob').remove('test', `/job/instances/${cluster.idOf('C')}`);

    expect((await letTimePass(cluster, answered)).instances).toMatchObject([
      { answer: 'taken', willRun: true },
      { answer: 'waiting', willRun: true },
      { answer: 'gone', willRun: false },
    ]);
  });

  test('may have a job parameter of its own, for its run alone', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '', jobParameter: 'all' } });
    const { jobs, records } = operationsOn(cluster);

    await letTimePass(cluster, jobs.trigger('job', { jobParameter: 'only Beijing' }));
    await cluster.settle();
    await letTimePass(cluster, jobs.trigger('job'));
    await cluster.settle();

    const parameters = cluster.runs.map(({ context }) => context.jobParameter);
    expect(parameters).toEqual(['only Beijing', 'only Beijing', 'all', 'all']);
    expect(Object.values(records[0]!.after).sort()).toEqual(
      [0, 1].map((item) => `{"jobParameter":"only Beijing","items":"${item}","all":true}`),
    );
  });

  test('with a job parameter is refused if it is too long, if another one waits, or if Java instances take part', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '' } });
    const { jobs } = operationsOn(cluster);
    cluster.freeze('A');

    await expect(jobs.trigger('job', { jobParameter: 'x'.repeat(10_001) })).rejects.toThrow('at most 10000 characters');
    const waiting = await letTimePass(cluster, jobs.trigger('job', { jobParameter: 'one', acceptTimeoutMs: 100 }));
    expect(waiting.instances).toMatchObject([{ answer: 'waiting' }]);
    for (const other of [{ jobParameter: 'another' }, {}])
      await expect(jobs.trigger('job', other)).rejects.toThrow('another job parameter yet');
    await letTimePass(cluster, jobs.trigger('job', { jobParameter: 'one', acceptTimeoutMs: 100 }));
    await cluster.operator.create('/job/instances/10.0.0.9@-@1', '');
    await expect(jobs.trigger('job', { jobParameter: 'one' })).rejects.toThrow(
      'the Java instances 10.0.0.9@-@1 take part',
    );

    await cluster.operator.remove('/job/instances/10.0.0.9@-@1');
    await cluster.thaw('A');
    expect(cluster.runs.map(({ context }) => context.jobParameter)).toEqual(['one', 'one']);
  });

  test('is refused if no instance lives, and cannot be awaited if the runs leave no marks', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { monitorExecution: false } });
    const { jobs } = operationsOn(cluster);

    const triggered = await letTimePass(cluster, jobs.trigger('job'));
    await expect(triggered.ended({ timeoutMs: 1 })).rejects.toThrow('monitorExecution: false');
    await cluster.leave('A');

    await expect(jobs.trigger('job')).rejects.toThrow("Job 'job' was not triggered: no instance of it lives.");
  });
});

describe('A trigger for one server', () => {
  test.each([
    ['as an option', (ip: string) => ({ serverIp: ip })],
    ['as in the manual', (ip: string) => ip],
  ])('makes the instances there run, and no others (%s)', async (_, form) => {
    await using cluster = await TestCluster.start(['A', 'B'], { job: { cron: '' } });
    const { jobs, records } = operationsOn(cluster);

    const triggered = await letTimePass(cluster, jobs.trigger('job', form(cluster.ipOf('B'))));
    await letTimePass(cluster, triggered.ended({ timeoutMs: 60_000 }));

    expect(triggered.instances).toMatchObject([{ instanceId: cluster.idOf('B'), answer: 'taken' }]);
    expect(cluster.ran).toEqual({ B: [0] });
    expect(records).toMatchObject([{ operation: 'trigger', jobName: 'job', serverIp: cluster.ipOf('B') }]);
  });

  test('may have a job parameter although Java instances take part elsewhere, but not where they do', async () => {
    await using cluster = await TestCluster.start(['A'], { job: { cron: '' } });
    await joinJavaInstance(cluster, 'J');
    await cluster.advance('10s');
    const { jobs } = operationsOn(cluster);
    const jobParameter = 'only Beijing';

    await letTimePass(cluster, jobs.trigger('job', { serverIp: cluster.ipOf('A'), jobParameter }));
    const beside = jobs.trigger('job', { serverIp: ipOf('J'), jobParameter });

    await expect(beside).rejects.toThrow(`the Java instances ${idOf('J')} take part`);
    expect(cluster.runs.map(({ context }) => context.jobParameter)).toContain(jobParameter);
  });

  test('is refused where no instance lives, where the server is disabled, and together with items', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const { jobs } = operationsOn(cluster);
    await cluster.disable('B');

    for (const [options, problem] of [
      ['10.0.0.60', `no instance of it lives on a server 10.0.0.60; did you mean '${cluster.ipOf('A')}'?`],
      [cluster.ipOf('B'), `server ${cluster.ipOf('B')} is disabled. Enable it first.`],
      [{ serverIp: cluster.ipOf('A'), items: [0] }, 'items and serverIp exclude each other'],
      [{ serverIp: '' }, 'serverIp must be the address of a server'],
    ] as const)
      await expect(jobs.trigger('job', options)).rejects.toThrow(problem);
    await cluster.settle();
    expect(cluster.runs).toEqual([]);
  });
});

describe('A trigger of some items', () => {
  const FOUR = { job: { cron: '', shardingTotalCount: 4 } };
  const ran = ({ runs }: TestCluster): string[] => runs.map(({ instance, item }) => `${instance}${item}`).sort();

  test('runs these and no others, and tells their owners alone', async () => {
    await using cluster = await TestCluster.start(['A', 'B'], FOUR);
    const { jobs, records } = operationsOn(cluster);
    const [owned] = cluster.owners['A']!;

    const triggered = await letTimePass(cluster, jobs.trigger('job', { items: [owned!] }));
    await letTimePass(cluster, triggered.ended({ timeoutMs: 1_000 }));

    expect(triggered.instances).toEqual([
      { instanceId: cluster.idOf('A'), serverIp: cluster.ipOf('A'), answer: 'taken', willRun: true },
    ]);
    expect(ran(cluster)).toEqual([`A${owned}`]);
    expect(Object.values(records[0]!.after)).toEqual([`{"items":"${owned}"}`]);

    await letTimePass(cluster, jobs.trigger('job', { items: [3, 0, 3], jobParameter: 'again' }));
    await cluster.settle();
    const again = cluster.runs.slice(1);
    expect(again.map(({ item, context }) => `${item} ${context.jobParameter}`).sort()).toEqual(['0 again', '3 again']);
  });

  test('runs a busy item again when it has ended, and says that it was busy only if one of them was', async () => {
    const gate = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      job: { cron: '', shardingTotalCount: 2 },
      work: (_, { shardingItem }) => (shardingItem === 0 ? gate.promise : undefined),
    });
    const { jobs } = operationsOn(cluster);
    await cluster.trigger();
    // Marks of items that have ended go together, a moment later.
    await cluster.advance('5s');

    const idle = await letTimePass(cluster, jobs.trigger('job', { items: [1] }));
    expect(idle.instances).toMatchObject([{ answer: 'taken' }]);
    const busy = await letTimePass(cluster, jobs.trigger('job', { items: [0] }));
    expect(busy.instances).toMatchObject([{ answer: 'busy', willRun: true }]);
    expect(ran(cluster)).toEqual(['A0', 'A1', 'A1']);
    gate.resolve();
    await letTimePass(cluster, busy.ended({ timeoutMs: 1_000 }));

    expect(ran(cluster)).toEqual(['A0', 'A0', 'A1', 'A1']);
  });

  test('joins one that waits; a trigger of all items, from code too, takes the place of both', async () => {
    await using cluster = await TestCluster.start(['A'], FOUR);
    const { jobs } = operationsOn(cluster);
    const trigger = (items?: readonly number[]) =>
      letTimePass(cluster, jobs.trigger('job', { acceptTimeoutMs: 100, ...(items && { items }) }));
    const text = (): string | undefined => cluster.tree.get(`/job/trigger/${cluster.idOf('A')}`);
    cluster.freeze('A');

    await trigger([1]);
    await trigger([3]);
    expect(text()).toBe('{"items":"1,3"}');
    await expect(jobs.trigger('job', { items: [1], jobParameter: 'x' })).rejects.toThrow('another job parameter yet');
    await trigger();
    expect(text()).toBe('{"items":"0-3","all":true}');
    await trigger([2]);
    expect(text()).toBe('{"items":"0-3","all":true}');
    await cluster.thaw('A');

    expect(ran(cluster)).toEqual(['A0', 'A1', 'A2', 'A3']);
  });

  test.each<[why: string, items: readonly number[], says: string]>([
    ['does not exist', [4], 'it has no item 4; its items are 0 to 3'],
    ['is disabled', [2], 'item 2 is disabled. Enable it first.'],
    ['belongs to a Java instance', [3], 'item 3 belongs to the Java instance 10.0.0.9@-@1'],
    ['belongs to a server that is disabled', [0], 'on server 10.0.0.65, which is disabled'],
    ['has no living owner', [1], 'item 1 has no living owner'],
  ])('is refused if one of them %s, and triggers nothing', async (_, items, says) => {
    await using cluster = await TestCluster.start(['A'], { job: { ...FOUR.job, staticSharding: true } });
    const { jobs } = operationsOn(cluster);
    await cluster.disableItem(2);
    cluster.freeze('A');
    await cluster.operator.create('/job/instances/10.0.0.9@-@1', '');
    await cluster.operator.put('/job/sharding/3/instance', '10.0.0.9@-@1');
    await cluster.operator.put('/job/sharding/1/instance', '10.0.0.8@-@1');
    if (items[0] === 0) await cluster.operator.put('/job/servers/10.0.0.65', 'DISABLED');
    await cluster.operator.remove('/job/leader/sharding/necessary');

    await expect(letTimePass(cluster, jobs.trigger('job', { items }))).rejects.toThrow(says);

    expect([...cluster.tree.keys()].filter((path) => path.startsWith('/job/trigger/'))).toEqual([]);
  });

  test('is refused while items are about to be assigned again, and if it is no list of items', async () => {
    await using cluster = await TestCluster.start(['A'], FOUR);
    const { jobs } = operationsOn(cluster);
    for (const items of [[], [-1], [0.5], ['0'], 0] as unknown as number[][])
      await expect(letTimePass(cluster, jobs.trigger('job', { items }))).rejects.toThrow(
        'items must be a list of at least one item, such as [0, 3], got ',
      );
    cluster.freeze('A');
    await cluster.operator.create('/job/leader/sharding/necessary', '');

    await expect(letTimePass(cluster, jobs.trigger('job', { items: [0] }))).rejects.toThrow(
      'about to be assigned again',
    );
  });
});

describe('Items', () => {
  test('are disabled, shown so, left out of firings, and enabled', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { items, itemStatistics, records } = operationsOn(cluster);

    await items.disable('job', '1', { reason: 'bad data' });
    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [0] });
    const owner = { serverIp: cluster.ipOf('A'), instanceId: cluster.idOf('A'), failover: false };
    expect(await itemStatistics.getShardingInfo('job')).toEqual([
      { item: 0, status: 'PENDING', ...owner },
      { item: 1, status: 'DISABLED', ...owner },
    ]);
    await items.enable('job', 1);
    expect(await itemStatistics.getShardingInfo('job')).toMatchObject([{}, { status: 'PENDING' }]);
    expect(records).toMatchObject([
      { operation: 'disable-item', item: 1, reason: 'bad data', before: {}, after: { '/job/sharding/1/disabled': '' } },
      { operation: 'enable-item', item: 1, before: { '/job/sharding/1/disabled': '' }, after: {} },
    ]);
  });

  test('that the job does not have are refused', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { items } = operationsOn(cluster);

    await expect(items.disable('job', 2)).rejects.toThrow("Job 'job' has items 0 to 1, got 2.");
    await expect(items.enable('job', '-1')).rejects.toThrow('item must be the number of an item');
    expect(cluster.view.items).toHaveLength(2);
  });

  test('of a dead owner are shown with its id and its ip', async () => {
    await using cluster = await TestCluster.start(['A']);
    const { itemStatistics } = operationsOn(cluster);
    cluster.kill('A');
    await cluster.advance('10s');

    const dead = { serverIp: cluster.ipOf('A'), instanceId: cluster.idOf('A'), status: 'SHARDING_FLAG' };
    expect(await itemStatistics.getShardingInfo('job')).toMatchObject([dead, dead]);
  });
});
