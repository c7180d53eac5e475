/**
 * Decides for which upstream rounds the items of a job are due: pure functions of what the upstream jobs have on
 * record. No instance hands a round on. Each instance derives from the records which of its own items are due, and the
 * commit that begins an item makes it run at most once for an instant.
 */
import { type Dependencies } from '../../api/settings/dependencies.js';
import { type EndRecord } from '../../layout/x-node/end-record.js';
import { type Round } from '../../layout/x-node/round-record.js';
import { isRunKey } from '../../layout/x-node/run-key.js';
import { type Fate, type UpstreamFates } from './rounds.js';

/** What is known of one upstream job. */
export interface Upstream {
  /** Its completed rounds that are on record, in the order of their instants. */
  readonly rounds: readonly Round[];
  /** The latest instant of completed rounds that are on record no more; `-Infinity` if all are. */
  readonly droppedUpTo: number;
  /** All ends of its items that are on record; needed with `items: 'same'` only. */
  readonly ends: EndRecord;
  /** The latest instant that is not due, in milliseconds since 1970; `-Infinity`: all are due. */
  readonly since: number;
}

/** The facts about an item of the job itself. */
export interface BegunItem {
  /** The last instant of a schedule for which any instance has begun it. */
  readonly lastBegun?: number | undefined;
  /** The last run key for which any instance has begun it. */
  readonly lastKey?: number | undefined;
  /** True for instants that an operator has ruled out. Default: none is. */
  readonly isRuledOut?: (instant: number) => boolean;
}

/** Whether what upstream jobs did for an instant counts as success, by instant (milliseconds since 1970). */
type Results = ReadonlyMap<number, boolean>;

/** The upstream rounds as one job follows them. */
export class DueRounds implements UpstreamFates {
  readonly #dependencies: Dependencies;
  readonly #upstreams: readonly Upstream[];
  readonly #matched: Results;
  readonly #matchedByItem = new Map<number, Results>();
  /** The same for all items, unless each follows the upstream items of its own number. */
  #runnable: readonly number[] | undefined;

  constructor(dependencies: Dependencies, upstreams: readonly Upstream[]) {
    this.#dependencies = dependencies;
    this.#upstreams = upstreams;
    this.#matched = matched(dependencies, upstreams.map(resultsOf));
  }

  /** Instants for which each upstream job has completed a round, in ascending order; milliseconds since 1970. */
  get instants(): readonly number[] {
    return [...this.#matched.keys()];
  }

  /**
   * The last instant of a schedule for which an item may be due, in milliseconds since 1970; `undefined` if there is
   * none.
   */
  get latest(): number | undefined {
    return this.instants.findLast((instant) => !isRunKey(instant));
  }

  /** True if rounds of an upstream job were dropped for which the item was to run, as each round is to be run. */
  hasLost(item: number, begun: BegunItem): boolean {
    const { lastBegun } = begun;
    return (
      this.#dependencies.rounds === 'every' &&
      lastBegun !== undefined &&
      this.#upstreams.some(({ droppedUpTo, since }) => droppedUpTo > Math.max(lastBegun, since)) &&
      this.dueFor(item, begun) !== undefined
    );
  }

  fateOf(item: number, instant: number): Fate {
    const isGood = this.#resultsFor(item).get(instant) ?? true;
    const { failure } = this.#dependencies;
    if (isGood || failure === 'run') return 'runs';
    return failure === 'stop' ? 'stopped' : 'skipped';
  }

  /**
   * The instant for which the item is due; `undefined` if it is due for none. All in milliseconds since 1970. Each run
   * key is run, whatever `rounds` says of the instants of a schedule.
   */
  dueFor(item: number, begun: BegunItem): number | undefined {
    const waiting = this.waitingFor(item, begun);
    const scheduled = waiting.filter((instant) => !isRunKey(instant));
    const due = this.#dependencies.rounds === 'every' ? scheduled[0] : scheduled.at(-1);
    const key = waiting.find(isRunKey);
    return due === undefined || key === undefined ? (due ?? key) : Math.min(due, key);
  }

  /** The instants for which the item is to run and has not begun, in ascending order; as `dueFor`. */
  waitingFor(item: number, { lastBegun = -Infinity, lastKey = -Infinity, isRuledOut }: BegunItem): readonly number[] {
    return this.#runnableFor(item).filter(
      (instant) => instant > (isRunKey(instant) ? lastKey : lastBegun) && isRuledOut?.(instant) !== true,
    );
  }

  /** The instants for which the item is to run, whether it has run or not, in ascending order. */
  #runnableFor(item: number): readonly number[] {
    const isRunnable = (instant: number): boolean => this.fateOf(item, instant) === 'runs';
    if (this.#dependencies.items === 'same') return [...this.#resultsFor(item).keys()].filter(isRunnable);
    this.#runnable ??= this.instants.filter(isRunnable);
    return this.#runnable;
  }

  #resultsFor(item: number): Results {
    if (this.#dependencies.items === 'all') return this.#matched;
    const known = this.#matchedByItem.get(item);
    if (known !== undefined) return known;
    const results = matched(
      this.#dependencies,
      this.#upstreams.map((upstream) => resultsOfItem(upstream, item)),
    );
    this.#matchedByItem.set(item, results);
    return results;
  }
}

function resultsOf({ rounds, since }: Upstream): Results {
  return new Map(
    rounds.flatMap(({ instant, outcome }) =>
      instant > since ? [[instant, outcome === 'succeeded' || outcome === 'skipped'] as const] : [],
    ),
  );
}

/** An item that took no part in a complete round, because it was disabled for example, counts as ended with it. */
function resultsOfItem({ rounds, ends, since }: Upstream, item: number): Results {
  const results = new Map<number, boolean>();
  for (const { instant, outcome, failed } of rounds)
    if (instant > since) results.set(instant, outcome !== 'stopped' && !failed.includes(item));
  for (const [instant, items] of ends.ends) {
    const end = items.get(item);
    if (end !== undefined && instant > since) results.set(instant, end === 'succeeded');
  }
  return results;
}

/**
 * The instants for which each upstream job has a result, in ascending order, with all results as one. A run key is one
 * round of the whole graph, and stands for no instant of a schedule.
 */
function matched({ match }: Dependencies, all: readonly Results[]): Results {
  const instants = [...new Set(all.flatMap((results) => [...results.keys()]))].sort((one, other) => one - other);
  const scheduled = all.map((results) => new Map([...results].filter(([instant]) => !isRunKey(instant))));
  return new Map(
    instants.flatMap((instant) => {
      const isExact = match === 'same' || isRunKey(instant);
      const results = isExact
        ? all.map((each) => resultAt(each, instant))
        : scheduled.map((each) => resultBy(each, instant));
      return results.includes(undefined) ? [] : [[instant, !results.includes(false)] as const];
    }),
  );
}

function resultAt(results: Results, instant: number): boolean | undefined {
  return results.get(instant);
}

/**
 * The result of the last round up to that instant, or, if there is none on record, of the first one after it; none
 * before the job has completed a round of that instant or a later one.
 */
function resultBy(results: Results, instant: number): boolean | undefined {
  let last: boolean | undefined;
  for (const [each, result] of [...results].sort(([one], [other]) => one - other)) {
    if (each <= instant) last = result;
    if (each >= instant) return last ?? result;
  }
  return undefined;
}
