import { Body, Controller, Get, Header, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { type Page } from '../../contract/common.js';
import {
  type Explanation,
  type FiresPreview,
  type InstanceRow,
  type JobDetail,
  type JobRow,
  type ShardRow,
  type TreeNode,
} from '../../contract/jobs.js';
import { type Caller } from '../../security/callers/caller.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { Costly } from '../costly-requests.js';
import { OnRegistry, type QueryOf } from './parameters.js';
import { bodyOf, integerOf, limitOf, oneOf, textOf, textsOf, timeOf } from '../requests.js';

/** The most jobs on a page of the list: the rows are small, and the console's page reads all of them. */
const MOST_JOBS = 1_000;

/** The default number of items on a page. */
const ITEMS = 200;
const MOST_ITEMS = 1_000;

const MOST_INSTANCES = 1_000;

/** The default number of nodes on a page. The console's page asks for as many as it can show. */
const NODES = 1_000;
const MOST_NODES = 10_000;

/** Jobs, with their items, instances and nodes. */
@Controller('api/v1/registries/:registry/jobs')
export class JobsController {
  constructor(@Inject(ConsoleJobs) private readonly jobs: ConsoleJobs) {}

  /**
   * Jobs, filtered and sorted, at most 1,000 a page: `sort` is name, status, shards, instances, running, cron, label,
   * next or last, with a hyphen before it descending.
   */
  @Get()
  @Permit('read')
  list(
    @OnRegistry() registry: ConsoleRegistry,
    @Query() { limit, ...query }: QueryOf<'q' | 'status' | 'label' | 'server' | 'sort' | 'limit' | 'cursor'>,
  ): Promise<Page<JobRow>> {
    return this.jobs.list(registry, {
      ...textsOf(query, ['q', 'status', 'label', 'server', 'sort', 'cursor']),
      limit: limitOf(limit, { most: MOST_JOBS }),
    });
  }

  /** One job. */
  @Get(':job')
  @Permit('read')
  one(@OnRegistry() registry: ConsoleRegistry, @Param('job') job: string): Promise<JobDetail> {
    return this.jobs.detail(registry, job);
  }

  /** Items of a job in ascending order, at most 1,000 a page. Default: 200. */
  @Get(':job/shards')
  @Permit('read')
  shards(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() { limit, cursor }: QueryOf<'limit' | 'cursor'>,
  ): Promise<Page<ShardRow>> {
    return this.jobs.shards(registry, job, {
      limit: limitOf(limit, { byDefault: ITEMS, most: MOST_ITEMS }),
      cursor: textOf('cursor', cursor),
    });
  }

  /** The living instances of a job by their ids, at most 1,000 a page. Default: 1,000. */
  @Get(':job/instances')
  @Permit('read')
  instances(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() { limit, cursor }: QueryOf<'limit' | 'cursor'>,
  ): Promise<Page<InstanceRow>> {
    return this.jobs.instances(registry, job, {
      limit: limitOf(limit, { byDefault: MOST_INSTANCES, most: MOST_INSTANCES }),
      cursor: textOf('cursor', cursor),
    });
  }

  /**
   * The nodes of a job by their paths, at most 10,000 a page. Default: 1,000. `masked=true` replaces addresses by
   * names.
   */
  @Get(':job/tree')
  @Costly()
  @Permit('read')
  tree(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() { masked, limit, cursor }: QueryOf<'masked' | 'limit' | 'cursor'>,
  ): Promise<Page<TreeNode>> {
    const isMasked = oneOf('masked', masked, ['true', 'false']) === 'true';
    return this.jobs.tree(registry, job, {
      addresses: isMasked ? 'masked' : 'shown',
      limit: limitOf(limit, { byDefault: NODES, most: MOST_NODES }),
      cursor: textOf('cursor', cursor),
    });
  }

  /** The nodes of a job in the registry centre, as a text in the form of ElasticJob's dump. */
  @Get(':job/dump')
  @Costly()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Permit('read')
  dump(@OnRegistry() registry: ConsoleRegistry, @Param('job') job: string): Promise<string> {
    return this.jobs.dump(registry, job);
  }

  /** Asks one of the job's instances for its dump, at its dump port. */
  @Post(':job/dump')
  @Costly()
  @HttpCode(200)
  @Permit('operate')
  async askForDump(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Body() body: { readonly serverIp?: string; readonly port?: number },
    @CurrentCaller() caller: Caller,
  ): Promise<{ readonly text: string }> {
    const { serverIp = '', port = 9888 } = bodyOf<{ serverIp: string; port: number }>(body);
    const request = { jobName: job, serverIp: String(serverIp), port: Number(port) };
    return { text: await this.jobs.askForDump(registry, request, caller) };
  }

  /** Why the job, or one of its items, did not run for an instant of its schedule, or does not run now. */
  @Get(':job/explain')
  @Costly()
  @Permit('read')
  explain(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() { item, at }: QueryOf<'item' | 'at'>,
  ): Promise<Explanation> {
    return this.jobs.explain(registry, job, {
      item: integerOf('item', item),
      at: timeOf('at', at),
    });
  }

  /** The next firings of a job. */
  @Get(':job/fires')
  @Permit('read')
  fires(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() { from, count, lang }: QueryOf<'from' | 'count' | 'lang'>,
  ): Promise<FiresPreview> {
    const range = { from: timeOf('from', from), count: integerOf('count', count, { least: 1, most: 200 }) ?? 10 };
    return this.jobs.fires(registry, job, { ...range, lang: textOf('lang', lang) });
  }
}
