import { Body, Controller, Get, Headers, HttpCode, Inject, Param, Post, Put, Query, Res } from '@nestjs/common';
import { type ConfigurationCheck, type JobConfigurationDto, type StoredConfiguration } from '../../contract/jobs.js';
import { type Caller } from '../../security/callers/caller.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { Permit } from '../../security/callers/permit.decorator.js';
import { JobConfigurations } from '../../services/jobs/job-configurations.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { OnRegistry } from './parameters.js';
import { reasonOf } from '../requests.js';
import { type ConsoleResponse } from '../responses.js';

/** The settings of jobs. */
@Controller('api/v1/registries/:registry/jobs/:job/config')
export class JobConfigurationsController {
  constructor(@Inject(JobConfigurations) private readonly configurations: JobConfigurations) {}

  /** The stored settings of a job, without secrets. The `ETag` is their version. */
  @Get()
  @Permit('read')
  async read(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Res({ passthrough: true }) response: ConsoleResponse,
  ): Promise<StoredConfiguration> {
    return tagged(response, await this.configurations.read(registry, job));
  }

  /** Replaces all settings of a job, of the version that `If-Match` names. Asterisks keep stored secrets. */
  @Put()
  @Permit('write')
  async write(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Body() body: JobConfigurationDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: ConsoleResponse,
    @Headers('if-match') ifMatch?: string,
    @Query('reason') reason?: string,
  ): Promise<StoredConfiguration> {
    const action = { registry, caller, reason: reasonOf({ reason }) };
    return tagged(response, await this.configurations.write(action, job, body, versionOf(ifMatch)));
  }

  /** Checks settings: returns the problems and changes of storing them, and stores nothing. */
  @Post('validate')
  @HttpCode(200)
  @Permit('write')
  check(
    @OnRegistry() registry: ConsoleRegistry,
    @Param('job') job: string,
    @Body() body: JobConfigurationDto,
  ): Promise<ConfigurationCheck> {
    return this.configurations.check(registry, job, body);
  }
}

function tagged(response: ConsoleResponse, stored: StoredConfiguration): StoredConfiguration {
  response.header('etag', `"${stored.version}"`);
  return stored;
}

function versionOf(ifMatch: string | undefined): number {
  const version = /^(?:W\/)?"?(\d{1,10})"?$/.exec(ifMatch?.trim() ?? '')?.[1];
  if (version !== undefined) return Number(version);
  throw new ConsoleProblem(
    428,
    'version-needed',
    'The header If-Match must name the version that the settings were made from: the ETag of GET, such as "3".',
  );
}
