import { describe, expect, test } from '@jest/globals';
import { Mailbox } from '../../../lib/async/mailbox.js';

/** A task that logs its begin and its end, and ends when the test calls `end`. */
function task(name: string, log: string[]): { readonly run: () => Promise<string>; readonly end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async (): Promise<string> => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { run, end: () => end() };
}

describe('A mailbox', () => {
  test('runs one task at a time, in the order in which they were posted', async () => {
    const mailbox = new Mailbox();
    const log: string[] = [];
    const tasks = ['a', 'b', 'c'].map((name) => task(name, log));

    const results = tasks.map(({ run }) => mailbox.post(run));
    // The last first: the order of the ends must not matter.
    for (const { end } of [...tasks].reverse()) end();

    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('never runs a task within the call that posts it', async () => {
    const mailbox = new Mailbox();
    let ran = false;

    const posted = mailbox.post(() => (ran = true));

    expect(ran).toBe(false);
    expect(await posted).toBe(true);
  });

  test('rejects the promise of a task that fails, and runs the next', async () => {
    const mailbox = new Mailbox();
    const failure = new Error('the first task failed');

    const first = mailbox.post(() => Promise.reject(failure));
    const second = mailbox.post(() => {
      throw failure;
    });
    const third = mailbox.post(() => 'ran');

    await expect(first).rejects.toBe(failure);
    await expect(second).rejects.toBe(failure);
    expect(await third).toBe('ran');
  });
});
