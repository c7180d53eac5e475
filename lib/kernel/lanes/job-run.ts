/**
 * One firing on this instance, told in its order:
 *
 * 1. the clock agrees with the registry's, if that is asked for
 * 2. the items are assigned: nobody asks for another assignment, or it has been waited for
 * 3. this instance's items are chosen
 * 4. with monitorExecution, they are marked as running, in one commit that fails if the assignment has changed
 * 5. the job's listeners are called; those that are called once in the cluster wait for the items of other instances
 * 6. the items run concurrently, up to the job's limit; a failure goes to the error handler and stops no other item
 * 7. the marks are removed, in one commit, or in batches if some items take longer
 * 8. the listeners are called again
 *
 * Taking over crashed items, 2 to 4 are another way of coming to items that are marked as this instance's.
 */
import {
  DeadlineExceededError,
  ElasticJobError,
  InvalidConfigurationError,
  RegistryOutcomeUnknownError,
  RegistryUnavailableError,
  SessionLostError,
} from '../../api/errors.js';
import { type JobConfiguration } from '../../api/job-configuration.js';
import { type ElasticJob } from '../../api/job.js';
import { type JobLogger } from '../../api/logger.js';
import { type ShardingContext } from '../../api/sharding-context.js';
import { Limiter } from '../../async/limiter.js';
import { withDeadline } from '../../async/wait.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type ItemView, type JobView } from '../../layout/job-view.js';
import { readItemParameters } from '../../layout/sharding-item-parameters.js';
import { taskId } from '../../layout/task-id.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type Failover } from '../writes/takeover.js';
import { type BegunItem, type Firing } from '../view/firing.js';
import { type ItemMarks } from '../writes/item-marks.js';
import { type JobListeners, listenedFiring, type ListenedFiring } from './job-listeners.js';
import { type Extensions } from '../types/extensions.js';
import { type JobWatch } from '../view/job-watch.js';
import { assignedItems, chooseItems } from '../view/items.js';
import { isDecided, runningItems } from '../view/assignment.js';
import { describeCause, stackOf } from '../../api/describe-cause.js';

/** Longest wait for the items to be assigned before a firing is given up. */
const ASSIGNMENT_TIMEOUT_MS = 30_000;

/** Longest wait for an error handler: while it is at work the item, or the job, begins nothing else. */
const ERROR_HANDLER_TIMEOUT_MS = 30_000;

/** What a run needs. */
export interface JobRunPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly job: ElasticJob | string;
  readonly types: Extensions;
  readonly listeners: JobListeners;
  readonly marks: ItemMarks;
  readonly failover: Failover;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
}

/** A run whose items are this instance's to run now. */
export interface BegunRun {
  readonly items: readonly BegunItem[];
  /** Items that are due as well but are still being run. */
  readonly blocked: readonly number[];
  /** Items that the firing concerns; none of them needs another decision. */
  readonly decidedOn: readonly number[];
  /** The settings they run with. */
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

  /**
   * Makes items this instance's to run. `busy` are those that it is still running. Never rejects: what goes wrong is told
   * to the error handler and logged.
   * @returns why nothing can be run, if so: `failed`, or `too-early` if nothing is wrong but that the registry centre does
   *   not answer, or that the items have not been assigned in time
   */
  async begin(signal: AbortSignal, busy: ReadonlySet<number>): Promise<BegunRun | 'failed' | 'too-early'> {
    try {
      await this.#checkClock();
      return await (this.#firing.cause === 'failover' ? this.#takeOver(signal, busy) : this.#choose(signal, busy));
    } catch (error) {
      const { logger } = this.#ports;
      if (isDisconnection(error)) {
        logger.warn(`could not begin a run: ${String(error)}`);
        return 'too-early';
      }
      await this.#tellOf(error, signal);
      return error instanceof DeadlineExceededError ? 'too-early' : 'failed';
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

  async #takeOver(signal: AbortSignal, busy: ReadonlySet<number>): Promise<BegunRun> {
    const { watch, failover } = this.#ports;
    const config = this.#configOf(watch.view);
    return { items: await failover.takeOver(busy, signal), blocked: [], decidedOn: [], config };
  }

  /** Chooses the items and marks them; again, if the assignment changes in between. */
  async #choose(signal: AbortSignal, busy: ReadonlySet<number>): Promise<BegunRun> {
    const { watch, marks, me, clock, paths } = this.#ports;
    const deadline = clock.monotonic() + ASSIGNMENT_TIMEOUT_MS;
    // Items that have ended and only wait for others to lose their marks with them are free.
    await marks.flush();
    if (marks.leftovers.length > 0) await marks.clearOwn(marks.leftovers);
    for (;;) {
      const view = await this.#assignedView(signal);
      const config = this.#configOf(view);
      if (config.monitorExecution && (await watch.readBeginRecords())) continue;
      const { items, blocked } = chooseItems(view, me, this.#firing, busy);
      const decidedOn = this.#firing.items ?? assignedItems(view, me).map(({ item }) => item);
      const { instant } = this.#firing;
      const begun = (revision?: number): BegunRun => ({
        items: items.map(({ item, ownerRevision }) => ({ item, instant, fencingToken: revision ?? ownerRevision })),
        blocked: blocked.map(({ item }) => item),
        decidedOn,
        config,
      });
      if (config.monitorExecution && config.misfire && instant !== undefined) await this.#noteMisfired(blocked);
      if (items.length === 0 || !config.monitorExecution) return begun();
      const revision = await marks.begin(items, instant, signal);
      if (revision !== undefined) return begun(revision);
      if (clock.monotonic() > deadline)
        throw new DeadlineExceededError(`a stable assignment of job '${paths.jobName}'`, ASSIGNMENT_TIMEOUT_MS);
      // Not a poll: each turn follows a commit that was refused because the view was behind.
      await watch.sync();
    }
  }

  /** For who comes to own the item, and for Java peers; this instance remembers it by itself. */
  async #noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { marks, logger } = this.#ports;
    try {
      await marks.noteMisfired(items);
    } catch (error) {
      logger.warn(`could not mark items as misfired: ${String(error)}`);
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

  /** Runs the items to their end; `onItemEnd` is called for each when it may be begun anew. Never rejects. */
  async process(begun: BegunRun, signal: AbortSignal, onItemEnd: (item: number) => void): Promise<void> {
    const { marks, listeners, me } = this.#ports;
    const end = async ({ item }: BegunItem): Promise<void> => {
      await marks.end(item);
      onItemEnd(item);
    };
    let perform = (item: BegunItem): Promise<void> => end(item);
    let listened: ListenedFiring | undefined;
    try {
      const contextOf = this.#contexts(begun, signal);
      const limiter = new Limiter(this.#ports.types.threadPoolSize(begun.config));
      perform = (item) => limiter.run(() => this.#runItem(begun.config, contextOf(item))).then(() => end(item));
      listened = listenedFiring({ ...begun, firing: this.#firing, jobInstanceId: me, signal });
    } catch (error) {
      // Settings that became wrong while the job runs.
      await this.#tellOf(error, signal);
    }
    if (listened !== undefined) await listeners.before(listened).catch((error: unknown) => this.#tellOf(error, signal));
    await Promise.all(begun.items.map(perform));
    if (listened !== undefined) await listeners.after(listened).catch((error: unknown) => this.#tellOf(error, signal));
  }

  #contexts({ items, config }: BegunRun, signal: AbortSignal): (item: BegunItem) => ShardingContext {
    const { paths, me } = this.#ports;
    const parameters = readItemParameters(config.shardingItemParameters);
    const shared = {
      jobName: paths.jobName,
      taskId: taskId({ jobName: paths.jobName, items: items.map(({ item }) => item), jobInstanceId: me }),
      shardingTotalCount: config.shardingTotalCount,
      jobParameter: config.jobParameter,
      signal,
    };
    return ({ item, instant, fencingToken }) => ({
      ...shared,
      shardingItem: item,
      shardingParameter: parameters.get(item),
      scheduledAt: instant === undefined ? undefined : new Date(instant),
      fencingToken,
    });
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
    const { logger } = this.#ports;
    if (!signal.aborted || error !== signal.reason) return this.#tellErrorHandler(error);
    if (!this.#hasToldOfAbort) logger.warn(String(error));
    this.#hasToldOfAbort = true;
  }

  async #tellErrorHandler(cause: unknown): Promise<void> {
    const { types, watch, paths, logger, clock } = this.#ports;
    const { config } = watch.view;
    try {
      if (config === undefined) logger.error(describeCause(cause));
      else {
        const handled = types.errorHandler(config).handleException(paths.jobName, cause);
        await withDeadline(clock, Promise.resolve(handled), ERROR_HANDLER_TIMEOUT_MS, () => {
          const what = `the error handler ${config.jobErrorHandlerType ?? ''} of job '${paths.jobName}' to return`;
          return new DeadlineExceededError(what, ERROR_HANDLER_TIMEOUT_MS);
        });
      }
    } catch (error) {
      // The handler's own failure, or a handler type unknown since a change at run time: the cause must not get lost.
      logger.error(`${describeCause(cause)}; its error handler: ${describeCause(error)}`, stackOf(cause));
    }
  }
}

/** Whether nothing was begun because the connection, or the session, broke. What begins items finds out what became of lost answers. */
function isDisconnection(error: unknown): boolean {
  return (
    error instanceof RegistryUnavailableError ||
    error instanceof RegistryOutcomeUnknownError ||
    error instanceof SessionLostError
  );
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
