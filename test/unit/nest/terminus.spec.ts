/** Health as the real Terminus reports it. */
import { expect, test } from '@jest/globals';
import { type HealthCheckResult, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { DataSource } from 'typeorm';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { type ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { ElasticJobHealth, keepsUp } from '../../../lib/nest/elastic-job.health.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { until } from '../../support/until.js';
import { elasticJob, started } from './application.js';

@ElasticJob('checked', { cron: '0 0 0 1 1 ?', shardingTotalCount: 1 })
class Checked {
  execute(): void {}
}

test('while the registry centre is away, readiness fails and liveness does not', async () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'terminus' });
  const imports = [elasticJob({ registryCenter }), TerminusModule.forRoot({ logger: false })];
  await using app = await started({ imports, providers: [Checked] });
  const health = app.get(ElasticJobHealth);
  const terminus = await app.resolve(HealthCheckService);
  const check = (indicator: Parameters<typeof terminus.check>[0][number]): Promise<HealthCheckResult> =>
    terminus
      .check([indicator])
      .catch((error: unknown) => (error as { getResponse(): HealthCheckResult }).getResponse());
  await until(() => health.report.ready);
  const before = await check(() => health.isHealthy());

  registryCenter.faults.disconnect();
  await until(() => health.report.session === 'suspended');
  const [ready, live, tracing] = [
    await check(() => health.isHealthy()),
    await check(() => health.isLive()),
    await check(() => health.isTracing()),
  ];
  registryCenter.faults.resume();

  expect(before).toMatchObject({ status: 'ok', info: { elasticjob: { status: 'up', ready: true } } });
  expect(ready).toMatchObject({ status: 'error', error: { elasticjob: { status: 'down', session: 'suspended' } } });
  expect(live).toMatchObject({ status: 'ok', info: { elasticjob: { status: 'up', session: 'suspended' } } });
  expect(tracing).toMatchObject({ status: 'ok', info: { elasticjobTracing: { status: 'up' } } });
});

test.each([
  ['that takes events keeps up', { pending: 79, failingSince: undefined }, true],
  ['that is four fifths full does not', { pending: 80, failingSince: undefined }, false],
  ['whose database refuses events does not', { pending: 1, failingSince: new Date() }, false],
])('a trace queue %s', (_, present, expected) => {
  expect(keepsUp({ maxPending: 100, stored: 0, dropped: 0, lastError: undefined, ...present })).toBe(expected);
});

test('isTracing() is down while the database of the trace cannot be reached', async () => {
  const tracing = { type: 'RDB', dataSource: new DataSource({ type: 'sqljs' }) };
  await using app = await started({ imports: [elasticJob({ tracing })], providers: [Checked] });
  const health = app.get(ElasticJobHealth);
  expect(health.isTracing()).toMatchObject({ elasticjobTracing: { status: 'up' } });

  await (app.get(JobBootstraps).get('checked') as ScheduleJobBootstrap).trigger();
  await until(() => health.report.tracing?.failingSince !== undefined, 'a failed attempt');

  expect(health.isTracing()).toMatchObject({ elasticjobTracing: { status: 'down' } });
});
