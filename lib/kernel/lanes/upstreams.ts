/**
 * The upstream jobs of a job, as one instance follows them. It keeps mirrors of the few nodes that matter, and
 * registers the job as their successor, which makes their instances write down the ends of their runs.
 *
 * ```
 *   importA/x-node/graph/rounds ──mirror──▶ due rounds ──rules──▶ begin, for the instant of the upstream round
 *   importA/x-node/graph/successors/report ◀──register
 * ```
 */
import { type Dependencies, dependenciesOf } from '../../api/settings/dependencies.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type FoundProblem, findGraphProblems } from '../../graphs/read-graph.js';
import { isPaused, isRuledOut, lastKeyOf } from '../../graphs/orders.js';
import { JobPaths } from '../../layout/job-paths.js';
import { lastRounds } from '../../layout/x-node/round-record.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { type BegunItem, DueRounds } from '../graph/due-rounds.js';
import { assignedItems, numbersOf } from '../view/items.js';
import { NO_UPSTREAMS, type UpstreamFates } from '../graph/rounds.js';
import { UpstreamWatch } from './upstream-watch.js';

/** Dependencies of `Upstreams`. */
export type UpstreamsDeps = Pick<JobContext, 'registry' | 'paths' | 'me' | 'requestReconcile'>;

/** Follows the upstream jobs of one job. */
export class Upstreams {
  readonly #deps: UpstreamsDeps;
  #watches: readonly UpstreamWatch[] = [];
  #dependencies: Dependencies | undefined;
  /** `dependenciesKey` of what is followed. */
  #key = NOTHING_FOLLOWED;
  #due: { readonly moment: string; readonly rounds: DueRounds } | undefined;
  #isClosed = false;
  #problems: readonly FoundProblem[] = [];
  /** The revisions of the upstream jobs' settings for which `#problems` were found. */
  #checkedFor: string | undefined;

  constructor(deps: UpstreamsDeps) {
    this.#deps = deps;
  }

  /** Everything that keeps the job from running after others. */
  get problems(): readonly FoundProblem[] {
    return this.#problems;
  }

  /** Upstream jobs that are there, and that no enabled instance runs. */
  get idle(): readonly string[] {
    return this.#watches.flatMap((watch) => (watch.isThere && !watch.isLed ? [watch.jobName] : []));
  }

  /**
   * True if exactly the upstream jobs of these settings are followed and checked, and those that are there know of
   * that.
   */
  areFollowed(config: JobConfiguration): boolean {
    const key = dependenciesKey(dependenciesOf(config));
    if (key !== this.#key || this.#watches.some(this.#isToRegister)) return false;
    return key === NOTHING_FOLLOWED || this.#checkedFor === this.#basisOf(config);
  }

  #basisOf({ shardingTotalCount, monitorExecution, cron }: JobConfiguration): string {
    const revisions = this.#watches.map(({ settingsRevision }) => settingsRevision);
    return JSON.stringify([this.#key, shardingTotalCount, monitorExecution, cron, revisions]);
  }

  readonly #isToRegister = (watch: UpstreamWatch): boolean =>
    !this.#isBarred && watch.isThere && !watch.knows(this.#deps.paths.jobName);

  /** True if the job cannot run after others until settings change. */
  get #isBarred(): boolean {
    return this.#problems.some(({ problem }) => problem.type !== 'unknown');
  }

  /**
   * Follows the upstream jobs that these settings name, and no others, and registers as their successor.
   * @throws RegistryUnavailableError if a job's nodes cannot be read or written now
   */
  async follow(config: JobConfiguration): Promise<void> {
    const { registry, paths, requestReconcile } = this.#deps;
    const dependencies = dependenciesOf(config);
    const key = dependenciesKey(dependencies);
    if (key !== this.#key) {
      await this.#leave(dependencies?.after ?? []);
      this.#closeAll();
      this.#dependencies = dependencies;
      const withEnds = dependencies?.items === 'same';
      const open = (jobName: string): Promise<UpstreamWatch> =>
        UpstreamWatch.open({ registry, jobName, withEnds, onChange: requestReconcile });
      // One after the other: if one cannot be opened, no other is left open unseen.
      for (const jobName of dependencies?.after ?? []) this.#watches = [...this.#watches, await open(jobName)];
      this.#key = key;
      if (this.#isClosed) this.#closeAll();
    }
    // Made before the settings are read: those that change meanwhile are checked again.
    const basis = this.#basisOf(config);
    this.#problems = await findGraphProblems(registry, { ...config, jobName: paths.jobName });
    this.#checkedFor = basis;
    for (const watch of this.#watches) if (this.#isToRegister(watch)) await watch.register(paths.jobName);
    requestReconcile();
  }

  /** Withdraws from upstream jobs that the settings name no more. If that fails, their leaders find it out. */
  async #leave(after: readonly string[]): Promise<void> {
    const { registry, paths } = this.#deps;
    for (const { jobName } of this.#watches)
      if (!after.includes(jobName)) await registry.remove(new JobPaths(jobName).successor(paths.jobName));
  }

  /** The effect of the upstream rounds on this job's rounds. */
  get fates(): UpstreamFates {
    return this.#rounds ?? NO_UPSTREAMS;
  }

  /** The last instant for which an item may be due, in milliseconds since 1970; `undefined` if there is none. */
  get latest(): number | undefined {
    return this.#rounds?.latest;
  }

  /** The instants, in milliseconds since 1970, for which items of this instance are due, by item. */
  dueIn(view: JobView): ReadonlyMap<number, number> {
    const rounds = this.#rounds;
    if (rounds === undefined || isPaused(view)) return NOTHING_DUE;
    const due = new Map<number, number>();
    for (const item of numbersOf(assignedItems(view, this.#deps.me))) {
      const instant = rounds.dueFor(item, dueItem(view, item));
      if (instant !== undefined) due.set(item, instant);
    }
    return due;
  }

  /** The instants, in milliseconds since 1970, for which items of this instance are due and have not begun. */
  waitingIn(view: JobView): ReadonlySet<number> {
    const rounds = this.#rounds;
    if (rounds === undefined) return new Set();
    const items = numbersOf(assignedItems(view, this.#deps.me));
    return new Set(items.flatMap((item) => rounds.waitingFor(item, dueItem(view, item))));
  }

  /** Items of this instance that were to run for rounds that the upstream jobs have on record no more. */
  itemsThatLost(view: JobView): readonly number[] {
    const rounds = this.#rounds;
    if (rounds === undefined) return [];
    return numbersOf(assignedItems(view, this.#deps.me)).filter((item) => rounds.hasLost(item, begunItem(view, item)));
  }

  get #rounds(): DueRounds | undefined {
    const dependencies = this.#dependencies;
    if (dependencies === undefined || this.#key === NOTHING_FOLLOWED || this.#isBarred) return undefined;
    const moment = this.#watches.map((watch) => watch.moment).join(' ');
    if (this.#due?.moment !== moment) {
      const { jobName } = this.#deps.paths;
      const upstreams = this.#watches.map((watch) => watch.asUpstreamOf(jobName));
      this.#due = { moment, rounds: new DueRounds(dependencies, upstreams) };
    }
    return this.#due.rounds;
  }

  /** Follows nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#closeAll();
  }

  #closeAll(): void {
    for (const watch of this.#watches) watch.close();
    this.#watches = [];
    this.#key = NOTHING_FOLLOWED;
    this.#due = undefined;
    this.#problems = [];
  }
}

function begunItem(view: JobView, item: number): BegunItem {
  return {
    ...{ lastBegun: view.lastBegun.get(item), lastKey: lastKeyOf(view, item) },
    isRuledOut: (instant) => isRuledOut(view, item, instant),
  };
}

/**
 * An item that took no part in a round of this job that is complete, because it was disabled for example, does not run
 * for it later: jobs after this one have gone on.
 */
function dueItem(view: JobView, item: number): BegunItem {
  const begun = begunItem(view, item);
  const completedUpTo = lastRounds(view.graph.rounds).scheduled ?? -Infinity;
  return { ...begun, lastBegun: Math.max(completedUpTo, begun.lastBegun ?? -Infinity) };
}

const NOTHING_DUE: ReadonlyMap<number, number> = new Map();
const NOTHING_FOLLOWED = '';

/** Dependencies as one text to compare. */
function dependenciesKey(dependencies: Dependencies | undefined): string {
  return dependencies === undefined ? NOTHING_FOLLOWED : JSON.stringify(dependencies);
}
