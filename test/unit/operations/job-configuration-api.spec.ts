import { expect, test } from '@jest/globals';
import { Deferred } from '../../../lib/async/deferred.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { letTimePass, operationsOn } from './stage.js';

test('a stored configuration is read, changed and written back, and running instances take it up', async () => {
  await using cluster = await TestCluster.start(['A']);
  const { configurations, records } = operationsOn(cluster);

  const configuration = await configurations.getJobConfiguration('job');
  const stored = await configurations.updateJobConfiguration(
    {
      ...configuration,
      shardingTotalCount: 3,
      props: { 'email.password': 's3cret', 'http.uri': 'http://a:s3cret@h/' },
    },
    { by: 'bob', reason: 'more regions, password=s3cret' },
  );

  await cluster.settle();
  expect(stored).toEqual(await configurations.getJobConfiguration('job'));
  expect(stored.version).toBe(configuration.version + 1);
  expect(cluster.owners).toEqual({ A: [0, 1, 2] });
  expect(records).toMatchObject([
    {
      operation: 'update-configuration',
      jobName: 'job',
      operator: 'bob',
      reason: 'more regions, password=******',
      startedAt: new Date(cluster.clock.now()),
      before: { shardingTotalCount: '2' },
      after: { shardingTotalCount: '3', 'props.email.password': '******', 'props.http.uri': 'http://******@h/' },
      outcome: 'done',
      error: undefined,
    },
  ]);
});

test('a configuration that was read before another operator changed it is refused, and nothing is changed', async () => {
  await using cluster = await TestCluster.start(['A']);
  const { configurations, records } = operationsOn(cluster);
  const configuration = await configurations.getJobConfiguration('job');
  await cluster.reconfigure({ jobParameter: 'theirs' });

  const update = configurations.updateJobConfiguration({ ...configuration, jobParameter: 'ours' });

  await expect(update).rejects.toMatchObject({ code: 'REGISTRY_CONFLICT', path: '/job/config' });
  expect(cluster.view.config).toMatchObject({ jobParameter: 'theirs' });
  expect(records).toMatchObject([{ operator: 'anna', outcome: 'failed', before: {}, after: {} }]);
});

test.each([
  [{ cron: '61 * * * * ?' }, 'elasticjob.jobs.job.cron'],
  [{ shardingTotalCount: 0 }, 'elasticjob.jobs.job.shardingTotalCount'],
  [{ crn: '* * * * * ?' }, "elasticjob.jobs.job.crn: unknown key; did you mean 'cron'?"],
])('a configuration that cannot be used is refused: %j', async (change, words) => {
  await using cluster = await TestCluster.start(['A']);
  const { configurations } = operationsOn(cluster);
  const configuration = await configurations.getJobConfiguration('job');

  const update = configurations.updateJobConfiguration({ ...configuration, ...change });

  await expect(update).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
    message: expect.stringContaining(words) as unknown,
  });
  expect(cluster.view.configVersion).toBe(configuration.version);
});

test('an unknown job is an error that names a near name', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { jobName: 'syncOrders' } });
  const { configurations } = operationsOn(cluster);
  const unknown = { code: 'UNKNOWN_JOB', message: expect.stringContaining("did you mean 'syncOrders'?") as unknown };
  const configuration = { ...(await configurations.getJobConfiguration('syncOrders')), jobName: 'syncOrder' };

  await expect(configurations.getJobConfiguration('sync-orders')).rejects.toMatchObject(unknown);
  await expect(configurations.updateJobConfiguration(configuration)).rejects.toMatchObject(unknown);
  await expect(configurations.removeJobConfiguration('SyncOrders')).rejects.toMatchObject(unknown);
  await expect(configurations.getJobConfiguration('a/b')).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  expect(await cluster.operator.children('/')).toEqual(['syncOrders']);
});

test('what Java peers have stored and the library has no name for is kept', async () => {
  await using cluster = await TestCluster.start(['A']);
  const { configurations } = operationsOn(cluster);
  const yaml = cluster.tree.get('/job/config')!;
  const extra = 'jobExecutorServiceHandlerType: CPU\njobExtraConfigurations:\n- !!org.Tracing\n  type: RDB\n';
  await cluster.operator.put('/job/config', `${yaml}${extra}`);

  const configuration = await configurations.getJobConfiguration('job');
  await configurations.updateJobConfiguration({ ...configuration, description: 'new' });

  expect(cluster.tree.get('/job/config')).toContain(
    'jobExecutorServiceHandlerType: CPU\njobExtraConfigurations:\n- !!org.Tracing',
  );
});

test('a removed job leaves nothing behind, and does not come back while its instances live', async () => {
  await using cluster = await TestCluster.start(['A', 'B']);
  const { configurations, records } = operationsOn(cluster);

  const removed = await letTimePass(cluster, configurations.removeJobConfiguration('job', { living: true }));

  expect(removed.instances).toHaveLength(2);
  expect(removed.stillRunning).toEqual([]);
  await cluster.advance('1h');
  expect(cluster.members.size).toBe(2);
  expect(await cluster.operator.children('/')).toEqual([]);
  expect(records).toMatchObject([
    {
      operation: 'remove-job',
      outcome: 'done',
      before: {
        cron: '0/5 * * * * ?',
        '/job': 'TestJob',
        [`/job/instances/${cluster.idOf('A')}`]: expect.stringContaining('serverIp') as unknown,
      },
      after: {},
    },
  ]);
});

test('a job with living instances is removed only if they are named, and the refusal counts them', async () => {
  await using cluster = await TestCluster.start(['A', 'B']);
  const { configurations, records } = operationsOn(cluster);

  await expect(configurations.removeJobConfiguration('job')).rejects.toMatchObject({
    code: 'JOB_STATE',
    because: { code: 'job-lives', values: { jobName: 'job', count: 2 } },
    message: expect.stringContaining("Job 'job' was not removed: 2 instances of it live (") as unknown,
  });

  expect(records).toMatchObject([{ operation: 'remove-job', outcome: 'failed', before: {}, after: {} }]);
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [1], B: [0] });
  await cluster.leave('A');
  await expect(configurations.removeJobConfiguration('job')).rejects.toThrow('1 instance of it lives');
  await cluster.leave('B');
  await letTimePass(cluster, configurations.removeJobConfiguration('job'));
  expect(await cluster.operator.children('/')).toEqual([]);
});

test('a job is removed although an instance still runs an item, which then ends and stores nothing', async () => {
  const end = new Deferred();
  await using cluster = await TestCluster.start(['A'], { work: () => end.promise });
  const { configurations } = operationsOn(cluster);
  await cluster.fire();

  const removed = await letTimePass(
    cluster,
    configurations.removeJobConfiguration('job', { living: true, timeoutMs: 1_000 }),
  );

  expect(removed.stillRunning).toEqual([cluster.idOf('A')]);
  expect(await cluster.operator.children('/')).toEqual([]);
  end.resolve();
  await cluster.advance('1h');
  expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  expect(await cluster.operator.children('/')).toEqual([]);
});
