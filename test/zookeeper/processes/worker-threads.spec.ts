/** The effect of a job that computes for half a minute on its process: on the main thread, and in a worker thread. */
import { expect, test } from '@jest/globals';
import { Program } from '../../support/program.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { until } from '../../support/until.js';

const zooKeeper = sharedZooKeeper();
const BURN_MS = 30_000;

/** A process whose job computes where `where` says. */
function burning(where: 'main' | 'worker'): Program {
  const env = { WHERE: where, BURN_MS: `${BURN_MS}`, SERVERS: zooKeeper.servers, NAMESPACE: zooKeeper.namespace() };
  return new Program('test/zookeeper/processes/burning.mjs', { env });
}

/** The moment that a line of the output names, in milliseconds since 1970. */
function momentOf({ output }: Program, what: string): number {
  return Number(new RegExp(`${what} (\\d+)`).exec(output)?.[1]);
}

/** The output from the beginning of the burn to its end. */
function duringBurn({ output }: Program): string {
  return output.slice(output.indexOf('burn begins'), output.indexOf('burn ends'));
}

const ticksIn = (text: string): readonly number[] => [...text.matchAll(/tick (\d+)/g)].map(([, at]) => Number(at));
const TROUBLE = /The session with the .* is lost|Nothing is heard of/;

test('30 seconds of computing cost the process its session and its other jobs their firings; in a worker thread, neither', async () => {
  await using onMain = burning('main');
  await using inWorker = burning('worker');
  const both = [onMain, inWorker];
  const hasEnded = ({ output }: Program): boolean => output.includes('burn ends');
  await until(() => both.every((each) => hasEnded(each) || each.hasExited), 'the jobs to end', BURN_MS + 30_000);
  await until(() => onMain.output.includes('is lost'), 'the loss to be noticed', 20_000);

  expect(ticksIn(duringBurn(onMain))).toEqual([]);
  expect(onMain.output).toMatch(/The session with the .* is lost/);

  const [from, to] = [momentOf(inWorker, 'burn begins'), momentOf(inWorker, 'burn ends')];
  const seconds = Array.from(
    { length: Math.floor((to - 1_000 - from) / 1_000) },
    (_, n) => (Math.ceil(from / 1_000) + n) * 1_000,
  );
  expect(to - from).toBeGreaterThanOrEqual(BURN_MS - 10);
  expect(ticksIn(inWorker.output)).toEqual(expect.arrayContaining(seconds));
  expect(inWorker.output).not.toMatch(TROUBLE);
}, 120_000);
