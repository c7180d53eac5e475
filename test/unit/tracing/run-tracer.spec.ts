import { describe, expect, test } from '@jest/globals';
import {
  type JobExecutionEvent,
  type JobStatusTraceEvent,
  type TraceEvent,
} from '../../../lib/api/events/trace-events.js';
import { type Member, TestCluster, type TestClusterOptions } from '../../../lib/testing/index.js';
import { RunTracer } from '../../../lib/tracing/run-tracer.js';
import { GraphCluster } from '../../support/graph-cluster.js';

type Name = Member['name'];

/** The traced events of all instances, in order. */
class Trace {
  readonly events: TraceEvent[] = [];

  /** `TASK_RUNNING 0,1 READY: message`. */
  get states(): readonly string[] {
    return this.statuses.map(
      ({ state, shardingItems, executionType, message }) =>
        `${state} ${shardingItems.join()} ${executionType}${message === '' ? '' : `: ${message}`}`,
    );
  }

  get statuses(): readonly JobStatusTraceEvent[] {
    return this.events.flatMap((event) => (event.type === 'status' ? [event] : []));
  }

  /** The rows of a storage that keeps the last event with an id. */
  get executions(): readonly JobExecutionEvent[] {
    const rows = new Map<string, JobExecutionEvent>();
    for (const event of this.events) if (event.type === 'execution') rows.set(event.id, event);
    return [...rows.values()];
  }

  /** `0 MISFIRE success`. */
  get rows(): readonly string[] {
    return this.executions.map(({ shardingItem, source, completeTime, success, failureCause }) => {
      const end = success ? 'success' : `failure: ${failureCause?.split('\n')[0]}`;
      return `${shardingItem} ${source} ${completeTime === undefined ? 'running' : end}`;
    });
  }

  forget(): void {
    this.events.length = 0;
  }
}

async function traced(
  names: readonly Name[],
  options: TestClusterOptions = {},
): Promise<TestCluster & { readonly trace: Trace }> {
  const trace = new Trace();
  const tracer = (): RunTracer =>
    new RunTracer({
      hostname: 'shop-1',
      isTraced: (jobName) => jobName === 'job',
      onTraceEvent: (event) => void trace.events.push(event),
    });
  const host: TestClusterOptions['host'] = (name) => {
    const { observers = [], ...rest } = (typeof options.host === 'function' ? options.host(name) : options.host) ?? {};
    return { ...rest, observers: [...observers, tracer()] };
  };
  return Object.assign(await TestCluster.start(names, { ...options, host }), { trace });
}

test('a run after other jobs has their names and their instant as its cause', async () => {
  const trace = new Trace();
  const onTraceEvent = (event: TraceEvent): void => void trace.events.push(event);
  const tracer = new RunTracer({ hostname: 'shop-1', isTraced: () => true, onTraceEvent });
  const jobs = [
    { jobName: 'A', cron: '0/5 * * * * ?' },
    { jobName: 'B', props: { 'graph.after': 'A' }, shardingTotalCount: 1 },
  ];
  await using cluster = await GraphCluster.start(['X'], jobs, [tracer]);

  await cluster.advance(5_000);

  const [first, , last] = trace.executions;
  expect(first).toMatchObject({ jobName: 'A', source: 'NORMAL_TRIGGER', cause: 'schedule' });
  expect(first).not.toHaveProperty('upstreams');
  expect(last).toMatchObject({ jobName: 'B', source: 'NORMAL_TRIGGER', cause: 'dependency', upstreams: ['A'] });
  expect(last?.scheduledAt).toEqual(first?.scheduledAt);
});

test('a triggered run has no instant, whatever jobs are before it', async () => {
  await using cluster = await traced(['A'], { job: { cron: '0 0 0 1 1 ? 2099' } });

  await cluster.trigger();

  expect(cluster.trace.executions[0]).toMatchObject({ cause: 'manual' });
  expect(cluster.trace.executions[0]).not.toHaveProperty('scheduledAt');
});

const BEGIN = "Job 'job' execute begin.";
const untilAborted = ({ signal }: { readonly signal: AbortSignal }): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

describe('the trace of a run', () => {
  test('has its states and, for each item, a start and an end with the same id', async () => {
    await using cluster = await traced(['A']);
    const { trace } = cluster;

    await cluster.fire();

    const taskId = cluster.runs[0]!.context.taskId;
    expect(trace.states).toEqual([
      `TASK_STAGING 0,1 READY: ${BEGIN}`,
      'TASK_RUNNING 0,1 READY',
      'TASK_FINISHED 0,1 READY',
    ]);
    expect(trace.rows).toEqual(['0 NORMAL_TRIGGER success', '1 NORMAL_TRIGGER success']);
    expect(trace.events.map(({ type }) => type)).toEqual([
      ...['status', 'status'],
      ...['execution', 'execution', 'execution', 'execution'],
      'status',
    ]);
    const [, , start] = trace.events;
    expect(start).toMatchObject({ completeTime: undefined, success: false, failureCause: undefined });
    const ip = cluster.idOf('A').split('@-@')[0]!;
    for (const row of trace.executions) expect(row).toMatchObject({ hostname: 'shop-1', ip, taskId, jobName: 'job' });
    for (const status of trace.statuses) expect(status).toMatchObject({ taskId, slaveId: ip, originalTaskId: '' });
    expect(new Set(trace.events.map(({ id }) => id)).size).toBe(5);
    for (const { id } of trace.events) expect(id).toMatch(/^[\da-f-]{36}$/);
  });

  test('shows no secret of what was thrown', async () => {
    await using cluster = await traced(['A'], {
      job: { shardingTotalCount: 1 },
      work: () => {
        throw new Error('no answer from https://bob:s3cret@host/?token=s3cret');
      },
    });

    await cluster.fire();

    expect(JSON.stringify(cluster.trace.events)).not.toContain('s3cret');
    expect(cluster.trace.rows).toEqual([expect.stringContaining('https://******@host/?token=******')]);
    expect(cluster.trace.states.at(-1)).toContain('token=******');
  });

  test('has the moments at which things happened', async () => {
    await using cluster = await traced(['A'], {
      job: { shardingTotalCount: 1, cron: '0 0 * * * ?' },
      work: () => new Promise((resolve) => void cluster.clock.after(2_000, resolve)),
    });
    const { trace } = cluster;
    await cluster.fire();
    const firedAt = cluster.clock.now();

    await cluster.advance('3s');

    const [row] = trace.executions;
    expect([row!.startTime.getTime(), row!.completeTime!.getTime()]).toEqual([firedAt, firedAt + 2_000]);
    expect(trace.statuses.map(({ creationTime }) => creationTime.getTime() - firedAt)).toEqual([0, 0, 2_000]);
  });

  test('has the stack of a failure and of its causes, and the state TASK_ERROR with the failures by item', async () => {
    const cause = new TypeError('no connection');
    await using cluster = await traced(['A'], {
      work: (_, { shardingItem }) => {
        if (shardingItem === 1) throw new Error('no stock', { cause });
      },
    });
    const { trace } = cluster;

    await cluster.fire();

    expect(trace.rows).toEqual(['0 NORMAL_TRIGGER success', '1 NORMAL_TRIGGER failure: Error: no stock']);
    const { failureCause } = trace.executions[1]!;
    expect(failureCause).toMatch(/^Error: no stock\n +at [^]*\nCaused by: TypeError: no connection\n +at /);
    expect(trace.states.at(-1)).toBe(`TASK_ERROR 0,1 READY: {1=${failureCause}}`);
  });

  test('has what a job throws that is no error', async () => {
    await using cluster = await traced(['A'], {
      job: { shardingTotalCount: 1 },
      work: () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw 'no stock';
      },
    });

    await cluster.fire();

    expect(cluster.trace.executions[0]!.failureCause).toBe("'no stock'");
  });

  test('has TASK_FAILED when time was up, and no item failed otherwise', async () => {
    await using cluster = await traced(['A'], {
      job: { cron: '0 0 * * * ?', props: { 'run.timeoutMilliseconds': '2000' } },
      work: (_, context) => (context.shardingItem === 0 ? untilAborted(context) : undefined),
    });
    const { trace } = cluster;
    await cluster.fire();

    await cluster.advance('3s');

    expect(trace.rows[0]).toMatch(/^0 NORMAL_TRIGGER failure: ItemTimeoutError/);
    expect(trace.states.at(-1)).toMatch(/^TASK_FAILED 0,1 READY: \{0=ItemTimeoutError/);
  });

  test('has TASK_KILLED when its items were aborted, those included that had not started', async () => {
    const pool = { type: 'ONE', getSize: () => 1 };
    await using cluster = await traced(['A'], {
      job: { jobExecutorThreadPoolSizeProviderType: 'ONE', cron: '0 0 * * * ?' },
      host: () => ({ threadPoolSizeProviders: [pool] }),
      work: (_, context) => untilAborted(context),
    });
    const { trace } = cluster;
    await cluster.fire();
    expect(trace.rows).toEqual(['0 NORMAL_TRIGGER running']);

    await cluster.expire('A');
    await cluster.advance('1s');

    expect([...trace.rows].sort()).toEqual([
      expect.stringMatching(/^0 NORMAL_TRIGGER failure: Aborted: SessionLostError/),
      expect.stringMatching(/^1 NORMAL_TRIGGER failure: Aborted: SessionLostError/),
    ]);
    expect(trace.states.at(-1)).toMatch(/^TASK_KILLED 0,1 READY: \{0=Aborted: .*1=Aborted: /s);
  });

  test('has one row for an item that is tried again, with its last failure', async () => {
    let attempts = 0;
    await using cluster = await traced(['A'], {
      job: {
        ...{ shardingTotalCount: 1, cron: '0 0 * * * ?' },
        props: { 'run.maxRetries': '1', 'run.retryBackoffMilliseconds': '100' },
      },
      work: () => {
        throw new Error(`attempt ${++attempts}`);
      },
    });
    await cluster.fire();

    await cluster.advance('3s');

    expect(cluster.trace.rows).toEqual(['0 NORMAL_TRIGGER failure: Error: attempt 2']);
  });

  test('says that a firing has interrupted itself, by the failure that did it', async () => {
    await using cluster = await traced(['A'], {
      job: { jobErrorHandlerType: 'THROW', shardingTotalCount: 1 },
      work: () => {
        throw new Error('no stock');
      },
    });

    await cluster.fire();

    expect(cluster.trace.states.at(-1)).toMatch(/^TASK_ERROR 0 READY: \{0=Error: no stock/);
  });
});

describe('the source of an item', () => {
  test('is FAILOVER for one that was taken over, with the execution type of its run', async () => {
    await using cluster = await traced(['A', 'B'], {
      job: { cron: '0 0 * * * ?', failover: true },
      work: (name) => (name === 'A' ? new Promise(() => undefined) : undefined),
    });
    const { trace } = cluster;
    await cluster.fire();
    const [item] = cluster.owners['A'] ?? [];
    trace.forget();

    cluster.kill('A');
    await cluster.advance('7s');

    expect(trace.rows).toEqual([`${item} FAILOVER success`]);
    expect(trace.states).toEqual([
      `TASK_STAGING ${item} FAILOVER: ${BEGIN}`,
      `TASK_RUNNING ${item} FAILOVER`,
      `TASK_FINISHED ${item} FAILOVER`,
    ]);
  });

  test('is MISFIRE for one that makes up for a firing', async () => {
    let release = (): void => undefined;
    await using cluster = await traced(['A'], {
      job: { shardingTotalCount: 1 },
      work: () => new Promise((resolve) => (release = resolve)),
    });
    const { trace } = cluster;
    await cluster.fire();
    await cluster.fire();

    release();
    await cluster.advance('1s');

    expect(trace.rows).toEqual(['0 NORMAL_TRIGGER success', '0 MISFIRE running']);
  });

  test('is NORMAL_TRIGGER for one that was triggered', async () => {
    await using cluster = await traced(['A'], { job: { shardingTotalCount: 1, cron: '0 0 * * * ?' } });

    await cluster.trigger();

    expect(cluster.trace.rows).toEqual(['0 NORMAL_TRIGGER success']);
  });
});

describe('a firing that runs nothing', () => {
  test('has Java’s words when the instance has no items', async () => {
    await using cluster = await traced(['A', 'B'], { job: { shardingTotalCount: 1 } });

    await cluster.fire();

    const idle = cluster.trace.statuses.filter(({ shardingItems }) => shardingItems.length === 0);
    expect(idle.map(({ state, message }) => [state, message])).toEqual([
      ['TASK_STAGING', BEGIN],
      ['TASK_FINISHED', "Sharding item for job 'job' is empty."],
    ]);
    expect(idle[0]!.taskId).toMatch(/^job@-@@-@READY@-@/);
  });

  test.each([
    [true, 'misfired job will start after previous job completed.'],
    [false, 'and misfire is off, so that the job is not run for this firing.'],
  ])('names the items that still run (misfire: %s)', async (misfire, fate) => {
    await using cluster = await traced(['A'], { job: { misfire }, work: () => new Promise(() => undefined) });
    await cluster.fire();
    cluster.trace.forget();

    await cluster.fire();

    expect(cluster.trace.states).toEqual([
      `TASK_STAGING  READY: ${BEGIN}`,
      `TASK_FINISHED  READY: Previous job 'job' - shardingItems '[0, 1]' is still running, ${fate}`,
    ]);
  });

  test('is dropped for now when the items are not assigned in time, and follows', async () => {
    await using cluster = await traced(['A', 'B'], { job: { cron: '5 * * * * ?' }, sessionTimeoutMs: 60_000 });
    const { trace } = cluster;
    cluster.freeze('A');
    await cluster.operator.create(cluster.paths.resharding, '');

    await cluster.advance('40s');

    expect(trace.states).toEqual([
      `TASK_STAGING  READY: ${BEGIN}`,
      expect.stringMatching(/^TASK_DROPPED {2}READY: The firing is still due, and follows: DeadlineExceededError: /),
    ]);
  });

  test('leaves no trace when an instance came too late for a takeover', async () => {
    await using cluster = await traced(['A', 'B', 'C'], {
      job: { cron: '0 0 * * * ?', failover: true, shardingTotalCount: 1 },
      work: (name) => (name === 'C' ? new Promise(() => undefined) : undefined),
      // Both that are left decide before either knows of the other.
      deliver: (clock) => (delivery) => void clock.after(10, delivery.arrive),
    });
    await cluster.fire();
    await cluster.advance('1s');
    cluster.trace.forget();

    cluster.kill('C');
    await cluster.advance('7s');

    expect(cluster.trace.statuses.map(({ state }) => state)).toEqual(['TASK_STAGING', 'TASK_RUNNING', 'TASK_FINISHED']);
  });
});

test('a job that is not traced leaves no trace', async () => {
  await using cluster = await traced(['A'], { job: { jobName: 'other' } });

  await cluster.fire();

  expect(cluster.runs).toHaveLength(2);
  expect(cluster.trace.events).toEqual([]);
});
