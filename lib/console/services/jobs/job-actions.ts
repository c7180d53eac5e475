import { describeCause } from '../../../api/text/describe-cause.js';
import { Limiter } from '../../../async/limiter.js';
import { JobPaths } from '../../../layout/job-paths.js';
import { toRanges } from '../../../layout/x-node/item-ranges.js';
import { readJob } from '../../../operations/job-reading.js';
import { changeNodes } from '../../../operations/changes/node-changes.js';
import { type Clock } from '../../../time/clock.js';
import { type BatchAnswer, type BatchRequest, type TriggerAnswer, type TriggerRequest } from '../../contract/jobs.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type ConsoleAudit } from '../../security/audit/console-audit.js';
import { type ConsoleAction, type NotedOperations, operate } from './noted-operations.js';

/** The target of an action: a job, a server of all jobs, or a job on one server. */
export interface ActionTarget {
  readonly jobName?: string | undefined;
  readonly serverIp?: string | undefined;
}

/** The most jobs of one batch. */
const MOST_NAMES = 500;

/** The most jobs of a batch that are changed at a time. */
const AT_ONCE = 4;

/** The most milliseconds that a page waits for the instances to accept a trigger. */
const ACCEPT_MS = 3_000;

/** The most milliseconds to wait for the instances of a removed job. */
const REMOVAL_MS = 5_000;

/** Actions of callers on jobs, each with a record in the audit. */
export class JobActions {
  constructor(
    private readonly audit: ConsoleAudit,
    private readonly clock: Clock,
  ) {}

  /** Runs all items of a job once now, or some of them. */
  trigger(action: ConsoleAction, jobName: string, { parameter, items }: TriggerRequest): Promise<TriggerAnswer> {
    const [what, target] =
      items === undefined ? ['job.trigger', jobName] : ['item.trigger', `${jobName}/${toRanges(items)}`];
    return this.#operate(action, what, target, async ({ jobs, context }) => {
      const options = {
        ...context,
        acceptTimeoutMs: ACCEPT_MS,
        ...(parameter !== undefined && { jobParameter: parameter }),
        ...(items !== undefined && { items }),
      };
      const { instances } = await jobs.trigger(jobName, options);
      return { instances: instances.map(({ instanceId, answer, willRun }) => ({ instanceId, answer, willRun })) };
    });
  }

  /** Disables servers: those of a job, a server of all jobs, or a job on one server. */
  disable(action: ConsoleAction, target: ActionTarget): Promise<void> {
    return this.#operate(action, `${kindOf(target)}.disable`, nameOf(target), async ({ jobs, context }) => {
      await jobs.disable({ ...defined(target), ...context });
    });
  }

  enable(action: ConsoleAction, target: ActionTarget): Promise<void> {
    return this.#operate(action, `${kindOf(target)}.enable`, nameOf(target), async ({ jobs, context }) => {
      await jobs.enable({ ...defined(target), ...context });
    });
  }

  shutdown(action: ConsoleAction, target: ActionTarget): Promise<void> {
    return this.#operate(action, `${kindOf(target)}.shutdown`, nameOf(target), async ({ jobs, context }) => {
      await jobs.shutdown({ ...defined(target), ...context });
    });
  }

  /** Ends the instances of a server, and removes it. */
  removeServer(action: ConsoleAction, target: ActionTarget): Promise<void> {
    return this.#operate(action, 'server.remove', nameOf(target), async ({ jobs, context }) => {
      await jobs.remove({ ...defined(target), ...context });
    });
  }

  /**
   * Removes a job with all its nodes. `living: true` ends its living instances; otherwise a job that has any is
   * refused.
   */
  removeJob(
    action: ConsoleAction,
    jobName: string,
    { living }: { readonly living: boolean },
  ): Promise<{ readonly stillRunning: readonly string[] }> {
    return this.#operate(action, 'job.remove', jobName, async ({ configurations, context }) => {
      const { stillRunning } = await configurations.removeJobConfiguration(jobName, {
        ...context,
        living,
        timeoutMs: REMOVAL_MS,
      });
      return { stillRunning };
    });
  }

  setItem(action: ConsoleAction, jobName: string, item: number, state: 'enable' | 'disable'): Promise<void> {
    return this.#operate(action, `item.${state}`, `${jobName}/${item}`, ({ items, context }) =>
      items[state](jobName, item, context),
    );
  }

  /** Ends one instance of a job, which finishes its running items first. */
  shutdownInstance(action: ConsoleAction, jobName: string, instanceId: string): Promise<void> {
    return this.#operate(action, 'instance.shutdown', `${jobName}/${instanceId}`, async ({ audit, context }) => {
      const { center } = action.registry;
      await audit.record({ ...context, operation: 'shutdown', jobName }, (changes) =>
        changeNodes(center, changes, async () => {
          const { nodes, view } = await readJob(center, jobName);
          if (!view.instances.has(instanceId))
            throw new ConsoleProblem(
              404,
              'unknown-instance',
              `Job '${jobName}' has no living instance '${instanceId}'.`,
            );
          return {
            nodes,
            wanted: [{ path: new JobPaths(jobName).instance(instanceId), value: undefined }],
            result: undefined,
          };
        }),
      );
    });
  }

  /** The same action for several jobs; the failure of one does not stop the others. */
  async batch(action: ConsoleAction, { action: what, names }: BatchRequest): Promise<BatchAnswer> {
    if (names.length > MOST_NAMES)
      throw new ConsoleProblem(
        400,
        'too-many',
        `At most ${MOST_NAMES} jobs can be operated at once, got ${names.length}.`,
      );
    const limiter = new Limiter(AT_ONCE);
    const results = await Promise.all(names.map((name) => limiter.run(() => this.#one(action, what, name))));
    return { results };
  }

  async #one(
    action: ConsoleAction,
    what: BatchRequest['action'],
    name: string,
  ): Promise<BatchAnswer['results'][number]> {
    try {
      if (what === 'trigger') await this.trigger(action, name, {});
      else await this[what](action, { jobName: name });
      return { name, isOk: true };
    } catch (error) {
      return { name, isOk: false, error: error instanceof Error ? error.message : describeCause(error) };
    }
  }

  #operate<T>(
    action: ConsoleAction,
    what: string,
    target: string,
    task: (operations: NotedOperations) => Promise<T>,
  ): Promise<T> {
    return operate(this.audit, action, { action: what, target, clock: this.clock }, task);
  }
}

function kindOf({ jobName }: ActionTarget): 'job' | 'server' {
  return jobName === undefined ? 'server' : 'job';
}

function nameOf({ jobName, serverIp }: ActionTarget): string {
  return [jobName, serverIp].filter((each) => each !== undefined).join('@');
}

function defined({ jobName, serverIp }: ActionTarget): { readonly jobName?: string; readonly serverIp?: string } {
  return { ...(jobName !== undefined && { jobName }), ...(serverIp !== undefined && { serverIp }) };
}
