import { expect, test } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ElasticJob } from '../../lib/nest/decorators/elastic-job.decorator.js';
import { elasticJob } from '../unit/nest/application.js';
import { Browser } from './support/browser.js';
import { ConsoleApp } from './support/console-app.js';

@ElasticJob('reports', { shardingTotalCount: 1, tracingDataSource: 'reporting' })
class ReportsJob {
  execute(): void {}
}

test('the console in an application lists all databases in which its jobs record their runs', async () => {
  const databases = [
    TypeOrmModule.forRoot({ type: 'sqljs' }),
    TypeOrmModule.forRoot({ type: 'sqljs', name: 'reporting' }),
  ];
  const imports = [...databases, elasticJob({ tracing: { type: 'RDB' } })];
  const module = { module: class Jobs {}, imports, providers: [ReportsJob] };
  await using app = await ConsoleApp.start({ imports: [module] });
  const browser = await Browser.loggedIn(app, 'anna');

  const { json } = await browser.get('/api/v1/data-sources');

  expect(json).toMatchObject([
    { name: 'application', origin: 'application', isActivated: true },
    { name: 'application-reporting', origin: 'application', isActivated: false },
  ]);
});
