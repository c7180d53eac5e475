/**
 * The rounds of a graph as the marks and runs of a recording show them. They are derived without the product's code and
 * without its records of rounds. What cannot be told for certain is `undefined`: an item that an operator disabled,
 * whose run was given back, or that made up for several instants in one run.
 */
import { type JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { Evidence, type Window } from '../evidence.js';
import { type History, jobsOf } from '../history.js';
import { SLACK_MS } from '../interruptions.js';
import { type Mark } from '../marks.js';
import { type Recording } from '../recording.js';
import { START } from '../world.js';

/** What became of an item in a round. */
export interface ItemRound {
  readonly state: 'succeeded' | 'failed' | 'stopped' | 'skipped';
  /** From when on the successors may know. */
  readonly endMs: number;
}

/** A complete round of a job. */
export interface JobRound {
  readonly outcome: 'succeeded' | 'failed' | 'stopped' | 'skipped';
  readonly failed: readonly number[];
  readonly endMs: number;
}

/** The rules by which a job follows its upstream jobs, as its settings have them at a moment. */
export interface Following {
  readonly after: readonly string[];
  readonly isItemByItem: boolean;
  readonly match: 'same' | 'latest';
  readonly failure: string;
  readonly isEvery: boolean;
}

/** All jobs of a recording, and their rounds. */
export class GraphEvidence {
  /** By the names of the jobs, in the order in which upstream jobs come first. */
  readonly jobs: ReadonlyMap<string, Evidence>;
  readonly #items = new Map<string, ItemRound | undefined>();

  constructor(history: History, recording: Recording) {
    const { onceListener, ...rest } = history;
    this.jobs = new Map(
      jobsOf(history).map(({ name, job, behaviours }, index) => {
        const own = index === 0 ? recording : recording.others?.get(name);
        if (own === undefined) throw new RangeError(`nothing is recorded of job ${name}`);
        const ofJob = { ...rest, job, behaviours, ...(index === 0 && onceListener !== undefined && { onceListener }) };
        return [name, new Evidence(ofJob, own, name)];
      }),
    );
  }

  /** The evidence of the job of that name. */
  of(name: string): Evidence {
    const evidence = this.jobs.get(name);
    if (evidence === undefined) throw new RangeError(`there is no job ${name}`);
    return evidence;
  }

  /** The jobs that run after others, with what they follow at the beginning. */
  get successors(): readonly string[] {
    return [...this.jobs.keys()].filter((name) => {
      const [first] = this.of(name).configs;
      return first !== undefined && followingOf(first.value) !== undefined;
    });
  }

  /** True if instances that start at the end refuse the job: item by item, it needs as many items as its upstream jobs. */
  isRefused(name: string): boolean {
    const config = this.of(name).configs.at(-1)?.value;
    const following = config && followingOf(config);
    if (following?.isItemByItem !== true) return false;
    return following.after.some(
      (upstream) => this.of(upstream).configs.at(-1)?.value.shardingTotalCount !== config?.shardingTotalCount,
    );
  }

  /** What an item of a job did for an instant; `undefined` if that is not certain, or nothing. Instants in ms. */
  itemRound(name: string, item: number, instantMs: number): ItemRound | undefined {
    const key = `${name} ${item} ${instantMs}`;
    if (!this.#items.has(key)) this.#items.set(key, this.#findItemRound(name, item, instantMs));
    return this.#items.get(key);
  }

  #findItemRound(name: string, item: number, instantMs: number): ItemRound | undefined {
    const evidence = this.of(name);
    const marks = marksFor(evidence, item, instantMs);
    if (marks.length > 0) return endOf(evidence, marks);
    const following = this.followingAt(name, { fromMs: instantMs, toMs: instantMs });
    if (following === undefined || following.failure === 'run') return undefined;
    const due = this.upstreamResult(name, item, instantMs);
    if (due === undefined || due.isGood) return undefined;
    return { state: following.failure === 'stop' ? 'stopped' : 'skipped', endMs: due.atMs };
  }

  /** The round of a job, if all its items took part for certain, none was disabled, and their number did not change. */
  jobRound(name: string, instantMs: number): JobRound | undefined {
    const evidence = this.of(name);
    const total = evidence.configAt(instantMs)?.shardingTotalCount;
    if (total === undefined) return undefined;
    const items = Array.from({ length: total }, (_, item) => item);
    const states = items.flatMap((item) => this.itemRound(name, item, instantMs) ?? []);
    const endMs = Math.max(...states.map((state) => state.endMs));
    const window = this.around(name, { fromMs: instantMs, toMs: endMs });
    const isSteady =
      states.length === total &&
      !isChanged(evidence, window, ({ shardingTotalCount }) => shardingTotalCount) &&
      items.every((item) => !isDisabled(evidence, item, window));
    if (!isSteady || evidence.isWiped(window)) return undefined;
    const failed = items.filter((_, index) => ['failed', 'stopped'].includes(states[index]?.state ?? ''));
    if (states.every(({ state }) => state === 'stopped')) return { outcome: 'stopped', failed: [], endMs };
    if (failed.length > 0) return { outcome: 'failed', failed, endMs };
    const isAnyRun = states.some(({ state }) => state === 'succeeded');
    return { outcome: isAnyRun ? 'succeeded' : 'skipped', failed, endMs };
  }

  /** What the job follows, if its settings did not change in the window, and it follows others at all. */
  followingAt(name: string, window: Window): Following | undefined {
    const evidence = this.of(name);
    const wide = this.around(name, window);
    if (isChanged(evidence, wide, ({ props }) => JSON.stringify(props))) return undefined;
    const config = evidence.configAt(window.toMs);
    return config && followingOf(config);
  }

  /**
   * The result of the upstream jobs for an item at an instant, with `match: same`: whether it counts as success, and from
   * when on it is known; `undefined` if that is not certain.
   */
  upstreamResult(
    name: string,
    item: number,
    instantMs: number,
  ): { readonly isGood: boolean; readonly atMs: number } | undefined {
    const following = this.followingAt(name, { fromMs: instantMs, toMs: instantMs });
    if (following?.match !== 'same' || !this.isRegistered(name, following.after, instantMs)) return undefined;
    const results = following.after.flatMap((upstream) => {
      if (following.isItemByItem) {
        const round = this.itemRound(upstream, item, instantMs);
        return round === undefined ? [] : [{ isGood: isSuccess(round.state), atMs: round.endMs }];
      }
      const round = this.jobRound(upstream, instantMs);
      return round === undefined ? [] : [{ isGood: isSuccess(round.outcome), atMs: round.endMs }];
    });
    if (results.length < following.after.length) return undefined;
    const atMs = Math.max(...results.map((result) => result.atMs));
    // Equal numbers of items are a condition of running item by item.
    const counts = [name, ...following.after].map((each) => this.of(each).configAt(atMs)?.shardingTotalCount);
    if (following.isItemByItem && new Set(counts).size > 1) return undefined;
    return { isGood: results.every(({ isGood }) => isGood), atMs };
  }

  /** True if the upstream jobs knew of the successor before the instant came for any of them, and ever since. */
  isRegistered(name: string, upstreams: readonly string[], instantMs: number): boolean {
    return upstreams.every((upstream) => {
      const evidence = this.of(upstream);
      const spans = evidence.spans(evidence.paths.successor(name));
      const { fromMs } = this.around(upstream, { fromMs: instantMs, toMs: instantMs });
      const known = spans.find(({ value }) => value !== undefined);
      const since = Number(/^since: (\d+)$/.exec(known?.value ?? '')?.[1] ?? -Infinity);
      return known !== undefined && known.fromMs < fromMs && known.toMs === Infinity && sinceMs(since) < instantMs;
    });
  }

  /** A window as clocks and messages may stretch it. */
  around(name: string, { fromMs, toMs }: Window): Window {
    const { skews } = this.of(name);
    return { fromMs: fromMs - skews.greatestMs - SLACK_MS, toMs: toMs - skews.leastMs + SLACK_MS };
  }
}

function sinceMs(since: number): number {
  return since - START;
}

/** The marks that an item had for an instant, in their order. */
export function marksFor({ marksByItem }: Evidence, item: number, instantMs: number): readonly Mark[] {
  return (marksByItem.get(item) ?? []).filter(({ scheduledMs }) => scheduledMs === instantMs);
}

/** True if the item was disabled, or was none of the job's, at some time in the window. */
export function isDisabled(evidence: Evidence, item: number, window: Window): boolean {
  return (
    evidence.ever(evidence.paths.item(item, 'disabled'), (value) => value !== undefined, window) ||
    evidence.everConfigured(({ shardingTotalCount }) => shardingTotalCount <= item, window) ||
    evidence.everLeftOut(item, window)
  );
}

/** True if a setting changed in the window. */
export function isChanged(
  evidence: Evidence,
  { fromMs, toMs }: Window,
  settingOf: (config: JobConfiguration) => unknown,
): boolean {
  const values = evidence.configs.filter((span) => span.fromMs <= toMs && span.toMs >= fromMs);
  return new Set(values.map(({ value }) => settingOf(value))).size > 1;
}

function followingOf({ props }: JobConfiguration): Following | undefined {
  const after = props['graph.after'];
  if (after === undefined) return undefined;
  return {
    after: after.split(','),
    isItemByItem: props['graph.afterItems'] === 'same',
    match: props['graph.afterMatch'] === 'latest' ? 'latest' : 'same',
    failure: props['graph.afterFailure'] ?? 'stop',
    isEvery: props['graph.afterRounds'] === 'every',
  };
}

function isSuccess(state: string): boolean {
  return state === 'succeeded' || state === 'skipped';
}

/** The end of an item's marks for one instant, if it is certain. */
function endOf(evidence: Evidence, marks: readonly Mark[]): ItemRound | undefined {
  const last = marks.at(-1);
  const ends = new Set(marks.map(({ run }) => run?.end));
  if (last === undefined) return undefined;
  const window = { fromMs: marks[0]?.fromMs ?? 0, toMs: last.toMs };
  if (last.toMs === Infinity || evidence.isWiped(window)) return undefined;
  const isFirstEnd = marks.slice(0, -1).every(({ run, fate }) => fate === 'reported' && run?.end === 'lost');
  if (!isFirstEnd) return undefined;
  if (last.fate === 'ended' && ends.has('completed')) return { state: 'succeeded', endMs: last.toMs };
  if (last.fate === 'ended' && (ends.has('failed') || ends.has('timed-out')))
    return { state: 'failed', endMs: last.toMs };
  // Its process has died with it, and no instance takes it over.
  const isLost = (last.fate === 'vanished' || last.fate === 'removed') && last.run?.end === 'lost';
  const isKeptOff = !evidence.everConfigured(({ failover }) => failover, { fromMs: window.fromMs, toMs: Infinity });
  return isLost && isKeptOff ? { state: 'failed', endMs: last.toMs } : undefined;
}
