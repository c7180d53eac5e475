import { expect, test } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Mailbox } from '../../../lib/async/mailbox.js';
import { systemClock } from '../../../lib/time/clock.js';
import { detached } from '../../../lib/time/detached.js';
import { afterNextPoll, soon, Turns } from '../../../lib/time/event-loop.js';
import { ManualClock } from '../../../lib/testing/index.js';

const request = new AsyncLocalStorage<string>();

/** A turns object whose first turn is taken, so that the next task waits. */
function busyTurns(): Turns {
  const turns = new Turns(1);
  turns.run(() => undefined);
  return turns;
}

test.each<[port: string, begin: (task: () => void) => unknown]>([
  ['a timer', (task) => systemClock.after(1, task)],
  ['a timer of a manual clock', advanced],
  ['a turn after the next poll', (task) => afterNextPoll(task)],
  ['a turn of promises', (task) => soon(task)],
  ['a turn that waits for others', (task) => busyTurns().run(task)],
  ['a task of a mailbox', (task) => new Mailbox().post(task)],
])('%s does not see the store of the caller that begins it', async (_, begin) => {
  const store = await new Promise<string>((resolve) =>
    request.run('a request', () => void begin(() => resolve(request.getStore() ?? 'none'))),
  );

  expect(store).toBe('none');
});

/** A test that moves the clock is a caller, too. */
async function advanced(task: () => void): Promise<void> {
  const clock = new ManualClock();
  clock.after(1, task);
  await clock.advance(1);
}

test('the caller of a mailbox goes on in its own store', async () => {
  const mailbox = new Mailbox();

  const stores = await request.run('a request', async () => {
    const within = await mailbox.post(() => request.getStore());
    return [within, request.getStore()];
  });

  expect(stores).toEqual([undefined, 'a request']);
});

test('what a detached task returns and throws reaches the caller', () => {
  const fault = (): never => {
    throw new Error('no paper');
  };

  expect(detached(() => 5)).toBe(5);
  expect(() => detached(fault)).toThrow('no paper');
});
