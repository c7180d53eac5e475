import { describe, expect, test } from '@jest/globals';
import { fromRanges } from '../../../lib/layout/x-node/item-ranges.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { Processes, type RecordedRun } from './processes.js';

const zooKeeper = sharedZooKeeper();
const TOTAL = 7;

/** `item at instant: instances` for each item and instant between two instants that did not run exactly once. */
function misdeeds(runs: readonly RecordedRun[], from: number, to: number): string[] {
  const faults: string[] = [];
  for (let instant = Math.ceil(from / 1_000) * 1_000; instant <= to; instant += 1_000) {
    for (let item = 0; item < TOTAL; item++) {
      const by = runs.filter((run) => run.scheduledAt === instant && run.item === item).map(({ instance }) => instance);
      if (by.length !== 1)
        faults.push(`item ${item} at ${new Date(instant).toISOString()}: ${by.join(', ') || 'never'}`);
    }
  }
  return faults;
}

function doubled(runs: readonly RecordedRun[]): string[] {
  const seen = new Map<string, string>();
  return runs.flatMap(({ item, scheduledAt, instance }) => {
    const key = `item ${item} at ${new Date(scheduledAt).toISOString()}`;
    const before = seen.get(key);
    seen.set(key, instance);
    return before === undefined ? [] : [`${key}: ${before}, ${instance}`];
  });
}

/**
 * For each item that did not run for each instant around that moment: the first and the last instant for which it did
 * not.
 */
function gapsAt(runs: readonly RecordedRun[], moment: number): readonly Gap[] {
  return Array.from({ length: TOTAL }, (_, item) => item).flatMap((item) => {
    const instants = runs.filter((run) => run.item === item).map(({ scheduledAt }) => scheduledAt);
    const before = Math.max(...instants.filter((instant) => instant <= moment));
    const after = Math.min(...instants.filter((instant) => instant > moment));
    return after - before > 1_000 ? [{ item, first: before + 1_000, last: after - 1_000 }] : [];
  });
}

interface Gap {
  readonly item: number;
  readonly first: number;
  readonly last: number;
}

describe('several processes on a real ZooKeeper', () => {
  test('share the items evenly and run each exactly once a second, while one joins and one is ended by SIGTERM', async () => {
    await using processes = new Processes({
      SERVERS: zooKeeper.servers,
      NAMESPACE: zooKeeper.namespace(),
      TOTAL: `${TOTAL}`,
    });
    for (const instance of ['A', 'B', 'C']) await processes.start(instance);
    const from = await processes.untilSpreadOver(['A', 'B', 'C'], TOTAL);

    await processes.start('D');
    const shared = await processes.untilSpreadOver(['A', 'B', 'C', 'D'], TOTAL);
    const shares = [...processes.sharesSince(shared).get(shared)!.values()].map((items) => items.length);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);

    expect(await processes.end('A', 'SIGTERM')).toBe('SIGTERM');
    const to = await processes.untilSpreadOver(['B', 'C', 'D'], TOTAL);

    expect(misdeeds(processes.runs, from, to)).toEqual([]);
    expect(doubled(processes.runs)).toEqual([]);
  });

  test('take over the items of one that is killed when its session has ended, with a higher fencing token, and run none twice', async () => {
    await using processes = new Processes({
      SERVERS: zooKeeper.servers,
      NAMESPACE: zooKeeper.namespace(),
      TOTAL: `${TOTAL}`,
    });
    for (const instance of ['A', 'B']) await processes.start(instance);
    await processes.untilSpreadOver(['A', 'B'], TOTAL);

    const killedAt = Date.now();
    await processes.end('A', 'SIGKILL');
    await processes.untilSpreadOver(['B'], TOTAL);

    const { runs } = processes;
    expect(doubled(runs)).toEqual([]);
    const taken = runs.filter(({ instance }) => instance === 'A').at(-1)!;
    const next = runs.find(
      ({ instance, item, startedAt }) => instance === 'B' && item === taken.item && startedAt > killedAt,
    )!;
    expect(next.fencingToken).toBeGreaterThan(taken.fencingToken);
  });

  test.each(['true', 'false'])(
    'log exactly the firings that nobody ran while the session of a killed one went on (failover and misfire: %s)',
    async (isOn) => {
      const settings = {
        cron: '* * * * * ?',
        shardingTotalCount: TOTAL,
        failover: isOn === 'true',
        misfire: isOn === 'true',
      };
      await using processes = new Processes({
        SERVERS: zooKeeper.servers,
        NAMESPACE: zooKeeper.namespace(),
        SESSION_MS: '4000',
        JOBS: JSON.stringify({ recorded: { ...settings, work: { steps: [1], stepMs: 50 } } }),
      });
      for (const instance of ['A', 'B']) await processes.start(instance);
      await processes.untilSpreadOver(['A', 'B'], TOTAL);

      const killedAt = Date.now();
      await processes.end('A', 'SIGKILL');
      await processes.untilSpreadOver(['B'], TOTAL);
      await until(() => processes.output('B').includes('no instance ran'), 'B to log the lost firings');

      const [entry = '', more] = processes.output('B').match(/^warn .*no instance ran .*$/gm) ?? [];
      const [, range = '', count, from = '', to = ''] =
        /items (\S+) at the (\d+) firings from (\S+) to (\S+), /.exec(entry) ?? [];
      const lost = { items: fromRanges(range), from: Date.parse(from), to: Date.parse(to) };
      const gaps = gapsAt(processes.runs, killedAt);
      expect(lost.items).toEqual(gaps.map(({ item }) => item));
      expect(gaps.filter(({ first }) => first !== lost.from)).toEqual([]);
      expect(gaps.filter(({ last }) => last < lost.to)).toEqual([]);
      expect(lost.to - lost.from).toBe((Number(count) - 1) * 1_000);
      expect(more).toBeUndefined();
    },
  );

  test('go on by themselves when ZooKeeper was away for longer than their sessions last, and run nothing twice', async () => {
    await using server = await ZooKeeperServer.start();
    await using processes = new Processes({ SERVERS: server.address, NAMESPACE: 'jobs', TOTAL: `${TOTAL}` });
    for (const instance of ['A', 'B']) await processes.start(instance);
    await processes.untilSpreadOver(['A', 'B'], TOTAL);

    await server.stop();
    const lost = (instance: string): boolean => /The session with the .* is lost/.test(processes.output(instance));
    await until(() => ['A', 'B'].every(lost), 'both instances to give up their sessions');
    const before = processes.runs.length;
    await server.restart();
    await processes.untilSpreadOver(['A', 'B'], TOTAL);

    expect(processes.runs.length).toBeGreaterThan(before);
    expect(doubled(processes.runs)).toEqual([]);
  });

  test('boot while ZooKeeper is absent, and begin when it comes', async () => {
    await using server = await ZooKeeperServer.start();
    await server.stop();
    await using processes = new Processes({ SERVERS: server.address, NAMESPACE: 'jobs', TOTAL: `${TOTAL}` });
    await processes.start('A');
    expect(processes.runs).toEqual([]);
    const isTold = (): boolean => processes.output('A').includes('The registry centre has not answered yet');
    await until(isTold, 'the application to say what it waits for');
    expect(processes.output('A')).toContain(`ZooKeeper server ${server.address} refuses connections (`);

    await server.restart();
    await processes.untilSpreadOver(['A'], TOTAL);
    expect(processes.output('A')).toContain(`ZooKeeper server ${server.address} is connected, after `);
  });
});
