/** Jobs that run after others, in an application. */
import { expect, test } from '@jest/globals';
import { ElasticJob, type ShardingContext } from '../../../lib/index.js';
import { until } from '../../support/until.js';
import { elasticJob, started } from './application.js';

class Noting {
  readonly instants: (number | undefined)[] = [];
  execute({ scheduledAt }: ShardingContext): void {
    this.instants.push(scheduledAt?.getTime());
  }
}

@ElasticJob('importA', { cron: '* * * * * ?', shardingTotalCount: 1 })
class ImportJob extends Noting {}

@ElasticJob('report', { after: 'importA', shardingTotalCount: 1 })
class ReportJob extends Noting {}

test('a job runs after another one, for its instants', async () => {
  await using app = await started({ imports: [elasticJob()], providers: [ImportJob, ReportJob] });
  const report = app.get(ReportJob);

  await until(() => report.instants.length > 0, 'the report');

  expect(app.get(ImportJob).instants).toContain(report.instants[0]);
});
