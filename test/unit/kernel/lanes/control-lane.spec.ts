import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { TestCluster } from '../../../../lib/testing/index.js';

/** Holds the latch of the election, as somebody who is taking part in one, until the result is called. */
async function holdElection(cluster: TestCluster): Promise<() => Promise<void>> {
  const end = new Deferred();
  const held = cluster.operator.exclusively(cluster.paths.electionLatch, 60_000, () => end.promise);
  await cluster.settle();
  return async () => {
    end.resolve();
    await held;
    await cluster.settle();
  };
}

test('EJ2038: an instance that runs what was triggered assigns items as ever', async () => {
  const gate = new Deferred();
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 4 }, work: () => gate.promise });
  await cluster.trigger();
  expect(cluster.ran).toEqual({ A: [0, 1, 2, 3] });

  await cluster.join('B');
  gate.resolve();
  await cluster.settle();

  expect(cluster.owners).toEqual({ A: [2, 3], B: [0, 1] });
});

test('EJ2038: an instance that runs what was triggered takes part in other things as ever', async () => {
  const gate = new Deferred();
  await using cluster = await TestCluster.start(['A'], { work: () => gate.promise });
  await cluster.trigger();

  await cluster.disable('A');

  expect(cluster.leader).toBeUndefined();
  gate.resolve();
});

describe('EJ661: while somebody holds the latch of the election', () => {
  test('the others are started, and do what they are told', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const release = await holdElection(cluster);
    cluster.kill('A');
    await cluster.advance('7s');
    cluster.forget();
    expect(cluster.leader).toBeUndefined();

    const { started } = await cluster.join('C');
    await started;
    await cluster.trigger();
    // It waits this long for an assignment, which no instance makes.
    await cluster.advance('2s');

    expect(cluster.ran).toEqual({ B: [0] });
    await release();
    expect(cluster.leader).toBe('B');
  });

  test('one who is cut off for a moment stands for election all the same when it is over', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const release = await holdElection(cluster);
    cluster.kill('A');
    await cluster.advance('7s');

    cluster.member('B').registry.faults.disconnect();
    await cluster.advance('1s');
    await cluster.heal('B');
    await release();

    expect(cluster.leader).toBe('B');
    expect(cluster.owners).toEqual({ B: [0, 1] });
  });

  test('one who has waited in vain stands for election once more', async () => {
    await using cluster = await TestCluster.start(['A', 'B']);
    const release = await holdElection(cluster);
    cluster.kill('A');

    await cluster.advance('2m');
    await release();

    expect(cluster.leader).toBe('B');
  });
});

test('an election that the registry centre refuses is tried again now and then, not without end', async () => {
  await using cluster = await TestCluster.start(['A']);
  const folder = cluster.paths.leader.slice(0, cluster.paths.leader.lastIndexOf('/'));
  // A node of a session has no children.
  await cluster.operator.remove(folder);
  await cluster.operator.create(folder, '', 'session');

  await cluster.advance('1m');

  const attempts = cluster.log.filter((line) => line.includes('could not stand for election'));
  expect(attempts.length).toBeGreaterThan(3);
  expect(attempts.length).toBeLessThan(30);

  await cluster.operator.remove(folder);
  await cluster.advance('6s');
  expect(cluster.leader).toBe('A');
});
