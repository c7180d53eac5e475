import { describe, expect, test } from '@jest/globals';
import { type JobFailure } from '../../../../lib/api/extensions/error-handler.js';
import { type AnyJobListener } from '../../../../lib/api/extensions/job-listener.js';
import { type ShardingContexts } from '../../../../lib/api/job/sharding-contexts.js';
import { type InvalidConfigurationError } from '../../../../lib/api/errors/errors.js';
import { Extensions } from '../../../../lib/kernel/types/extensions.js';
import { ManualClock, TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';
import { type Delivery } from '../../../../lib/registry/embedded/delivery.js';
import { listening, Once, CallNotes } from '../../../support/listeners.js';
import { aConfiguration } from '../../../support/views.js';

const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
const typesWith = (...listeners: unknown[]): Extensions =>
  new Extensions({ listeners: listeners as AnyJobListener[] }, { clock: new ManualClock(), logger: silent });

const faultsOf = (attempt: () => unknown): readonly string[] => {
  try {
    attempt();
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).faults;
  }
};

/** A cluster whose items note their runs among the calls of listeners. */
async function start(
  names: string[],
  notes: CallNotes,
  listeners: (name: string) => AnyJobListener[],
  more: TestClusterOptions = {},
) {
  return TestCluster.start(names, {
    work: (instance, { shardingItem }) => void notes.lines.push(`${instance} item ${shardingItem}`),
    ...more,
    host: (name) => ({ listeners: listeners(name) }),
    job: { jobListenerTypes: [...new Set(listeners('A').map(({ type }) => type ?? ''))], ...more.job },
  });
}

describe('listeners of every instance', () => {
  test('are called before the first item and after the last one, in ascending order both times', async () => {
    const notes = new CallNotes();
    await using cluster = await start(['A'], notes, (name) => [
      listening(notes, name, { type: 'LAST' }),
      listening(notes, name, { type: 'SECOND', order: 2 }),
      listening(notes, name, { type: 'FIRST', order: -1 }),
    ]);

    await cluster.fire();

    expect(notes.lines).toEqual([
      ...['A FIRST before [0,1]', 'A SECOND before [0,1]', 'A LAST before [0,1]', 'A item 0', 'A item 1'],
      ...['A FIRST after [0,1]', 'A SECOND after [0,1]', 'A LAST after [0,1]'],
    ]);
  });

  test('of the same order are called as the job names them, each once', async () => {
    const notes = new CallNotes();
    await using cluster = await start(
      ['A'],
      notes,
      (name) => [listening(notes, name, { type: 'ONE' }), listening(notes, name, { type: 'TWO' })],
      { job: { jobListenerTypes: ['two', 'ONE', 'Two'] } },
    );

    await cluster.fire();

    expect(notes.lines.filter((line) => line.includes('before'))).toEqual(['A TWO before [0,1]', 'A ONE before [0,1]']);
  });

  test('are given what Java gives them, and the scheduled instant', async () => {
    const notes = new CallNotes();
    await using cluster = await start(['A'], notes, (name) => [listening(notes, name)], {
      job: { shardingItemParameters: '0=Beijing', jobParameter: 'fast' },
    });

    await cluster.fire();

    expect(notes.contexts[0]).toMatchObject({
      jobName: 'job',
      taskId: `job@-@0,1@-@READY@-@${cluster.idOf('A')}`,
      shardingTotalCount: 2,
      jobParameter: 'fast',
      shardingItemParameters: new Map([
        [0, 'Beijing'],
        [1, undefined],
      ]),
      jobEventSamplingCount: 0,
      currentJobEventSamplingCount: 0,
      allowSendJobEvent: true,
      scheduledAt: new Date('2030-01-01T00:00:05Z'),
    });
  });

  test('are called on an instance without items too, once in each firing', async () => {
    const notes = new CallNotes();
    await using cluster = await start(['A', 'B'], notes, (name) => [listening(notes, name)], {
      job: { shardingTotalCount: 1 },
    });

    await cluster.fire();

    expect(notes.lines.filter((line) => line.startsWith('A'))).toEqual(['A EVERY before []', 'A EVERY after []']);
    expect(notes.lines.filter((line) => line.startsWith('B'))).toEqual([
      ...['B EVERY before [0]', 'B item 0', 'B EVERY after [0]'],
    ]);
  });

  test('are called after items that have failed', async () => {
    const notes = new CallNotes();
    await using cluster = await start(['A'], notes, (name) => [listening(notes, name)], {
      work: () => Promise.reject(new Error('no stock')),
    });

    await cluster.fire();

    expect(notes.lines).toEqual(['A EVERY before [0,1]', 'A EVERY after [0,1]']);
  });

  test.each(['before', 'after'] as const)(
    'that fail %s keep those that follow from being called then, and the items from nothing; the error handler is notified',
    async (phase) => {
      const notes = new CallNotes();
      const errors: string[] = [];
      const handler = { type: 'NOTE', handleException: ({ cause }: JobFailure) => void errors.push(String(cause)) };
      await using cluster = await TestCluster.start(['A'], {
        work: (instance, { shardingItem }) => void notes.lines.push(`${instance} item ${shardingItem}`),
        host: {
          errorHandlers: [handler],
          listeners: [listening(notes, 'A', { type: 'ONE', fails: phase }), listening(notes, 'A', { type: 'TWO' })],
        },
        job: { jobListenerTypes: ['ONE', 'TWO'], jobErrorHandlerType: 'NOTE' },
      });

      await cluster.fire();

      const [before, after] = [
        phase === 'before' ? [] : ['A TWO before [0,1]'],
        phase === 'after' ? [] : ['A TWO after [0,1]'],
      ];
      expect(notes.lines).toEqual([
        ...['A ONE before [0,1]', ...before, 'A item 0', 'A item 1', 'A ONE after [0,1]', ...after],
      ]);
      expect(errors).toEqual([`Error: ONE ${phase} on A`]);
    },
  );

  test.each(['reports its items to the barrier of a once-listener', 'makes the call of a once-listener'])(
    'are called after a firing also if the session is lost while the instance %s',
    async (when) => {
      const notes = new CallNotes();
      const isReport = ({ what }: Delivery): boolean =>
        when.startsWith('reports') && notes.lines.includes('A item 0') && /^create .*guarantee.completed/.test(what);
      const cutOff =
        (clock: ManualClock) =>
        (message: Delivery): void => {
          if (isReport(message)) cluster.cut('A');
          clock.after(0, message.arrive);
        };
      const completed = (): Promise<void> => {
        cluster.cut('A');
        return new Promise(() => undefined);
      };
      await using cluster: TestCluster = await start(
        ['A'],
        notes,
        (name) => [new Once(notes, name, { completed }), listening(notes, name)],
        { deliver: cutOff, job: { shardingTotalCount: 1 } },
      );

      await cluster.fire();
      await cluster.advance('1m');

      const made = when.startsWith('makes') ? ['A all completed [0]'] : [];
      expect(notes.lines).toEqual([
        ...['A all started [0]', 'A EVERY before [0]', 'A item 0', ...made, 'A EVERY after [0]'],
      ]);
    },
  );

  test('that never return do not keep an instance from stopping', async () => {
    const notes = new CallNotes();
    const stuck = {
      type: 'STUCK',
      beforeJobExecuted: () => new Promise<void>(() => undefined),
      afterJobExecuted: () => undefined,
    };
    await using cluster = await start(['A'], notes, () => [stuck]);
    await cluster.fire();

    await cluster.leave('A');
    await cluster.advance('31s');

    expect(cluster.view.instances.size).toBe(0);
    expect(notes.lines).toEqual([]);
  });

  test('hold up the next firing, which follows when they have ended', async () => {
    const notes = new CallNotes();
    let end = (): void => undefined;
    const slow = {
      type: 'SLOW',
      beforeJobExecuted: () => undefined,
      afterJobExecuted: () => new Promise<void>((resolve) => (end = resolve)),
    };
    await using cluster = await start(['A'], notes, () => [slow]);
    await cluster.fire();
    await cluster.fire();
    expect(notes.take()).toEqual(['A item 0', 'A item 1']);

    end();
    await cluster.settle();

    expect(notes.take()).toEqual(['A item 0', 'A item 1']);
  });

  test('that are changed in the registry are called from the next firing on; of an unknown one the error handler is notified', async () => {
    const notes = new CallNotes();
    await using cluster = await start(['A'], notes, (name) => [
      listening(notes, name, { type: 'ONE' }),
      listening(notes, name, { type: 'TWO' }),
    ]);

    await cluster.reconfigure({ jobListenerTypes: ['TWO'] });
    await cluster.fire();
    expect(notes.take()).toEqual(['A TWO before [0,1]', 'A item 0', 'A item 1', 'A TWO after [0,1]']);

    await cluster.reconfigure({ jobListenerTypes: ['THREE'] });
    await cluster.fire();
    expect(notes.take()).toEqual(['A item 0', 'A item 1']);
    expect(cluster.log.join('\n')).toContain('unknown job listener "THREE"; known are: ONE, TWO');
  });
});

describe.each(['before', 'after'] as const)('a listener of every instance that does not return from %s', (phase) => {
  const method = `${phase}JobExecuted`;

  /** A listener that returns from the first call of that phase when it is released. */
  function stuckOnce(signals: AbortSignal[]) {
    let release = (): void => undefined;
    const stuck = ({ signal }: ShardingContexts): Promise<void> | void => {
      signals.push(signal);
      return signals.length === 1 ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    };
    const nothing = (): void => undefined;
    const listener = {
      type: 'STUCK',
      beforeJobExecuted: phase === 'before' ? stuck : nothing,
      afterJobExecuted: phase === 'after' ? stuck : nothing,
    };
    return { listener, release: () => release() };
  }

  test('is named in a warning after a minute, and in no earlier one', async () => {
    const { listener, release } = stuckOnce([]);
    await using cluster = await start(['A'], new CallNotes(), () => [listener]);
    await cluster.fire();
    await cluster.advance('59s');
    expect(cluster.log.join('\n')).not.toContain('STUCK');

    await cluster.advance('1s');

    expect(cluster.log.filter((line) => line.includes('STUCK'))).toEqual([
      `A: Job 'job': the listener STUCK.${method} has not returned for 60 s; the job runs nothing on this instance until it returns, ` +
        'or until 10 minutes have passed.',
    ]);
    release();
  });

  test('is not named if it returns in time', async () => {
    const { listener, release } = stuckOnce([]);
    await using cluster = await start(['A'], new CallNotes(), () => [listener]);
    await cluster.fire();
    await cluster.advance('59s');

    release();
    await cluster.advance('20m');

    expect(cluster.log.join('\n')).not.toContain('STUCK');
  });

  test('is left behind after ten minutes: its signal aborts, the error handler is notified, and the job goes on', async () => {
    const notes = new CallNotes();
    const signals: AbortSignal[] = [];
    const { listener } = stuckOnce(signals);
    await using cluster = await start(['A'], notes, () => [listener, listening(notes, 'A')]);
    await cluster.fire();
    await cluster.advance('599s');
    const soFar = notes.take();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);

    await cluster.advance('2s');

    expect(soFar.filter((line) => line.includes('item'))).toHaveLength(phase === 'before' ? 0 : 2);
    expect(signals[0]?.aborted).toBe(true);
    expect(cluster.log.join('\n')).toMatch(
      new RegExp(`Waited 600000 ms in vain for the listener STUCK.${method} of job 'job'`),
    );
    // The run goes on without the listeners that follow in that phase, and the next firing has them again.
    const lines = notes.take();
    expect(lines.slice(0, 3)).toEqual(
      phase === 'before'
        ? ['A item 0', 'A item 1', 'A EVERY after [0,1]']
        : ['A EVERY before [0,1]', 'A item 0', 'A item 1'],
    );
    expect(lines).toContain('A EVERY before [0,1]');
  });
});

describe('refused is', () => {
  const nothing = (): void => undefined;
  const listener = (type: unknown) => ({ type, beforeJobExecuted: nothing, afterJobExecuted: nothing });

  test('a job that names an unknown listener, with those that are known', () => {
    const types = typesWith(listener('ONE'), listener('TWO'));

    expect(
      faultsOf(() =>
        types.check(aConfiguration({ jobListenerTypes: ['one', 'three', 'four'] }), { execute: () => undefined }),
      ),
    ).toEqual([
      'elasticjob.jobs.bill.jobListenerTypes: unknown job listener "three"; known are: ONE, TWO',
      'elasticjob.jobs.bill.jobListenerTypes: unknown job listener "four"; known are: ONE, TWO',
    ]);
  });

  test.each([
    ['without a type', [listener(undefined)], 'has no type'],
    ['with an empty type', [listener(' ')], 'has no type'],
    [
      'of one type twice',
      [listener('One'), listener('ONE')],
      'There are two job listeners of type ONE; case does not count',
    ],
    ['that is null', [null], 'The job listener null has no type'],
    [
      'without methods',
      [{ type: 'ONE' }],
      'The job listener ONE has no methods beforeJobExecuted(shardingContexts) and afterJobExecuted(shardingContexts), as ElasticJobListener demands',
    ],
    [
      'with one of the two methods',
      [{ type: 'ONE', beforeJobExecuted: nothing }],
      'The job listener ONE has no methods beforeJobExecuted',
    ],
    [
      'with one of the two calls',
      [{ type: 'ONE', doBeforeJobExecutedAtLastStarted: () => undefined }],
      'The job listener ONE has no method doAfterJobExecutedAtLastCompleted(shardingContexts), as AbstractDistributeOnceElasticJobListener demands',
    ],
    [
      'with a timeout that is no number',
      [new Once(new CallNotes(), 'A', { startedTimeoutMs: '5s' as never })],
      'The job listener ONCE must have a number of milliseconds as its startedTimeoutMilliseconds, not "5s"',
    ],
    [
      'with an order that is a number',
      [{ ...listener('ONE'), order: 5 }],
      'The job listener ONE has an order that is no method',
    ],
  ])('a listener %s', (_, listeners, fault) => {
    expect(faultsOf(() => typesWith(...listeners)).join('\n')).toContain(fault);
  });

  test('a listener whose order is no number', () => {
    const types = typesWith({ ...listener('ONE'), order: () => 'first' });

    expect(
      faultsOf(() => types.check(aConfiguration({ jobListenerTypes: ['ONE'] }), { execute: () => undefined })),
    ).toEqual([
      'elasticjob.jobs.bill.jobListenerTypes: the order() of job listener ONE must return a number, got "first"',
    ]);
  });
});
