/**
 * One firing on this instance, told in its order:
 *
 * 1. the clock agrees with the registry's, if that is asked for
 * 2. the items are assigned: nobody asks for another assignment, or it has been waited for
 * 3. this instance's items are chosen
 * 4. with monitorExecution, they are marked as running, in one commit that fails if the assignment has changed
 * 5. they run concurrently, up to the job's limit; a failure goes to the error handler and stops no other item
 * 6. the marks are removed, in one commit
 */
import { DeadlineExceededError, ElasticJobError, InvalidConfigurationError } from '../api/errors.js';
import { type JobConfiguration } from '../api/job-configuration.js';
import { type ElasticJob } from '../api/job.js';
import { type JobLogger } from '../api/logger.js';
import { type ShardingContext } from '../api/sharding-context.js';
import { Limiter } from '../async/limiter.js';
import { type JobPaths } from '../layout/job-paths.js';
import { type ItemView, type JobView } from '../layout/job-view.js';
import { parseShardingItemParameters } from '../layout/sharding-item-parameters.js';
import { taskId } from '../layout/task-id.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock } from '../time/clock.js';
import { describeCause, stackOf } from './error-handlers.js';
import { type ItemMarks } from './item-marks.js';
import { type JobTypes } from './job-types.js';
import { type JobWatch } from './job-watch.js';
import { isDecided, runningItems } from './plan.js';
import { assignedItems, itemsToRun } from './select-items.js';

/** Longest wait for the items to be assigned before a firing is given up. */
const ASSIGNMENT_TIMEOUT_MS = 30_000;

/** Why the job runs now. */
export interface Firing {
  readonly cause: 'schedule' | 'misfire' | 'catch-up' | 'trigger';
  /** The scheduled instant in milliseconds since 1970; `undefined` for a manual one. */
  readonly instant: number | undefined;
  /** The items to look at. Default: all of this instance's. */
  readonly items?: readonly number[];
}

/** How a firing went on this instance. */
export interface RunOutcome {
  /** Numbers of the items that were this instance's when it chose; `undefined` if it did not get that far. */
  readonly decidedOn: readonly number[] | undefined;
}

/** What a run needs. */
export interface JobRunPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly job: ElasticJob | string;
  readonly types: JobTypes;
  readonly marks: ItemMarks;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
}

/** Items that are this instance's to run, and the settings they run with. */
interface Begun {
  readonly items: readonly ItemView[];
  readonly decidedOn: readonly number[];
  readonly config: JobConfiguration;
}

/** One firing on this instance; it does not survive it. */
export class JobRun {
  readonly #ports: JobRunPorts;
  readonly #firing: Firing;
  #hasToldOfAbort = false;

  constructor(ports: JobRunPorts, firing: Firing) {
    this.#ports = ports;
    this.#firing = firing;
  }

  /** Runs the firing to its end. Never rejects: what goes wrong is told to the error handler and logged. */
  async execute(signal: AbortSignal): Promise<RunOutcome> {
    try {
      await this.#checkClock();
      const begun = await this.#begin(signal);
      await this.#runItems(begun, signal);
      return { decidedOn: begun.decidedOn };
    } catch (error) {
      await this.#tellOf(error, signal);
      return { decidedOn: undefined };
    }
  }

  async #checkClock(): Promise<void> {
    const { registry, watch, paths, clock } = this.#ports;
    const maxSeconds = watch.view.config?.maxTimeDiffSeconds ?? -1;
    if (maxSeconds < 0) return;
    const before = clock.now();
    const registryTime = await registry.time(paths.systemTime);
    // The registry read its clock somewhere between sending and receiving; only what exceeds that is a difference.
    const difference = Math.max(0, before - registryTime, registryTime - clock.now());
    if (difference <= maxSeconds * 1000) return;
    throw new ClockDifferenceError(paths.jobName, difference, maxSeconds);
  }

  /** Chooses the items and marks them; again, if the assignment changes in between. */
  async #begin(signal: AbortSignal): Promise<Begun> {
    const { watch, marks, me, clock, paths } = this.#ports;
    const deadline = clock.monotonic() + ASSIGNMENT_TIMEOUT_MS;
    if (marks.leftovers.length > 0) await marks.clearOwn(marks.leftovers);
    for (;;) {
      const view = await this.#assignedView(signal);
      const config = this.#configOf(view);
      if (config.monitorExecution && (await watch.readFirings())) continue;
      const items = itemsToRun(view, me, this.#firing);
      const begun = { items, config, decidedOn: this.#firing.items ?? assignedItems(view, me).map(({ item }) => item) };
      if (items.length === 0 || !config.monitorExecution) return begun;
      if (await marks.begin(items, this.#firing.instant, signal)) return begun;
      if (clock.monotonic() > deadline)
        throw new DeadlineExceededError(`a stable assignment of job '${paths.jobName}'`, ASSIGNMENT_TIMEOUT_MS);
      // Not a poll: each turn follows a commit that was refused because the view was behind.
      await watch.sync();
    }
  }

  #assignedView(signal: AbortSignal): Promise<JobView> {
    const { watch, paths } = this.#ports;
    return watch.until(isDecided, {
      signal,
      timeoutMs: ASSIGNMENT_TIMEOUT_MS,
      what: () =>
        `the items of job '${paths.jobName}' to be assigned by the leader ${watch.view.leader ?? '(there is none)'}, ` +
        `which waits for the running items ${runningItems(watch.view).join(',') || '(none)'}`,
    });
  }

  #configOf(view: JobView): JobConfiguration {
    if (view.config !== undefined) return view.config;
    throw new InvalidConfigurationError([
      view.configFault ?? `${this.#ports.paths.config}: there is no such node; the job has been removed`,
    ]);
  }

  async #runItems({ items, config }: Begun, signal: AbortSignal): Promise<void> {
    const { marks, paths, types, me } = this.#ports;
    if (items.length === 0) return;
    try {
      const parameters = parseShardingItemParameters(config.shardingItemParameters);
      const limiter = new Limiter(types.threadPoolSize(config));
      const shared = {
        jobName: paths.jobName,
        taskId: taskId({ jobName: paths.jobName, items: items.map(({ item }) => item), jobInstanceId: me }),
        shardingTotalCount: config.shardingTotalCount,
        jobParameter: config.jobParameter,
        scheduledAt: this.#firing.instant === undefined ? undefined : new Date(this.#firing.instant),
        signal,
      };
      const contextOf = (item: ItemView): ShardingContext => ({
        ...shared,
        shardingItem: item.item,
        shardingParameter: parameters.get(item.item),
        fencingToken: item.ownerRevision,
      });
      await Promise.all(items.map((item) => limiter.run(() => this.#runItem(config, contextOf(item)))));
    } finally {
      if (config.monitorExecution) await marks.end(items);
    }
  }

  /** Never rejects, so that a failure stops no other item. */
  async #runItem(config: JobConfiguration, context: ShardingContext): Promise<void> {
    const { job, types, whenConnected } = this.#ports;
    try {
      // Not while suspended: a peer may come to own the item before it has even begun here.
      await whenConnected(context.signal);
      if (typeof job === 'string') await types.executor(context.jobName, job).process(config, context);
      else await job.execute(context);
    } catch (error) {
      await this.#tellOf(error, context.signal);
    }
  }

  /** That a run was told to end is no failure of the job; whoever told it to has logged why. */
  async #tellOf(error: unknown, signal: AbortSignal): Promise<void> {
    const { logger, paths } = this.#ports;
    if (!signal.aborted || error !== signal.reason) return this.#tellErrorHandler(error);
    if (!this.#hasToldOfAbort) logger.warn(`Job '${paths.jobName}': ${String(error)}`);
    this.#hasToldOfAbort = true;
  }

  async #tellErrorHandler(cause: unknown): Promise<void> {
    const { types, watch, paths, logger } = this.#ports;
    const { config } = watch.view;
    try {
      if (config === undefined) logger.error(`Job '${paths.jobName}': ${describeCause(cause)}`);
      else await types.errorHandler(config).handleException(paths.jobName, cause);
    } catch (error) {
      // The handler's own failure, or a handler type unknown since a change at run time: the cause must not get lost.
      logger.error(
        `Job '${paths.jobName}': ${describeCause(cause)}; its error handler: ${describeCause(error)}`,
        stackOf(cause),
      );
    }
  }
}

/** The clock of this process and the registry's differ too much for the job to run (manual, `maxTimeDiffSeconds`). */
class ClockDifferenceError extends ElasticJobError {
  override readonly name = 'ClockDifferenceError';
  constructor(jobName: string, differenceMs: number, maxSeconds: number) {
    super(
      'JOB_STATE',
      `Job '${jobName}' did not run: Time different between job server and register center exceed ` +
        `'${Math.floor(differenceMs / 1000)}' seconds, max time different is '${maxSeconds}' seconds.`,
    );
  }
}
