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
import { bodyOf, integer, limit, oneOf, optional, PAGE_SIZE, queryText, readQuery, time } from '../requests.js';

/** The most jobs, items or instances on a page: the rows are small, and the console's page reads all of them. */
const MOST_ROWS = 1_000;

/** The default number of items on a page. */
const ITEMS = 200;

/** The default number of nodes on a page. The console's page asks for as many as it can show. */
const NODES = 1_000;
const MOST_NODES = 10_000;

const JOBS = {
  ...{ q: queryText, status: queryText, label: queryText, server: queryText, sort: queryText },
  ...{ limit: limit(MOST_ROWS), cursor: queryText },
};
const ROWS = { limit: limit(MOST_ROWS), cursor: queryText };
const TREE = { masked: optional(oneOf('true', 'false')), limit: limit(MOST_NODES), cursor: queryText };
const EXPLAINED = { item: optional(integer(0, Number.MAX_SAFE_INTEGER)), at: optional(time) };
const FIRES = { from: optional(time), count: optional(integer(1, 200)), lang: queryText };

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
  list(@OnRegistry() registry: ConsoleRegistry, @Query() query: QueryOf<keyof typeof JOBS>): Promise<Page<JobRow>> {
    const { limit = PAGE_SIZE, ...filters } = readQuery(query, JOBS);
    return this.jobs.list(registry, { ...filters, limit });
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
    @Query() query: QueryOf<keyof typeof ROWS>,
  ): Promise<Page<ShardRow>> {
    const { limit = ITEMS, cursor } = readQuery(query, ROWS);
    return this.jobs.shards(registry, job, { limit, cursor });
  }

  /** The living instances of a job by their ids, at most 1,000 a page. Default: 1,000. */
  @Get(':job/instances')
  @Permit('read')
  instances(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() query: QueryOf<keyof typeof ROWS>,
  ): Promise<Page<InstanceRow>> {
    const { limit = MOST_ROWS, cursor } = readQuery(query, ROWS);
    return this.jobs.instances(registry, job, { limit, cursor });
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
    @Query() query: QueryOf<keyof typeof TREE>,
  ): Promise<Page<TreeNode>> {
    const { masked, limit = NODES, cursor } = readQuery(query, TREE);
    return this.jobs.tree(registry, job, { addresses: masked === 'true' ? 'masked' : 'shown', limit, cursor });
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
    @Query() query: QueryOf<keyof typeof EXPLAINED>,
  ): Promise<Explanation> {
    return this.jobs.explain(registry, job, readQuery(query, EXPLAINED));
  }

  /** The next firings of a job. */
  @Get(':job/fires')
  @Permit('read')
  fires(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Query() query: QueryOf<keyof typeof FIRES>,
  ): Promise<FiresPreview> {
    const { count = 10, ...asked } = readQuery(query, FIRES);
    return this.jobs.fires(registry, job, { ...asked, count });
  }
}
