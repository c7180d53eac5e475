import { describe, expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { sleep } from '../../../../lib/async/wait.js';
import { deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { TestCluster } from '../../../../lib/testing/index.js';

const told = ({ runs }: TestCluster): string[] => runs.map(({ item, at }) => `${item} ${at}`);

test('EJ2490: firings missed in an outage are made up for once, for the last of them', async () => {
  await using cluster = await TestCluster.start(['A'], { sessionTimeoutMs: 60_000 });
  cluster.member('A').registry.faults.disconnect();
  await cluster.advance('17s');

  await cluster.heal('A');
  await cluster.advance('1s');

  expect(told(cluster)).toEqual(['0 00:00:15', '1 00:00:15']);
});

test('a firing missed in an outage is dropped if misfire was switched off meanwhile', async () => {
  await using cluster = await TestCluster.start(['A'], { sessionTimeoutMs: 60_000 });
  cluster.member('A').registry.faults.disconnect();
  await cluster.advance('7s');
  await cluster.reconfigure({ misfire: false });

  await cluster.heal('A');
  await cluster.advance('1s');
  expect(told(cluster)).toEqual([]);
  await cluster.fire();

  expect(told(cluster)).toEqual(['0 00:00:10', '1 00:00:10']);
});

describe('an item that runs longer than the job’s period', () => {
  /** Item 0 goes on until the gate opens; the others end at once. `onMessage` is called with every message. */
  const start = (gate: Deferred, job = {}, onMessage = (): void => undefined): Promise<TestCluster> =>
    TestCluster.start(['A'], {
      job: { shardingTotalCount: 3, ...job },
      work: (_, { shardingItem }) => (shardingItem === 0 ? gate.promise : undefined),
      deliver: () => (delivery) => {
        onMessage();
        deliverSoon(delivery);
      },
    });

  test('EJ390: is run once more when it has ended, and no other item is', async () => {
    const gate = new Deferred();
    await using cluster = await start(gate);
    await cluster.fire();
    await cluster.fire();
    cluster.forget();

    gate.resolve();
    await cluster.advance('4s');

    expect(told(cluster)).toEqual(['0 00:00:10']);
  });

  test('EJ2113: keeps no other item from its firings, even if those of its own are dropped', async () => {
    const gate = new Deferred();
    await using cluster = await start(gate, { misfire: false });
    await cluster.fire();
    cluster.forget();

    await cluster.fire();
    await cluster.fire();
    expect(told(cluster)).toEqual(['1 00:00:10', '2 00:00:10', '1 00:00:15', '2 00:00:15']);

    gate.resolve();
    await cluster.advance('1s');
    expect(told(cluster)).toHaveLength(4);
  });

  test('EJ596: makes nobody spin', async () => {
    const gate = new Deferred();
    let messages = 0;
    await using cluster = await start(gate, {}, () => messages++);
    await cluster.fire();
    messages = 0;

    await cluster.advance('50s');

    // Ten firings of two items: to each belong two commits with their answers and news.
    expect(messages).toBeLessThan(100);
    gate.resolve();
  });
});

describe('without marks, an item that ends while another one of its firing still runs', () => {
  /** Items 0 and 1 run until their gates open. */
  const start = (gates: readonly Deferred[]): Promise<TestCluster> =>
    TestCluster.start(['A'], {
      job: { monitorExecution: false, failover: false },
      work: (_, { shardingItem }) => gates[shardingItem]!.promise,
    });

  test('is run at once for the firing that it has missed', async () => {
    const gates = [new Deferred(), new Deferred()];
    await using cluster = await start(gates);
    await cluster.fire();
    await cluster.fire();
    cluster.forget();

    gates[0]!.resolve();
    await cluster.advance('1s');

    expect(told(cluster)).toEqual(['0 00:00:10']);
    gates[1]!.resolve();
  });

  test('is run at once if it was triggered meanwhile', async () => {
    const gates = [new Deferred(), new Deferred()];
    await using cluster = await start(gates);
    await cluster.fire();
    await cluster.trigger();
    await cluster.advance('1s');
    cluster.forget();

    gates[0]!.resolve();
    await cluster.advance('1s');

    expect(cluster.runs.map(({ item }) => item)).toEqual([0]);
    gates[1]!.resolve();
  });
});

test('the mark of a missed firing makes nobody run its item over and over once marks are not made any more', async () => {
  const work = (): Promise<void> => sleep(cluster.clock, 500);
  await using cluster = await TestCluster.start(['A'], { work, job: { shardingTotalCount: 1 } });
  await cluster.reconfigure({ monitorExecution: false });
  await cluster.fire();
  cluster.forget();

  await cluster.operator.create(cluster.paths.item(0, 'misfire'), '');
  await cluster.fire();
  await cluster.fire();

  expect(told(cluster)).toEqual(['0 00:00:10', '0 00:00:15']);
  expect([...cluster.tree.keys()].filter((path) => path.endsWith('misfire'))).toEqual([]);
});

test('what an instance that leaves can no longer make up for is made up for by its successor', async () => {
  const gate = new Deferred();
  await using cluster = await TestCluster.start(['A', 'B'], {
    job: { shardingTotalCount: 1 },
    work: () => gate.promise,
  });
  await cluster.fire();
  const [runner] = Object.keys(cluster.ran);
  await cluster.fire();
  await cluster.fire();
  cluster.forget();

  await cluster.leave(runner!);
  await cluster.advance('1s');
  gate.resolve();
  await cluster.advance('1s');

  expect(told(cluster)).toEqual(['0 00:00:15']);
});

test('what an item misses while its instance, disabled meanwhile, still runs it is made up for by whose it is then', async () => {
  const gate = new Deferred();
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1 }, work: () => gate.promise });
  await cluster.fire();
  await cluster.join('B');
  await cluster.disable('A');
  await cluster.fire();
  await cluster.fire();
  expect(cluster.ran).toEqual({ A: [0] });
  cluster.forget();

  gate.resolve();
  await cluster.advance('2s');

  expect(cluster.ran).toEqual({ B: [0] });
  expect(told(cluster)).toEqual(['0 00:00:15']);
});
