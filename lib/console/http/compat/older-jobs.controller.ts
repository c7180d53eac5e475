import { Body, Inject, Param, RequestMethod, UseGuards } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { jobBriefs, olderSettings, settingsOfOlder, shardBriefs } from '../../services/compat/older-shapes.js';
import { JobActions } from '../../services/jobs/job-actions.js';
import { JobConfigurations } from '../../services/jobs/job-configurations.js';
import { findJob, requireReadable } from '../../services/jobs/live-lookup.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { badRequest, integerOf } from '../requests.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { ChosenAction, ChosenRegistry } from './chosen-registry.js';
import { OlderController, OlderRoute, UnwrappedRoute } from './older-route.decorator.js';
import { UnsafeGetGuard } from './unsafe-get.guard.js';

const { GET, POST, PUT, DELETE } = RequestMethod;

/** Jobs as the consoles of ElasticJob 2 and 3 have them. */
@OlderController('api/jobs')
export class OlderJobsController {
  constructor(
    @Inject(JobActions) private readonly actions: JobActions,
    @Inject(JobConfigurations) private readonly configurations: JobConfigurations,
  ) {}

  /** How many jobs there are. Never wrapped. */
  @UnwrappedRoute(GET, 'count', 'read')
  async count(@ChosenRegistry() registry: ConsoleRegistry): Promise<number> {
    return jobBriefs(await registry.jobs()).length;
  }

  /** All jobs. */
  @OlderRoute(GET, ['', 'getAllJobsBriefInfo'], 'read')
  async list(@ChosenRegistry() registry: ConsoleRegistry): Promise<unknown> {
    return jobBriefs(await registry.jobs());
  }

  /** The settings of a job. */
  @OlderRoute(GET, 'config/:job', 'read')
  async settings(@Param('job') job: string, @ChosenRegistry() registry: ConsoleRegistry): Promise<unknown> {
    const { configuration } = await this.configurations.read(registry, job);
    return olderSettings(configuration);
  }

  /** Stores the settings of a job, whichever are stored. */
  @OlderRoute(PUT, 'config', 'write')
  async store(@Body() body: unknown, @ChosenAction() action: ConsoleAction): Promise<void> {
    if (!isMap(body) || typeof body['jobName'] !== 'string') throw badRequest('jobName', wording('job-needed'));
    const { jobName } = body;
    const { version } = await this.configurations.read(action.registry, jobName);
    await this.configurations.write(action, jobName, settingsOfOlder(body), version);
  }

  /** Removes a job, and ends its living instances first. */
  @OlderRoute(DELETE, 'config/:job', 'write')
  async remove(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    // Scripts of ElasticJob's own consoles remove jobs that run.
    await this.actions.removeJob(action, job, { living: true });
  }

  /** Makes all instances of a job run their items once. */
  @OlderRoute(POST, ':job/trigger', 'operate')
  async trigger(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.trigger(action, job, {});
  }

  /** The same, as the oldest scripts ask for it, if the settings allow that. */
  @OlderRoute(GET, ':job/trigger', 'operate')
  @UseGuards(UnsafeGetGuard)
  triggerByGet(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    return this.trigger(job, action);
  }

  /** Disables a job on all of its servers. */
  @OlderRoute(POST, ':job/disable', 'operate')
  async disable(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.disable(action, { jobName: job });
  }

  /** The same, as the oldest scripts ask for it, if the settings allow that. */
  @OlderRoute(GET, ':job/disable', 'operate')
  @UseGuards(UnsafeGetGuard)
  disableByGet(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    return this.disable(job, action);
  }

  /** Enables a job on all of its servers, as ElasticJob 3 asks for it. */
  @OlderRoute(POST, ':job/enable', 'operate')
  async enable(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.enable(action, { jobName: job });
  }

  /** Enables a job on all of its servers, as ElasticJob 2 asks for it. */
  @OlderRoute(DELETE, ':job/disable', 'operate')
  undoDisable(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    return this.enable(job, action);
  }

  /** Ends all instances of a job. */
  @OlderRoute(POST, ':job/shutdown', 'operate')
  async shutdown(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.shutdown(action, { jobName: job });
  }

  /** The same, as the oldest scripts ask for it. */
  @OlderRoute(PUT, ':job/shutdown', 'operate')
  shutdownByPut(@Param('job') job: string, @ChosenAction() action: ConsoleAction): Promise<void> {
    return this.shutdown(job, action);
  }

  /** The items of a job. */
  @OlderRoute(GET, ':job/sharding', 'read')
  async sharding(@Param('job') job: string, @ChosenRegistry() registry: ConsoleRegistry): Promise<unknown> {
    const found = await findJob(registry, job);
    requireReadable(found.job);
    return shardBriefs(found.job);
  }

  /** Excludes an item from the firings of its job. */
  @OlderRoute(POST, ':job/sharding/:item/disable', 'operate')
  async disableItem(
    @Param('job') job: string,
    @Param('item') item: string,
    @ChosenAction() action: ConsoleAction,
  ): Promise<void> {
    await this.actions.setItem(action, job, integerOf('item', item) ?? 0, 'disable');
  }

  /** Lets an item fire again, as ElasticJob 3 asks for it. */
  @OlderRoute(POST, ':job/sharding/:item/enable', 'operate')
  async enableItem(
    @Param('job') job: string,
    @Param('item') item: string,
    @ChosenAction() action: ConsoleAction,
  ): Promise<void> {
    await this.actions.setItem(action, job, integerOf('item', item) ?? 0, 'enable');
  }

  /** Lets an item fire again, as ElasticJob 2 asks for it. */
  @OlderRoute(DELETE, ':job/sharding/:item/disable', 'operate')
  undoDisableItem(
    @Param('job') job: string,
    @Param('item') item: string,
    @ChosenAction() action: ConsoleAction,
  ): Promise<void> {
    return this.enableItem(job, item, action);
  }
}
