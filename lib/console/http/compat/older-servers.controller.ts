import { Body, Inject, Param, RequestMethod } from '@nestjs/common';
import { serverBriefs, serverJobBriefs } from '../../services/compat/older-shapes.js';
import { type ActionTarget, JobActions } from '../../services/jobs/job-actions.js';
import { ConsoleJobs } from '../../services/jobs/console-jobs.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { integerOf } from '../requests.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { ChosenAction, ChosenRegistry } from './chosen-registry.js';
import { OlderController, OlderRoute, UnwrappedRoute } from './older-route.decorator.js';

const { GET, POST, DELETE } = RequestMethod;

/** Servers as the consoles of ElasticJob 2 and 3 have them. */
@OlderController('api/servers')
export class OlderServersController {
  constructor(
    @Inject(JobActions) private readonly actions: JobActions,
    @Inject(ConsoleJobs) private readonly jobs: ConsoleJobs,
  ) {}

  /** How many servers there are. Never wrapped. */
  @UnwrappedRoute(GET, 'count', 'read')
  async count(@ChosenRegistry() registry: ConsoleRegistry): Promise<number> {
    return serverBriefs(await registry.jobs()).length;
  }

  /** All servers. */
  @OlderRoute(GET, ['', 'getAllServersBriefInfo'], 'read')
  async list(@ChosenRegistry() registry: ConsoleRegistry): Promise<unknown> {
    return serverBriefs(await registry.jobs());
  }

  /** The jobs of a server. */
  @OlderRoute(GET, ':ip/jobs', 'read')
  async jobsOf(@Param('ip') ip: string, @ChosenRegistry() registry: ConsoleRegistry): Promise<unknown> {
    return serverJobBriefs(await registry.jobs(), ip);
  }

  /** Disables all jobs of a server, or one. */
  @OlderRoute(POST, [':ip/disable', ':ip/jobs/:job/disable'], 'operate')
  async disable(@Param() target: Target, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.disable(action, targetOf(target));
  }

  /** Enables all jobs of a server, or one, as ElasticJob 3 asks for it. */
  @OlderRoute(POST, [':ip/enable', ':ip/jobs/:job/enable'], 'operate')
  async enable(@Param() target: Target, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.enable(action, targetOf(target));
  }

  /** Enables all jobs of a server, or one, as ElasticJob 2 asks for it. */
  @OlderRoute(DELETE, [':ip/disable', ':ip/jobs/:job/disable'], 'operate')
  undoDisable(@Param() target: Target, @ChosenAction() action: ConsoleAction): Promise<void> {
    return this.enable(target, action);
  }

  /** Ends all jobs of a server, or one, on its instances. */
  @OlderRoute(POST, [':ip/shutdown', ':ip/jobs/:job/shutdown'], 'operate')
  async shutdown(@Param() target: Target, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.shutdown(action, targetOf(target));
  }

  /** Removes a server from all jobs, or from one. */
  @OlderRoute(DELETE, [':ip', ':ip/jobs/:job'], 'write')
  async remove(@Param() target: Target, @ChosenAction() action: ConsoleAction): Promise<void> {
    await this.actions.removeServer(action, targetOf(target));
  }

  /** Asks an instance of a job on a server for its dump. */
  @OlderRoute(POST, ':ip/:port/jobs/:job/dump', 'operate')
  dump(
    @Param('ip') serverIp: string,
    @Param('port') port: string,
    @Param('job') jobName: string,
    @ChosenAction() { registry, caller }: ConsoleAction,
    @Body() _body: unknown,
  ): Promise<unknown> {
    return this.jobs.askForDump(registry, { jobName, serverIp, port: integerOf('port', port) ?? 0 }, caller);
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
