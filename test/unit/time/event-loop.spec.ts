import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterNextPoll, nextTurn } from '../../../lib/time/event-loop.js';

/** Both ends of a connection on this machine. */
async function connection(): Promise<AsyncDisposable & { readonly near: Socket; readonly far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [[Socket], unknown];
  const close = async (): Promise<void> => {
    near.destroy();
    far.destroy();
    server.close();
    await once(server, 'close');
  };
  return { near, far, [Symbol.asyncDispose]: close };
}

function blockEventLoop(forMs: number): void {
  const end = performance.now() + forMs;
  while (performance.now() < end);
}

test('a task after the next poll runs when what arrived while the event loop was blocked has been read', async () => {
  await using sockets = await connection();
  const order: string[] = [];
  sockets.near.on('data', () => order.push('data'));
  const ran = new Promise<void>((resolve) => {
    // From a timer, as deadlines are checked: timers run before the sockets are looked at.
    setTimeout(() => {
      sockets.far.write('news');
      blockEventLoop(20);
      order.push('timer');
      afterNextPoll(() => {
        order.push('task');
        resolve();
      });
    }, 0);
  });

  await ran;

  expect(order).toEqual(['timer', 'data', 'task']);
});

test('the next turn comes when chains of promises, however long, have ended', async () => {
  let steps = 0;
  const chain = (async () => {
    for (; steps < 1_000; steps++) await Promise.resolve();
  })();

  await nextTurn();

  expect(steps).toBe(1_000);
  await chain;
});
