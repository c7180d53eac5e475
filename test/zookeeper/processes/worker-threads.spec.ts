/** The effect of computing for longer than a session on the process: on the main thread, and in a worker thread. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Program } from '../../support/program.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';
import { openProxied } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

/** So many seconds are more than the session lasts. */
const TICKS = 7;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'burning-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stopFile = (): string => join(folder, 'stop');
const stopBurning = (): void => writeFileSync(stopFile(), '');

/** A process whose job computes where `where` says. */
function burning(where: 'main' | 'worker', namespace: string): Program {
  const env = { WHERE: where, BURN_UNTIL: stopFile(), SERVERS: zooKeeper.servers, NAMESPACE: namespace };
  return new Program('test/zookeeper/processes/burning.mjs', { env });
}

/** Waits for a line of the output, or for the end of the process. */
async function untilSaid(program: Program, what: string): Promise<void> {
  await until(() => program.output.includes(what) || program.hasExited, what);
  if (program.hasExited) throw new Error(program.output);
}

/** The firings of the other job from the beginning of the burn to its end, or until now. */
function ticksDuringBurn({ output }: Program): number {
  const [, during = ''] = output.split('burn begins');
  return during.split('burn ends')[0]!.split('tick ').length - 1;
}

test('computing for longer than the session costs the process its session, and its other jobs their firings', async () => {
  const namespace = zooKeeper.namespace();
  await using peer = await openProxied(zooKeeper.servers, { namespace });
  await using program = burning('main', namespace);
  await untilSaid(program, 'burn begins');

  await until(async () => (await peer.centre.children('/tick/instances')).length === 0, 'the session to end');
  stopBurning();
  await untilSaid(program, 'burn ends');

  await until(() => /The session with the .* is lost/.test(program.output), 'the loss to be noticed');
  expect(ticksDuringBurn(program)).toBe(0);
});

test('computing for longer than the session in a worker thread costs neither', async () => {
  await using program = burning('worker', zooKeeper.namespace());
  await untilSaid(program, 'burn begins');

  await until(() => ticksDuringBurn(program) >= TICKS, 'the other job to fire');
  stopBurning();
  await untilSaid(program, 'burn ends');

  expect(program.output).not.toMatch(/The session with the .* is lost|Nothing is heard of/);
});
