/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { expect, test } from '@jest/globals';
import { fromRanges } from '../../lib/layout/x-node/item-ranges.js';
import { until } from '../support/until.js';
import { Processes, type RecordedRun } from './processes.js';
import { newNamespace, type RegistryKind, type RegistryServer } from './registry-kind.js';

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

/** The processes' variables: where the registry centre is, in a namespace of their own. */
function surroundings(server: RegistryServer, sessionTimeoutMilliseconds = 6_000): Record<string, string> {
  const settings = server.regCenter({ namespace: newNamespace(), sessionTimeoutMilliseconds });
  return { REG_CENTER: JSON.stringify(settings), TOTAL: String(TOTAL) };
}

/** Processes that share a job, and are ended, killed or frozen. */
export function processes(kind: RegistryKind): void {
  const server = kind.shared();

  test('share the items evenly and run each exactly once a second, while one joins and one is ended by SIGTERM', async () => {
    await using instances = new Processes(surroundings(server));
    for (const instance of ['A', 'B', 'C']) await instances.start(instance);
    const from = await instances.untilSpreadOver(['A', 'B', 'C'], TOTAL);

    await instances.start('D');
    const shared = await instances.untilSpreadOver(['A', 'B', 'C', 'D'], TOTAL);
    const shares = [...instances.sharesSince(shared).get(shared)!.values()].map((items) => items.length);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);

    expect(await instances.end('A', 'SIGTERM')).toBe('SIGTERM');
    const to = await instances.untilSpreadOver(['B', 'C', 'D'], TOTAL);

    expect(misdeeds(instances.runs, from, to)).toEqual([]);
    expect(doubled(instances.runs)).toEqual([]);
  });

  test('take over the items of one that is killed when its session has ended, with a higher fencing token, and run none twice', async () => {
    await using instances = new Processes(surroundings(server));
    for (const instance of ['A', 'B']) await instances.start(instance);
    await instances.untilSpreadOver(['A', 'B'], TOTAL);

    const killedAt = Date.now();
    await instances.end('A', 'SIGKILL');
    await instances.untilSpreadOver(['B'], TOTAL);

    const { runs } = instances;
    expect(doubled(runs)).toEqual([]);
    const taken = runs.filter(({ instance }) => instance === 'A').at(-1)!;
    const next = runs.find(
      ({ instance, item, startedAt }) => instance === 'B' && item === taken.item && startedAt > killedAt,
    )!;
    expect(next.fencingToken).toBeGreaterThan(taken.fencingToken);
  });

  test('one that is frozen for longer than its session lasts has its items taken over, runs none of them late, and takes part again', async () => {
    await using instances = new Processes(surroundings(server, 4_000));
    for (const instance of ['A', 'B']) await instances.start(instance);
    await instances.untilSpreadOver(['A', 'B'], TOTAL);

    instances.signal('A', 'SIGSTOP');
    await instances.untilSpreadOver(['B'], TOTAL);
    instances.signal('A', 'SIGCONT');
    await instances.untilSpreadOver(['A', 'B'], TOTAL);

    expect(doubled(instances.runs)).toEqual([]);
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
      await using instances = new Processes({
        ...surroundings(server, 4_000),
        JOBS: JSON.stringify({ recorded: { ...settings, work: { steps: [1], stepMs: 50 } } }),
      });
      for (const instance of ['A', 'B']) await instances.start(instance);
      await instances.untilSpreadOver(['A', 'B'], TOTAL);

      const killedAt = Date.now();
      await instances.end('A', 'SIGKILL');
      await instances.untilSpreadOver(['B'], TOTAL);
      await until(() => instances.output('B').includes('no instance ran'), 'B to log the lost firings');

      const [entry = '', more] = instances.output('B').match(/^warn .*no instance ran .*$/gm) ?? [];
      const [, range = '', count, from = '', to = ''] =
        /items (\S+) at the (\d+) firings from (\S+) to (\S+), /.exec(entry) ?? [];
      const lost = { items: fromRanges(range), from: Date.parse(from), to: Date.parse(to) };
      const gaps = gapsAt(instances.runs, killedAt);
      expect(lost.items).toEqual(gaps.map(({ item }) => item));
      expect(gaps.filter(({ first }) => first !== lost.from)).toEqual([]);
      expect(gaps.filter(({ last }) => last < lost.to)).toEqual([]);
      expect(lost.to - lost.from).toBe((Number(count) - 1) * 1_000);
      expect(more).toBeUndefined();
    },
  );

  test('go on by themselves when the registry centre was away for longer than their sessions last, and run nothing twice', async () => {
    await using own = await kind.start();
    await using instances = new Processes(surroundings(own));
    for (const instance of ['A', 'B']) await instances.start(instance);
    await instances.untilSpreadOver(['A', 'B'], TOTAL);

    await own.stop();
    const lost = (instance: string): boolean => /The session with the .* is lost/.test(instances.output(instance));
    await until(() => ['A', 'B'].every(lost), 'both instances to give up their sessions');
    const before = instances.runs.length;
    await own.restart();
    await instances.untilSpreadOver(['A', 'B'], TOTAL);

    expect(instances.runs.length).toBeGreaterThan(before);
    expect(doubled(instances.runs)).toEqual([]);
  });

  test('boot while the registry centre is absent, and begin when it comes', async () => {
    await using own = await kind.start();
    await own.stop();
    await using instances = new Processes(surroundings(own));
    await instances.start('A');
    expect(instances.runs).toEqual([]);
    const isTold = (): boolean => instances.output('A').includes('The registry centre has not answered yet');
    await until(isTold, 'the application to say what it waits for');
    await until(() => instances.output('A').includes(own.logged.absent), own.logged.absent);

    await own.restart();
    await instances.untilSpreadOver(['A'], TOTAL);
    expect(instances.output('A')).toContain(own.logged.connected);
  });
}
