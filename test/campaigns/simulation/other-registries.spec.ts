/** The troubles that only registry centres have that are no ZooKeeper. */
import { describe, expect, test } from '@jest/globals';
import { idOf } from '../../support/views.js';
import { aHistory, join } from './a-history.js';
import { type Step } from './history.js';
import { Network } from './network.js';
import { play } from './player.js';
import { TrueTime } from './true-time.js';

const KILL: Step = { atMs: 12_000, type: 'kill', name: 'A' };

/** When the registration of A was removed, in milliseconds since the beginning. */
async function endOfA(steps: readonly Step[], sweepLateMs?: number): Promise<readonly number[]> {
  const history = aHistory([join('A'), join('B'), ...steps], sweepLateMs === undefined ? {} : { sweepLateMs });
  const { commits } = await play(history);
  const isEnd = (path: string, after: string | undefined): boolean =>
    path === `/bill/instances/${idOf('A')}` && after === undefined;
  return commits.filter(({ changes }) => changes.some(({ path, after }) => isEnd(path, after))).map(({ atMs }) => atMs);
}

describe('a session whose instance is dead', () => {
  test('ends when its time has passed', async () => {
    expect(await endOfA([KILL])).toEqual([16_000]);
  });

  test('ends later if nobody sweeps it at once', async () => {
    const [end = 0] = await endOfA([KILL], 3_000);

    expect(end).toBeGreaterThan(16_000);
    expect(end).toBeLessThanOrEqual(19_000);
  });

  test('has its whole time again if the registry prolongs it', async () => {
    expect(await endOfA([KILL, { atMs: 15_000, type: 'prolong-sessions' }])).toEqual([19_000]);
  });
});

describe('a centre that hears of changes late', () => {
  /** What arrives at the centre: the moment and the message. */
  function stage() {
    const time = new TrueTime(0);
    const network = new Network(time, 1, 0);
    const arrived: string[] = [];
    const send = (what: string): void =>
      network.deliver({
        channel: 'server → centre 1',
        what,
        arrive: () => void arrived.push(`${time.monotonic()} ${what}`),
      });
    return { time, network, arrived, send };
  }

  test('hears of them only every so often, in their order, and answers overtake them', async () => {
    const { time, network, arrived, send } = stage();
    network.hearLate(1, 1_000);
    await time.advance(100);

    for (const what of ['revision 1 of /bill', 'answer to commit to /bill', 'revision 2 of /bill']) send(what);
    await time.advance(2_000);

    expect(arrived).toEqual(['100 answer to commit to /bill', '1000 revision 1 of /bill', '1000 revision 2 of /bill']);
  });

  test('hears of them before an answer that shows a mirror a moment, and of no later ones', async () => {
    const { time, network, arrived, send } = stage();
    network.hearLate(1, 1_000);
    await time.advance(100);

    for (const what of ['revision 1 of /bill', 'answer to sync /bill', 'revision 2 of /bill']) send(what);
    await time.advance(800);

    expect(arrived).toEqual(['100 revision 1 of /bill', '100 answer to sync /bill']);
  });

  test('hears of all of them, and at once, when that is over', async () => {
    const { time, network, arrived, send } = stage();
    network.hearLate(1, 1_000);
    await time.advance(100);
    send('revision 1 of /bill');

    network.hearAtOnce(1);
    send('revision 2 of /bill');
    await time.advance(10);
    send('revision 3 of /bill');
    await time.advance(10);

    const messages = arrived.map((line) => line.replace(/^\d+ /, ''));
    expect(messages).toEqual([1, 2, 3].map((each) => `revision ${each} of /bill`));
    expect(arrived.at(-1)).toBe('110 revision 3 of /bill');
  });
});
