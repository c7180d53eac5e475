import { type JobView } from '../layout/job-view.js';
import { type EndRecord, mergeEndRecords } from '../layout/x-node/end-record.js';
import { type GraphOrders, NO_ORDERS, runWithKey } from '../layout/x-node/graph-orders.js';
import { type Round } from '../layout/x-node/round-record.js';
import { isRunKey } from '../layout/x-node/run-key.js';
import { InvalidCronError, InvalidTimeZoneError, QuartzCron } from '../time/cron.js';
import { type NodeRound } from './graph-round.js';
import { type GraphMember } from './job-graphs.js';

/** The rounds of the jobs before a job, by name. */
type Known = ReadonlyMap<string, NodeRound>;

/** The part of a round that a state of a job adds to the usual one. */
type NodeFacts = Pick<NodeRound, 'state'> & Partial<NodeRound>;

/** Everything that one job of a graph has on record of its rounds. */
export class NodeHistory {
  readonly #member: GraphMember;
  readonly #view: JobView | undefined;
  readonly #rounds: ReadonlyMap<number, Round>;
  readonly #ends: EndRecord;

  /** @param view `undefined` if there is no such job */
  constructor(member: GraphMember, view: JobView | undefined) {
    this.#member = member;
    this.#view = view;
    this.#rounds = new Map((view?.graph.rounds.rounds ?? []).map((round) => [round.instant, round]));
    this.#ends = mergeEndRecords(view?.graph.ends.values() ?? []);
  }

  get jobName(): string {
    return this.#member.jobName;
  }

  /** The orders of operators for its rounds. */
  get orders(): GraphOrders {
    return this.#view?.graph.orders ?? NO_ORDERS;
  }

  /** All instants (milliseconds since 1970) that it has completed, ended or begun, or has been asked for. */
  get instants(): readonly number[] {
    // A run that began before the job belonged to the graph is part of no round of it.
    const begun = [...this.#ends.ends.keys(), ...(this.#view?.lastBegun.values() ?? [])];
    return [
      ...new Set([
        ...this.#rounds.keys(),
        ...begun.filter((instant) => instant > this.#notDueUpTo),
        ...(this.#view?.lastKeys.values() ?? []),
        ...this.orders.runs.map(({ key }) => key),
      ]),
    ];
  }

  get #notDueUpTo(): number {
    if (this.#member.dependencies !== undefined) return -Infinity;
    const since = [...(this.#view?.graph.successors.values() ?? [])].map((each) => each ?? -Infinity);
    return since.length === 0 ? -Infinity : Math.min(...since);
  }

  /** The job in the round of that instant (milliseconds since 1970). */
  at(instant: number, known: Known): NodeRound {
    const ended = this.#ends.ends.get(instant);
    return {
      ...{ jobName: this.jobName, since: undefined, waitingFor: [], failedItems: [], takesPart: true },
      ...{ isCarried: false, madeUpBy: undefined, items: { total: this.#total, ended: ended?.size ?? 0 } },
      ...this.#factsAt(instant, known),
    };
  }

  #factsAt(instant: number, known: Known): NodeFacts {
    const round = this.#rounds.get(instant);
    if (round !== undefined) return this.#complete(round);
    const upstreams = this.#member.dependencies?.after ?? [];
    const since = dueSince(upstreams, known, instant);
    if (this.#hasBegun(instant)) {
      const ended = this.#ends.ends.get(instant) ?? [];
      return {
        state: 'running',
        since,
        failedItems: [...ended].flatMap(([item, end]) => (end === 'failed' ? [item] : [])),
      };
    }
    const override = this.orders.overrides.get(instant);
    if (override !== undefined) return { state: override === 'skip' ? 'skipped' : 'stopped' };
    const takesPart = this.#takesPart(instant, known);
    if (!takesPart) return { state: 'skipped', takesPart };
    const later = this.#laterRound(instant);
    if (later !== undefined) return { state: 'skipped', madeUpBy: new Date(later) };
    return { state: 'waiting', since, waitingFor: upstreams.filter((name) => isOpen(known.get(name))) };
  }

  #complete({ instant, outcome, completedAt, failed }: Round): NodeFacts {
    const hasRun = outcome === 'succeeded' || outcome === 'failed';
    return {
      ...{ state: outcome, since: new Date(completedAt), failedItems: failed },
      isCarried: runWithKey(this.orders, instant)?.as !== undefined,
      items: { total: this.#total, ended: hasRun ? this.#total : 0 },
    };
  }

  get #total(): number {
    return this.#view?.config?.shardingTotalCount ?? 0;
  }

  #hasBegun(instant: number): boolean {
    if (this.#ends.ends.has(instant)) return true;
    const last = isRunKey(instant) ? this.#view?.lastKeys : this.#view?.lastBegun;
    return [...(last?.values() ?? [])].includes(instant);
  }

  /** The first complete round after a scheduled instant; nothing makes up for a run key. */
  #laterRound(instant: number): number | undefined {
    if (isRunKey(instant)) return undefined;
    const later = [...this.#rounds.keys()].filter((each) => each > instant && !isRunKey(each));
    return later.length === 0 ? undefined : Math.min(...later);
  }

  #takesPart(instant: number, known: Known): boolean {
    const { dependencies } = this.#member;
    if (dependencies === undefined) return this.#fires(instant);
    const parts = dependencies.after.map((name) => known.get(name)?.takesPart !== false);
    return dependencies.match === 'same' ? parts.every(Boolean) : parts.some(Boolean);
  }

  /** True if a root has a round of that instant: by its schedule, or because it was asked for. */
  #fires(instant: number): boolean {
    if (isRunKey(instant)) return runWithKey(this.orders, instant) !== undefined;
    const { cron, timeZone } = this.#view?.config ?? {};
    if (cron === undefined) return false;
    try {
      const next = QuartzCron.parse(cron, timeZone === undefined ? {} : { timeZone }).next(new Date(instant - 1));
      return next?.getTime() === instant;
    } catch (error) {
      if (!(error instanceof InvalidCronError || error instanceof InvalidTimeZoneError)) throw error;
      // A schedule that cannot be used never fires; the job's health says why.
      return false;
    }
  }
}

/** True if the job is still to come to an end in its round; also if it is unknown. */
export function isOpen(round: NodeRound | undefined): boolean {
  return round === undefined || round.state === 'waiting' || round.state === 'running';
}

/** When the last of the upstream jobs had completed its round; for a root, the instant itself. */
function dueSince(upstreams: readonly string[], known: Known, instant: number): Date {
  const ends = upstreams.flatMap((name) => {
    const round = known.get(name);
    return isOpen(round) ? [] : (round?.since?.getTime() ?? []);
  });
  return new Date(ends.length === 0 ? instant : Math.max(...ends));
}
