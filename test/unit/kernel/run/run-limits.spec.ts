/** How long an item may run, and how often it is tried again. */
import { describe, expect, test } from '@jest/globals';
import { abortable, sleep } from '../../../../lib/async/wait.js';
import { type JobFailure } from '../../../../lib/api/extensions/error-handler.js';
import { InvalidConfigurationError, ItemTimeoutError } from '../../../../lib/api/errors/errors.js';
import { type RunEvent } from '../../../../lib/api/events/run-events.js';
import { type ShardingContext } from '../../../../lib/api/job/sharding-context.js';
import { Deferred } from '../../../../lib/async/deferred.js';
import { JobLog } from '../../../../lib/kernel/job/job-log.js';
import { ItemDeadline } from '../../../../lib/kernel/run/item-deadline.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { TestCluster, type Work } from '../../../../lib/testing/index.js';
import { systemClock } from '../../../../lib/time/clock.js';
import { CompleteLog } from '../../../support/failures.js';
import { type TestClusterOptions } from '../../../../lib/testing/test-cluster-options.js';

/** An error handler that keeps what it is given. */
class Failures {
  readonly list: JobFailure[] = [];
  readonly errorHandler = {
    type: 'KEEP',
    handleException: (failure: JobFailure): void => void this.list.push(failure),
  };

  /** `item 0: ItemTimeoutError (attempt 1)` */
  get texts(): readonly string[] {
    return this.list.map(
      ({ item, cause, attempt }) => `item ${item}: ${String(cause).split('\n')[0]} (attempt ${attempt})`,
    );
  }
}

interface Setting {
  readonly job?: TestClusterOptions['job'];
  readonly work: Work;
  readonly names?: readonly ('A' | 'B' | 'C')[];
}

/** A cluster with one item of an hourly job, its failures, and the events of its runs. */
async function clusterWith({
  job,
  work,
  names = ['A'],
}: Setting): Promise<TestCluster & { readonly failures: Failures; readonly runEvents: RunEvent[] }> {
  const failures = new Failures();
  const events: RunEvent[] = [];
  const cluster = await TestCluster.start(names, {
    job: { cron: '0 0 * * * ?', shardingTotalCount: 1, jobErrorHandlerType: 'KEEP', ...job },
    work,
    host: {
      errorHandlers: [failures.errorHandler],
      observers: [{ onRunEvent: (event) => void events.push(event) }],
    },
  });
  return Object.assign(cluster, { failures, runEvents: events });
}

/** Work that ends when its signal aborts. */
const hangs = ({ signal }: ShardingContext): Promise<void> => abortable(new Promise<void>(() => {}), signal);

const endOf = (events: readonly RunEvent[]): unknown => {
  const ends = events.flatMap((event) => (event.type === 'item-ended' ? [event] : []));
  return ends.map(({ outcome, attempts, durationMs }) => ({ outcome: outcome.type, attempts, durationMs }));
};

describe('an item whose time is up', () => {
  const TIMEOUT = { timeoutMilliseconds: 2_000 };

  test('is aborted, has failed, and is free for its next firing', async () => {
    const signals: AbortSignal[] = [];
    await using cluster = await clusterWith({
      job: { ...TIMEOUT, shardingTotalCount: 2 },
      work: (_, context) => {
        signals.push(context.signal);
        return context.shardingItem === 0 ? hangs(context) : undefined;
      },
    });
    await cluster.fire();
    await cluster.advance(1_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);

    await cluster.advance(1);

    const message = "Item 0 of job 'job' has run for 2000 ms, which is as long as its run.timeoutMilliseconds allows.";
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toEqual(new ItemTimeoutError('job', 0, 2_000));
    expect(cluster.failures.texts).toEqual([`item 0: ItemTimeoutError: ${message} (attempt 1)`]);
    expect(cluster.runs.map(({ item, outcome }) => `${item} ${outcome}`).sort()).toEqual([
      '0 timed-out',
      '1 completed',
    ]);
    expect(cluster.runEvents.at(-1)).toMatchObject({
      outcome: { type: 'completed', succeeded: 1, failed: 0, aborted: 0, timedOut: 1 },
    });
    await cluster.advance(100);
    expect(cluster.view.items.map(({ running }) => running)).toEqual([false, false]);
    await cluster.fire();
    expect(cluster.runs.filter(({ at }) => at === '02:00:00')).toHaveLength(2);
  });

  test('has timed out although it ends by itself, or fails otherwise, before it is given up', async () => {
    await using cluster = await clusterWith({
      job: { ...TIMEOUT, shardingTotalCount: 2 },
      work: async (_, { shardingItem }) => {
        await sleep(cluster.clock, 6_999);
        if (shardingItem === 1) throw new Error('too late');
      },
    });
    await cluster.fire();
    await cluster.advance('10s');

    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['timed-out', 'timed-out']);
    expect(cluster.failures.list.map(({ cause }) => (cause as Error).name)).toEqual([
      'ItemTimeoutError',
      'ItemTimeoutError',
    ]);
    expect(cluster.member('A').log.join('\n')).not.toContain('given up');
  });

  test('is given up five seconds later if its code goes on, with a warning, and another one when the code ends', async () => {
    await using cluster = await clusterWith({
      job: { ...TIMEOUT, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD', shardingTotalCount: 2 },
      work: async (_, { shardingItem }) => {
        if (shardingItem === 0) await sleep(cluster.clock, 60_000);
      },
    });
    const { log } = cluster.member('A');
    await cluster.fire();
    await cluster.advance(6_999);
    expect({ states: cluster.runs.map(({ outcome }) => outcome), busy: cluster.view.items[0]?.running }).toEqual({
      states: ['running'],
      busy: true,
    });

    await cluster.advance(1);
    await cluster.advance(100);

    // Its place in the pool is free as well.
    expect(cluster.runs.map(({ item, outcome }) => `${item} ${outcome}`)).toEqual(['0 timed-out', '1 completed']);
    expect(cluster.view.items[0]?.running).toBe(false);
    expect(log.filter((line) => line.includes('given up'))).toEqual([
      "Job 'job': item 0 was given up: its code has not ended 5000 ms after its time of 2000 ms was up and its signal " +
        'aborted. The code may go on beside the next run of the item: make it react to context.signal, and, with ' +
        'monitorExecution, reject writes with older fencing tokens.',
    ]);
    await cluster.advance('1m');
    expect(log.filter((line) => line.includes('given up')).slice(1)).toEqual([
      "Job 'job': the code of item 0 that was given up has ended, after 60000 ms.",
    ]);
  });

  test('says so if the code that was given up fails in the end, and that failure ends nothing', async () => {
    await using cluster = await clusterWith({
      job: TIMEOUT,
      work: async () => {
        await sleep(cluster.clock, 60_000);
        throw new Error('late');
      },
    });
    await cluster.fire();
    await cluster.advance('2m');

    expect(cluster.member('A').log.join('\n')).toContain('that was given up has failed: Error: late, after 60000 ms.');
    expect(cluster.failures.list).toHaveLength(1);
  });

  test('is not run again by the instance that takes over when its instance dies afterwards', async () => {
    await using cluster = await clusterWith({
      names: ['A', 'B'],
      job: { ...TIMEOUT, failover: true },
      work: (_, context) => hangs(context),
    });
    await cluster.fire();
    await cluster.advance('3s');
    const owner = cluster.runs[0]?.instance as 'A' | 'B';

    cluster.kill(owner);
    await cluster.advance('30s');

    expect(cluster.runs.map(({ at, outcome }) => `${at} ${outcome}`)).toEqual(['01:00:00 timed-out']);
  });

  test('lets no other item start if the error handler interrupts firings', async () => {
    await using cluster = await clusterWith({
      job: {
        ...TIMEOUT,
        shardingTotalCount: 3,
        jobErrorHandlerType: 'THROW',
        jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
      },
      work: (_, context) => hangs(context),
    });
    await cluster.fire();
    await cluster.advance('30s');

    expect(cluster.runs.map(({ item }) => item)).toEqual([0]);
  });

  test('has not timed out if its session was lost before', async () => {
    await using cluster = await clusterWith({ names: ['A'], job: TIMEOUT, work: (_, context) => hangs(context) });
    await cluster.fire();
    cluster.member('A').registry.faults.expire();
    cluster.member('A').registry.faults.resume();
    await cluster.advance('30s');

    expect(cluster.runs[0]?.outcome).toBe('aborted');
    expect(cluster.failures.list).toEqual([]);
  });
});

test.each([[[]], [['KEEP']]])(
  'code that goes on although the session was lost is given up when its time is over, so that the item runs again; listeners: %j',
  async (jobListenerTypes) => {
    const listener = { type: 'KEEP', beforeJobExecuted: () => undefined, afterJobExecuted: () => undefined };
    await using cluster = await TestCluster.start(['A'], {
      job: { cron: '0 0 * * * ?', shardingTotalCount: 2, timeoutMilliseconds: 2_000, jobListenerTypes },
      host: { listeners: [listener] },
      work: (_, { shardingItem, scheduledAt }) =>
        shardingItem === 0 && scheduledAt?.getUTCHours() === 1 ? new Promise(() => {}) : undefined,
    });
    await cluster.fire();
    cluster.member('A').registry.faults.expire();
    cluster.member('A').registry.faults.resume();
    await cluster.advance('30s');
    expect(cluster.runs[0]).toMatchObject({ item: 0, outcome: 'aborted' });
    expect(cluster.member('A').log.join('\n')).toContain('item 0 was given up');
    cluster.forget();
    await cluster.fire();

    expect(cluster.runs.map(({ item, at }) => `${item} ${at}`).sort()).toEqual(['0 02:00:00', '1 02:00:00']);
  },
);

test('what code that was given up throws in the end is handled, a rejected promise included', async () => {
  const unhandled: unknown[] = [];
  const onRejection = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', onRejection);
  await using cluster = await clusterWith({
    job: { timeoutMilliseconds: 2_000 },
    work: async () => {
      await sleep(cluster.clock, 20_000);
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- users may
      throw Promise.reject(new Error('inner'));
    },
  });
  await cluster.fire();
  await cluster.advance('30s');
  // Node reports unhandled rejections when nothing else is left to do.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', onRejection);

  expect(unhandled).toEqual([]);
});

test('an item that waits for a place in the pool has its whole time from when it starts', async () => {
  await using cluster = await clusterWith({
    job: {
      timeoutMilliseconds: 3_000,
      shardingTotalCount: 2,
      jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
    },
    work: () => sleep(cluster.clock, 2_500),
  });
  await cluster.fire();
  await cluster.advance('10s');

  expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
});

test('a time limit that an operator changes holds from the next firing on', async () => {
  await using cluster = await clusterWith({
    job: { timeoutMilliseconds: 60_000 },
    work: (_, context) => hangs(context),
  });
  await cluster.fire();
  await cluster.reconfigure({ props: { 'run.timeoutMilliseconds': '1000' } });
  await cluster.advance('59s');
  expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['running']);
  await cluster.advance('2s');
  await cluster.fire();
  await cluster.advance('1s');

  expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['timed-out', 'timed-out']);
});

test('a limit that an operator changes to something unusable blocks the job, naming node, key and value once', async () => {
  await using cluster = await clusterWith({ job: { cron: '0/5 * * * * ?' }, work: () => undefined });
  await cluster.reconfigure({ props: { 'run.maxRetries': 'often' } });
  await cluster.fire();
  await cluster.fire();

  expect(cluster.failures.texts).toEqual([]);
  expect(cluster.runs).toEqual([]);
  const { host, log } = cluster.member('A');
  expect(host.jobs.get('job')?.health).toEqual({
    state: 'blocked',
    reason:
      "settings in /elasticjob/job/config cannot be used: props['run.maxRetries']: must be an integer from 0 to 100, got " +
      '"often". Nothing of this job runs here until they are corrected there.',
  });
  expect(log.filter((line) => line.includes('Nothing of this job runs here'))).toHaveLength(1);
});

describe('an item that fails', () => {
  const RETRIES = { maxRetries: 2, retryBackoffMilliseconds: 1_000 };

  test('is tried again after a pause, marked all the time, with the same fencing token and signal', async () => {
    const contexts: ShardingContext[] = [];
    await using cluster = await clusterWith({
      job: RETRIES,
      work: (_, context) => {
        contexts.push(context);
        if (context.attempt < 3) throw new Error(`no stock ${context.attempt}`);
      },
    });
    await cluster.fire();
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1]);
    await cluster.advance(999);
    expect(cluster.view.items[0]?.running).toBe(true);
    expect(contexts).toHaveLength(1);
    await cluster.advance('10s');

    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(contexts.map(({ fencingToken }) => fencingToken)).size).toBe(1);
    expect(new Set(contexts.map(({ signal }) => signal)).size).toBe(1);
    expect(cluster.failures.list).toEqual([]);
    expect(cluster.runEvents.map(({ type }) => type)).toEqual([
      'staged',
      'items-begun',
      'item-started',
      'item-retried',
      'item-retried',
      'item-ended',
      'run-ended',
    ]);
    expect(endOf(cluster.runEvents)).toEqual([
      { outcome: 'succeeded', attempts: 3, durationMs: expect.closeTo(2_500, -4) },
    ]);
    expect(cluster.view.items[0]?.running).toBe(false);
    expect(cluster.member('A').log.filter((line) => line.includes('tried again'))).toEqual([
      expect.stringMatching(/^Job 'job': item 0 failed at attempt 1, and is tried again in 1000 ms: Error: no stock 1/),
      expect.stringMatching(
        /^Job 'job': item 0 failed at attempt 2, and is tried again in \d000 ms: Error: no stock 2/,
      ),
    ]);
  });

  test('has failed when its retries are used up, which the error handler is told of once', async () => {
    await using cluster = await clusterWith({
      job: RETRIES,
      work: (_, { attempt }) => {
        throw new Error(`no stock ${attempt}`);
      },
    });
    await cluster.fire();
    await cluster.advance('30s');

    expect(cluster.failures.texts).toEqual(['item 0: Error: no stock 3 (attempt 3)']);
    expect(endOf(cluster.runEvents)).toMatchObject([{ outcome: 'failed', attempts: 3 }]);
  });

  test('is not tried again by default', async () => {
    await using cluster = await clusterWith({
      work: () => {
        throw new Error('no stock');
      },
    });
    await cluster.fire();
    await cluster.advance('30s');

    expect(cluster.failures.texts).toEqual(['item 0: Error: no stock (attempt 1)']);
  });

  test('leaves its place in the pool to others during the pause', async () => {
    await using cluster = await clusterWith({
      job: { ...RETRIES, shardingTotalCount: 2, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' },
      work: (_, { shardingItem, attempt }) => {
        if (shardingItem === 0 && attempt === 1) throw new Error('no stock');
      },
    });
    await cluster.fire();

    expect(cluster.runs.map(({ item, outcome }) => `${item} ${outcome}`)).toEqual(['0 running', '1 completed']);
    await cluster.advance('10s');
    expect(cluster.runs[0]?.outcome).toBe('completed');
  });

  test('has timed out if its time is up during a pause', async () => {
    await using cluster = await clusterWith({
      job: { ...RETRIES, timeoutMilliseconds: 500 },
      work: () => {
        throw new Error('no stock');
      },
    });
    await cluster.fire();
    await cluster.advance(500);

    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['timed-out']);
    await cluster.advance('30s');
    expect(endOf(cluster.runEvents)).toEqual([{ outcome: 'timed-out', attempts: 1, durationMs: 500 }]);
  });

  test('has failed for good if the job is stopped during a pause', async () => {
    await using cluster = await clusterWith({
      job: { ...RETRIES, retryBackoffMilliseconds: 10_000 },
      work: () => {
        throw new Error('no stock');
      },
    });
    await cluster.fire();
    await cluster.leave('A');
    await cluster.advance(100);

    expect(cluster.failures.texts).toEqual(['item 0: Error: no stock (attempt 1)']);
    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  test('is aborted if the session is lost during a pause', async () => {
    await using cluster = await clusterWith({
      job: { ...RETRIES, retryBackoffMilliseconds: 10_000 },
      work: () => {
        throw new Error('no stock');
      },
    });
    await cluster.fire();
    cluster.member('A').registry.faults.expire();
    await cluster.settle();

    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['aborted']);
    expect(cluster.failures.list).toEqual([]);
  });

  test.each<[string, (cluster: TestCluster) => unknown]>([
    ['the job is stopped', (cluster) => cluster.leave('A')],
    ['an item of the firing interrupts it', () => undefined],
  ])('is not tried again if %s while it waits for a place in the pool', async (_, happens) => {
    const calls: string[] = [];
    await using cluster = await clusterWith({
      job: {
        ...{ shardingTotalCount: 2, maxRetries: 3, retryBackoffMilliseconds: 100, jobErrorHandlerType: 'THROW' },
        jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
      },
      work: async (_instance, { shardingItem, attempt }) => {
        calls.push(`${shardingItem}#${attempt}`);
        if (shardingItem === 0) throw new Error('no stock');
        await sleep(cluster.clock, 5_000);
        throw new InvalidConfigurationError(['x: is wrong.']);
      },
    });
    await cluster.fire();
    await cluster.advance('1s');
    void happens(cluster);
    await cluster.advance('30s');

    expect(calls).toEqual(['0#1', '1#1']);
    expect(cluster.runs.map(({ item, outcome }) => `${item} ${outcome}`)).toEqual(['0 failed', '1 failed']);
  });

  test('interrupts the firing only when its retries are used up', async () => {
    const gate = new Deferred();
    await using cluster = await clusterWith({
      job: { ...RETRIES, jobErrorHandlerType: 'THROW', shardingTotalCount: 2 },
      work: (_, { shardingItem, softStop }) => {
        if (shardingItem === 1) return abortable(gate.promise, softStop);
        throw new Error('no stock');
      },
    });
    await cluster.fire();
    await cluster.advance(500);
    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['running', 'running']);
    await cluster.advance('30s');

    expect(cluster.runs.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  });
});

test('a job whose limits are wrong is refused at its start, naming each key, value and what would be right', async () => {
  const options = {
    job: { cron: '0 0 * * * ?', props: { 'run.timeoutMilliseconds': '0', 'run.retryBackoffMilliseconds': '1.5' } },
  };

  await expect(TestCluster.start(['A'], options)).rejects.toThrow(
    '\n  elasticjob.jobs.job.props[\'run.timeoutMilliseconds\']: must be an integer from 1 to 2147483647, got "0"' +
      '\n  elasticjob.jobs.job.props[\'run.retryBackoffMilliseconds\']: must be an integer from 0 to 86400000, got "1.5"',
  );
});

describe('code that blocks the event loop, so that no timer fires,', () => {
  /** Blocks for 30 ms of real time. */
  const block = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  const context = { jobName: 'job', item: 0, logger: new JobLog(new CompleteLog(), { jobName: 'job', instance: 'A' }) };

  test.each([
    ['returns', () => undefined],
    [
      'throws',
      () => {
        throw new Error('late');
      },
    ],
  ])('has timed out if it took longer than its limit, also if it %s', async (_, end) => {
    const passed: unknown[] = [];
    const deadline = new ItemDeadline({
      ...context,
      timeoutMs: 5,
      clock: systemClock,
      onPassed: (why) => passed.push(why),
    });

    deadline.start();
    const work = Promise.resolve().then(block).then(end);
    await deadline.codeEnd(work).catch(() => undefined);
    deadline.cancel();

    expect(passed).toEqual([expect.any(ItemTimeoutError)]);
    expect(deadline.passed).toBe(passed[0]);
  });

  test('has not timed out if it ended before the job was called, however old the process is', async () => {
    const limits = { timeoutMs: 1, clock: systemClock, onPassed: () => undefined };
    const deadline = new ItemDeadline({ ...context, ...limits });

    await deadline.codeEnd(Promise.reject(new Error('stopped'))).catch(() => undefined);

    expect(deadline.passed).toBeUndefined();
  });

  test('has not timed out if it took less time than its limit', async () => {
    const clock = new ManualClock();
    const deadline = new ItemDeadline({ ...context, timeoutMs: 60_000, clock, onPassed: () => undefined });

    deadline.start();
    await deadline.codeEnd(Promise.resolve());
    deadline.cancel();

    expect(deadline.passed).toBeUndefined();
  });
});
