import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { type Page } from '../../contract/common.js';
import {
  type PruneAnswer,
  type PruneRequest,
  type ServerAction,
  type ServerJobRow,
  type ServerRow,
} from '../../contract/jobs.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { type ActionTarget, JobActions } from '../../services/jobs/job-actions.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { Acting, OnRegistry, type QueryOf } from './parameters.js';
import { bodyOf, flag, optional, queryText, readFields, readQuery } from '../requests.js';

const PRUNE = { dryRun: flag, includeDisabled: optional(flag) };

/** Servers, and actions on them. `job` limits an action to that job. */
@Controller('api/v1/registries/:registry/servers')
export class ServersController {
  constructor(
    @Inject(ConsoleJobs) private readonly jobs: ConsoleJobs,
    @Inject(JobActions) private readonly actions: JobActions,
  ) {}

  /** All servers, by address. */
  @Get()
  @Permit('read')
  list(@OnRegistry() registry: ConsoleRegistry): Promise<Page<ServerRow>> {
    return this.jobs.servers(registry);
  }

  /** Removes servers that have no living instance. `dryRun: true` only lists them. */
  @Post('prune')
  @HttpCode(200)
  @Permit('write')
  prune(@Acting() action: ConsoleAction, @Body() body: PruneRequest): Promise<PruneAnswer> {
    const { dryRun, includeDisabled = false } = readFields(bodyOf(body), PRUNE);
    return this.jobs.prune(action, { dryRun, includeDisabled });
  }

  /** One server. */
  @Get(':ip')
  @Permit('read')
  one(@OnRegistry() registry: ConsoleRegistry, @Param('ip') ip: string): Promise<ServerRow> {
    return this.jobs.server(registry, ip);
  }

  /** The jobs of a server. */
  @Get(':ip/jobs')
  @Permit('read')
  jobsOf(@OnRegistry() registry: ConsoleRegistry, @Param('ip') ip: string): Promise<Page<ServerJobRow>> {
    return this.jobs.serverJobs(registry, ip);
  }

  /** Enables all jobs of a server, or one. */
  @Post(':ip/enable')
  @HttpCode(204)
  @Permit('operate')
  enable(
    @Acting() action: ConsoleAction,
    @Param('ip') ip: string,
    @Body() _body: ServerAction,
    @Query() query: QueryOf<'job'>,
  ): Promise<void> {
    return this.actions.enable(action, targetOf(ip, query));
  }

  /** Disables all jobs of a server, or one. */
  @Post(':ip/disable')
  @HttpCode(204)
  @Permit('operate')
  disable(
    @Acting() action: ConsoleAction,
    @Param('ip') ip: string,
    @Body() _body: ServerAction,
    @Query() query: QueryOf<'job'>,
  ): Promise<void> {
    return this.actions.disable(action, targetOf(ip, query));
  }

  /** Ends all jobs of a server, or one, on its instances. */
  @Post(':ip/shutdown')
  @HttpCode(204)
  @Permit('operate')
  shutdown(
    @Acting() action: ConsoleAction,
    @Param('ip') ip: string,
    @Body() _body: ServerAction,
    @Query() query: QueryOf<'job'>,
  ): Promise<void> {
    return this.actions.shutdown(action, targetOf(ip, query));
  }

  /** Ends the instances of a server, and removes it from all jobs, or from one. */
  @Delete(':ip')
  @HttpCode(204)
  @Permit('write')
  remove(
    @Acting() action: ConsoleAction,
    @Param('ip') ip: string,
    @Body() _body: ServerAction,
    @Query() query: QueryOf<'job'>,
  ): Promise<void> {
    return this.actions.removeServer(action, targetOf(ip, query));
  }
}

function targetOf(serverIp: string, query: QueryOf<'job'>): ActionTarget {
  return { serverIp, jobName: readQuery(query, { job: queryText }).job };
}
