import { describe, expect, test } from '@jest/globals';
import { TraceRefusedError } from '../../../lib/api/errors/errors.js';
import { type TraceEvent, type TraceStorage } from '../../../lib/api/events/trace-events.js';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.js';
import { TraceQueue, type TraceQueueOptions } from '../../../lib/tracing/trace-queue.js';
import { completed, started, status } from '../../support/trace-events.js';

/** A storage in memory that can be away, hang, or refuse some events. */
class MemoryStorage implements TraceStorage {
  prepared = 0;
  /** The ids of each write that was attempted. */
  readonly attempts: string[][] = [];
  readonly rows = new Map<string, TraceEvent>();
  outage: Error | undefined;
  isHanging = false;
  refuses: (event: TraceEvent) => Error | undefined = () => undefined;
  aborted = 0;

  prepare(): Promise<void> {
    if (this.outage) return Promise.reject(this.outage);
    this.prepared++;
    return Promise.resolve();
  }

  async write(events: readonly TraceEvent[], signal: AbortSignal): Promise<void> {
    this.attempts.push(events.map(({ id }) => id));
    signal.addEventListener('abort', () => this.aborted++);
    if (this.isHanging) await new Promise(() => undefined);
    if (this.outage) throw this.outage;
    const refusal = events.map((event) => this.refuses(event)).find((error) => error !== undefined);
    if (refusal) throw refusal;
    for (const event of events) this.rows.set(event.id, event);
  }
}

function stage(options: Partial<TraceQueueOptions> = {}) {
  const storage = new MemoryStorage();
  const clock = new ManualClock();
  const entries: string[] = [];
  const note = (message: string): void => void entries.push(message);
  const logger = { debug: note, log: note, warn: note, error: note };
  const queue = new TraceQueue({ storage, clock, logger, ...options });
  return { storage, clock, entries, queue };
}

const numbered = (count: number): TraceEvent[] => Array.from({ length: count }, (_, at) => status(`s${at}`));

describe('a queue of trace events', () => {
  test('prepares the storage and writes an event a moment after it is offered, never within the offer', async () => {
    const { queue, storage, clock } = stage();

    queue.offer(status('a'));
    queue.offer(status('b'));
    await settle();

    expect([storage.prepared, storage.attempts]).toEqual([0, []]);

    await clock.advance(200);
    expect(storage.prepared).toBe(1);
    expect(storage.attempts).toEqual([['a', 'b']]);
    expect(queue.status()).toMatchObject({ pending: 0, stored: 2, dropped: 0, failingSince: undefined });
  });

  test('writes a full batch at once, in later turns, and the rest when it has waited for more', async () => {
    const { queue, storage, clock } = stage({ batchSize: 2 });

    for (const event of numbered(5)) queue.offer(event);
    expect(storage.attempts).toEqual([]);
    await clock.advance(0);

    expect(storage.attempts).toEqual([
      ['s0', 's1'],
      ['s2', 's3'],
    ]);

    await clock.advance(200);
    expect(storage.attempts.at(-1)).toEqual(['s4']);
  });

  test('writes start and completion of an item as one event if both wait', async () => {
    const { queue, storage, clock } = stage();

    queue.offer(started('e'));
    queue.offer(status('s'));
    queue.offer(completed('e'));
    queue.offer(started('e'));
    await clock.advance(200);

    expect(storage.attempts).toEqual([['e', 's']]);
    expect(storage.rows.get('e')).toEqual(completed('e'));
  });

  test('writes a completion that comes while its start is being written', async () => {
    const { queue, storage, clock } = stage();
    queue.offer(started('e'));
    storage.refuses = () => {
      if (storage.attempts.length === 1) queue.offer(completed('e'));
      return undefined;
    };

    await clock.advance(1_000);

    expect(storage.attempts).toEqual([['e'], ['e']]);
    expect(storage.rows.get('e')).toEqual(completed('e'));
  });

  test('loses nothing in an outage of ten minutes, and has stored all soon after it', async () => {
    const { queue, storage, clock, entries } = stage({ batchSize: 10 });
    storage.outage = new Error('connect ECONNREFUSED');
    const began = new Date(clock.now());

    for (const event of numbered(600)) {
      queue.offer(event);
      await clock.advance(1_000);
    }
    expect(queue.status()).toMatchObject({ pending: 600, dropped: 0, lastError: 'Error: connect ECONNREFUSED' });
    expect(queue.status().failingSince?.getTime()).toBe(began.getTime() + 200);

    storage.outage = undefined;
    await clock.advance(12_000);
    expect(queue.status()).toMatchObject({ pending: 0, stored: 600, failingSince: undefined, lastError: undefined });
    expect([...storage.rows.keys()]).toEqual(numbered(600).map(({ id }) => id));
    // About one a minute: with the first attempt after it.
    const outages = entries.filter((entry) => entry.includes('could not be stored')).length;
    expect([9, 10]).toContain(outages);
    expect(entries.at(-1)).toMatch(/^Trace events are stored again, after 6(?:0\d|1[0-2]) s\. Waiting events: \d+\.$/);
  });

  test('does not log a failure that is over at the second attempt', async () => {
    const { queue, storage, clock, entries } = stage();
    storage.refuses = () => (storage.attempts.length <= 2 ? new Error('deadlock') : undefined);

    queue.offer(status('a'));
    await clock.advance(2_000);

    expect(queue.status().stored).toBe(1);
    expect(entries).toEqual([]);
  });

  test('prepares again until that succeeds, without a write', async () => {
    const { queue, storage, clock } = stage();
    storage.outage = new Error('no database yet');

    queue.offer(status('a'));
    await clock.advance(5_000);
    expect(storage.attempts).toEqual([]);

    storage.outage = undefined;
    await clock.advance(10_000);
    expect([storage.prepared, storage.attempts]).toEqual([1, [['a']]]);
  });

  test('takes the completion of a start that was stored, however full it is, so that no row stays running', async () => {
    const { queue, storage, clock } = stage({ maxPending: 2 });
    queue.offer(started('e'));
    await clock.advance(1_000);
    storage.outage = new Error('away');
    for (const event of numbered(3)) queue.offer(event);
    queue.offer(started('f'));

    queue.offer(completed('e'));
    queue.offer(completed('f'));

    expect(queue.status()).toMatchObject({ pending: 3, dropped: 3 });
    storage.outage = undefined;
    await clock.advance(20_000);
    expect([...storage.rows.values()].filter(({ type }) => type === 'execution')).toEqual([completed('e')]);
  });

  test('drops what comes beyond its bound, but takes the completion of a start that waits, and logs once a minute', async () => {
    const { queue, storage, clock, entries } = stage({ maxPending: 2 });
    storage.outage = new Error('away');
    queue.offer(started('e'));
    queue.offer(status('a'));

    for (let second = 0; second < 61; second++) {
      queue.offer(status(`late-${second}`));
      await clock.advance(1_000);
    }
    queue.offer(completed('e'));

    expect(queue.status()).toMatchObject({ pending: 2, maxPending: 2, dropped: 61 });
    const losses = entries.filter((entry) => entry.includes('dropped'));
    expect(losses).toEqual([
      'A trace event was dropped and will be missing in the trace. As many events as may, 2, wait for the storage: more come than it can write. Make it reachable or faster, or trace fewer jobs.',
      '60 trace events were dropped and will be missing in the trace. As many events as may, 2, wait for the storage: the last error is: Error: away. Make it reachable or faster, or trace fewer jobs.',
    ]);

    storage.outage = undefined;
    await clock.advance(20_000);
    expect([...storage.rows.values()]).toEqual([completed('e'), status('a')]);
    expect(entries.at(-1)).toContain('Waiting events: 1. 61 were dropped since the start of the process.');
  });

  test('bounds the texts that wait, not only their number', () => {
    const { queue } = stage({ maxPendingCharacters: 1_000 });

    queue.offer(status('a', { message: 'x'.repeat(900) }));
    queue.offer(status('b', { message: 'x'.repeat(900) }));

    expect(queue.status()).toMatchObject({ pending: 1, dropped: 1 });
  });

  test('stores all but the one event that the storage refuses, and logs why it was dropped', async () => {
    const { queue, storage, clock, entries } = stage({ batchSize: 8 });
    storage.refuses = ({ id }) => (id === 's5' ? new TraceRefusedError('value too long') : undefined);

    for (const event of numbered(8)) queue.offer(event);
    await clock.advance(0);

    expect([...storage.rows.keys()]).toEqual(['s0', 's1', 's2', 's3', 's4', 's6', 's7']);
    expect(queue.status()).toMatchObject({ pending: 0, stored: 7, dropped: 1, failingSince: undefined });
    expect(entries).toEqual([
      "A trace event was dropped and will be missing in the trace. It is a status of job 'orders', task orders@-@0,1@-@READY@-@10.0.0.1@-@7, which the storage refuses: TraceRefusedError: The storage of trace events refuses what it was given: value too long.",
    ]);
  });

  test('gives up an event that fails with any error if those behind it can be stored', async () => {
    const { queue, storage, clock } = stage({ batchSize: 4 });
    storage.refuses = ({ id }) => (id === 's0' ? new Error('what a driver throws') : undefined);

    for (const event of numbered(8)) queue.offer(event);
    await clock.advance(300_000);

    expect([...storage.rows.keys()]).toEqual(['s1', 's2', 's3', 's4', 's5', 's6', 's7']);
    expect(queue.status()).toMatchObject({ pending: 0, dropped: 1 });
  });

  test('writes fewer events at once to a storage that is too slow for a whole batch', async () => {
    const { queue, storage, clock } = stage({ batchSize: 100 });
    storage.refuses = () => (storage.attempts.at(-1)!.length > 30 ? new Error('too slow') : undefined);

    for (const event of numbered(100)) queue.offer(event);
    await clock.advance(60_000);

    expect(queue.status()).toMatchObject({ pending: 0, stored: 100 });
    expect(storage.attempts.slice(0, 3).map(({ length }) => length)).toEqual([100, 50, 25]);
  });

  test('ends a write that hangs at its deadline by its signal, and delivers the same events again', async () => {
    const { queue, storage, clock } = stage({ writeTimeoutMs: 3_000 });
    storage.isHanging = true;
    queue.offer(status('a'));

    await clock.advance(3_100);
    expect(storage.aborted).toBe(0);
    await clock.advance(100);
    expect(storage.aborted).toBe(1);
    expect(queue.status().lastError).toContain('Waited 3000 ms in vain for the storage of trace events to answer.');

    storage.isHanging = false;
    await clock.advance(1_000);
    expect(storage.attempts).toEqual([['a'], ['a']]);
    expect(queue.status()).toMatchObject({ pending: 0, stored: 1 });
  });

  test('a flush writes at once what waits, also amid the pause after a failure', async () => {
    const { queue, storage, clock } = stage();
    queue.offer(status('a'));
    const early = queue.flush(5_000);
    await clock.advance(0);
    expect(await early).toBe(0);

    storage.outage = new Error('away');
    queue.offer(status('b'));
    await clock.advance(60_000);
    storage.outage = undefined;
    const late = queue.flush(5_000);
    await clock.advance(0);
    expect(await late).toBe(0);
    expect([...storage.rows.keys()]).toEqual(['a', 'b']);
  });

  test('a flush ends at its deadline with the number of events that still wait', async () => {
    const { queue, storage, clock } = stage();
    storage.isHanging = true;
    queue.offer(status('a'));

    const flush = queue.flush(5_000);
    await clock.advance(5_000);

    expect(await flush).toBe(1);
  });

  test('stops with what could be stored; the rest is counted and logged, and nothing stays behind', async () => {
    const { queue, storage, clock, entries } = stage({ batchSize: 1 });
    queue.offer(status('a'));
    await clock.advance(0);
    storage.isHanging = true;
    queue.offer(status('b'));
    queue.offer(status('c'));

    const stopped = queue.stop(4_000);
    await clock.advance(4_000);
    await stopped;
    queue.offer(status('d'));
    await queue.stop(4_000);
    await settle();

    expect(queue.status()).toMatchObject({ pending: 0, stored: 1, dropped: 3 });
    expect(entries[0]).toContain('2 trace events were dropped');
    expect(entries[0]).toContain('they could not be stored within 4000 ms');
    expect([storage.aborted, clock.timers]).toEqual([1, 0]);
  });

  test('takes events when its logger throws', () => {
    const fail = (): never => {
      throw new Error('disk full');
    };
    const { queue } = stage({ maxPending: 0, logger: { debug: fail, log: fail, warn: fail, error: fail } });

    expect(() => queue.offer(status('a'))).not.toThrow();
    expect(queue.status().dropped).toBe(1);
  });
});
