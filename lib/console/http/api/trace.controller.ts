import { type ServerResponse } from 'node:http';
import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { type ExecutionSource, type JobState } from '../../../api/events/trace-events.js';
import { type Clock } from '../../../time/clock.js';
import { type Page } from '../../contract/common.js';
import { type RunStatistics } from '../../contract/jobs.js';
import { type ExecutionDetail, type ExecutionRow, type FiringRow, type StatusRow } from '../../contract/trace.js';
import { CONSOLE_CLOCK } from '../../options/console-tokens.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { CSV_HEAD, csvLines } from '../../services/trace/csv.js';
import { Traces } from '../../services/trace/traces.js';
import { Costly } from '../costly-requests.js';
import { type QueryOf } from './parameters.js';
import { badRequest, integer, limit, oneOf, optional, PAGE_SIZE, queryText, readQuery, time } from '../requests.js';
import { type ConsoleResponse, rawResponse } from '../responses.js';

const OUTCOMES = { ok: 'succeeded', failed: 'failed', running: 'running' } as const;
const SOURCES: readonly ExecutionSource[] = ['NORMAL_TRIGGER', 'MISFIRE', 'FAILOVER'];
const STATES: readonly JobState[] = [
  'TASK_STAGING',
  'TASK_RUNNING',
  'TASK_FINISHED',
  'TASK_KILLED',
  'TASK_LOST',
  'TASK_FAILED',
  'TASK_ERROR',
];
const DAY_MS = 86_400_000;
const LONGEST_STALL_MS = 60_000;

const RANGE = { ds: queryText, job: queryText, from: optional(time), to: optional(time) };
const PAGE = { limit: limit(), cursor: queryText };
const EXECUTIONS = {
  ...RANGE,
  ...{ ip: queryText, taskId: queryText, item: optional(integer(0, 2_147_483_647)) },
  ...{ result: optional(oneOf('ok', 'failed', 'running')), source: optional(oneOf(...SOURCES)) },
};
const STATUSES = { ...RANGE, ...PAGE, state: optional(oneOf(...STATES)), taskId: queryText };
const FIRINGS = { ...RANGE, ...PAGE };
const STATISTICS = { ...RANGE, bucket: optional(integer(1, Number.MAX_SAFE_INTEGER)) };
const SUGGESTED = { ds: queryText, field: optional(oneOf('job', 'ip')), prefix: queryText, limit: limit(50) };

/** Recorded runs. `ds` names the data source; by default it is the activated one. */
@Controller('api/v1/trace')
@Costly()
export class TraceController {
  constructor(
    @Inject(Traces) private readonly traces: Traces,
    @Inject(CONSOLE_CLOCK) private readonly clock: Clock,
  ) {}

  /** Executions of items, the latest first. */
  @Get('executions')
  @Permit('read')
  executions(@Query() query: QueryOf<keyof typeof EXECUTIONS | keyof typeof PAGE>): Promise<Page<ExecutionRow>> {
    const { limit: pageSize = PAGE_SIZE, cursor: after } = readQuery(query, PAGE);
    const { ds, ...wanted } = executionFilter(query);
    return this.traces.executions(ds, { ...wanted, pageSize, after });
  }

  /** Executions of items as a file of comma-separated values, at most 100,000 rows. */
  @Get('executions.csv')
  @Permit('read')
  async csv(@Res() response: ConsoleResponse, @Query() query: QueryOf<keyof typeof EXECUTIONS>): Promise<void> {
    const { ds, ...wanted } = executionFilter(query);
    const pages = this.traces.all(ds, wanted);
    // The first page is read before the head is sent, so that a failure is a problem+json.
    const first = await pages.next();
    const raw = rawResponse(response);
    raw.writeHead(200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="executions.csv"',
      'cache-control': 'no-store',
    });
    await sendCsv(raw, { first, pages, clock: this.clock });
  }

  /** One execution, with the whole cause of its failure. */
  @Get('executions/:id')
  @Permit('read')
  execution(@Param('id') id: string, @Query() query: QueryOf<'ds'>): Promise<ExecutionDetail> {
    return this.traces.execution(readQuery(query, { ds: queryText }).ds, id);
  }

  /** Changes of state, the latest first. */
  @Get('statuses')
  @Permit('read')
  statuses(@Query() query: QueryOf<keyof typeof STATUSES>): Promise<Page<StatusRow>> {
    const { ds, job, state, taskId, from, to, limit = PAGE_SIZE, cursor } = readQuery(query, STATUSES);
    const range = { from: dateOf(from), to: dateOf(to), pageSize: limit, after: cursor };
    return this.traces.statuses(ds, { jobName: job, taskId, state, ...range });
  }

  /** Executions of a job, grouped by firing, the latest firing first. */
  @Get('firings')
  @Permit('read')
  firings(@Query() query: QueryOf<keyof typeof FIRINGS>): Promise<Page<FiringRow>> {
    const { ds, job, from, to, limit = PAGE_SIZE, cursor } = readQuery(query, FIRINGS);
    if (job === undefined) throw badRequest('job', wording('job-needed'));
    return this.traces.firings(ds, { jobName: job, from: dateOf(from), to: dateOf(to), cursor, limit });
  }

  /**
   * The numbers of executions that succeeded and failed within a range of at most 31 days, and their durations.
   * Default: the last day.
   */
  @Get('stats')
  @Permit('read')
  stats(@Query() query: QueryOf<keyof typeof STATISTICS>): Promise<RunStatistics> {
    const { ds, job, to = this.traces.now, from = to - DAY_MS, bucket } = readQuery(query, STATISTICS);
    return this.traces.statistics(ds, { jobName: job, from, to, bucketMs: bucket });
  }

  /** Names of jobs (`field=job`) or addresses (`field=ip`) in the trace that begin with `prefix`. */
  @Get('suggest')
  @Permit('read')
  async suggest(@Query() query: QueryOf<keyof typeof SUGGESTED>): Promise<{ readonly items: readonly string[] }> {
    const { ds, field = 'job', prefix = '', limit = 20 } = readQuery(query, SUGGESTED);
    return { items: await this.traces.suggest(ds, { field, prefix, limit }) };
  }
}

function executionFilter(query: QueryOf<keyof typeof EXECUTIONS>) {
  const { ds, job, ip, taskId, result, source, item, from, to } = readQuery(query, EXECUTIONS);
  return {
    ...{ ds, jobName: job, ip, taskId, outcome: result && OUTCOMES[result], source, shardingItem: item },
    ...{ from: dateOf(from), to: dateOf(to) },
  };
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

interface CsvExport {
  readonly first: IteratorResult<readonly ExecutionRow[]>;
  readonly pages: AsyncGenerator<readonly ExecutionRow[]>;
  readonly clock: Clock;
}

async function sendCsv(raw: ServerResponse, { first, pages, clock }: CsvExport): Promise<void> {
  raw.write(CSV_HEAD);
  try {
    for (let page = first; page.done !== true; page = await pages.next()) {
      // One page after the other, no faster than the client takes them.
      if (raw.destroyed) return;
      if (!raw.write(csvLines(page.value))) await drained(raw, clock);
    }
    raw.end();
  } catch (error) {
    // The head is sent already: only a broken connection shows the client that the file is incomplete.
    raw.destroy(error instanceof Error ? error : undefined);
  }
}

/** Resolves when the client has read the written data. If it reads nothing for a minute, the connection is broken. */
function drained(raw: ServerResponse, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(LONGEST_STALL_MS, () => raw.destroy());
    const end = (): void => {
      cancel();
      raw.off('drain', end);
      raw.off('close', end);
      resolve();
    };
    raw.on('drain', end);
    raw.on('close', end);
  });
}
