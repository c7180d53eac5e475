import { describe, expect, test } from '@jest/globals';
import { type JobErrorHandler, type JobFailure } from '../../../../lib/api/extensions/error-handler.js';
import { type TypedJobItemExecutor } from '../../../../lib/api/extensions/job-executor.js';
import { type AnyJobListener } from '../../../../lib/api/extensions/job-listener.js';
import { type RunOutcome } from '../../../../lib/api/events/run-events.js';
import { sleep } from '../../../../lib/async/wait.js';
import { type JobHostOptions } from '../../../../lib/kernel/job-host.js';
import { TestCluster, type TestClusterOptions, type Work } from '../../../../lib/testing/index.js';
import { until } from '../../../support/until.js';

/** How the runs of an instance have ended. */
class Outcomes {
  readonly list: RunOutcome[] = [];
  readonly host: Partial<JobHostOptions> = {
    observers: [{ onRunEvent: (event) => void (event.type === 'run-ended' && this.list.push(event.outcome)) }],
  };
}

const THROWING: TestClusterOptions['job'] = { jobErrorHandlerType: 'THROW', shardingTotalCount: 3 };

/** Fails at the first firing only. */
const failsAt =
  (item: number): Work =>
  (_, { shardingItem, scheduledAt }) => {
    if (shardingItem === item && scheduledAt?.getUTCSeconds() === 5) throw new Error('no stock');
  };

describe('THROW interrupts the firing:', () => {
  test.each([1, 3])('with %d items it ends as failed, and the next one runs them all', async (shardingTotalCount) => {
    const outcomes = new Outcomes();
    const job = { ...THROWING, shardingTotalCount };
    await using cluster = await TestCluster.start(['A'], { job, host: outcomes.host, work: failsAt(0) });

    await cluster.fire();
    await cluster.fire();

    expect(outcomes.list).toMatchObject([
      { type: 'failed', cause: { code: 'FIRING_INTERRUPTED', cause: { message: 'no stock' } } },
      { type: 'completed', succeeded: shardingTotalCount, failed: 0, aborted: 0, timedOut: 0 },
    ]);
    expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
  });

  test('items that wait for a place in the pool are not run', async () => {
    const job = { ...THROWING, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' };
    await using cluster = await TestCluster.start(['A'], { job, work: failsAt(1) });

    await cluster.fire();

    expect(cluster.runs.map(({ item, outcome }) => `${item} ${outcome}`)).toEqual(['0 completed', '1 failed']);
  });

  test('items that run are asked to end, and are not aborted', async () => {
    const asked: string[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job: THROWING,
      work: async (_, { shardingItem, softStop, signal }) => {
        if (shardingItem === 2) throw new Error('no stock');
        await sleep(cluster.clock, 1_000);
        asked.push(
          `${shardingItem}: ${(softStop.reason as Error).name}, ${signal.aborted ? 'aborted' : 'not aborted'}`,
        );
      },
    });

    await cluster.fire();
    await cluster.advance('2s');

    expect(asked).toEqual(['0: FiringInterruptedError, not aborted', '1: FiringInterruptedError, not aborted']);
  });

  const failing = (phase: 'before' | 'after', calls: string[]): AnyJobListener => ({
    type: 'FAILING',
    beforeJobExecuted: () => {
      calls.push('before');
      if (phase === 'before') throw new Error('no paper');
    },
    afterJobExecuted: () => {
      calls.push('after');
      if (phase === 'after') throw new Error('no paper');
    },
  });

  test.each([
    ['before', []],
    ['after', [0, 1, 2]],
  ] as const)('a listener that fails in its callback %s lets these items run: %j', async (phase, items) => {
    const calls: string[] = [];
    const outcomes = new Outcomes();
    await using cluster = await TestCluster.start(['A'], {
      job: { ...THROWING, jobListenerTypes: ['FAILING'] },
      host: { ...outcomes.host, listeners: [failing(phase, calls)] },
    });

    await cluster.fire();

    expect(cluster.runs.map(({ item }) => item)).toEqual(items);
    expect(calls).toEqual(['before', 'after']);
    expect(outcomes.list).toMatchObject([{ type: 'failed', cause: { cause: { message: 'no paper' } } }]);
  });
});

test.each(['LOG', 'IGNORE'])('%s lets the other items of the firing run, and the firing complete', async (type) => {
  const outcomes = new Outcomes();
  const job = { ...THROWING, jobErrorHandlerType: type, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' };
  await using cluster = await TestCluster.start(['A'], { job, host: outcomes.host, work: failsAt(0) });

  await cluster.fire();

  expect(cluster.ran).toEqual({ A: [0, 1, 2] });
  expect(outcomes.list).toEqual([{ type: 'completed', succeeded: 2, failed: 1, aborted: 0, timedOut: 0 }]);
});

/** Notes what it is called for. */
function noting(type: string, notes: string[]): JobErrorHandler {
  return {
    type,
    handleException: ({ item, taskId, attempt, scheduledAt, instance }: JobFailure) => {
      const at = scheduledAt?.toISOString().slice(11, 19);
      notes.push(`${type}: item ${item} of ${taskId} at ${at} on ${instance.serverIp}, attempt ${attempt}`);
    },
    prepare: ({ jobName }) => void notes.push(`${type} prepares for ${jobName}`),
    release: (jobName) => void notes.push(`${type} lets go of ${jobName}`),
    close: () => void notes.push(`${type} is closed`),
  };
}

describe('an error handler', () => {
  const work = failsAt(1);

  test('is prepared before its job starts, gets failures with all that is known, and lets go of the job at its end', async () => {
    const notes: string[] = [];
    const host = { errorHandlers: [noting('NOTE', notes)] };
    await using cluster = await TestCluster.start(['A'], { job: { jobErrorHandlerType: 'note' }, host, work });
    const { jobInstanceId, serverIp } = cluster.member('A').host.instance;

    await cluster.fire();
    await cluster.leave('A');

    expect(notes).toEqual([
      'NOTE prepares for job',
      `NOTE: item 1 of job@-@0,1@-@READY@-@${jobInstanceId} at 00:00:05 on ${serverIp}, attempt 1`,
      'NOTE lets go of job',
      'NOTE is closed',
    ]);
  });

  test('lets go of a job as soon as a failure is reported to another one', async () => {
    const notes: string[] = [];
    await using cluster = await TestCluster.start(['A'], {
      job: { jobErrorHandlerType: 'FIRST', overwrite: true },
      host: { errorHandlers: [noting('FIRST', notes), noting('SECOND', notes)] },
      work: () => {
        throw new Error('no stock');
      },
    });
    await cluster.fire();
    notes.length = 0;

    await cluster.reconfigure({ jobErrorHandlerType: 'SECOND' });
    await cluster.fire();

    expect(notes.map((note) => note.replace(/ of job@.*/, ''))).toEqual([
      'FIRST lets go of job',
      'SECOND: item 0',
      'SECOND: item 1',
    ]);
  });

  test('or an executor that cannot load what it needs fails the start of its job', async () => {
    const broken: TypedJobItemExecutor = {
      type: 'BROKEN',
      process: () => undefined,
      prepare: () => Promise.reject(new Error('no such package')),
      release: () => Promise.reject(new Error('nothing to free')),
    };

    await using cluster = await TestCluster.start(['A'], { createJob: () => 'BROKEN', host: { executors: [broken] } });

    await expect(cluster.member('A').started).rejects.toThrow(
      'elasticjob.jobs.job: its executor cannot be used: Error: no such package',
    );
    await until(() => cluster.log.some((line) => line.includes('its executor: Error: nothing to free')));
  });

  test('that cannot load what it needs fails the start of its job, and is named', async () => {
    const broken: JobErrorHandler = {
      type: 'BROKEN',
      handleException: () => undefined,
      prepare: () => Promise.reject(new Error('no such package')),
    };
    const job = { jobErrorHandlerType: 'BROKEN' };

    await using cluster = await TestCluster.start(['A'], { job, host: { errorHandlers: [broken] } });

    await expect(cluster.member('A').started).rejects.toThrow(
      'elasticjob.jobs.job.jobErrorHandlerType: the error handler BROKEN cannot be used: Error: no such package',
    );
  });
});

test.each(['THROW', 'PASSING'])('the handler %s throws nothing but the failure, which is logged once', async (type) => {
  const passing: JobErrorHandler = {
    type: 'PASSING',
    handleException: ({ cause }) => {
      throw cause;
    },
  };
  await using cluster = await TestCluster.start(['A'], {
    job: { jobErrorHandlerType: type, shardingTotalCount: 1 },
    host: { errorHandlers: [passing] },
    work: () => {
      throw new Error('no stock');
    },
  });

  await cluster.fire();

  const lines = cluster.log.filter((line) => line.includes('no stock'));
  expect(lines.map((line) => line.split('\n')[0])).toEqual([
    expect.stringMatching(/item 0 \(firing of \S+\) failed: Error: no stock$/),
  ]);
});

test.each([undefined, null])('the log says that an item threw %p', async (nothing) => {
  const work = (): never => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- What users do.
    throw nothing;
  };
  for (const jobErrorHandlerType of ['LOG', 'THROW']) {
    await using cluster = await TestCluster.start(['A'], { job: { jobErrorHandlerType, shardingTotalCount: 1 }, work });
    await cluster.fire();

    expect(cluster.log).toContainEqual(expect.stringMatching(`item 0 .* failed: it threw ${nothing}$`));
  }
});
