import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { type Page } from '../../contract/common.js';
import {
  type PruneAnswer,
  type PruneRequest,
  type ServerAction,
  type ServerJobRow,
  type ServerRow,
} from '../../contract/jobs.js';
import { type Caller } from '../../security/callers/caller.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { JobActions } from '../../services/jobs/job-actions.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { Registries } from '../../services/registries/registries.js';
import { badField, bodyOf, reasonOf, textOf } from '../requests.js';

/** Servers, and what is done to them. `job`: only that job there. */
@Controller('api/v1/registries/:registry/servers')
export class ServersController {
  constructor(
    @Inject(Registries) private readonly registries: Registries,
    @Inject(ConsoleJobs) private readonly jobs: ConsoleJobs,
    @Inject(JobActions) private readonly actions: JobActions,
  ) {}

  /** All servers, by address. */
  @Get()
  @Permit('read')
  list(@Param('registry') registry: string): Promise<Page<ServerRow>> {
    return this.jobs.servers(this.registries.find(registry));
  }

  /** Removes servers that have no living instance. `dryRun: true` only names them. */
  @Post('prune')
  @HttpCode(200)
  @Permit('write')
  prune(
    @Param('registry') registry: string,
    @Body() body: PruneRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<PruneAnswer> {
    const { dryRun, includeDisabled = false } = bodyOf<PruneRequest>(body);
    if (typeof dryRun !== 'boolean') throw badField('dryRun', wording('boolean'));
    if (typeof includeDisabled !== 'boolean') throw badField('includeDisabled', wording('boolean'));
    return this.jobs.prune(this.#action(registry, body, caller), { dryRun, includeDisabled });
  }

  /** One server. */
  @Get(':ip')
  @Permit('read')
  one(@Param('registry') registry: string, @Param('ip') ip: string): Promise<ServerRow> {
    return this.jobs.server(this.registries.find(registry), ip);
  }

  /** The jobs of a server. */
  @Get(':ip/jobs')
  @Permit('read')
  jobsOf(@Param('registry') registry: string, @Param('ip') ip: string): Promise<Page<ServerJobRow>> {
    return this.jobs.serverJobs(this.registries.find(registry), ip);
  }

  /** Enables all jobs of a server, or one. */
  @Post(':ip/enable')
  @HttpCode(204)
  @Permit('operate')
  enable(
    @Param('registry') registry: string,
    @Param('ip') ip: string,
    @Body() body: ServerAction,
    @CurrentCaller() caller: Caller,
    @Query('job') job?: string,
  ): Promise<void> {
    return this.actions.enable(this.#action(registry, body, caller), { serverIp: ip, jobName: textOf('job', job) });
  }

  /** Disables all jobs of a server, or one. */
  @Post(':ip/disable')
  @HttpCode(204)
  @Permit('operate')
  disable(
    @Param('registry') registry: string,
    @Param('ip') ip: string,
    @Body() body: ServerAction,
    @CurrentCaller() caller: Caller,
    @Query('job') job?: string,
  ): Promise<void> {
    return this.actions.disable(this.#action(registry, body, caller), { serverIp: ip, jobName: textOf('job', job) });
  }

  /** Ends all jobs of a server, or one, on its instances. */
  @Post(':ip/shutdown')
  @HttpCode(204)
  @Permit('operate')
  shutdown(
    @Param('registry') registry: string,
    @Param('ip') ip: string,
    @Body() body: ServerAction,
    @CurrentCaller() caller: Caller,
    @Query('job') job?: string,
  ): Promise<void> {
    return this.actions.shutdown(this.#action(registry, body, caller), { serverIp: ip, jobName: textOf('job', job) });
  }

  /** Ends the instances of a server, and removes it from all jobs, or from one. */
  @Delete(':ip')
  @HttpCode(204)
  @Permit('write')
  remove(
    @Param('registry') registry: string,
    @Param('ip') ip: string,
    @Body() body: ServerAction,
    @CurrentCaller() caller: Caller,
    @Query('job') job?: string,
  ): Promise<void> {
    return this.actions.removeServer(this.#action(registry, body, caller), {
      serverIp: ip,
      jobName: textOf('job', job),
    });
  }

  #action(registry: string, body: unknown, caller: Caller): ConsoleAction {
    return { registry: this.registries.find(registry), caller, reason: reasonOf(bodyOf<ServerAction>(body)) };
  }
}
