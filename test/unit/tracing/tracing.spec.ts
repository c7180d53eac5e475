import { describe, expect, test } from '@jest/globals';
import { type TraceEvent, type TraceStorage } from '../../../lib/api/events/trace-events.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { type DeadInstance, type MaintainedStorage } from '../../../lib/tracing/trace-upkeep.js';
import { Tracing, type TracingOptions } from '../../../lib/tracing/tracing.js';
import { RecordingLogger } from '../nest/application.js';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const ME = '10.0.0.1@-@1';
const DEAD = '10.0.0.2@-@2';
const JAVA = '10.0.0.4@-@4';
const AT = new Date('2030-01-01T00:00:10Z');
const instance = { jobInstanceId: ME, serverIp: '10.0.0.1' };

/** A storage that keeps what it is asked, and fails as long as a test says so. */
class Notebook implements TraceStorage, MaintainedStorage {
  readonly events: TraceEvent[] = [];
  readonly orphans: DeadInstance[] = [];
  readonly deletions: Date[] = [];
  readonly asked: string[] = [];
  open: readonly string[] = [];
  isAway = false;
  isHanging = false;

  prepare = (): Promise<void> => Promise.resolve();

  write(events: readonly TraceEvent[]): Promise<void> {
    this.events.push(...events);
    return Promise.resolve();
  }

  async completeOrphans(orphans: DeadInstance, signal: AbortSignal): Promise<number> {
    await this.#answer(signal);
    return this.orphans.push(orphans);
  }

  async executions({ jobName }: { readonly jobName: string }, signal: AbortSignal) {
    await this.#answer(signal);
    this.asked.push(jobName);
    return { rows: this.open.map((id) => ({ taskId: `bill@-@0@-@READY@-@${id}` })) };
  }

  async deleteOld({ before }: { readonly before: Date }, signal: AbortSignal) {
    await this.#answer(signal);
    this.deletions.push(before);
    return { executions: 3, statuses: 4 };
  }

  async #answer(signal: AbortSignal): Promise<void> {
    if (this.isAway) throw new Error('connection refused');
    if (this.isHanging)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }
}

function traced(options: Partial<TracingOptions> = {}) {
  const clock = new ManualClock('2030-01-01T00:00:00Z');
  const logger = new RecordingLogger();
  const storage = new Notebook();
  return { clock, logger, storage, tracing: new Tracing({ clock, logger, storage, ...options }) };
}

const crash = { jobName: 'bill', instance: DEAD, at: AT };
const registration = (...living: readonly string[]) => ({ jobName: 'bill', instance, living, livingJava: [], at: AT });
const ids = ({ orphans }: Notebook): readonly string[] => orphans.map(({ jobInstanceId }) => jobInstanceId);

describe('the rows of an instance that has died', () => {
  test('are completed when its death is noticed, by what is known of it', async () => {
    const { clock, storage, tracing } = traced();

    tracing.onInstanceCrash(crash);
    await clock.advance(SECOND);

    expect(storage.orphans).toEqual([
      {
        jobName: 'bill',
        jobInstanceId: DEAD,
        startedBefore: AT,
        completeTime: AT,
        failureCause: `The instance ${DEAD} has died, or lost its session, before the item ended.`,
      },
    ]);
  });

  test('are completed after a while if it is one of Java, which may only have stopped', async () => {
    const { clock, storage, tracing } = traced();

    tracing.onJavaInstanceGone(crash);
    await clock.advance(4 * SECOND);
    expect(storage.orphans).toEqual([]);
    await clock.advance(2 * SECOND);

    expect(storage.orphans).toEqual([
      {
        jobName: 'bill',
        jobInstanceId: DEAD,
        startedBefore: AT,
        completeTime: AT,
        failureCause: `The instance ${DEAD} of Java has stopped, died, or lost its session, before the item ended.`,
      },
    ]);
  });

  test('are left alone if tracing ends before the while is over', async () => {
    const { clock, storage, tracing } = traced();
    tracing.onJavaInstanceGone(crash);

    await tracing.stop(SECOND);

    expect([storage.orphans, clock.nextTimerInMs]).toEqual([[], undefined]);
  });

  test('are completed by the first instance after all have died', async () => {
    const { clock, storage, tracing } = traced();
    storage.open = [DEAD, ME, DEAD, 'not a task id'];

    tracing.onRegistration(registration(ME));
    await clock.advance(SECOND);

    expect(storage.asked).toEqual(['bill']);
    expect(ids(storage)).toEqual([DEAD]);
  });

  test('are completed by the first Node instance beside those of Java that live', async () => {
    const { clock, storage, tracing } = traced();
    storage.open = [DEAD, JAVA];

    tracing.onRegistration({ ...registration(ME, JAVA), livingJava: [JAVA] });
    await clock.advance(SECOND);

    expect(ids(storage)).toEqual([DEAD]);
  });

  test('are left to others that live', async () => {
    const { clock, storage, tracing } = traced();
    storage.open = [DEAD];

    tracing.onRegistration(registration(ME, '10.0.0.3@-@3'));
    await clock.advance(SECOND);

    expect(storage.asked).toEqual([]);
  });

  test('are left alone if the job is not traced', async () => {
    const { clock, storage, tracing } = traced({ excludeJobNames: ['bill'] });

    tracing.onInstanceCrash(crash);
    tracing.onJavaInstanceGone(crash);
    tracing.onRegistration(registration(ME));
    await clock.advance(10 * SECOND);

    expect([storage.orphans, storage.asked]).toEqual([[], []]);
  });

  test('are completed when the database is back, after minutes', async () => {
    const { clock, storage, tracing } = traced();
    storage.isAway = true;
    tracing.onInstanceCrash(crash);
    await clock.advance(5 * MINUTE);
    expect(ids(storage)).toEqual([]);

    storage.isAway = false;
    await clock.advance(2 * MINUTE);

    expect(ids(storage)).toEqual([DEAD]);
  });

  test('stay incomplete if the database stays away, which is logged once', async () => {
    const { clock, storage, logger, tracing } = traced();
    storage.isAway = true;
    tracing.onInstanceCrash(crash);

    await clock.advance(HOUR);

    expect(logger.lines).toEqual([
      `warn Tracing: the executions of ${DEAD}, which has died, could not be completed: Error: connection refused.`,
    ]);
  });

  test('wait no longer than a minute for an answer that does not come', async () => {
    const { clock, storage, tracing } = traced();
    storage.isHanging = true;
    tracing.onInstanceCrash(crash);
    await clock.advance(59 * SECOND);
    storage.isHanging = false;
    expect(ids(storage)).toEqual([]);

    await clock.advance(5 * SECOND);

    expect(ids(storage)).toEqual([DEAD]);
  });
});

describe('retention', () => {
  test('deletes rows that are older than so many days, every hour, and says how many', async () => {
    const { clock, storage, logger, tracing } = traced({ retentionDays: 7 });

    await clock.advance(61 * MINUTE);

    expect(storage.deletions.map((before) => before.toISOString())).toEqual([
      '2029-12-25T00:01:00.000Z',
      '2029-12-25T01:01:00.000Z',
    ]);
    expect(logger.lines[0]).toBe('log Tracing: deleted 3 executions and 4 states older than 7 days.');
    await tracing.stop(0);
  });

  test('of a storage with a name says the name', async () => {
    const { clock, logger, tracing } = traced({ retentionDays: 7, name: 'reporting' });

    await clock.advance(2 * MINUTE);

    expect(logger.lines).toEqual([
      "log Data source 'reporting': Tracing: deleted 3 executions and 4 states older than 7 days.",
    ]);
    await tracing.stop(0);
  });

  test('is off by default', async () => {
    const { clock, storage } = traced();

    await clock.advance(3 * HOUR);

    expect(storage.deletions).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('is left to another instance while that one cleans up', async () => {
    let isCleaner = false;
    const { clock, storage, tracing } = traced({ retentionDays: 1, isCleaner: () => isCleaner });
    await clock.advance(2 * HOUR);
    expect(storage.deletions).toEqual([]);

    isCleaner = true;
    await clock.advance(HOUR);

    expect(storage.deletions).toHaveLength(1);
    await tracing.stop(0);
  });

  test('ends with the process', async () => {
    const { clock, storage, tracing } = traced({ retentionDays: 1 });

    await tracing.stop(0);
    await clock.advance(3 * HOUR);

    expect(storage.deletions).toEqual([]);
  });
});

describe('tracing', () => {
  test('refuses to include and to exclude jobs at once', () => {
    expect(() => traced({ includeJobNames: ['a'], excludeJobNames: ['b'] })).toThrow(
      'includeJobNames and excludeJobNames exclude each other: give only one of them',
    );
  });

  test('works with a storage that can only be written to', async () => {
    const storage: TraceStorage = { prepare: () => Promise.resolve(), write: () => Promise.resolve() };
    const { clock, logger, tracing } = traced({ storage, retentionDays: 1 });

    tracing.onInstanceCrash(crash);
    tracing.onRegistration(registration(ME));
    await clock.advance(2 * HOUR);

    expect(logger.lines).toEqual([]);
  });

  test('has no status without a storage', async () => {
    const tracing = new Tracing({ logger: new RecordingLogger() });

    expect(tracing.status()).toBeUndefined();
    await tracing.stop(0);
  });
});
