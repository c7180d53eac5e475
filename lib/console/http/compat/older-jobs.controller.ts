import { Body, Headers, Inject, Param, Req, RequestMethod } from '@nestjs/common';
import { wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { jobBriefs, olderSettings, settingsOfOlder, shardBriefs } from '../../services/compat/older-shapes.js';
import { RegistryChoice } from '../../services/compat/registry-choice.js';
import { CONSOLE_SERVICE_OPTIONS, type ConsoleServiceOptions } from '../../options/console-service-options.js';
import { JobActions } from '../../services/jobs/job-actions.js';
import { JobConfigurations } from '../../services/jobs/job-configurations.js';
import { findJob, requireReadable } from '../../services/jobs/live-lookup.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { badRequest, integerOf } from '../requests.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { answer } from './older-answers.js';
import { OlderController, OlderRoute } from './older-route.decorator.js';

const { GET, POST, PUT, DELETE } = RequestMethod;
const REGISTRY = 'x-registry-center';

/** Jobs as the consoles of ElasticJob 2 and 3 have them. */
@OlderController('api/jobs')
export class OlderJobsController {
  constructor(
    @Inject(RegistryChoice) private readonly choice: RegistryChoice,
    @Inject(JobActions) private readonly actions: JobActions,
    @Inject(JobConfigurations) private readonly configurations: JobConfigurations,
    @Inject(CONSOLE_SERVICE_OPTIONS) private readonly options: ConsoleServiceOptions,
  ) {}

  /** How many jobs there are. Never wrapped. */
  @OlderRoute(GET, 'count', 'read')
  async count(@CurrentCaller() caller: Caller, @Headers(REGISTRY) registry?: string): Promise<number> {
    return jobBriefs(await this.choice.of(caller, registry).jobs()).length;
  }

  /** All jobs. */
  @OlderRoute(GET, ['', 'getAllJobsBriefInfo'], 'read')
  async list(
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return answer(request, jobBriefs(await this.choice.of(caller, registry).jobs()));
  }

  /** The settings of a job. */
  @OlderRoute(GET, 'config/:job', 'read')
  async settings(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    const { configuration } = await this.configurations.read(this.choice.of(caller, registry), job);
    return answer(request, olderSettings(configuration));
  }

  /** Stores the settings of a job, whichever are stored. */
  @OlderRoute(PUT, 'config', 'write')
  async store(
    @Body() body: unknown,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    if (!isMap(body) || typeof body['jobName'] !== 'string') throw badRequest('jobName', wording('job-needed'));
    const { jobName } = body;
    const action = this.#action(caller, registry);
    const { version } = await this.configurations.read(action.registry, jobName);
    await this.configurations.write(action, jobName, settingsOfOlder(body), version);
    return answer(request, undefined);
  }

  /** Removes a job, and ends its living instances first. */
  @OlderRoute(DELETE, 'config/:job', 'write')
  async remove(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    // Scripts of ElasticJob's own consoles remove jobs that run.
    await this.actions.removeJob(this.#action(caller, registry), job, { living: true });
    return answer(request, undefined);
  }

  /** Makes all instances of a job run their items once. */
  @OlderRoute(POST, ':job/trigger', 'operate')
  async trigger(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.trigger(this.#action(caller, registry), job, {});
    return answer(request, undefined);
  }

  /** The same, as the oldest scripts ask for it, if the settings allow that. */
  @OlderRoute(GET, ':job/trigger', 'operate')
  async triggerByGet(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    this.#requireUnsafeGet(request);
    return this.trigger(job, request, caller, registry);
  }

  /** Disables a job on all of its servers. */
  @OlderRoute(POST, ':job/disable', 'operate')
  async disable(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.disable(this.#action(caller, registry), { jobName: job });
    return answer(request, undefined);
  }

  /** The same, as the oldest scripts ask for it, if the settings allow that. */
  @OlderRoute(GET, ':job/disable', 'operate')
  async disableByGet(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    this.#requireUnsafeGet(request);
    return this.disable(job, request, caller, registry);
  }

  /** Enables a job on all of its servers, as ElasticJob 3 asks for it. */
  @OlderRoute(POST, ':job/enable', 'operate')
  async enable(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.enable(this.#action(caller, registry), { jobName: job });
    return answer(request, undefined);
  }

  /** Enables a job on all of its servers, as ElasticJob 2 asks for it. */
  @OlderRoute(DELETE, ':job/disable', 'operate')
  async undoDisable(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return this.enable(job, request, caller, registry);
  }

  /** Ends all instances of a job. */
  @OlderRoute(POST, ':job/shutdown', 'operate')
  async shutdown(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.shutdown(this.#action(caller, registry), { jobName: job });
    return answer(request, undefined);
  }

  /** The same, as the oldest scripts ask for it. */
  @OlderRoute(PUT, ':job/shutdown', 'operate')
  async shutdownByPut(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return this.shutdown(job, request, caller, registry);
  }

  /** The items of a job. */
  @OlderRoute(GET, ':job/sharding', 'read')
  async sharding(
    @Param('job') job: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    const found = await findJob(this.choice.of(caller, registry), job);
    requireReadable(found.job);
    return answer(request, shardBriefs(found.job));
  }

  /** Excludes an item from the firings of its job. */
  @OlderRoute(POST, ':job/sharding/:item/disable', 'operate')
  async disableItem(
    @Param('job') job: string,
    @Param('item') item: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.setItem(this.#action(caller, registry), job, integerOf('item', item) ?? 0, 'disable');
    return answer(request, undefined);
  }

  /** Lets an item fire again, as ElasticJob 3 asks for it. */
  @OlderRoute(POST, ':job/sharding/:item/enable', 'operate')
  async enableItem(
    @Param('job') job: string,
    @Param('item') item: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.setItem(this.#action(caller, registry), job, integerOf('item', item) ?? 0, 'enable');
    return answer(request, undefined);
  }

  /** Lets an item fire again, as ElasticJob 2 asks for it. */
  @OlderRoute(DELETE, ':job/sharding/:item/disable', 'operate')
  async undoDisableItem(
    @Param('job') job: string,
    @Param('item') item: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return this.enableItem(job, item, request, caller, registry);
  }

  #action(caller: Caller, registry: string | undefined): ConsoleAction {
    return { registry: this.choice.of(caller, registry), caller };
  }

  /** A browser follows links by itself, and brings cookies and passwords along: only a token shows that a script means it. */
  #requireUnsafeGet({ headers }: ConsoleRequest): void {
    const hasToken = headers['access-token'] !== undefined || /^bearer /i.test(String(headers['authorization']));
    if (this.options.compat?.unsafeGet === true && hasToken) return;
    throw new ConsoleProblem(
      405,
      'unsafe-get',
      'A GET changes nothing here: use POST. The option compat.unsafeGet allows it for callers with a token.',
    );
  }
}
