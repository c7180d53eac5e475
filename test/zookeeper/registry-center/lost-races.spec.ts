import { expect, test } from '@jest/globals';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ZooKeeperClient } from '../../../lib/registry/zookeeper/client/zookeeper-client.js';
import { type MultiOperation, type MultiResult, ZooKeeperError } from '../../../lib/registry/zookeeper/transport.js';
import {
  ZookeeperRegistryCenter,
  type ZookeeperRegistryCenterOptions,
} from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { type Clock, systemClock } from '../../../lib/time/clock.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { untilConnected } from '../../support/zookeeper-centres.js';
import { aConfiguration } from '../../support/views.js';

const zooKeeper = sharedZooKeeper();
const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

/** Both the first and the longest pause between two attempts, so that each pause takes exactly this long. */
const PAUSE_MS = 54_321;

/** The machine's clock, which counts the pauses between attempts and ends each of them at once. */
class PauseCounter implements Clock {
  pauses = 0;
  now = (): number => systemClock.now();
  monotonic = (): number => systemClock.monotonic();

  after(delayMs: number, task: () => void): () => void {
    if (delayMs !== PAUSE_MS) return systemClock.after(delayMs, task);
    this.pauses++;
    return systemClock.after(0, task);
  }
}

type Opened = { readonly centre: ZookeeperRegistryCenter; readonly clock: PauseCounter } & AsyncDisposable;

async function open(transport?: ZookeeperRegistryCenterOptions['transport']): Promise<Opened> {
  const clock = new PauseCounter();
  const centre = new ZookeeperRegistryCenter(
    {
      serverLists: zooKeeper.servers,
      namespace: zooKeeper.namespace(),
      baseSleepTimeMilliseconds: PAUSE_MS,
      maxSleepTimeMilliseconds: PAUSE_MS,
    },
    { clock, ...(transport && { transport }) },
  );
  centre.connect();
  await untilConnected(centre);
  clock.pauses = 0;
  return { centre, clock, [Symbol.asyncDispose]: () => centre.close() };
}

test('creations that race for their missing parents all succeed without a pause', async () => {
  await using opened = await open();
  const { centre, clock } = opened;
  const paths = ['/job/x-node/live/1', '/job/x-node/live/2', '/job/x-node/claims/0', '/job/leader/election/instance'];

  // All requests of one session take the same way, so each creation finds the same parents missing.
  const created = await Promise.all(paths.map((path) => centre.create(path, '')));

  expect(created).toEqual([true, true, true, true]);
  expect(clock.pauses).toBe(0);
});

test('values that are written at once to a node that is not there are all written without a pause', async () => {
  await using opened = await open();
  const { centre, clock } = opened;

  await Promise.all(['1', '2', '3'].map((value) => centre.put('/job/x-node/node', value)));

  expect(await centre.get('/job/x-node/node')).toMatch(/^[123]$/);
  expect(clock.pauses).toBe(0);
});

/** A client to which it seems that a peer has always just created the first missing parent. */
class AlwaysLosing extends ZooKeeperClient {
  attempts = 0;
  override multi(operations: readonly MultiOperation[]): Promise<MultiResult> {
    this.attempts++;
    return Promise.reject(new ZooKeeperError('NODE_EXISTS', -110, `${operations[0]?.path} exists`, false, 0));
  }
}

test('a creation that loses one race for each of its parents pauses before it tries again, and gives up in the end', async () => {
  let client: AlwaysLosing | undefined;
  await using opened = await open((connection) => (client = new AlwaysLosing(connection, { clock: systemClock })));
  const { centre, clock } = opened;

  await expect(centre.create('/job/x-node/live/1', '')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });

  // The first attempt, and one at once for each of the three parents; then three retries after a pause each.
  expect({ attempts: client?.attempts, pauses: clock.pauses }).toEqual({ attempts: 7, pauses: 3 });
});

/** A client that is connected, but whose first creation finds that the connection has broken. */
class BrokenOnce extends ZooKeeperClient {
  #isBroken = false;
  override create(...request: Parameters<ZooKeeperClient['create']>): ReturnType<ZooKeeperClient['create']> {
    if (this.#isBroken) return super.create(...request);
    this.#isBroken = true;
    return Promise.reject(new ZooKeeperError('CONNECTION_LOSS', -4, 'not connected', false));
  }
}

test('a creation pauses if the connection is broken', async () => {
  await using opened = await open((connection) => new BrokenOnce(connection, { clock: systemClock }));
  const { centre, clock } = opened;

  expect(await centre.create('/job', '')).toBe(true);

  expect(clock.pauses).toBe(1);
});

test('new jobs register and run without a pause between two attempts', async () => {
  await using opened = await open();
  const { centre, clock } = opened;
  const ran = new Set<string>();
  const host = new JobHost({ registryCenter: centre, logger: silent });
  const names = ['a', 'b', 'c'];

  await Promise.all(
    names.map((jobName) => {
      const configuration = { ...aConfiguration({ shardingTotalCount: 2 }), jobName, cron: '* * * * * ?' };
      const job = { execute: () => void ran.add(jobName) };
      return new ScheduleJobBootstrap(centre, job, configuration, { host, jobClassName: 'NewJob' }).schedule();
    }),
  );
  await until(() => ran.size === names.length);
  await host.stop();

  expect(clock.pauses).toBe(0);
});
