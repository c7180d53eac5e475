import { expect, test } from '@jest/globals';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied, type ProxiedCentre } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();
const LATCH = '/job/latch';

/** A holder of the latch, and another centre. */
async function holderAndOther(): Promise<
  { readonly release: () => Promise<void>; readonly other: ProxiedCentre } & AsyncDisposable
> {
  const namespace = zooKeeper.namespace();
  const [holder, other] = [
    await openProxied(zooKeeper.servers, { namespace }),
    await openProxied(zooKeeper.servers, { namespace }),
  ];
  let release = (): void => undefined;
  const over = new Promise<void>((resolve) => (release = resolve));
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    ended = holder.centre.exclusively(LATCH, 5_000, () => {
      resolve();
      return over;
    });
  });
  return {
    other,
    release: () => {
      release();
      return ended;
    },
    [Symbol.asyncDispose]: async () => void (await Promise.all([holder.close(), other.close()])),
  };
}

test('contenders are session nodes named like those of a Curator LeaderLatch', async () => {
  await using stage = await holderAndOther();
  const { other, release } = stage;

  const mirror = await other.centre.mirror(LATCH);
  const [path] = [...mirror.nodes.keys()].filter((each) => each !== LATCH);

  expect(path?.slice(LATCH.length)).toMatch(
    /^\/_c_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-latch-\d{10}$/,
  );
  expect(mirror.nodes.get(path!)).toMatchObject({ value: '', session: expect.any(String) });
  await release();
});

test('a contender whose predecessor leaves before it is watched gets its turn at once', async () => {
  await using stage = await holderAndOther();
  const { other, release } = stage;
  // The other contender has found the holder ahead of it, and is about to watch the queue.
  other.proxy.withholdFrom('addWatch');
  const turn = other.centre.exclusively(LATCH, 5_000, () => Promise.resolve('its turn'));
  await until(() => other.proxy.heldBytes('up') > 0);

  await release();
  other.proxy.heal();

  await expect(turn).resolves.toBe('its turn');
});

test('a contender that has had its turn, or gave up, no longer watches the queue', async () => {
  await using stage = await holderAndOther();
  const { other, release } = stage;

  const inVain = other.centre.exclusively(LATCH, 100, () => Promise.resolve());
  await expect(inVain).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await until(() => other.proxy.count('removeWatches') === 1);
  const turn = other.centre.exclusively(LATCH, 5_000, () => Promise.resolve());
  await until(() => other.proxy.count('addWatch') === 2);
  await release();
  await turn;

  await until(() => other.proxy.count('removeWatches') === 2);
  expect(other.proxy.count('addWatch')).toBe(2);
});
