import { expect, test } from '@jest/globals';
import { onLauncherGone } from '../../../lib/cli/terminal/launcher.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

/** How often the end was noticed, in the ten seconds in which the parent becomes another one. */
async function noticed(env: Readonly<Record<string, string>>, stopsFirst = false): Promise<number> {
  const clock = new ManualClock();
  const launched = { ppid: 4711, launcher: 4711, env };
  let count = 0;
  const stop = onLauncherGone(launched, clock, () => count++);
  await clock.advance(5_000);
  expect(count).toBe(0);
  if (stopsFirst) stop();
  launched.ppid = 1;
  await clock.advance(5_000);
  return count;
}

test.each(['exec', 'run-script', 'start'])(
  'the end of npm is noticed once, by a process of npm %s',
  async (command) => {
    expect(await noticed({ npm_command: command })).toBe(1);
  },
);

test('a process that somebody else has started outlives its parent', async () => {
  expect(await noticed({})).toBe(0);
  expect(await noticed({ npm_command: 'install' })).toBe(0);
});

test('nobody is called who does not wait for it any more', async () => {
  expect(await noticed({ npm_command: 'exec' }, true)).toBe(0);
});

test('a process whose npm ended before its work began notices that at once, but not before it can stop looking', async () => {
  const clock = new ManualClock();
  let count = 0;
  const stop = onLauncherGone({ ppid: 1, launcher: 4711, env: { npm_command: 'exec' } }, clock, () => {
    stop();
    count++;
  });

  await clock.advance(0);

  expect(count).toBe(1);
});
