import { describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterNextPoll, nextTurn, Turns } from '../../../lib/time/event-loop.js';

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

const run = promisify(execFile);

describe('Tasks that come together', () => {
  const arrange = () => {
    const turns = new Turns(2);
    const ran: string[] = [];
    const come = (...names: readonly string[]): void => {
      for (const name of names) turns.run(() => ran.push(name));
    };
    const comeLater = (...names: readonly string[]): void => {
      for (const name of names) turns.runWhenFree(() => ran.push(name));
    };
    return { ran, come, comeLater };
  };

  test('run some in a turn of the event loop, in their order, also if others come meanwhile', async () => {
    const { ran, come } = arrange();

    come('a', 'b', 'c', 'd');
    come('e');
    expect(ran).toEqual(['a', 'b']);
    await nextTurn();
    expect(ran).toEqual(['a', 'b', 'c', 'd']);
    come('f');
    expect(ran).toHaveLength(4);
    await nextTurn();

    expect(ran).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await nextTurn();
    come('g', 'h', 'i');
    expect(ran.slice(6)).toEqual(['g', 'h']);
    await nextTurn();
    expect(ran.slice(6)).toEqual(['g', 'h', 'i']);
  });

  test('run at once if there are few, turn after turn', async () => {
    const { ran, come } = arrange();
    for (const name of ['a', 'b', 'c']) {
      come(name);
      expect(ran.at(-1)).toBe(name);
      await nextTurn();
    }
  });

  test('have precedence of those that may wait, which come when none is left', async () => {
    const { ran, come, comeLater } = arrange();

    comeLater('at once');
    come('a', 'b', 'c', 'd', 'e');
    comeLater('v', 'w', 'x');
    expect(ran).toEqual(['at once', 'a', 'b']);
    await nextTurn();
    await nextTurn();
    expect(ran.slice(3)).toEqual(['c', 'd', 'e']);
    comeLater('y');
    await nextTurn();
    expect(ran.slice(6)).toEqual(['v', 'w']);
    // Those that may wait had this turn.
    come('f');
    await nextTurn();
    expect(ran.slice(8)).toEqual(['f']);
    await nextTurn();
    expect(ran.slice(9)).toEqual(['x', 'y']);
    comeLater('again at once');
    expect(ran.at(-1)).toBe('again at once');
  });

  test('do not keep others waiting for ever', async () => {
    const { ran, come, comeLater } = arrange();
    come('1', '2', '3', '4');
    comeLater('deferred');
    let turns = 0;

    for (; !ran.includes('deferred') && turns < 1_000; turns++) {
      come('more', 'and more');
      await nextTurn();
    }

    expect(turns).toBe(129);
  });

  test('do not let those that may wait pile up, however many of them each brings', async () => {
    const turns = new Turns(2);
    let waiting = 0;
    const defer = (): void => {
      waiting++;
      turns.runWhenFree(() => void waiting--);
    };
    let isOver = false;
    const comeAgain = (): void => {
      if (isOver) return;
      for (let n = 0; n < 5; n++) defer();
      turns.run(comeAgain);
    };
    // One more than run in a turn, so that one always waits.
    for (let n = 0; n < 3; n++) turns.run(comeAgain);

    const most = 10 * 130;
    for (let turn = 0; turn < 500; turn++) {
      await nextTurn();
      expect(waiting).toBeLessThanOrEqual(most);
    }
    expect(waiting).toBeGreaterThan(most / 2);
    isOver = true;
  });

  test('keep no other from its turn by throwing', async () => {
    const loop = new URL('../../../lib/time/event-loop.ts', import.meta.url).href;
    const program = `
      const { Turns } = await import('${loop}');
      process.on('uncaughtException', ({ message }) => console.log('uncaught', message));
      const turns = new Turns(1);
      const broken = () => { throw new Error('broken'); };
      try { turns.run(broken); } catch ({ message }) { console.log('thrown', message); }
      turns.run(broken);
      turns.run(() => console.log('runs'));`;
    const loader = fileURLToPath(new URL('../../../.config/typescript.mjs', import.meta.url));

    const { stdout } = await run(process.execPath, ['--import', loader, '--input-type=module', '--eval', program]);

    expect(stdout.trim().split('\n')).toEqual(['thrown broken', 'runs', 'uncaught broken']);
  });
});
