/** Takeovers of more items than one commit holds: something gets in the way of one of the commits. */
import { expect, test } from '@jest/globals';
import { RegistryRefusedError } from '../../../../lib/api/errors/errors.js';
import { deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { TestCluster } from '../../../../lib/testing/index.js';

const ITEMS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Does something while the message with this number is on its way, counted from 1. */
type Happening = (number: number, cluster: TestCluster) => void;

/** A has died while it ran nine items, and B takes them over: three in each commit. */
async function takeoverByB({ atRequest, atAnswer }: { readonly atRequest?: Happening; readonly atAnswer?: Happening }) {
  const counts = { requests: 0, answers: 0 };
  let isHanging = true;
  const cluster: TestCluster = await TestCluster.start(['A'], {
    job: { cron: '0 0 * * * ?', failover: true, shardingTotalCount: ITEMS.length },
    limits: { operations: 20 },
    work: () => (isHanging ? new Promise<void>(() => undefined) : undefined),
    deliver: () => (delivery) => {
      const { what } = delivery;
      if (!isHanging && what.startsWith(COMMIT)) atRequest?.(++counts.requests, cluster);
      if (!isHanging && what.startsWith(`answer to ${COMMIT}`)) atAnswer?.(++counts.answers, cluster);
      deliverSoon(delivery);
    },
  });
  await cluster.fire();
  await cluster.join('B');
  cluster.forget();
  isHanging = false;
  cluster.kill('A');
  return { cluster, counts, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

/** A commit that takes items over begins with the check that its instance is registered. */
const COMMIT = 'commit changes of /job/instances/';

/** Everything of the tree that speaks of a run. */
const marks = ({ tree }: TestCluster): readonly string[] =>
  [...tree.keys()].filter((path) => /(\d\/(running|failover|failovering)|failover\/items\/\d+)$/.test(path));

test.each(['applied', 'not-applied'] as const)(
  'a takeover whose second commit has lost its answer (%s) runs each item once',
  async (outcome) => {
    await using stage = await takeoverByB({
      atAnswer: (number, cluster) => {
        if (number === 1) cluster.member('B').registry.faults.loseNextWrite(outcome);
      },
    });
    const { cluster } = stage;

    await cluster.advance('1m');

    expect(cluster.ran).toEqual({ B: ITEMS });
    expect(marks(cluster)).toEqual([]);
  },
);

test('a takeover of which a peer has one item leaves that to the peer, and takes all others', async () => {
  await using stage = await takeoverByB({
    atRequest: (number, { server }) => {
      if (number === 2) server.namespace('elasticjob').put('peer', '/job/sharding/4', '');
    },
  });
  const { cluster, counts } = stage;

  await cluster.advance('1m');

  // The item only seems to be a peer's, so it is taken at the next look.
  expect(cluster.ran).toEqual({ B: ITEMS });
  expect(counts.requests).toBe(7);
  expect(marks(cluster)).toEqual([]);
});

test('a takeover during which the settings change stops where it is, and goes on by the new ones', async () => {
  await using stage = await takeoverByB({
    atRequest: (number, { server, tree, paths }) => {
      if (number === 2) server.namespace('elasticjob').put('operator', paths.config, tree.get(paths.config) ?? '');
    },
  });
  const { cluster, counts } = stage;

  await cluster.advance('1m');

  expect(cluster.ran).toEqual({ B: ITEMS });
  expect(counts.requests).toBe(4);
  expect(marks(cluster)).toEqual([]);
});

test('an item that the registry refuses keeps no other from being taken over, and is taken when it can be', async () => {
  await using stage = await takeoverByB({});
  const { cluster } = stage;
  const { registry, log } = cluster.member('B');
  const commit = registry.commit.bind(registry);
  let isRefused = true;
  registry.commit = (operations) =>
    isRefused && operations.some(({ type, path }) => type === 'create' && path === '/job/sharding/4/running')
      ? Promise.reject(new RegistryRefusedError('create', '/job/sharding/4/running', 'not at the moment'))
      : commit(operations);

  await cluster.advance('1m');
  expect(cluster.ran).toEqual({ B: ITEMS.filter((item) => item !== 4) });
  expect(log.join('\n')).toContain('not at the moment');
  isRefused = false;
  await cluster.advance('1m');

  expect(cluster.ran).toEqual({ B: ITEMS });
});
