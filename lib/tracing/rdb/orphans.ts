import { type Dialect } from './dialect.js';
import { type Run } from './rdb-connection.js';
import { statement } from './statement.js';
import { type TraceRows } from './trace-rows.js';

/** Executions of an instance that has died: their rows would stay incomplete for ever. */
export interface Orphans {
  readonly jobName: string;
  /** Id of the instance that has died. */
  readonly jobInstanceId: string;
  /** The items that are known to have died with it. Default: all. */
  readonly items?: readonly number[];
  /** Executions that have started later are left alone: the instance may have come back. */
  readonly startedBefore: Date;
  /** Executions that have started earlier are left alone. Default: seven days before `startedBefore`. */
  readonly startedAfter?: Date;
  /** The reason, in their rows, why they have not succeeded. */
  readonly failureCause: string;
  /** The end that is written into their rows. */
  readonly completeTime: Date;
}

const LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** The most executions that one statement finds. */
const BATCH = 500;

/**
 * Completes the rows of executions whose instance has died. A row that is complete stays as it is; if the instance
 * lives after all, the completion that it writes later replaces this one.
 * @returns how many rows were completed
 */
export async function completeOrphans(dialect: Dialect, run: Run, rows: TraceRows, orphans: Orphans): Promise<number> {
  let completed = 0;
  for (;;) {
    // A batch after the other: the rows that are complete are not found again.
    const ids = await orphanIds(dialect, run, rows, orphans);
    if (ids.length === 0) return completed;
    const affected = await complete(dialect, run, { rows, orphans, ids });
    completed += affected;
    if (ids.length < BATCH || affected === 0) return completed;
  }
}

/** Found by a query of its own, which locks nothing that instances are writing. */
async function orphanIds(dialect: Dialect, run: Run, rows: TraceRows, orphans: Orphans): Promise<readonly string[]> {
  const column = (name: string): string => rows.reference(name);
  const { jobName, jobInstanceId, items, startedBefore } = orphans;
  const startedAfter = orphans.startedAfter ?? new Date(startedBefore.getTime() - LOOK_BACK_MS);
  const query = statement(dialect, (bind) => {
    const conditions = [
      `${column('job_name')} = ${bind(jobName)}`,
      `${column('is_success')} = ${bind(false)}`,
      `${column('start_time')} >= ${bind(startedAfter)}`,
      `${column('start_time')} <= ${bind(startedBefore)}`,
      isIncomplete(rows),
      `${column('task_id')} LIKE ${bind(`%${jobInstanceId.replace(/[%_!]/g, '!$&')}`)} ESCAPE '!'`,
      ...(items === undefined ? [] : [`${column('sharding_item')} IN (${items.map(bind).join(', ') || 'NULL'})`]),
    ];
    const select = `SELECT ${column('id')} AS orphan_id FROM ${rows.target.table} WHERE ${conditions.join(' AND ')}`;
    return dialect.firstRows(`${select} ORDER BY ${column('start_time')}`, BATCH);
  });
  const { rows: found } = await run(query);
  return found.map((row) => String(row['orphan_id']));
}

async function complete(
  dialect: Dialect,
  run: Run,
  { rows, orphans, ids }: { rows: TraceRows; orphans: Orphans; ids: readonly string[] },
): Promise<number> {
  const failureCause = rows.text('failure_cause', orphans.failureCause);
  const { affected } = await run(
    statement(dialect, (bind) => {
      const assignments = [
        `${rows.reference('complete_time')} = ${bind(orphans.completeTime)}`,
        `${rows.reference('failure_cause')} = ${bind(failureCause)}`,
      ];
      const list = ids.map(bind).join(', ');
      return `UPDATE ${rows.target.table} SET ${assignments.join(', ')} WHERE ${rows.target.id} IN (${list}) AND ${isIncomplete(rows)}`;
    }),
  );
  return affected;
}

/** Java inserts some failures without the time of their end; they have a cause. */
function isIncomplete(rows: TraceRows): string {
  return `${rows.reference('complete_time')} IS NULL AND ${rows.reference('failure_cause')} IS NULL`;
}
