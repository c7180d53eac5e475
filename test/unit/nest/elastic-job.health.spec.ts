import { expect, test } from '@jest/globals';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { ElasticJobLifecycle } from '../../../lib/nest/elastic-job.lifecycle.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, started } from './application.js';

@ElasticJob('ended', { cron: '0 0 0 1 1 ?', shardingTotalCount: 1 })
@ElasticJob('going', { cron: '0 0 0 1 1 ?', shardingTotalCount: 1 })
class BothJobs {
  execute(): void {}
}

test('an application stays ready after an operator has ended one of its jobs here, and says so', async () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'health' });
  await using app = await started({ imports: [elasticJob({ registryCenter })], providers: [BothJobs] });
  const health = app.get(ElasticJobHealth);
  await until(() => health.report.ready);
  const { jobInstanceId } = app.get(ElasticJobLifecycle).hosts!.ofDefault.instance;

  await registryCenter.remove(new JobPaths('ended').instance(jobInstanceId));

  await until(() => health.report.jobs['ended']?.state === 'ended');
  expect(health.isHealthy()).toMatchObject({
    elasticjob: {
      ...{ status: 'up', live: true, ready: true, session: 'connected' },
      jobs: {
        going: { state: 'active' },
        ended: {
          reason: expect.stringContaining('takes part again when this application is started again') as unknown,
        },
      },
    },
  });
  expect(health.report).not.toHaveProperty('reason');
});

test('an application one of whose jobs cannot run is not ready, and its report names job, reason and cure', async () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'health-blocked' });
  await using app = await started({ imports: [elasticJob({ registryCenter })], providers: [BothJobs] });
  const health = app.get(ElasticJobHealth);
  await until(() => health.report.ready);

  await registryCenter.put(new JobPaths('ended').config, 'nothing: [useful');
  await until(() => !health.report.ready);

  expect(health.isHealthy()).toMatchObject({
    elasticjob: {
      ...{ status: 'down', live: true, ready: false, session: 'connected' },
      reason: expect.stringMatching(
        /^job 'ended': its settings cannot be used: \/health-blocked\/ended\/config: /,
      ) as unknown,
      jobs: { ended: { state: 'blocked' }, going: { state: 'active' } },
    },
  });
});

test('an application whose registry centre is closed for good is not live, unless it is shutting down', async () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'health-closed' });
  await using app = await started({ imports: [elasticJob({ registryCenter })], providers: [BothJobs] });
  const health = app.get(ElasticJobHealth);
  await until(() => health.report.ready);

  await registryCenter.close();
  expect(health.report).toMatchObject({ live: false, ready: false, session: 'closed' });

  app.get(ElasticJobLifecycle).hosts?.ofDefault.stopFirings();
  expect(health.report).toMatchObject({ live: true, ready: false, reason: 'the application is shutting down' });
});

test.each([[[BothJobs]], [[]]])(
  'an application with the jobs %p is not ready while its registry centre is away, and ready again afterwards',
  async (providers) => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'health-away' });
    await using app = await started({ imports: [elasticJob({ registryCenter })], providers });
    const health = app.get(ElasticJobHealth);
    await until(() => health.report.ready);

    registryCenter.faults.disconnect();
    await until(() => health.report.session === 'suspended');
    const away = health.isHealthy('jobs');
    registryCenter.faults.resume();

    expect(away).toMatchObject({ jobs: { status: 'down', ready: false } });
    await until(() => health.report.ready);
  },
);

test('an application whose ZooKeeper cannot be reached logs why, and reports the reason as part of its health', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const logger = new RecordingLogger();
  await using app = await started({
    imports: [elasticJob({ logger, regCenter: { serverLists: server, namespace: 'unreachable' } })],
    providers: [BothJobs],
  });

  expect(logger.lines).toContain(
    `warn ZooKeeper server ${server} refuses connections (connect ECONNREFUSED ${server}). Check serverLists, and that a ZooKeeper listens there.`,
  );
  expect(app.get(ElasticJobHealth).report).toMatchObject({
    ready: false,
    session: 'connecting',
    reason: `${server} refuses connections (connect ECONNREFUSED ${server})`,
  });
});

test('an application that is connected has no reason in its health report', async () => {
  await using app = await started({ imports: [elasticJob()], providers: [BothJobs] });
  const health = app.get(ElasticJobHealth);

  await until(() => health.report.ready);

  expect(health.report).not.toHaveProperty('reason');
});

test('an application whose logger throws boots although its ZooKeeper cannot be reached', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  const fail = (): never => {
    throw new Error('the disk is full');
  };
  const logger = { debug: fail, log: fail, warn: fail, error: fail };

  await using app = await started({
    imports: [elasticJob({ logger, regCenter: { serverLists: server, namespace: 'unreachable' } })],
    providers: [BothJobs],
  });

  expect(app.get(ElasticJobHealth).report).toMatchObject({
    reason: expect.stringContaining(`${server} refuses connections`) as unknown,
  });
});
