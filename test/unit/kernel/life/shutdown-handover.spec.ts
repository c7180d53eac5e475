/** An instance that stops while items run: who gets its idle items, and who runs the others after it. */
import { expect, test } from '@jest/globals';
import { Deferred } from '../../../../lib/async/deferred.js';
import { TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';

/** The named instances, on the first of which its lowest item runs from 00:00:05 on until the test ends it. */
async function busy(
  names: readonly [string, ...string[]],
  options: TestClusterOptions = {},
): Promise<TestCluster & { readonly end: () => void }> {
  const gate = new Deferred();
  let item: number | undefined;
  const cluster = await TestCluster.start(names, {
    work: (name, { shardingItem }) => {
      if (name !== names[0] || item !== undefined) return;
      item = shardingItem;
      return gate.promise;
    },
    ...options,
    job: { shardingTotalCount: 4, ...options.job },
    host: { shutdownGracePeriodMilliseconds: 60_000 },
  });
  await cluster.fire();
  cluster.forget();
  return Object.assign(cluster, { end: () => gate.resolve() });
}

const isUp = (cluster: TestCluster, name: string): boolean => cluster.view.live.has(cluster.idOf(name));

test.each([
  ['the leader', ['A', 'B']],
  ['another instance', ['B', 'A']],
] as const)('the idle items of %s move at once when it stops, the busy one runs to its end first', async (_, names) => {
  await using cluster = await busy(names);
  const [stopping, other] = names;
  const [item = -1] = cluster.owners[stopping] ?? [];

  await cluster.leave(stopping);
  expect(cluster.owners).toEqual({ [other]: [0, 1, 2, 3] });
  expect([cluster.leader, isUp(cluster, stopping)]).toEqual([other, true]);
  await cluster.fire();
  expect(cluster.ran).toEqual({ [other]: [0, 1, 2, 3].filter((each) => each !== item) });

  cluster.end();
  await cluster.settle();
  expect(isUp(cluster, stopping)).toBe(false);
  expect(cluster.ran).toEqual({ [other]: [0, 1, 2, 3] });
});

test('an instance that stops gets no items when another one joins', async () => {
  await using cluster = await busy(['A', 'B']);
  await cluster.leave('A');

  await cluster.join('C');
  await cluster.advance('2s');

  expect(cluster.owners).toEqual({ B: [2, 3], C: [0, 1] });
  expect(isUp(cluster, 'A')).toBe(true);
  cluster.end();
});

test('an instance that stops with no peer runs its busy item to the end, and leaves', async () => {
  await using cluster = await busy(['A']);

  await cluster.leave('A');
  await cluster.fire();
  expect({ ran: cluster.ran, isUp: isUp(cluster, 'A') }).toEqual({ ran: {}, isUp: true });
  cluster.end();
  await cluster.settle();

  expect(isUp(cluster, 'A')).toBe(false);
  expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
});

test('beside a Java instance, an instance that stops keeps its node and its items until its busy item has ended', async () => {
  await using cluster = await busy(['A', 'B']);
  const [ip, id] = ['10.0.0.7', '10.0.0.7@-@4711'];
  await cluster.operator.create(cluster.paths.server(ip), 'DISABLED');
  await cluster.operator.create(cluster.paths.instance(id), `jobInstanceId: ${id}\nserverIp: ${ip}\n`, 'session');
  const { owners } = cluster;

  await cluster.leave('A');
  await cluster.advance('6s');
  expect(cluster.owners).toEqual(owners);
  expect(cluster.view.instances.has(cluster.idOf('A'))).toBe(true);
  cluster.end();
  await cluster.advance('2s');

  expect(cluster.owners).toEqual({ B: [0, 1, 2, 3] });
});

test('without monitoring, an instance that stops keeps its items until its busy item has ended, so that none overlaps', async () => {
  await using cluster = await busy(['A', 'B'], { job: { monitorExecution: false } });
  const { owners } = cluster;

  await cluster.leave('A');
  await cluster.advance('6s');
  expect(cluster.owners).toEqual(owners);
  cluster.end();
  await cluster.settle();

  expect(cluster.owners).toEqual({ B: [0, 1, 2, 3] });
});

test('the item of an instance that dies while it stops is taken over once, by the instance that owns it by then', async () => {
  await using cluster = await busy(['A', 'B'], { job: { failover: true, cron: '0 0 * * * ?' } });
  await cluster.advance('1s');
  await cluster.leave('A');

  cluster.kill('A');
  await cluster.advance('20s');

  expect(cluster.runs.map((run) => `${run.instance} ${run.item} ${run.at}`)).toEqual(['B 2 01:00:00']);
});
