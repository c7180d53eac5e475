import { expect, test } from '@jest/globals';
import { type LogEntry } from '../../../lib/api/text/logger.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { until } from '../../support/until.js';
import { type BusyProcess, busyProcess } from '../../support/rolling-restart.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';

const zooKeeper = sharedZooKeeper();
const NAMES = ['A', 'B', 'C', 'D', 'E'];
const JOBS = Number(process.env['LOG_VOLUME_JOBS'] ?? 20);

/** Of how many jobs the entries of that kind are that `isMeant` chooses. An entry may be about several jobs. */
const jobsWith = (event: string, entries: readonly LogEntry[], isMeant: (entry: LogEntry) => boolean): number =>
  entries
    .filter((entry) => entry.event === event && isMeant(entry))
    .reduce((sum, { jobs, jobName }) => sum + (jobs?.length ?? (jobName === undefined ? 0 : 1)), 0);

test('a rolling restart of five processes writes tens of entries', async () => {
  const shared = zooKeeper.namespace();
  const all: BusyProcess[] = [];
  const up = new Map<string, BusyProcess>();
  const begin = async (name: string): Promise<void> => {
    const registryCenter = new ZookeeperRegistryCenter({
      serverLists: zooKeeper.servers,
      namespace: shared,
      sessionTimeoutMilliseconds: 8_000,
    });
    const process = busyProcess(name, { registryCenter, jobs: JOBS });
    all.push(process);
    up.set(name, process);
    await process.started;
    // Entries are collected for a second: this process has written that it has registered, and the leaders that it has joined.
    await until(
      () => jobsWith('registered', process.entries, () => true) === JOBS,
      `${name} to say that it is registered`,
    );
    const isJoin = ({ peer }: LogEntry): boolean => peer === process.instance;
    await until(
      () => all.length === 1 || jobsWith('joined', entries(), isJoin) === JOBS,
      `the leaders to say that ${name} has joined`,
    );
  };
  const entries = (): readonly LogEntry[] => all.flatMap((process) => process.entries);
  for (const name of NAMES) await begin(name);
  const before = entries().length;

  for (const name of NAMES) {
    await up.get(name)?.stop();
    await begin(name);
  }

  const restart = entries().length - before;
  const messages = entries().map(({ message }) => message);
  await Promise.all([...up.values()].map((process) => process.stop()));
  if (process.env['LOG_VOLUME_JOBS']) process.stderr.write(`${restart} entries\n${messages.join('\n')}\n`);
  expect(restart).toBeLessThan(80);
  expect(entries().filter(({ level }) => level !== 'log')).toEqual([]);
}, 240_000);
