import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ZooKeeperServer } from '../../support/zookeeper-server.js';
import { GOLDEN_JOBS } from './support/golden-jobs.js';
import { IS_RECORDING, record, recorded, type Story } from './support/golden-records.js';
import { MixedCluster } from './support/mixed-cluster.js';
import { asNodeLeavesIt } from './support/node-trees.js';
import { JAVA, NODE, type Side, startInstance, startJob } from './support/sides.js';
import { Sightings } from './support/sightings.js';

// Containers that are empty go at once, so that what is left does not depend on when the server looks.
let server: ZooKeeperServer;
beforeAll(async () => {
  server = await ZooKeeperServer.start({ systemProperties: { 'znode.container.checkIntervalMs': '100' } });
});
afterAll(() => server.dispose());

/** One instance has all jobs. Each is triggered, runs, ends, and is shut down. */
async function alone(side: Side, expected: Story): Promise<Story> {
  await using cluster = await MixedCluster.open(server.address, `alone-${randomUUID()}`);
  const jobs = GOLDEN_JOBS.filter(({ since }) => (since ?? '') <= side.version);
  const names = jobs.map(({ settings }) => settings.jobName);
  const sightings = new Sightings(cluster, expected);
  const peer = await startInstance(cluster, side, '10.0.0.1');

  for (const { settings } of jobs) await startJob(peer, side, settings);
  await sightings.see('registered', names);

  await peer.process.ask('block', '*', '*');
  for (const name of names) await cluster.operate('trigger', name);
  await sightings.see('running', names);

  await peer.process.ask('release', '*', '*');
  await sightings.see('ended', names);

  for (const name of names) await peer.process.ask('stop', name);
  await sightings.see('shut down', names);
  return sightings.story;
}

describe('what a job leaves in the registry centre whose only instance', () => {
  test.each(JAVA)('$name runs is as it is on record', async (side) => {
    const before = recorded(side.version, 'alone');

    const seen = await alone(side, before);

    if (IS_RECORDING) record(side.version, 'alone', seen);
    else expect(seen).toEqual(before);
  });

  test.each(NODE)('$name runs has the bytes of Java', async (side) => {
    if (IS_RECORDING) return;
    const java = asNodeLeavesIt(recorded(side.version, 'alone'));

    expect(await alone(side, java)).toEqual(java);
  });
});
