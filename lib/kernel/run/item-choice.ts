import { describeCause } from '../../api/text/describe-cause.js';
import { DeadlineExceededError, InvalidConfigurationError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type AbortSource, throwIfAborted } from '../../async/abort.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type ItemView, type JobView } from '../../layout/job-view.js';
import { isDecided, runningItems } from '../view/assignment.js';
import { type BegunItem, type BegunRun, type Firing } from '../view/firing.js';
import { chooseItems, describeItems, numbersOf } from '../view/items.js';
import { type JobContext } from '../job/job-context.js';
import { type ItemMarks } from '../marks/item-marks.js';
import { TriggerAcceptance } from '../marks/trigger-acceptance.js';

/** How long a firing waits for the items to be assigned, in milliseconds. Then it is postponed. */
const ASSIGNMENT_TIMEOUT_MS = 30_000;

/** Dependencies of an `ItemChoice`. */
export interface ItemChoiceDeps extends JobContext {
  readonly marks: ItemMarks;
}

/** One attempt at beginning the items that are due. */
interface Turn extends Omit<BegunRun, 'items'> {
  /** Items that were to begin in this turn. */
  readonly chosen: readonly number[];
  readonly isComplete: boolean;
}

/** Chooses the items of a firing: it waits until they have owners, chooses those that are due here, and marks them. */
export class ItemChoice {
  readonly #deps: ItemChoiceDeps;
  readonly #firing: Firing;
  readonly #signal: AbortSource;

  /** @param signal ends the choice; items that have begun by then run */
  constructor(deps: ItemChoiceDeps, firing: Firing, signal: AbortSource) {
    this.#deps = deps;
    this.#firing = firing;
    this.#signal = signal;
  }

  /** Chooses items and marks them, until all that are due have begun: the assignment may change in between. */
  async begin(): Promise<BegunRun> {
    const { marks, held, clock, paths, watch } = this.#deps;
    const deadline = clock.monotonic() + ASSIGNMENT_TIMEOUT_MS;
    const begun = new Map<number, BegunItem>();
    let turn: Turn | undefined;
    try {
      // Ended items whose marks only wait to be removed together with others are free.
      if (!marks.removal.isAtRest) await marks.removal.flush();
      if (held.leftovers.length > 0) await marks.removal.clearLeftovers();
      while (!(turn = await this.#turn(begun)).isComplete) {
        if (clock.monotonic() > deadline)
          throw new DeadlineExceededError(`a stable assignment of job '${paths.jobName}'`, ASSIGNMENT_TIMEOUT_MS);
        // Not a poll: each turn follows a commit that was refused because the view was behind.
        await watch.sync();
      }
      return begunRun(turn, begun);
    } catch (error) {
      if (turn === undefined || begun.size === 0) throw error;
      // Items that have begun run, even if others could not begin. The others are still due.
      const left = turn.chosen.filter((item) => !begun.has(item));
      this.#deps.logger.warn(`items ${left.join(',')} could not begin with the others: ${describeCause(error)}`);
      return begunRun({ ...turn, blocked: [...turn.blocked, ...left] }, begun);
    }
  }

  /** Chooses once, from a view in which the items have owners, and adds the items that could be marked to `begun`. */
  async #turn(begun: Map<number, BegunItem>): Promise<Turn> {
    const { watch, marks, me, paths, held } = this.#deps;
    const { instant, jobParameter } = this.#firing;
    const signal = this.#signal;
    let view = await this.#assignedView();
    while (configurationIn(view, paths).monitorExecution && !watch.areBeginRecordsRead)
      if (await watch.readBeginRecords()) view = await this.#assignedView();
    throwIfAborted(signal);
    const config = configurationIn(view, paths);
    const { items, blocked, decidedOn } = chooseItems(view, me, this.#firing, held.busy);
    const turn = {
      config,
      blocked: numbersOf(blocked).filter((item) => !begun.has(item)),
      decidedOn,
      chosen: numbersOf(items),
    };
    const isMissed = instant !== undefined && this.#firing.cause !== 'dependency';
    if (blocked.length > 0 && config.monitorExecution && config.misfire && isMissed) await this.#noteMisfired(blocked);
    if (items.length === 0) return { ...turn, isComplete: true };
    if (!config.monitorExecution) {
      if (this.#firing.cause === 'manual') {
        const triggers = new TriggerAcceptance(this.#deps);
        const readAgain = (): Promise<void> => marks.readAgain(signal);
        if (!(await triggers.begin(numbersOf(items), jobParameter, readAgain))) return { ...turn, isComplete: false };
      }
      held.run(numbersOf(items));
      const { configRevision = 0 } = view;
      for (const { item, ownerRevision } of items)
        begun.set(item, { item, instant, jobParameter, fencingToken: Math.max(ownerRevision, configRevision) });
      return { ...turn, isComplete: true };
    }
    const begin = await marks.begin(items, { instant, jobParameter, view }, signal);
    for (const each of begin.items) begun.set(each.item, each);
    return { ...turn, isComplete: begin.isComplete };
  }

  /** Informs Java peers, and the next owner of the item. This instance itself remembers it without the mark. */
  async #noteMisfired(items: readonly ItemView[]): Promise<void> {
    const { marks, logger } = this.#deps;
    try {
      await marks.noteMisfired(items);
    } catch (error) {
      logger.warn(`could not mark items ${numbersOf(items).join(',')} as misfired: ${describeCause(error)}`);
    }
  }

  #assignedView(): Promise<JobView> {
    const { watch, paths } = this.#deps;
    return watch.until(isDecided, {
      signal: this.#signal,
      timeoutMs: ASSIGNMENT_TIMEOUT_MS,
      what: () =>
        `the items of job '${paths.jobName}' to be assigned by the leader ${watch.view.leader ?? '(there is none)'}, ` +
        whyUnassigned(watch.view),
    });
  }
}

function whyUnassigned(view: JobView): string {
  const running = runningItems(view);
  return running.length > 0
    ? `which waits for the running items ${describeItems(running)}`
    : `whose log says what keeps it from that, such as a sharding strategy that fails`;
}

function begunRun({ config, blocked, decidedOn }: Turn, begun: ReadonlyMap<number, BegunItem>): BegunRun {
  return { config, blocked, decidedOn: [...decidedOn, ...begun.keys()], items: [...begun.values()] };
}

/**
 * The configuration in force.
 * @throws InvalidConfigurationError if it cannot be read, or the job has been removed
 */
export function configurationIn({ config, configFault }: JobView, paths: JobPaths): JobConfiguration {
  if (config !== undefined) return config;
  throw new InvalidConfigurationError([
    configFault ?? `${paths.config}: there is no such node; the job has been removed`,
  ]);
}
