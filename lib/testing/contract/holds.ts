import { expect, rejection } from './expect.js';
import { Deferred } from '../../async/deferred.js';
import { type DeadlineExceededError } from '../../api/errors/errors.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { until } from './until.js';
import { type Contract, expectRejection, sessionId } from './stage.js';

/** A hold that has been obtained and lasts until `end` is called. */
interface HeldPath {
  readonly signal: AbortSignal;
  readonly end: () => void;
  readonly ended: Promise<void>;
}

/** Exclusive holds. */
export function holdPromises({ test, stage }: Contract): void {
  const WAIT_MS = 8_000;

  const contenders = (centre: RegistryCenter): Promise<number> => stage.server.contenders(centre, stage.at('latch'));

  const hold = async (centre: RegistryCenter): Promise<HeldPath> => {
    const over = new Deferred();
    let ended = Promise.resolve();
    const signal = await new Promise<AbortSignal>((resolve, reject) => {
      ended = centre.exclusively(stage.at('latch'), WAIT_MS, (each) => {
        resolve(each);
        return over.promise;
      });
      ended.catch(reject);
    });
    return { signal, end: () => over.resolve(), ended };
  };

  test('the task runs once and its result is returned; the place in the queue is given up', async () => {
    const centre = await stage.open();
    let runs = 0;

    const result = await centre.exclusively(stage.at('latch'), WAIT_MS, () => Promise.resolve(++runs));

    expect(result).toBe(1);
    expect(runs).toBe(1);
    expect(await contenders(centre)).toBe(0);
  });

  test('at most one task holds a path, among sessions and within one', async () => {
    const reader = await stage.open();
    const centres = [reader, await stage.open(), await stage.open()];
    let inside = 0;
    let most = 0;
    const task = async (): Promise<void> => {
      most = Math.max(most, ++inside);
      await reader.get(stage.at('anything'));
      inside--;
    };

    const holds = centres.flatMap((centre) =>
      Array.from({ length: 5 }, () => centre.exclusively(stage.at('latch'), WAIT_MS, task)),
    );
    await Promise.all(holds);

    expect(most).toBe(1);
    expect(await contenders(reader)).toBe(0);
  });

  test('holds of different paths do not wait for each other', async () => {
    const centre = await stage.open();
    const held = await hold(centre);

    const other = await centre.exclusively(stage.at('another'), WAIT_MS, () => Promise.resolve('ran'));

    expect(other).toBe('ran');
    held.end();
    await held.ended;
  });

  test('contenders get their turn in the order in which they asked', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const held = await hold(a);
    const turns: number[] = [];
    const waiting: Promise<void>[] = [];
    for (const [index, centre] of [b, a, b, a].entries()) {
      const turn = centre.exclusively(stage.at('latch'), WAIT_MS, () => Promise.resolve(void turns.push(index)));
      waiting.push(turn);
      await until(async () => (await contenders(a)) === index + 2, 'the next contender is in the queue');
    }

    held.end();
    await Promise.all([held.ended, ...waiting]);

    expect(turns).toEqual([0, 1, 2, 3]);
  });

  test('a hold passes on when the session of its holder ends, and the signal of the holder aborts', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const first = await hold(a);

    await stage.expire(a);
    const second = await hold(b);

    expect(first.signal.aborted).toBe(true);
    expect(second.signal.aborted).toBe(false);
    first.end();
    second.end();
    await Promise.all([first.ended, second.ended]);
    expect(await contenders(b)).toBe(0);
  });

  test('a hold passes on when its holder closes', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const first = await hold(a);

    await a.close();
    const second = await hold(b);

    expect(first.signal.aborted).toBe(true);
    first.end();
    second.end();
    await Promise.all([first.ended, second.ended]);
  });

  test('a contender that does not get the hold in time is refused with the name of the holder, and leaves the queue', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const held = await hold(a);
    let ran = false;

    // The wait must be long enough to find out who holds the path, which takes a busy machine any time.
    let error: unknown;
    for (let timeoutMs = 150; timeoutMs <= WAIT_MS && !String(error).includes(sessionId(a)); timeoutMs *= 4)
      error = await rejection(b.exclusively(stage.at('latch'), timeoutMs, () => Promise.resolve((ran = true))));

    const { code, message } = error as DeadlineExceededError;
    expect(code).toBe('DEADLINE_EXCEEDED');
    expect(message).toContain(sessionId(a));
    expect(message).toContain(stage.at('latch'));
    await until(async () => (await contenders(a)) === 1, 'only the holder is left');
    held.end();
    await held.ended;
    expect(ran).toBe(false);
  });

  test('an error of the task is passed on, and the hold is given up', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const failure = new Error('the task failed');

    const rejected = a.exclusively(stage.at('latch'), WAIT_MS, () => Promise.reject(failure));
    expect(await rejection(rejected)).toBe(failure);
    const thrown = a.exclusively(stage.at('latch'), WAIT_MS, () => {
      throw failure;
    });
    expect(await rejection(thrown)).toBe(failure);

    expect(await b.exclusively(stage.at('latch'), WAIT_MS, () => Promise.resolve('next'))).toBe('next');
  });

  test('the signal aborts when the connection breaks; the task ends by itself, and its place is given up later', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const held = await hold(a);
    expect(held.signal.aborted).toBe(false);

    await stage.disconnect(a);
    await until(() => held.signal.aborted, 'the signal aborts');
    held.end();
    await held.ended;
    await stage.reconnect(a);

    expect(await b.exclusively(stage.at('latch'), WAIT_MS, () => Promise.resolve('next'))).toBe('next');
  });

  test('a contender whose connection breaks while it waits is refused, never runs, and leaves the queue', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const held = await hold(a);
    let ran = false;
    const waiting = b.exclusively(stage.at('latch'), WAIT_MS, () => Promise.resolve((ran = true)));
    const refused = expectRejection(waiting, 'REGISTRY_UNAVAILABLE');
    await until(async () => (await contenders(a)) === 2, 'the second is in the queue');

    await stage.disconnect(b);
    await refused;
    await stage.reconnect(b);

    await until(async () => (await contenders(a)) === 1, 'only the holder is left');
    held.end();
    await held.ended;
    expect(ran).toBe(false);
  });
}
