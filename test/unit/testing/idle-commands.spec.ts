/** Commands of a test's cluster that would do nothing: a test that gave them would prove nothing. */
import { expect, test } from '@jest/globals';
import { TestCluster, type TestClusterOptions } from '../../../lib/testing/index.js';

type Untyped = Record<string, (...given: readonly unknown[]) => unknown>;

test.each<[string, readonly unknown[], string]>([
  ['trigger', [{ items: [99] }], 'takes no arguments'],
  ['trigger', ['x'], 'takes no arguments'],
  ['killAtWrite', ['A', 0, 'applied'], 'Writes are counted from 1, the next one, got 0'],
  ['killAtWrite', ['A', 3, 'x'], 'outcome must be one of applied, not-applied, got "x"'],
  ['cut', ['A', { direction: 'up' }], 'direction must be one of both, sending, receiving, got "up"'],
  ['reconfigure', [], 'Needs the settings that change'],
  ['reconfigure', [{}], 'Needs the settings that change'],
])('%s(%j) is refused', async (command, given, problem) => {
  await using cluster = await TestCluster.start(['A']);
  const call = async (): Promise<unknown> => await (cluster as unknown as Untyped)[command]!(...given);

  await expect(call()).rejects.toThrow(problem);
  await expect(call()).rejects.toBeInstanceOf(RangeError);
});

test.each<[object, string]>([
  [{ work: 5 }, "The option 'work' of a test's cluster must be a function, got 5"],
  [{ work: () => undefined, createJob: () => 'SCRIPT' }, 'takes work or createJob, not both'],
])('a cluster with the options %p is refused', async (options, problem) => {
  await expect(TestCluster.start(['A'], options as TestClusterOptions)).rejects.toThrow(problem);
});

test('firings of a cluster that was disposed of are refused', async () => {
  const cluster = await TestCluster.start(['A']);
  await cluster[Symbol.asyncDispose]();

  await expect(cluster.fire()).rejects.toThrow('is disposed of');
});
