import { expect, test } from '@jest/globals';
import { TestCluster } from '../../../lib/testing/index.js';

test('each entry of a job names the job, once', async () => {
  await using cluster = await TestCluster.start(['A']);

  const registered = cluster.log.filter((line) => line.includes('registered by instance'));

  expect(registered).toEqual([`A: Job 'job': registered by instance ${cluster.idOf('A')}.`]);
});
