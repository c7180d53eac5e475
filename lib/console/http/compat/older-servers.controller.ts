import { Body, Headers, Inject, Param, Req, RequestMethod } from '@nestjs/common';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { CurrentCaller } from '../../security/callers/current-caller.decorator.js';
import { serverBriefs, serverJobBriefs } from '../../services/compat/older-shapes.js';
import { RegistryChoice } from '../../services/compat/registry-choice.js';
import { type ActionTarget, JobActions } from '../../services/jobs/job-actions.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { integerOf } from '../requests.js';
import { answer } from './older-answers.js';
import { OlderController, OlderRoute } from './older-route.decorator.js';

const { GET, POST, DELETE } = RequestMethod;
const REGISTRY = 'x-registry-center';

/** Servers as the consoles of ElasticJob 2 and 3 have them. */
@OlderController('api/servers')
export class OlderServersController {
  constructor(
    @Inject(RegistryChoice) private readonly choice: RegistryChoice,
    @Inject(JobActions) private readonly actions: JobActions,
    @Inject(ConsoleJobs) private readonly jobs: ConsoleJobs,
  ) {}

  /** How many servers there are. Never wrapped. */
  @OlderRoute(GET, 'count', 'read')
  async count(@CurrentCaller() caller: Caller, @Headers(REGISTRY) registry?: string): Promise<number> {
    return serverBriefs(await this.choice.of(caller, registry).jobs()).length;
  }

  /** All servers. */
  @OlderRoute(GET, ['', 'getAllServersBriefInfo'], 'read')
  async list(
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return answer(request, serverBriefs(await this.choice.of(caller, registry).jobs()));
  }

  /** The jobs of a server. */
  @OlderRoute(GET, ':ip/jobs', 'read')
  async jobsOf(
    @Param('ip') ip: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return answer(request, serverJobBriefs(await this.choice.of(caller, registry).jobs(), ip));
  }

  /** Disables all jobs of a server, or one. */
  @OlderRoute(POST, [':ip/disable', ':ip/jobs/:job/disable'], 'operate')
  async disable(
    @Param() target: Target,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.disable(this.#action(caller, registry), targetOf(target));
    return answer(request, undefined);
  }

  /** Enables all jobs of a server, or one, as ElasticJob 3 asks for it. */
  @OlderRoute(POST, [':ip/enable', ':ip/jobs/:job/enable'], 'operate')
  async enable(
    @Param() target: Target,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.enable(this.#action(caller, registry), targetOf(target));
    return answer(request, undefined);
  }

  /** Enables all jobs of a server, or one, as ElasticJob 2 asks for it. */
  @OlderRoute(DELETE, [':ip/disable', ':ip/jobs/:job/disable'], 'operate')
  async undoDisable(
    @Param() target: Target,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    return this.enable(target, request, caller, registry);
  }

  /** Ends all jobs of a server, or one, on its instances. */
  @OlderRoute(POST, [':ip/shutdown', ':ip/jobs/:job/shutdown'], 'operate')
  async shutdown(
    @Param() target: Target,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.shutdown(this.#action(caller, registry), targetOf(target));
    return answer(request, undefined);
  }

  /** Removes a server from all jobs, or from one. */
  @OlderRoute(DELETE, [':ip', ':ip/jobs/:job'], 'write')
  async remove(
    @Param() target: Target,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    await this.actions.removeServer(this.#action(caller, registry), targetOf(target));
    return answer(request, undefined);
  }

  /** Asks an instance of a job on a server for its dump. */
  @OlderRoute(POST, ':ip/:port/jobs/:job/dump', 'operate')
  async dump(
    @Param('ip') serverIp: string,
    @Param('port') port: string,
    @Param('job') jobName: string,
    @Req() request: ConsoleRequest,
    @CurrentCaller() caller: Caller,
    @Body() _body: unknown,
    @Headers(REGISTRY) registry?: string,
  ): Promise<unknown> {
    const wanted = { jobName, serverIp, port: integerOf('port', port) ?? 0 };
    return answer(request, await this.jobs.askForDump(this.choice.of(caller, registry), wanted, caller));
  }

  #action(caller: Caller, registry: string | undefined): ConsoleAction {
    return { registry: this.choice.of(caller, registry), caller };
  }
}

/** The parameters of a path. */
interface Target {
  readonly ip: string;
  readonly job?: string;
}

function targetOf({ ip, job }: Target): ActionTarget {
  return { serverIp: ip, ...(job !== undefined && { jobName: job }) };
}
