/* eslint-disable jest/no-export -- a suite that the specs of several databases call */
import { describe, expect, test } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { type TraceEvent } from '../../lib/api/events/trace-events.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { type ExecutionFilter, type StatusFilter } from '../../lib/tracing/rdb/index.js';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { completed, started, status } from './trace-events.js';

const { signal } = new AbortController();
const at = (second: number): Date => new Date(2030, 0, 31, 12, 0, second);

/** The promises of reading, completing and deleting rows on each database. `open` returns an empty one. */
export function traceReadingContract(open: () => DataSource): void {
  const stage = async (...events: TraceEvent[]) => {
    const storage = new RdbTraceStorage(open(), { clock: new ManualClock() });
    if (events.length > 0) await storage.write(events, signal);
    return {
      storage,
      executions: async (filter: ExecutionFilter = {}) => (await storage.executions(filter, signal)).rows,
      statuses: async (filter: StatusFilter = {}) => (await storage.statuses(filter, signal)).rows,
    };
  };
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  /** The ids of all executions, page by page. */
  const pagesOf = async (storage: RdbTraceStorage, pageSize: number): Promise<readonly (readonly string[])[]> => {
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      const page = await storage.executions({ pageSize, after }, signal);
      pages.push(idsOf(page.rows));
      after = page.next;
    } while (after !== undefined);
    return pages;
  };
  /** Writes a time into a row, as other programs may. */
  const setStart = async (id: string, time: string): Promise<void> => {
    const { schema } = open().options as { readonly schema?: string };
    const table = schema === undefined ? 'JOB_EXECUTION_LOG' : `${schema}.JOB_EXECUTION_LOG`;
    await open().query(`UPDATE ${table} SET start_time = '${time}' WHERE id = '${id}'`);
  };

  describe('reading', () => {
    test('returns executions and statuses as they were written', async () => {
      const whole = { startTime: at(1), completeTime: at(3) };
      const events = [
        completed('e1', { ...whole, failureCause: 'Error: no stock\n    at Orders' }),
        completed('e2', { ...whole, source: 'FAILOVER', shardingItem: 12 }),
        started('e3', { startTime: at(1) }),
      ] as const;
      const state = status('s1', { creationTime: at(2), message: 'why', shardingItems: [0, 12], state: 'TASK_ERROR' });
      const idle = status('s2', { creationTime: at(1), shardingItems: [], executionType: 'FAILOVER' });
      const { executions, statuses } = await stage(...events, state, idle);

      expect(await executions()).toEqual([...events].reverse());
      expect(await statuses()).toEqual([state, idle]);
    });

    test('finds by job, task, time and outcome', async () => {
      const other = { jobName: 'bills', taskId: 'bills@-@0@-@READY@-@10.0.0.2@-@8' };
      const { executions } = await stage(
        completed('e1', { startTime: at(1) }),
        completed('e2', { startTime: at(2), ...other }),
        completed('e3', { startTime: at(3), failureCause: 'Error' }),
        started('e4', { startTime: at(4), ...other }),
        started('e5', { startTime: at(5) }),
      );

      expect(idsOf(await executions({ jobName: 'bills' }))).toEqual(['e4', 'e2']);
      expect(idsOf(await executions({ taskId: other.taskId, outcome: 'succeeded' }))).toEqual(['e2']);
      expect(idsOf(await executions({ from: at(2), to: at(4) }))).toEqual(['e3', 'e2']);
      expect(idsOf(await executions({ outcome: 'succeeded', from: at(1), to: at(6) }))).toEqual(['e2', 'e1']);
      expect(idsOf(await executions({ outcome: 'failed', jobName: 'orders', to: at(6) }))).toEqual(['e3']);
      expect(idsOf(await executions({ outcome: 'succeeded' }))).toEqual(['e2', 'e1']);
      expect(idsOf(await executions({ outcome: 'failed' }))).toEqual(['e3']);
      expect(idsOf(await executions({ outcome: 'running', jobName: 'orders' }))).toEqual(['e5']);
      expect(await executions({ jobName: "o'rders" })).toEqual([]);
    });

    test('counts executions by parts of a time and by outcome, and says from when on there are any', async () => {
      const { storage } = await stage(
        completed('e1', { startTime: at(1), completeTime: at(2) }),
        completed('e2', { startTime: at(9), completeTime: at(12), failureCause: 'Error' }),
        completed('e3', { startTime: at(10), completeTime: at(11) }),
        started('e4', { startTime: at(19) }),
        completed('e5', { startTime: at(20), completeTime: at(21) }),
        completed('e6', { jobName: 'bills', startTime: at(5), completeTime: at(10) }),
      );
      const bounds = [at(0), at(10), at(20)];

      const all = await storage.figures({ bounds }, signal);
      const one = await storage.figures({ bounds, jobName: 'bills' }, signal);
      const none = await storage.figures({ bounds: [at(30), at(40)] }, signal);

      expect(all.counts).toEqual([
        { succeeded: 2, failed: 1, running: 0 },
        { succeeded: 1, failed: 0, running: 1 },
      ]);
      expect(all).toMatchObject({ earliest: at(1), durations: { p50Ms: 1_000, p95Ms: 5_000 } });
      expect(one).toEqual({
        counts: [
          { succeeded: 1, failed: 0, running: 0 },
          { succeeded: 0, failed: 0, running: 0 },
        ],
        earliest: at(5),
        durations: { p50Ms: 5_000, p95Ms: 5_000 },
      });
      expect(none).toEqual({
        counts: [{ succeeded: 0, failed: 0, running: 0 }],
        earliest: undefined,
        durations: undefined,
      });
    });

    test('counts in 300 parts of a time', async () => {
      const events = Array.from({ length: 300 }, (_, n) => completed(`e${100 + n}`, { startTime: at(n * 2) }));
      const { storage } = await stage(...events);
      const bounds = Array.from({ length: 301 }, (_, n) => at(n * 2));

      const { counts } = await storage.figures({ bounds, jobName: 'orders' }, signal);

      expect(counts).toEqual(bounds.slice(1).map(() => ({ succeeded: 1, failed: 0, running: 0 })));
    });

    test('finds the latest executions of each of many jobs', async () => {
      const names = Array.from({ length: 230 }, (_, n) => `job-${n}`);
      const rare = { jobName: 'rare', shardingItem: 3, startTime: at(-86_400), completeTime: at(-86_399) };
      const { storage } = await stage(
        completed('rare', { ...rare, failureCause: 'Error' }),
        ...names.flatMap((jobName, n) => [
          completed(`a${n}`, { jobName, startTime: at(1) }),
          completed(`b${n}`, { jobName, startTime: at(2) }),
          started(`c${n}`, { jobName, startTime: at(3) }),
        ]),
      );

      const found = await storage.latest(
        { jobs: [...names, 'rare', 'never'].map((jobName) => ({ jobName, rows: 2 })) },
        signal,
      );

      expect(names.map((name) => found.get(name)?.map(({ startTime, outcome }) => [startTime, outcome]))).toEqual(
        names.map(() => [
          [at(3), 'running'],
          [at(2), 'succeeded'],
        ]),
      );
      expect(found.get('rare')).toMatchObject([
        { shardingItem: 3, startTime: at(-86_400), completeTime: at(-86_399), outcome: 'failed' },
      ]);
      expect(found.get('never')).toEqual([]);
    });

    test('finds statuses by job, task, time and state', async () => {
      const other = { jobName: 'bills', taskId: 'bills@-@0@-@READY@-@10.0.0.2@-@8' };
      const { statuses } = await stage(
        status('s1', { creationTime: at(1), state: 'TASK_STAGING' }),
        status('s2', { creationTime: at(2), state: 'TASK_ERROR', ...other }),
        status('s3', { creationTime: at(3), state: 'TASK_ERROR' }),
      );

      expect(idsOf(await statuses({ state: 'TASK_ERROR' }))).toEqual(['s3', 's2']);
      expect(idsOf(await statuses({ state: 'TASK_ERROR', jobName: 'orders' }))).toEqual(['s3']);
      expect(idsOf(await statuses({ taskId: other.taskId }))).toEqual(['s2']);
      expect(idsOf(await statuses({ from: at(1), to: at(2) }))).toEqual(['s1']);
    });

    // The indexes of a task's failures begin with the job, whose name is taken from the task id.
    test.each([
      ['whose id is short', 'orders', '0,1'],
      ['whose id had to be cut', 'orders', Array.from({ length: 200 }, (_, item) => item).join(',')],
      ['of a job whose name had to be cut', 'o'.repeat(120), '0'],
    ])('finds a task %s, also by outcome and state', async (_, jobName, items) => {
      const taskId = `${jobName}@-@${items}@-@READY@-@10.0.0.1@-@7`;
      const { executions, statuses } = await stage(
        completed('e1', { jobName, taskId }),
        completed('e2', { jobName, taskId, failureCause: 'Error' }),
        completed('e3', { jobName, taskId: `${jobName}@-@9@-@READY@-@10.0.0.1@-@7`, failureCause: 'Error' }),
        status('s1', { jobName, taskId }),
        status('s2', { jobName, taskId, state: 'TASK_ERROR' }),
      );

      expect(idsOf(await executions({ taskId })).sort()).toEqual(['e1', 'e2']);
      expect(idsOf(await executions({ taskId, outcome: 'failed' }))).toEqual(['e2']);
      expect(idsOf(await statuses({ taskId })).sort()).toEqual(['s1', 's2']);
      expect(idsOf(await statuses({ taskId, state: 'TASK_ERROR' }))).toEqual(['s2']);
      expect(idsOf(await executions({ jobName })).sort()).toEqual(['e1', 'e2', 'e3']);
    });

    test('returns each row on one page, also if many have the same time', async () => {
      const events = Array.from({ length: 25 }, (_, n) =>
        completed(`e${10 + n}`, { startTime: at(Math.floor(n / 10)) }),
      );
      const { storage } = await stage(...events);

      const pages = await pagesOf(storage, 4);

      expect(pages.flat()).toEqual(idsOf(events).reverse());
      expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4, 4, 1]);
    });

    test('returns each of many rows of one millisecond on one page, also if other writers give fractions of it', async () => {
      const events = Array.from({ length: 60 }, (_, n) => completed(`e${10 + n}`, { startTime: at(1) }));
      const { storage } = await stage(...events);
      // The later the id, the earlier the row; several share a microsecond.
      for (const [n, { id }] of events.entries())
        await setStart(id, `2030-01-31 12:00:01.1236${29 - Math.floor(n / 3)}`);

      const pages = await pagesOf(storage, 7);

      expect(pages.flat().sort()).toEqual(idsOf(events));
    });

    test.each([
      [{ pageSize: 0 }, 'pageSize: must be an integer from 1 to 1000, got 0.'],
      [{ pageSize: 1_001 }, 'pageSize: must be an integer from 1 to 1000, got 1001.'],
      [{ after: 'no key' }, "after: must be the field next of a page, got 'no key'."],
    ])('refuses %o', async (filter, message) => {
      const { storage } = await stage();

      await expect(storage.executions(filter, signal)).rejects.toThrow(message);
    });
  });

  describe('orphans', () => {
    const orphans = {
      jobName: 'orders',
      jobInstanceId: '10.0.0.1@-@7',
      startedBefore: at(9),
      failureCause: 'Instance 10.0.0.1@-@7 has died.',
      completeTime: at(10),
    };
    const taskOf = (instance: string) => `orders@-@0,1@-@READY@-@${instance}`;

    test('are the incomplete rows of a job, an instance and its items, started before its end', async () => {
      const { storage, executions } = await stage(
        started('e1', { startTime: at(1) }),
        completed('e2', { startTime: at(2) }),
        started('e3', { startTime: at(3), taskId: taskOf('10.0.0.1@-@17') }),
        started('e4', { startTime: at(4), jobName: 'bills' }),
        started('e5', { startTime: at(5), shardingItem: 1 }),
        started('e6', { startTime: new Date(at(1).getTime() - 8 * 86_400_000) }),
        started('e7', { startTime: at(9.5 + 1) }),
      );

      expect(await storage.completeOrphans({ ...orphans, items: [0] }, signal)).toBe(1);
      expect(await storage.completeOrphans(orphans, signal)).toBe(1);
      expect(await storage.completeOrphans(orphans, signal)).toBe(0);

      const rows = await executions({ outcome: 'failed' });
      expect(rows).toEqual([
        { ...started('e5', { startTime: at(5), shardingItem: 1 }), ...pick(orphans) },
        { ...started('e1', { startTime: at(1) }), ...pick(orphans) },
      ]);
    });

    test('are found by the whole id of the instance, whatever characters it has', async () => {
      const { storage } = await stage(
        started('e1', { startTime: at(1), taskId: taskOf('10.0.0.1@-@a_b%!') }),
        started('e2', { startTime: at(1), taskId: taskOf('10.0.0.1@-@axb') }),
      );

      expect(await storage.completeOrphans({ ...orphans, jobInstanceId: '10.0.0.1@-@a_b' }, signal)).toBe(0);
      expect(await storage.completeOrphans({ ...orphans, jobInstanceId: '10.0.0.1@-@a_b%!' }, signal)).toBe(1);
    });

    test('keep what their instance writes about them, before or later', async () => {
      const { storage, executions } = await stage(started('e1', { startTime: at(1) }));
      await storage.completeOrphans(orphans, signal);
      const alive = completed('e1', { startTime: at(1), completeTime: at(12) });

      await storage.write([started('e1', { startTime: at(1) })], signal);
      expect((await executions())[0]).toMatchObject(pick(orphans));
      await storage.write([alive], signal);
      await storage.completeOrphans(orphans, signal);

      expect(await executions()).toEqual([alive]);
    });

    test('may be many', async () => {
      const { storage, executions } = await stage(
        ...Array.from({ length: 1_200 }, (_, n) => started(`e${n}`, { startTime: at(1) })),
      );

      expect(await storage.completeOrphans(orphans, signal)).toBe(1_200);
      expect(await executions({ outcome: 'running' })).toEqual([]);
    });
  });

  describe('old rows', () => {
    test('are deleted a few at a time, with pauses, and younger ones are kept', async () => {
      const clock = new ManualClock();
      const database = open();
      const storage = new RdbTraceStorage(database, { clock });
      const seconds = Array.from({ length: 30 }, (_, n) => n);
      await storage.write(
        seconds.flatMap((n) => [completed(`e${n}`, { startTime: at(n) }), status(`s${n}`, { creationTime: at(n) })]),
        signal,
      );

      let pauses = 0;
      const after = clock.after.bind(clock);
      clock.after = (delayMs, task) => {
        pauses++;
        expect(delayMs).toBe(40);
        return after(0, task);
      };
      const moving = setInterval(() => void clock.advance(0), 1);
      const deleted = await storage.deleteOld({ before: at(25), batchRows: 10, pauseMs: 40 }, signal);
      clearInterval(moving);

      expect(deleted).toEqual({ executions: 25, statuses: 25, operations: 0 });
      expect(pauses).toBe(4);
      const { rows } = await storage.executions({}, signal);
      expect(idsOf(rows)).toEqual(['e29', 'e28', 'e27', 'e26', 'e25']);
      expect((await storage.statuses({}, signal)).rows).toHaveLength(5);
    });

    test('stay if the signal aborts', async () => {
      const { storage, executions } = await stage(completed('e1', { startTime: at(1) }));

      await expect(storage.deleteOld({ before: at(2) }, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
        'stopped',
      );
      expect(await executions()).toHaveLength(1);
    });
  });
}

const pick = ({ failureCause, completeTime }: { failureCause: string; completeTime: Date }) => ({
  failureCause,
  completeTime,
});
