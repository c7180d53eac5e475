import { type ServerResponse } from 'node:http';
import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { type ExecutionSource, type JobState } from '../../../api/events/trace-events.js';
import { type ExecutionFilter } from '../../../tracing/rdb/index.js';
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
import { badRequest, integerOf, limitOf, oneOf, textOf, timeOf } from '../requests.js';
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

/** Parameters of a query that filter executions. */
type ExecutionQuery = QueryOf<'job' | 'ip' | 'result' | 'source' | 'item' | 'taskId' | 'from' | 'to'>;

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
  executions(
    @Query() { ds, limit, cursor, ...query }: ExecutionQuery & QueryOf<'ds' | 'limit' | 'cursor'>,
  ): Promise<Page<ExecutionRow>> {
    return this.traces.executions(textOf('ds', ds), {
      ...executionFilter(query),
      pageSize: limitOf(limit),
      after: textOf('cursor', cursor),
    });
  }

  /** Executions of items as a file of comma-separated values, at most 100,000 rows. */
  @Get('executions.csv')
  @Permit('read')
  async csv(
    @Res() response: ConsoleResponse,
    @Query() { ds, ...query }: ExecutionQuery & QueryOf<'ds'>,
  ): Promise<void> {
    const pages = this.traces.all(textOf('ds', ds), executionFilter(query));
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
  execution(@Param('id') id: string, @Query('ds') ds?: string): Promise<ExecutionDetail> {
    return this.traces.execution(textOf('ds', ds), id);
  }

  /** Changes of state, the latest first. */
  @Get('statuses')
  @Permit('read')
  statuses(
    @Query() query: QueryOf<'ds' | 'job' | 'state' | 'taskId' | 'from' | 'to' | 'limit' | 'cursor'>,
  ): Promise<Page<StatusRow>> {
    const { ds, job, state, taskId, from, to, limit, cursor } = query;
    return this.traces.statuses(textOf('ds', ds), {
      ...{ jobName: textOf('job', job), taskId: textOf('taskId', taskId), state: oneOf('state', state, STATES) },
      ...{
        from: dateOf('from', from),
        to: dateOf('to', to),
        pageSize: limitOf(limit),
        after: textOf('cursor', cursor),
      },
    });
  }

  /** Executions of a job, grouped by firing, the latest firing first. */
  @Get('firings')
  @Permit('read')
  firings(
    @Query() { ds, job, from, to, limit, cursor }: QueryOf<'ds' | 'job' | 'from' | 'to' | 'limit' | 'cursor'>,
  ): Promise<Page<FiringRow>> {
    const jobName = textOf('job', job);
    if (jobName === undefined) throw badRequest('job', wording('job-needed'));
    const [start, end, after] = [dateOf('from', from), dateOf('to', to), textOf('cursor', cursor)];
    const range = {
      ...(start && { from: start }),
      ...(end && { to: end }),
      ...(after !== undefined && { cursor: after }),
    };
    return this.traces.firings(textOf('ds', ds), { jobName, ...range, limit: limitOf(limit) });
  }

  /**
   * The numbers of executions that succeeded and failed within a range of at most 31 days, and their durations.
   * Default: the last day.
   */
  @Get('stats')
  @Permit('read')
  stats(
    @Query() { ds, job, from, to, bucket }: QueryOf<'ds' | 'job' | 'from' | 'to' | 'bucket'>,
  ): Promise<RunStatistics> {
    const end = timeOf('to', to) ?? this.traces.now;
    const start = timeOf('from', from) ?? end - DAY_MS;
    return this.traces.statistics(textOf('ds', ds), {
      ...{ jobName: textOf('job', job), from: start, to: end, bucketMs: integerOf('bucket', bucket, { least: 1 }) },
    });
  }

  /** Names of jobs (`field=job`) or addresses (`field=ip`) in the trace that begin with `prefix`. */
  @Get('suggest')
  @Permit('read')
  async suggest(
    @Query() { ds, field, prefix, limit }: QueryOf<'ds' | 'field' | 'prefix' | 'limit'>,
  ): Promise<{ readonly items: readonly string[] }> {
    const which = oneOf('field', field, ['job', 'ip']) ?? 'job';
    const count = limitOf(limit, { byDefault: 20, most: 50 });
    return {
      items: await this.traces.suggest(textOf('ds', ds), {
        field: which,
        prefix: textOf('prefix', prefix) ?? '',
        limit: count,
      }),
    };
  }
}

function executionFilter({ job, ip, result, source, item, taskId, from, to }: ExecutionQuery): ExecutionFilter {
  const outcome = oneOf('result', result, ['ok', 'failed', 'running']);
  return {
    ...{ jobName: textOf('job', job), ip: textOf('ip', ip), taskId: textOf('taskId', taskId) },
    ...{ outcome: outcome && OUTCOMES[outcome], source: oneOf('source', source, SOURCES) },
    ...{ shardingItem: integerOf('item', item, { most: 2_147_483_647 }) },
    ...{ from: dateOf('from', from), to: dateOf('to', to) },
  };
}

function dateOf(name: string, text: string | undefined): Date | undefined {
  const time = timeOf(name, text);
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
