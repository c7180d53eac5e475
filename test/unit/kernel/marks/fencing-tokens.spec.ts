import { expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, type Run, TestCluster } from '../../../../lib/testing/index.js';

/** The tokens of each item's runs, in the order in which they began. */
function tokensByItem(runs: readonly Run[]): readonly (readonly number[])[] {
  const tokens: number[][] = [];
  for (const { item, context } of runs) (tokens[item] ??= []).push(context.fencingToken);
  return tokens;
}

const sorted = (tokens: readonly number[]): readonly number[] => [...tokens].sort((one, other) => one - other);

/** Every message takes ten milliseconds. */
const slowly =
  (clock: ManualClock) =>
  ({ arrive }: Delivery): void =>
    void clock.after(10, arrive);

test('every monitored run of an item has a greater fencing token than the one before, manual runs included', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1 } });

  for (let firing = 0; firing < 3; firing++) await cluster.fire();
  await cluster.trigger();

  const [tokens = []] = tokensByItem(cluster.runs);
  expect(tokens).toHaveLength(4);
  expect(tokens).toEqual([...new Set(sorted(tokens))]);
});

test('no fencing token is smaller than an earlier one of its item, whenever monitoring is switched off and on, and whoever owns the item', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 3 } });
  const monitor = (monitorExecution: boolean) => () => cluster.reconfigure({ monitorExecution });
  const nothing = (): Promise<void> => Promise.resolve();

  for (const change of [
    nothing,
    nothing,
    monitor(false),
    nothing,
    () => cluster.join('B'),
    monitor(true),
    nothing,
    monitor(false),
    () => cluster.leave('A'),
    monitor(true),
    () => cluster.join('C'),
    monitor(false),
    () => cluster.disable('B'),
    () => cluster.reconfigure({ shardingTotalCount: 4 }),
    () => cluster.enable('B'),
    monitor(true),
  ]) {
    await change();
    await cluster.fire();
  }

  const tokens = tokensByItem(cluster.runs);
  expect(tokens.map(({ length }) => length)).toEqual([16, 16, 16, 3]);
  expect(tokens).toEqual(tokens.map(sorted));
});

test('a run that is marked while monitoring is being switched off has no greater fencing token than the unmonitored runs after it', async () => {
  for (let gapMs = 0; gapMs <= 60; gapMs += 5) {
    await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1 }, deliver: slowly });
    await cluster.advance(9_970);

    await cluster.advance(gapMs);
    await cluster.reconfigure({ monitorExecution: false });
    await cluster.advance('10s');

    const [tokens = []] = tokensByItem(cluster.runs);
    expect({ gapMs, tokens }).toEqual({ gapMs, tokens: sorted(tokens) });
    expect(tokens.length).toBeGreaterThan(2);
  }
});

test('a run that is marked while monitoring is being switched off does not hide the change behind a note of a busy item', async () => {
  for (let gapMs = 0; gapMs <= 100; gapMs += 5) {
    const end = new Deferred();
    await using cluster = await TestCluster.start(['A'], {
      deliver: slowly,
      work: (_, { shardingItem }) => (shardingItem === 1 ? end.promise : undefined),
    });
    // Item 1 runs on, so that each later firing first notes that it has misfired.
    await cluster.advance(9_970);

    await cluster.advance(gapMs);
    await cluster.reconfigure({ monitorExecution: false });
    await cluster.advance('10s');
    end.resolve();

    const [tokens = []] = tokensByItem(cluster.runs);
    expect({ gapMs, tokens }).toEqual({ gapMs, tokens: sorted(tokens) });
    expect(tokens.length).toBeGreaterThan(2);
  }
});

test('a takeover that meets the end of monitoring has no greater fencing token than the unmonitored runs after it', async () => {
  for (let gapMs = 0; gapMs <= 100; gapMs += 5) {
    const end = new Deferred();
    await using cluster = await TestCluster.start(['B'], {
      job: { failover: true, cron: '0 * * * * ?' },
      deliver: slowly,
      work: (name) => (name === 'A' ? new Promise(() => undefined) : end.promise),
    });
    await cluster.advance('1s');
    await cluster.join('A');
    await cluster.fire();
    await cluster.advance('1s');
    cluster.kill('A');
    // B is busy and waits for an idle instance; as the leader, it assigns the dead instance's item to itself meanwhile.
    await cluster.advance('9s');
    const lost = cluster.runs.find(({ outcome }) => outcome === 'lost')!.item;
    expect({ owners: cluster.owners, waiting: cluster.view.crashedItems }).toEqual({
      owners: { B: [0, 1] },
      waiting: [lost],
    });

    end.resolve();
    await cluster.advance(gapMs);
    await cluster.reconfigure({ monitorExecution: false });
    await cluster.advance('2m');

    const tokens = tokensByItem(cluster.runs)[lost]!;
    expect({ gapMs, tokens }).toEqual({ gapMs, tokens: sorted(tokens) });
    expect(tokens.length).toBeGreaterThan(2);
  }
});

test('without monitoring, the fencing token grows with each assignment and with each change of the settings', async () => {
  await using cluster = await TestCluster.start(['A'], { job: { shardingTotalCount: 1, monitorExecution: false } });

  for (const change of [
    () => Promise.resolve(),
    () => cluster.join('B'),
    () => cluster.reconfigure({ jobParameter: 'new' }),
    () => cluster.leave('B'),
  ]) {
    await change();
    await cluster.fire();
  }

  const [tokens = []] = tokensByItem(cluster.runs);
  expect(cluster.runs.map(({ instance }) => instance)).toEqual(['A', 'B', 'B', 'A']);
  expect(tokens).toEqual([...new Set(sorted(tokens))]);
});
