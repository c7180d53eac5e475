import { describe, expect, test } from '@jest/globals';
import { type OperationRecord } from '../../../../lib/api/events/operation-record.js';
import { sleep } from '../../../../lib/async/wait.js';
import { taskId } from '../../../../lib/layout/task-id.js';
import { type PastExecution, type PastState } from '../../../../lib/operations/explain/explanation.js';
import { ExplanationAPI } from '../../../../lib/operations/explanation-api.js';
import { type JobPast, type PastFilter } from '../../../../lib/operations/job-past.js';
import { TestCluster } from '../../../../lib/testing/test-cluster.js';
import { type TestClusterOptions, type TestJob } from '../../../../lib/testing/test-cluster-options.js';
import { operationsOn } from '../stage.js';

const START = Date.parse('2030-01-01T00:00:00Z');
const second = (seconds: number): Date => new Date(START + 1_000 * seconds);

/** A cluster whose job fires every ten seconds. */
function aCluster(names: readonly string[], job: TestJob = {}, work?: TestClusterOptions['work']) {
  const settings = { cron: '0/10 * * * * ?', timeZone: 'GMT', shardingTotalCount: 2, ...job };
  return TestCluster.start(names, { job: settings, ...(work && { work }) });
}

function explainer(cluster: TestCluster, past: JobPast = {}) {
  const explanations = new ExplanationAPI(cluster.operator, { clock: cluster.clock, past });
  return (item?: number, instant?: Date) => explanations.explain('job', item, instant);
}

/** The answers of a database. */
function pastOf(rows: {
  readonly executions?: readonly PastExecution[];
  readonly states?: readonly PastState[];
  readonly operations?: readonly OperationRecord[];
}): JobPast {
  const isWithin = (time: Date, { from, to }: PastFilter): boolean =>
    (from === undefined || time >= from) && (to === undefined || time < to);
  return {
    trace: {
      executions: (filter) =>
        Promise.resolve({ rows: (rows.executions ?? []).filter(({ startTime }) => isWithin(startTime, filter)) }),
      statuses: (filter) =>
        Promise.resolve({ rows: (rows.states ?? []).filter(({ creationTime }) => isWithin(creationTime, filter)) }),
    },
    operations: {
      operations: ({ jobName }) =>
        Promise.resolve({
          rows: (rows.operations ?? []).filter((each) => (each.jobName ?? null) === jobName).toReversed(),
        }),
    },
  };
}

const task = (cluster: TestCluster, name: string, items: readonly number[]): string =>
  taskId({ jobName: 'job', items, jobInstanceId: cluster.idOf(name) });

function anExecution(taskName: string, startTime: Date, changes: Partial<PastExecution> = {}): PastExecution {
  return {
    ...{ shardingItem: 0, taskId: taskName, source: 'NORMAL_TRIGGER', startTime, completeTime: startTime },
    ...{ success: true, failureCause: undefined, ...changes },
  };
}

describe('An instant', () => {
  test('that the schedule does not have is explained by its neighbours', async () => {
    await using cluster = await aCluster(['A']);

    expect((await explainer(cluster)(0, second(13))).reason).toMatchObject({
      type: 'not-scheduled',
      ...{ before: second(10), after: second(20), items: [], holds: 'then' },
      sentence:
        "The schedule of job 'job' has no instant 2030-01-01T00:00:13.000Z; the one before is 2030-01-01T00:00:10.000Z, the one after is 2030-01-01T00:00:20.000Z.",
    });
  });

  test('of the future is still to come', async () => {
    await using cluster = await aCluster(['A']);

    expect(await explainer(cluster)(undefined, second(10))).toMatchObject({
      reason: { type: 'still-to-come' },
      others: [{ type: 'free', items: [0, 1] }],
    });
  });

  test('of a one-off job does not exist', async () => {
    await using cluster = await aCluster(['A'], { cron: '' });
    await cluster.trigger();

    expect((await explainer(cluster)(0, second(-10))).reason.type).toBe('no-schedule');
  });

  test('of a job that runs after others is theirs', async () => {
    await using cluster = await aCluster(['A'], { cron: '', props: { 'graph.after': 'importA' } });

    expect(await explainer(cluster)(0, second(-10))).toMatchObject({
      reason: { type: 'runs-after', sentence: expect.stringContaining('it runs after importA') },
    });
  });

  test('that an item was begun for is on record until it is begun for a later one', async () => {
    await using cluster = await aCluster(['A']);
    const explain = explainer(cluster);
    await cluster.advance('11s');

    const begun = await explain(0, second(10));
    await cluster.advance('10s');
    const later = await explain(0, second(10));

    expect(begun.reason).toMatchObject({ type: 'begun', instanceId: cluster.idOf('A'), state: 'over', items: [0] });
    expect(begun.unknown.join()).toContain('The end of that run is not known');
    expect(later.reason).toMatchObject({ type: 'later-begun', instant: second(20), startedAt: undefined });
    expect(later.unknown.join()).toContain('no trace is read here');
  });

  test('that the trace has a run for was run, with its outcome', async () => {
    await using cluster = await aCluster(['A']);
    await cluster.advance('31s');
    const name = task(cluster, 'A', [0, 1]);
    const executions = [
      anExecution(name, second(21), { success: false, failureCause: 'Error: full\n at x' }),
      anExecution(name, second(10), { shardingItem: 1 }),
    ];
    const explain = explainer(cluster, pastOf({ executions }));

    expect((await explain(0, second(20))).reason).toMatchObject({
      ...{ type: 'ran', instanceId: cluster.idOf('A'), startedAt: second(21), outcome: 'failed' },
      sentence: expect.stringContaining('and failed: Error: full.') as unknown,
    });
    expect((await explain(1, second(10))).reason).toMatchObject({ type: 'ran', outcome: 'succeeded' });
    expect((await explain(0, second(10))).reason).toMatchObject({ type: 'later-begun' });
  });

  test('at which an item was still running is made up for by one run, or dropped if misfire is off', async () => {
    for (const misfire of [true, false]) {
      const work = (): Promise<void> => sleep(cluster.clock, 25_000);
      await using cluster: TestCluster = await aCluster(['A'], { misfire }, work);
      await cluster.advance('22s');

      const { reason } = await explainer(cluster)(0, second(20));

      expect(reason).toMatchObject(
        misfire
          ? { type: 'still-running', instanceId: cluster.idOf('A'), since: second(10), holds: 'then' }
          : { type: 'misfire-off', since: second(10), holds: 'then' },
      );
    }
  });

  test('at which an item was still running is known long afterwards from the trace', async () => {
    for (const misfire of [true, false]) {
      await using cluster = await aCluster(['A'], { misfire });
      await cluster.advance('51s');
      const name = task(cluster, 'A', [0, 1]);
      const executions = [
        anExecution(name, second(35), { source: 'MISFIRE' }),
        anExecution(name, second(10), { completeTime: second(35) }),
      ];

      const { reason, others } = await explainer(cluster, pastOf({ executions }))(0, second(20));

      expect(reason).toMatchObject(
        misfire ? { type: 'still-running', since: second(10) } : { type: 'misfire-off', since: second(10) },
      );
      expect(others).toMatchObject([{ type: 'later-begun', startedAt: second(35) }]);
    }
  });

  test('that was begun by an instance that died meanwhile is told so, and whether failover runs it again', async () => {
    for (const failover of [true, false]) {
      const work = (): Promise<void> => sleep(cluster.clock, 25_000);
      await using cluster: TestCluster = await aCluster(['A', 'B'], { failover, shardingTotalCount: 2 }, work);
      await cluster.advance('11s');
      const item = cluster.owners['B']![0]!;
      cluster.freeze('A');
      cluster.kill('B');
      await cluster.advance('7s');

      const { reason } = await explainer(cluster)(item, second(10));

      // Without failover the mark of the run has gone with the instance.
      const expected = failover ? { type: 'begun-and-lost', failover } : { type: 'begun', state: 'gone' };
      expect(reason).toMatchObject({ ...expected, instanceId: cluster.idOf('B') });
      await cluster.thaw('A');
    }
  });

  test('that no instance has begun, with nothing in the way, is told as it is, and what is recorded nowhere', async () => {
    await using cluster = await aCluster(['A']);
    const explain = explainer(cluster);
    await cluster.advance('19s');
    cluster.freeze('A');
    await cluster.advance('2s');

    const { reason, unknown } = await explain(0, second(20));
    await cluster.advance('5s');
    const { reason: later, unknown: laterUnknown } = await explain(0, second(20));

    expect(reason).toMatchObject({ type: 'not-begun', lastBegun: second(10), holds: 'then' });
    expect(unknown.join()).toContain('frozen, cut off or without a session');
    expect(later).toMatchObject({ type: 'no-instance', holds: 'now' });
    expect(laterUnknown.join()).toContain('frozen, cut off or without a session');
    await cluster.thaw('A');
  });
});

describe('What was the case at an instant', () => {
  test('is told from the records of operations, although it is over', async () => {
    await using cluster = await aCluster(['A']);
    const { items, jobs, records } = operationsOn(cluster);
    await cluster.advance('5s');
    await items.disable('job', 0, { reason: 'bad data' });
    await jobs.disable({ jobName: 'job', reason: 'maintenance' });
    await cluster.advance('10s');
    await items.enable('job', 0);
    await jobs.enable({ jobName: 'job' });
    await cluster.advance('10s');

    const { reason, others } = await explainer(cluster, pastOf({ operations: records }))(0, second(10));

    expect(reason).toMatchObject({
      ...{ type: 'item-disabled', holds: 'then' },
      sentence: 'Item 0 was disabled, by anna at 2030-01-01T00:00:05.000Z (bad data).',
    });
    expect(others[0]).toMatchObject({ type: 'owner-disabled', server: { record: { reason: 'maintenance' } } });
    expect((await explainer(cluster, pastOf({ operations: records }))(0, second(20))).reason.type).toBe('begun');
  });

  test('was another schedule if it has been changed since', async () => {
    await using cluster = await aCluster(['A']);
    const { configurations, records } = operationsOn(cluster);
    await cluster.advance('5s');
    const configuration = await configurations.getJobConfiguration('job');
    await configurations.updateJobConfiguration({ ...configuration, cron: '0 * * * * ?' });
    await cluster.advance('20s');
    const explain = explainer(cluster, pastOf({ operations: records }));

    expect((await explain(0, second(2))).reason).toMatchObject({ type: 'not-scheduled', after: second(10) });
    expect((await explain(0, second(2))).others).toMatchObject([{ type: 'rescheduled', cron: '0/10 * * * * ?' }]);
    expect((await explain(0, second(10))).reason).toMatchObject({ type: 'not-scheduled', after: second(60) });
  });

  test('is what the instance said of the firing: put off, aborted, or refused', async () => {
    await using cluster = await aCluster(['A']);
    await cluster.advance('31s');
    const states = (
      [
        ['TASK_DROPPED', [], 'no answer.'],
        ['TASK_KILLED', [0], 'session lost'],
        ['TASK_ERROR', [0], 'clocks differ'],
        ['TASK_FINISHED', [0], ''],
        ['TASK_KILLED', [1], 'another item'],
      ] as const
    ).map(([state, items, message]) => ({
      ...{ taskId: task(cluster, 'A', items), state, message, creationTime: second(20) },
    }));

    const { reason, others } = await explainer(cluster, pastOf({ states }))(0, second(20));

    expect([reason, ...others].slice(0, 3)).toMatchObject([
      { type: 'put-off', message: 'no answer.', at: second(20), instanceId: cluster.idOf('A') },
      { type: 'aborted', message: 'session lost' },
      { type: 'refused', message: 'clocks differ' },
    ]);
    expect((await explainer(cluster, pastOf({ states }))(0, second(10))).reason.type).toBe('later-begun');
  });

  test('is that an instance with once-listeners has dropped the firing, if it says so', async () => {
    await using cluster = await aCluster(['A'], { misfire: false });
    await cluster.advance('11s');
    cluster.freeze('A');
    await cluster.advance('1s');
    const record = `/job/x-node/guarantee/present/${cluster.idOf('A')}`;
    await cluster.operator.put(record, `dropped ${second(20).getTime()}:0`);
    await cluster.advance('11s');

    expect((await explainer(cluster)(0, second(20))).reason).toMatchObject({ type: 'misfire-off', since: undefined });
    expect((await explainer(cluster)(1, second(20))).reason.type).not.toBe('misfire-off');
    await cluster.thaw('A');
  });

  test('is not on record without monitorExecution', async () => {
    await using cluster = await aCluster(['A'], { monitorExecution: false });
    await cluster.advance('11s');

    expect((await explainer(cluster)(0, second(10))).reason).toMatchObject({
      type: 'not-recorded',
      why: 'unmonitored',
    });
  });
});

describe('An explanation', () => {
  test('reads of the past only what concerns the item, and operations on servers besides those on the job', async () => {
    await using cluster = await aCluster(['A']);
    await cluster.advance('11s');
    const asked: unknown[] = [];
    const past: JobPast = {
      trace: {
        executions: ({ shardingItem, from, to }) => {
          asked.push({ shardingItem, from, to });
          return Promise.resolve({ rows: [] });
        },
        statuses: () => Promise.resolve({ rows: [] }),
      },
      operations: {
        operations: ({ jobName }) => {
          asked.push(jobName);
          return Promise.resolve({ rows: [] });
        },
      },
    };

    await explainer(cluster, past)(1, second(10));

    expect(asked).toHaveLength(4);
    expect(asked).toEqual(
      expect.arrayContaining([
        { shardingItem: 1, from: second(10), to: second(3_610) },
        { shardingItem: 1, from: undefined, to: second(10) },
        'job',
        null,
      ]),
    );
  });

  test('of an instant says nothing of the present if the item was begun for it', async () => {
    await using cluster = await aCluster(['A']);
    const { items, jobs } = operationsOn(cluster);
    await cluster.advance('11s');
    await items.disable('job', 0);
    await jobs.disable({ jobName: 'job' });

    const { reason, others } = await explainer(cluster)(0, second(10));

    expect([reason, ...others].map(({ type }) => type)).toEqual(['begun']);
  });

  test('of a job that does not exist names one with nearly the same name', async () => {
    await using cluster = await aCluster(['A']);
    const explanations = new ExplanationAPI(cluster.operator, { clock: cluster.clock });

    expect((await explanations.explain('jbo')).reason).toMatchObject({ type: 'unknown-job', similar: 'job' });
  });

  test('refuses an item that is no number, and a date that is none', async () => {
    await using cluster = await aCluster(['A']);
    const explain = explainer(cluster);

    await expect(explain(-1)).rejects.toThrow('item must be the number of an item, got -1');
    await expect(explain(0, new Date(NaN))).rejects.toThrow('instant must be a date');
  });

  test('of an application in which ElasticJob is switched off needs no registry centre', async () => {
    const source = (): never => {
      throw new Error('there is none');
    };
    const explanations = new ExplanationAPI(source, { isSwitchedOff: () => true });

    expect((await explanations.explain('job')).reason.type).toBe('switched-off');
  });

  test('says what could not be read of the past, and goes by the rest', async () => {
    await using cluster = await aCluster(['A']);
    await cluster.advance('11s');
    const down = () => Promise.reject(new Error('the database is down'));
    const past = { trace: { executions: down, statuses: down }, operations: { operations: down } };

    const { reason, unknown } = await explainer(cluster, past)(0, second(10));

    expect(reason.type).toBe('begun');
    expect(unknown.slice(0, 3).join()).toMatch(/The trace could not be read: .*the database is down/);
  });
});
