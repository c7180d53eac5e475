import { type ExecutionSource } from '../../../api/events/trace-events.js';
import { aList, type OptionRules } from '../../../api/settings/call-options.js';
import { type Bind } from '../dialect.js';
import { statement } from '../statement.js';
import { absent, type TraceReader } from '../trace-query.js';
import { fromWallClock } from '../wall-clock.js';

/** The jobs whose latest executions are wanted. */
export interface LatestFilter {
  readonly jobs: readonly {
    readonly jobName: string;
    /** The most executions of this job. */
    readonly rows: number;
  }[];
}

/** The rules of `LatestFilter`. */
export const LATEST_RULES: OptionRules<LatestFilter> = { jobs: aList };

/** An execution without its texts. */
export interface LatestExecution {
  readonly shardingItem: number;
  readonly source: ExecutionSource;
  readonly startTime: Date;
  readonly completeTime: Date | undefined;
  readonly outcome: 'succeeded' | 'failed' | 'running';
}

/** The most jobs of one statement. */
const JOBS_PER_STATEMENT = 100;

/**
 * The latest executions of each job, the latest first. An index that begins with the job finds them, so other jobs may
 * have any number of rows.
 */
export async function readLatest(
  reader: TraceReader,
  { jobs }: LatestFilter,
): Promise<ReadonlyMap<string, readonly LatestExecution[]>> {
  const found = new Map<string, LatestExecution[]>(jobs.map(({ jobName }) => [jobName, []]));
  for (let start = 0; start < jobs.length; start += JOBS_PER_STATEMENT) {
    const some = jobs.slice(start, start + JOBS_PER_STATEMENT);
    const { dialect } = reader;
    const query = statement(dialect, (bind) =>
      some
        .map((job, index) => `SELECT * FROM (${latestOf(reader, job, { index, bind })}) x${index}`)
        .join(' UNION ALL '),
    );
    // One after the other, on one connection.
    for (const row of (await reader.run(query)).rows)
      found.get(some[Number(row['job_'])]?.jobName ?? '')?.push(toLatest(row));
  }
  // A UNION promises no order.
  for (const rows of found.values()) rows.sort((one, other) => other.startTime.getTime() - one.startTime.getTime());
  return found;
}

function latestOf(
  { dialect, rows }: TraceReader,
  { jobName, rows: count }: LatestFilter['jobs'][number],
  { index, bind }: { readonly index: number; readonly bind: Bind },
): string {
  const column = (name: string): string => rows.reference(name);
  const name = rows.text('job_name', jobName);
  // With `=` alone, MariaDB may read the rows of all jobs by their time until it has found enough of this job. If the
  // job has not run for long, that takes very long.
  const listed = dialect.comparison === 'equal' ? [] : ['job_name'];
  const [start, complete, cause] = [column('start_time'), column('complete_time'), column('failure_cause')];
  const selected = [
    `${index} AS job_`,
    `${column('sharding_item')} AS item_`,
    `${column('execution_source')} AS source_`,
    `${column('is_success')} AS success_`,
    `${dialect.timestampText(start)} AS start_`,
    `${dialect.timestampText(complete)} AS complete_`,
    // Java inserts some failures without the time of their end.
    `CASE WHEN ${cause} IS NULL THEN 0 ELSE 1 END AS failed_`,
  ].join(', ');
  const isJob =
    listed.length > 0
      ? `${column('job_name')} IN (${bind(name)}, ${bind(absent(name))})`
      : `${column('job_name')} = ${bind(name)}`;
  const order = [...listed, 'start_time', 'id'].map((each) => `${column(each)} DESC`).join(', ');
  return dialect.firstRows(`SELECT ${selected} FROM ${rows.target.table} WHERE ${isJob} ORDER BY ${order}`, count);
}

function toLatest(row: Readonly<Record<string, unknown>>): LatestExecution {
  const text = (name: string): string => {
    const value = row[name];
    return typeof value === 'string' ? value.trimEnd() : '';
  };
  const hasSucceeded = row['success_'] === true || Number(row['success_']) === 1;
  const startTime = fromWallClock(text('start_')) ?? new Date(0);
  const completeTime = fromWallClock(text('complete_'), startTime);
  const isOpen = completeTime === undefined && Number(row['failed_']) === 0;
  return {
    shardingItem: Number(row['item_']),
    source: text('source_') as ExecutionSource,
    startTime,
    completeTime,
    outcome: hasSucceeded ? 'succeeded' : isOpen ? 'running' : 'failed',
  };
}
