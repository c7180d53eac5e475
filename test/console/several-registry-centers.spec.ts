import { expect, test } from '@jest/globals';
import { ElasticJob } from '../../lib/nest/decorators/elastic-job.decorator.js';
import { elasticJob } from '../unit/nest/application.js';
import { until } from '../support/until.js';
import { Browser } from './support/browser.js';
import { ConsoleApp } from './support/console-app.js';

@ElasticJob('reports', { shardingTotalCount: 1, registryCenter: 'reporting' })
class ReportsJob {
  execute(): void {}
}

test('the console in an application lists all registry centres of it, with their jobs', async () => {
  const regCenters = { reporting: { namespace: 'console-reporting' } };
  const module = { module: class Jobs {}, imports: [elasticJob({ regCenters })], providers: [ReportsJob] };
  await using app = await ConsoleApp.start({ imports: [module] });
  const browser = await Browser.loggedIn(app, 'anna');

  const { json } = await browser.get('/api/v1/registries');

  expect(json).toMatchObject([
    { name: 'application', origin: 'application' },
    { name: 'application-reporting', origin: 'application', namespace: 'console-reporting' },
  ]);
  await until(async () => {
    const jobs = await browser.get('/api/v1/registries/application-reporting/jobs');
    return jobs.status === 200 && JSON.stringify(jobs.json).includes('"reports"');
  });
});
