import { expect, test } from '@jest/globals';
import { type LogEntry } from '../../../lib/api/logger.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { type BusyProcess, busyProcess } from '../../support/rolling-restart.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';

const zooKeeper = sharedZooKeeper();
const NAMES = ['A', 'B', 'C', 'D', 'E'];
const JOBS = Number(process.env['LOG_VOLUME_JOBS'] ?? 20);

/** Longer than entries are collected. */
const inRealTime = (delayMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delayMs));

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
    await inRealTime(1_500);
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
