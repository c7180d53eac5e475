/** When the log says that settings are allowed, but probably not intended. */
import { expect, test } from '@jest/globals';
import { toYaml } from '../../../../lib/layout/job-configuration-yaml.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { joinJavaInstance } from '../../../support/java-instance.js';
import { aConfiguration } from '../../../support/views.js';

/** The messages about settings since the last call. */
function doubtsIn(cluster: TestCluster): readonly string[] {
  const lines = cluster.log.splice(0);
  return lines.filter((line) => /means nothing|no effect|are past|refuses it|begins again|for doubts/.test(line));
}

const change = async (cluster: TestCluster, changes: Parameters<typeof aConfiguration>[0]): Promise<void> => {
  await cluster.operator.put(cluster.paths.config, toYaml(aConfiguration({ cron: '0/5 * * * * ?', ...changes })));
  await cluster.settle();
};

test('each doubt is logged once when the job starts, not again when the stored settings say the same', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { props: { streamingProcess: 'true' } } });

  expect(doubtsIn(cluster)).toEqual([expect.stringContaining("the property 'streamingProcess' has no effect")]);
});

test('stored settings that win are judged too, and so are settings that change', async () => {
  await using cluster = await TestCluster.start(['A']);
  doubtsIn(cluster);

  await change(cluster, { props: { 'streaming.process': 'true' } });
  expect(doubtsIn(cluster)).toEqual([
    expect.stringMatching(/A: Job 'job': the property 'streaming.process' has no effect/),
  ]);
  await change(cluster, { props: { 'streaming.process': 'true' }, description: 'the same' });
  expect(doubtsIn(cluster)).toEqual([]);
  await cluster.join('B');
  expect(doubtsIn(cluster)).toEqual([
    expect.stringMatching(/B: Job 'job': the property 'streaming.process' has no effect/),
  ]);
});

test('a doubt that comes back after it was settled is logged again', async () => {
  await using cluster = await TestCluster.start(['A']);
  for (const [props, count] of [
    [{ 'streaming.process': '' }, 1],
    [{}, 0],
    [{ 'streaming.process': '' }, 1],
  ] as const) {
    doubtsIn(cluster);
    await change(cluster, { props });
    expect(doubtsIn(cluster)).toHaveLength(count);
  }
});

test('a cron expression with past dates only that is stored while the job runs is a warning', async () => {
  await using cluster = await TestCluster.start(['A']);
  doubtsIn(cluster);

  await change(cluster, { cron: '0 0 0 1 1 ? 2001' });

  expect(doubtsIn(cluster)).toEqual([expect.stringMatching(/Job 'job': all dates of the cron expression are past/)]);
});

test('steps that begin again are no warning: the next firings are logged once', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { cron: '0 */45 * * * ?', timeZone: 'GMT' } });

  expect(doubtsIn(cluster)).toEqual([
    expect.stringMatching(
      /A: Job 'job': the step \/45 of the minutes begins again with each hour, in the cron expression; the next firings are 2030-01-01T00:45:00\.000Z, 2030-01-01T01:00:00\.000Z, 2030-01-01T01:45:00\.000Z\./,
    ),
  ]);
  await change(cluster, { cron: '0 */45 * * * ?', timeZone: 'GMT', description: 'the same' });
  expect(doubtsIn(cluster)).toEqual([]);
});

test('a time zone that Java refuses is a warning only beside Java instances', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { timeZone: 'Europe/Berlin' } });
  expect(doubtsIn(cluster)).toEqual([]);

  await joinJavaInstance(cluster, 'J');

  expect(doubtsIn(cluster)).toEqual([expect.stringMatching(/.*Java ElasticJob refuses it/)]);
});

test('an error handler that cannot be asked for doubts is reported, and the job runs', async () => {
  const errorHandlers = [
    {
      type: 'MINE',
      handleException: () => undefined,
      doubts: () => {
        throw new Error('no idea');
      },
    },
  ];
  await using cluster = await TestCluster.start(['A'], {
    job: { jobErrorHandlerType: 'MINE' },
    host: { errorHandlers },
  });

  expect(doubtsIn(cluster)[0]).toMatch(/Job 'job': the settings could not be checked for doubts: Error: no idea/);
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0, 1] });
});
