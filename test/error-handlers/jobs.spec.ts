/** Jobs that name the notifying error handlers. */
import { expect, test } from '@jest/globals';
import { notifyingErrorHandlers } from '../../lib/error-handlers/notifying-error-handlers.js';
import { JobBootstraps } from '../../lib/nest/jobs/job-bootstraps.js';
import { ElasticJob } from '../../lib/nest/decorators/elastic-job.decorator.js';
import { ManualClock, TestCluster } from '../../lib/testing/index.js';
import { CompleteLog } from '../support/failures.js';
import { RobotServer } from '../support/robot-server.js';
import { until } from '../support/until.js';
import { elasticJob, started } from '../unit/nest/application.js';

test('a robot that does not answer delays no item and no firing, and its key is in no log entry', async () => {
  await using robot = await RobotServer.start();
  robot.answer = () => undefined;
  const [clock, logger] = [new ManualClock(0), new CompleteLog()];
  const props = { 'wechat.webhook': `${robot.origin}/send?key=s3cret-key` };
  await using cluster = await TestCluster.start(['A'], {
    job: { jobErrorHandlerType: 'WECHAT', props },
    host: { errorHandlers: notifyingErrorHandlers({ clock, logger }), logger },
    work: (_, { shardingItem }) => {
      if (shardingItem === 0) throw new Error('no stock');
    },
  });

  await cluster.fire();
  await cluster.fire();
  await until(() => robot.requests.length === 1);

  expect(cluster.runs.map(({ item, at, outcome }) => `${item} ${at} ${outcome}`)).toEqual([
    '0 00:00:05 failed',
    '1 00:00:05 completed',
    '0 00:00:10 failed',
    '1 00:00:10 completed',
  ]);
  robot.answer = (response) => void response.end('{"errcode":93000,"errmsg":"invalid s3cret-key"}');
  await clock.advance(5_000);
  await until(() => logger.of('debug').some((line) => line.includes('no answer within 5000 ms')));
  await clock.advance(1_000);
  await until(() => logger.of('error').length > 0);
  expect(logger.text).not.toContain('s3cret-key');
});

test('props that are changed at run time hold from the next failure on', async () => {
  await using one = await RobotServer.start();
  await using other = await RobotServer.start();
  const [clock, logger] = [new ManualClock(0), new CompleteLog()];
  await using cluster = await TestCluster.start(['A'], {
    job: { jobErrorHandlerType: 'DINGTALK', shardingTotalCount: 1, props: { 'dingtalk.webhook': one.origin } },
    host: { errorHandlers: notifyingErrorHandlers({ clock, logger }) },
    work: () => {
      throw new Error('no stock');
    },
  });
  await cluster.fire();
  await until(() => one.requests.length === 1);

  await cluster.reconfigure({ props: { 'dingtalk.webhook': other.origin } });
  await cluster.fire();
  await clock.advance(60_000);
  await until(() => other.requests.length === 1);

  expect(one.requests).toHaveLength(1);
});

test('in a Nest application, what was gathered is told before the application has closed', async () => {
  await using robot = await RobotServer.start();
  @ElasticJob('bill', {
    shardingTotalCount: 3,
    jobErrorHandlerType: 'dingtalk',
    props: { dingtalk: { webhook: robot.origin, keyword: 'Bill: ' } },
  })
  class BillJob {
    runs = 0;
    execute(): void {
      this.runs++;
      throw new Error('no stock');
    }
  }
  const app = await started({ imports: [elasticJob()], providers: [BillJob] });
  await app.get(JobBootstraps).oneOff('bill').execute();
  await until(() => robot.requests.length === 1 && app.get(BillJob).runs === 3);

  await app.close();

  expect(robot.texts.map((text) => text.split('\n')[0])).toEqual([
    "Bill: Job 'bill' exception occur in job processing, caused by Error: no stock",
    expect.stringMatching(/^Bill: Job 'bill' exception occur in job processing, 2 more failures since /),
  ]);
});
