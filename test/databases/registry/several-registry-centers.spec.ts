/** An application on PostgreSQL and in memory at the same time, whose PostgreSQL is that of a TypeORM DataSource. */
import { TypeOrmModule } from '@nestjs/typeorm';
import { expect, test } from '@jest/globals';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { RegistryCenters } from '../../../lib/nest/centers/registry-centers.js';
import { RecordingLogger, refusalOf, started } from '../../unit/nest/application.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { newName } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const { port } = serverOf('postgres');

class Ticks {
  ticks = 0;
  execute(): void {
    this.ticks++;
  }
}

@ElasticJob('orders', { cron: '* * * * * ?', shardingTotalCount: 1 })
class OrdersJob extends Ticks {}

@ElasticJob('reports', { cron: '* * * * * ?', shardingTotalCount: 1, registryCenter: 'reporting' })
class ReportsJob extends Ticks {}

const providers = [OrdersJob, ReportsJob];

const orm = (databasePort: number) =>
  TypeOrmModule.forRoot({
    ...{ type: 'postgres', host: '127.0.0.1', port: databasePort, username: 'postgres', database: 'postgres' },
    password: 'p@ss/word',
  });

test('a job runs on the PostgreSQL of a DataSource, and one in memory goes on while PostgreSQL is away', async () => {
  await using proxy = await TcpProxy.start(port, 'other');
  const reporting = { dataSource: 'default', namespace: newName(), sessionTimeoutMilliseconds: 4_000 };
  await using app = await started({
    imports: [
      orm(proxy.port),
      ElasticJobModule.forRoot({
        logger: new RecordingLogger(),
        regCenter: { namespace: newName() },
        regCenters: { reporting },
      }),
    ],
    providers,
  });
  const health = app.get(ElasticJobHealth);
  await until(() => app.get(OrdersJob).ticks > 0 && app.get(ReportsJob).ticks > 0, 'both jobs run', 20_000);
  expect(app.get(RegistryCenters).of('reporting').registryCenter.description).toMatch(
    new RegExp(`^PostgreSQL at 127\\.0\\.0\\.1:${proxy.port}/postgres, `),
  );

  proxy.refuse();
  proxy.cut();
  await until(() => health.report.jobs['reports']?.state === 'suspended', 'the job is suspended', 20_000);
  const { ticks } = app.get(OrdersJob);
  await until(() => app.get(OrdersJob).ticks > ticks + 1, 'the other job goes on', 20_000);
  expect(health.report.registryCenters?.['reporting']).toMatchObject({ jobs: ['reports'] });
  expect(health.report.jobs['orders']).toMatchObject({ state: 'active' });

  proxy.heal();
  const before = app.get(ReportsJob).ticks;
  await until(() => app.get(ReportsJob).ticks > before, 'the job runs again', 30_000);
});

test.each<[what: string, dataSource: unknown, refusal: string]>([
  [
    'an unknown DataSource',
    'reprots',
    'elasticjob.regCenter.dataSource: the application has no TypeORM DataSource "reprots"; it has: default',
  ],
])('%s is refused', async (_, dataSource, refusal) => {
  const options = { logger: false, regCenter: { dataSource, namespace: 'n' } } as const;

  expect(await refusalOf({ imports: [orm(port), ElasticJobModule.forRoot(options)] })).toContain(refusal);
});
