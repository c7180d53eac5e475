/** Worker threads whose items are aborted, or are to end soon. With real threads. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { clock, failure, has, ports, run, SPIN, THREAD, WAIT, worker } from './worker-stage.js';

describe('a worker whose item is aborted', () => {
  test('learns why, and ends as aborted if it throws the reason', async () => {
    const item = run(
      worker(`
        const { signal, softStop } = context;
        logger.log('begun');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        logger.log(signal.reason.message + ', ' + (softStop.reason === signal.reason));
        signal.throwIfAborted();`),
    );
    await has(item, 'begun');
    item.abort();

    expect(await failure(item)).toBe(item.reason);
    expect(item.log[1]).toBe('log item 1: the session is lost, true');
    expect(clock.timers).toBe(0);
  });

  test('may end what it does within 800 ms, and succeeds then', async () => {
    const item = run(
      worker(`
        logger.log('begun');
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        logger.log('ends');`),
    );
    await has(item, 'begun');
    item.abort();
    await clock.advance(799);

    await item.ended;
    expect(item.log[1]).toBe('log item 1: ends');
  });

  test.each([
    ['computes', SPIN],
    ['waits', WAIT],
    ['sleeps', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);'],
  ])('and that %s has its thread ended after 800 ms; the next item has a new one', async (_, code) => {
    const path = worker(
      `${THREAD} logger.log('thread ' + threadId); logger.log('begun'); if (context.shardingItem === 1) { ${code} }`,
    );
    const item = run(path);
    await has(item, 'begun');
    item.abort();
    await clock.advance(799);
    expect(await Promise.race([failure(item), new Promise((resolve) => setImmediate(resolve))])).toBe(undefined);
    await clock.advance(1);

    expect(await failure(item)).toBe(item.reason);
    const next = run(path, { shardingItem: 0 });
    await next.ended;
    expect(next.log[0]).not.toBe(item.log[0]?.replace('item 1', 'item 0'));
  });

  test('before a thread is ready does not start', async () => {
    const item = run(worker("logger.log('begun');"));
    while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
    item.abort();
    await clock.advance(0);

    expect(await failure(item)).toBe(item.reason);
    expect(item.log).toEqual([]);
  });

  test('before it is called does not start', async () => {
    const before = ports();
    const item = run(worker("logger.log('begun');"), { signal: AbortSignal.abort('too late') });

    await expect(item.ended).rejects.toBe('too late');
    expect(clock.timers).toBe(0);
    expect(ports()).toBeLessThanOrEqual(before);
  });

  test('leaves no listener on the signals', async () => {
    const { signal } = new AbortController();
    const { signal: softStop } = new AbortController();

    await run(worker(''), { signal, softStop }).ended;

    expect([signal, softStop].map((each) => getEventListeners(each, 'abort').length)).toEqual([0, 0]);
    expect(clock.timers).toBe(0);
  });
});

test.each(['while it runs', 'before it began'])('a worker learns that it should end soon, %s', async (when) => {
  const softStop = new AbortController();
  const reason = new Error('items move');
  if (when === 'before it began') softStop.abort(reason);
  const item = run(
    worker(`
      const { signal, softStop } = context;
      logger.log('begun');
      if (!softStop.aborted) await new Promise((resolve) => softStop.addEventListener('abort', resolve));
      logger.log(softStop.reason.message + ', ' + signal.aborted);`),
    { softStop: softStop.signal },
  );
  await has(item, 'begun');
  softStop.abort(reason);

  await item.ended;

  expect(item.log[1]).toBe('log item 1: items move, false');
});
