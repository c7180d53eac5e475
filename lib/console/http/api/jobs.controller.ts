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
import { Registries } from '../../services/registries/registries.js';
import { Costly } from '../costly-requests.js';
import { bodyOf, integerOf, limitOf, oneOf, textOf, timeOf } from '../requests.js';

/** In a page of the list: rows of jobs are small, and the page of the browser wants them all. */
const MOST_JOBS = 1_000;

/** In a page of items. */
const ITEMS = 200;
const MOST_ITEMS = 1_000;

const MOST_INSTANCES = 1_000;

/** In a page of nodes. The page of the browser wants as many as it can show. */
const NODES = 1_000;
const MOST_NODES = 10_000;

/** What there is of jobs. */
@Controller('api/v1/registries/:registry/jobs')
export class JobsController {
  constructor(
    @Inject(Registries) private readonly registries: Registries,
    @Inject(ConsoleJobs) private readonly jobs: ConsoleJobs,
  ) {}

  /** Jobs, filtered and sorted, at most 1,000 a page: `sort` is name, status, shards, instances, running, cron, label, next or last, with a hyphen before it descending. */
  @Get()
  @Permit('read')
  list(
    @Param('registry') registry: string,
    @Query('q') q?: string,
    @Query('status') status?: string,
    @Query('label') label?: string,
    @Query('server') server?: string,
    @Query('sort') sort?: string,
    @Query('limit') limit?: string,
    @Query('cursor') cursor?: string,
  ): Promise<Page<JobRow>> {
    return this.jobs.list(this.registries.find(registry), {
      ...{ q: textOf('q', q), status: textOf('status', status), label: textOf('label', label) },
      ...{ server: textOf('server', server), sort: textOf('sort', sort), cursor: textOf('cursor', cursor) },
      limit: limitOf(limit, { most: MOST_JOBS }),
    });
  }

  /** One job. */
  @Get(':job')
  @Permit('read')
  one(@Param('registry') registry: string, @Param('job') job: string): Promise<JobDetail> {
    return this.jobs.detail(this.registries.find(registry), job);
  }

  /** Items of a job in ascending order, at most 1,000 a page. Default: 200. */
  @Get(':job/shards')
  @Permit('read')
  shards(
    @Param('registry') registry: string,
    @Param('job') job: string,
    @Query('limit') limit?: string,
    @Query('cursor') cursor?: string,
  ): Promise<Page<ShardRow>> {
    return this.jobs.shards(this.registries.find(registry), job, {
      limit: limitOf(limit, { byDefault: ITEMS, most: MOST_ITEMS }),
      cursor: textOf('cursor', cursor),
    });
  }

  /** The living instances of a job by their ids, at most 1,000 a page. Default: 1,000. */
  @Get(':job/instances')
  @Permit('read')
  instances(
    @Param('registry') registry: string,
    @Param('job') job: string,
    @Query('limit') limit?: string,
    @Query('cursor') cursor?: string,
  ): Promise<Page<InstanceRow>> {
    return this.jobs.instances(this.registries.find(registry), job, {
      limit: limitOf(limit, { byDefault: MOST_INSTANCES, most: MOST_INSTANCES }),
      cursor: textOf('cursor', cursor),
    });
  }

  /** The nodes of a job by their paths, at most 10,000 a page. Default: 1,000. `masked=true`: with names in the place of addresses. */
  @Get(':job/tree')
  @Costly()
  @Permit('read')
  tree(
    @Param('registry') registry: string,
    @Param('job') job: string,
    @Query('masked') masked?: string,
    @Query('limit') limit?: string,
    @Query('cursor') cursor?: string,
  ): Promise<Page<TreeNode>> {
    const isMasked = oneOf('masked', masked, ['true', 'false']) === 'true';
    return this.jobs.tree(this.registries.find(registry), job, {
      addresses: isMasked ? 'masked' : 'shown',
      limit: limitOf(limit, { byDefault: NODES, most: MOST_NODES }),
      cursor: textOf('cursor', cursor),
    });
  }

  /** What the registry centre has of a job, as a text in the form of ElasticJob's dump. */
  @Get(':job/dump')
  @Costly()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Permit('read')
  dump(@Param('registry') registry: string, @Param('job') job: string): Promise<string> {
    return this.jobs.dump(this.registries.find(registry), job);
  }

  /** Asks one of the job's instances for its dump, at its dump port. */
  @Post(':job/dump')
  @Costly()
  @HttpCode(200)
  @Permit('operate')
  async askForDump(
    @Param('registry') registry: string,
    @Param('job') job: string,
    @Body() body: { readonly serverIp?: string; readonly port?: number },
    @CurrentCaller() caller: Caller,
  ): Promise<{ readonly text: string }> {
    const { serverIp = '', port = 9888 } = bodyOf<{ serverIp: string; port: number }>(body);
    const request = { jobName: job, serverIp: String(serverIp), port: Number(port) };
    return { text: await this.jobs.askForDump(this.registries.find(registry), request, caller) };
  }

  /** Why the job, or one of its items, did not run for an instant of its schedule, or does not run now. */
  @Get(':job/explain')
  @Costly()
  @Permit('read')
  explain(
    @Param('registry') registry: string,
    @Param('job') job: string,
    @Query('item') item?: string,
    @Query('at') at?: string,
  ): Promise<Explanation> {
    return this.jobs.explain(this.registries.find(registry), job, {
      item: integerOf('item', item),
      at: timeOf('at', at),
    });
  }

  /** When a job fires next. */
  @Get(':job/fires')
  @Permit('read')
  fires(
    @Param('registry') registry: string,
    @Param('job') job: string,
    @Query('from') from?: string,
    @Query('count') count?: string,
    @Query('lang') lang?: string,
  ): Promise<FiresPreview> {
    const range = { from: timeOf('from', from), count: integerOf('count', count, { least: 1, most: 200 }) ?? 10 };
    return this.jobs.fires(this.registries.find(registry), job, { ...range, lang: textOf('lang', lang) });
  }
}
