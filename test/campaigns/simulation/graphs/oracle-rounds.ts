/**
 * The rules of jobs that run after others:
 *
 * | Rule | Says |
 * |---|---|
 * | `unorderedRounds` | an item never begins for an instant before one that it has begun for already |
 * | `earlyRounds` | no item begins before each upstream item that takes part has ended: its takeover included |
 * | `forbiddenRounds` | no item begins for a round that has failed upstream, unless `afterFailure` is `run` |
 * | `missedRounds` | each round that is due is run, in the quiet end at once; with `latest`, a later one may stand for it |
 * | `recordedRounds` | a complete round is on record, with its outcome |
 */
import { decodeRounds } from '../../../../lib/layout/x-node/round-record.js';
import { type Evidence, type Window } from '../evidence.js';
import { interruptions, isCovered, PATIENCE_MS, SLACK_MS } from '../interruptions.js';
import { type Mark } from '../marks.js';
import { seconds } from '../run-book.js';
import { START } from '../world.js';
import { type GraphEvidence, isChanged, isDisabled, marksFor } from './graph-evidence.js';

/** From the end of the upstream round to the mark of the successor when nothing keeps it, beside messages. */
const PROMPT_MS = 700;

interface Scheduled extends Mark {
  readonly scheduledMs: number;
}

/** The marks of a job that were made for an instant, and not in taking over a run. */
function begun({ marks }: Evidence): readonly Scheduled[] {
  return marks.filter((mark): mark is Scheduled => mark.scheduledMs !== undefined && !mark.isRescue);
}

/** An item runs for its instants in ascending order. */
export function unorderedRounds(graph: GraphEvidence): readonly string[] {
  return graph.successors.flatMap((name) => {
    const evidence = graph.of(name);
    const latest = new Map<number, Scheduled>();
    return begun(evidence).flatMap((mark) => {
      const before = latest.get(mark.item);
      if (before === undefined || before.scheduledMs < mark.scheduledMs) latest.set(mark.item, mark);
      if (before === undefined || before.scheduledMs <= mark.scheduledMs) return [];
      const isExcused = evidence.isWiped({ fromMs: before.fromMs, toMs: mark.fromMs });
      return isExcused ? [] : [`${nameOf(name, mark)} begins after ${nameOf(name, before)}`];
    });
  });
}

/** The upstream items of a round have ended before an item of the successor begins, and none begins later. */
export function earlyRounds(graph: GraphEvidence): readonly string[] {
  return eachBegin(graph, (name, mark) => {
    const window = { fromMs: mark.scheduledMs, toMs: mark.fromMs };
    const following = graph.followingAt(name, window);
    if (following === undefined) return [];
    return following.after.flatMap((upstream) => {
      const evidence = graph.of(upstream);
      const ofRound = evidence.marks.filter(
        ({ item, scheduledMs = Infinity, run, fate }) =>
          (!following.isItemByItem || item === mark.item) &&
          !(run === undefined && fate === 'ended') &&
          (following.match === 'same' ? scheduledMs === mark.scheduledMs : scheduledMs <= mark.scheduledMs),
      );
      return (
        ofRound
          .filter((each) => each.toMs > mark.fromMs && !mayComeLate(graph, upstream, each, mark))
          // A registry that was wiped does not know what has run.
          .filter((each) => !evidence.isWiped({ fromMs: mark.fromMs, toMs: each.fromMs }))
          .map(
            (each) =>
              `${nameOf(name, mark)} begins before ${nameOf(upstream, each)} has ended (${each.toMs === Infinity ? 'never' : seconds(each.toMs)})`,
          )
      );
    });
  });
}

/** The item took no part in the round: it was disabled, or there was none, when the round was completed. */
function mayComeLate(graph: GraphEvidence, upstream: string, late: Mark, { scheduledMs, fromMs }: Scheduled): boolean {
  const evidence = graph.of(upstream);
  if (late.fromMs <= fromMs) return false;
  const window = graph.around(upstream, { fromMs: scheduledMs, toMs: fromMs });
  const isNewcomer = (marksFor(evidence, late.item, late.scheduledMs ?? NaN)[0]?.fromMs ?? 0) > fromMs;
  return isNewcomer && isDisabled(evidence, late.item, window);
}

/** A failed round upstream keeps an item from running, unless its job runs all the same. */
export function forbiddenRounds(graph: GraphEvidence): readonly string[] {
  return eachBegin(graph, (name, mark) => {
    const following = graph.followingAt(name, { fromMs: mark.scheduledMs, toMs: mark.fromMs });
    if (following === undefined || following.failure === 'run') return [];
    const result = graph.upstreamResult(name, mark.item, mark.scheduledMs);
    return result?.isGood === false ? [`${nameOf(name, mark)} begins although the upstream round has failed`] : [];
  });
}

function eachBegin(
  graph: GraphEvidence,
  judge: (name: string, mark: Scheduled) => readonly string[],
): readonly string[] {
  return graph.successors.flatMap((name) => {
    const evidence = graph.of(name);
    return begun(evidence).flatMap((mark) => {
      const isExcused = evidence.isWiped({ fromMs: mark.scheduledMs - SLACK_MS, toMs: mark.fromMs });
      return isExcused ? [] : judge(name, mark);
    });
  });
}

/** A round that an item is to run for. */
export interface DueRound {
  readonly name: string;
  readonly item: number;
  readonly instantMs: number;
  /** When it became due, in milliseconds since the beginning. */
  readonly atMs: number;
}

/** All rounds that are due for certain, by the policies that the jobs have declared. */
export function dueRounds(graph: GraphEvidence): readonly DueRound[] {
  return graph.successors.flatMap((name) => {
    const { items } = graph.of(name);
    return items.flatMap((item) =>
      instantsBefore(graph, name).flatMap((instantMs): readonly DueRound[] => {
        const result = graph.upstreamResult(name, item, instantMs);
        const following = graph.followingAt(name, { fromMs: instantMs, toMs: result?.atMs ?? instantMs });
        if (result === undefined || following === undefined) return [];
        return result.isGood || following.failure === 'run' ? [{ name, item, instantMs, atMs: result.atMs }] : [];
      }),
    );
  });
}

/** The instants of the roots: all rounds of a graph are for one of them. */
function instantsBefore(graph: GraphEvidence, name: string): readonly number[] {
  const following = graph.successors.includes(name) ? graph.of(name).configs[0]?.value.props['graph.after'] : undefined;
  const upstreams = following?.split(',') ?? [];
  const instants = upstreams.flatMap((upstream) => [
    ...begun(graph.of(upstream)).map(({ scheduledMs }) => scheduledMs),
    ...instantsBefore(graph, upstream),
  ]);
  return [...new Set(instants)].sort((one, other) => one - other);
}

/** Rounds that were due, and that an item has not been begun for. */
export function missedRounds(graph: GraphEvidence): readonly string[] {
  return dueRounds(graph).flatMap((due) => {
    const { name, item, instantMs, atMs } = due;
    const evidence = graph.of(name);
    const [first] = marksFor(evidence, item, instantMs);
    const what = `item ${item} of ${name} for ${seconds(instantMs)}, due since ${seconds(atMs)},`;
    if (first !== undefined) return isSlow(graph, due, first) ? [`${what} was begun at ${seconds(first.fromMs)}`] : [];
    return isExcused(graph, due) ? [] : [`${what} was not begun`];
  });
}

/** In the quiet end, everything is begun at once. */
function isSlow(graph: GraphEvidence, { name, atMs }: DueRound, { fromMs }: Mark): boolean {
  const { recording, history } = graph.of(name);
  const [from, to] = recording.rests;
  if (from === undefined || to === undefined || atMs < from.atMs || fromMs > to.atMs) return false;
  return fromMs - atMs > PROMPT_MS + 6 * history.slowestMessageMs;
}

function isExcused(graph: GraphEvidence, due: DueRound): boolean {
  const { name, item, instantMs, atMs } = due;
  const evidence = graph.of(name);
  const next = begun(evidence)
    .filter((mark) => mark.item === item && mark.scheduledMs > instantMs)
    .sort((one, other) => one.fromMs - other.fromMs)[0];
  const [, to] = evidence.recording.rests;
  const endMs = to?.atMs ?? 0;
  // The end of the recording comes before it can be begun.
  if (next === undefined && atMs + PATIENCE_MS > endMs) return true;
  const window = graph.around(name, { fromMs: instantMs, toMs: next?.fromMs ?? endMs });
  const wasKept =
    isDisabled(evidence, item, window) ||
    evidence.isWiped(window) ||
    isChanged(evidence, window, ({ props, shardingTotalCount }) => JSON.stringify([props, shardingTotalCount])) ||
    isBlocked(graph, name, window) ||
    isMerged(graph, name, window, instantMs);
  if (wasKept) return true;
  // Each round is run, whatever keeps the item meanwhile.
  if (next === undefined || graph.followingAt(name, window)?.isEvery === true) return false;
  const nextDueMs = Math.max(next.scheduledMs, graph.upstreamResult(name, item, next.scheduledMs)?.atMs ?? next.fromMs);
  const kept = [...busy(evidence, item), ...interruptions(evidence)];
  return isCovered({ fromMs: atMs + PROMPT_MS, toMs: nextDueMs }, kept);
}

/**
 * Item by item, an upstream item may have run for an instant that others of its job have made up for later: then that
 * instant is no round, and its ends are on record only until the later round is complete.
 */
function isMerged(graph: GraphEvidence, name: string, { fromMs, toMs }: Window, instantMs: number): boolean {
  const following = graph.followingAt(name, { fromMs, toMs });
  if (following?.isItemByItem !== true) return false;
  return following.after.some((upstream) => graph.jobRound(upstream, instantMs) === undefined);
}

/** Item by item, different numbers of items block a job. */
function isBlocked(graph: GraphEvidence, name: string, window: Window): boolean {
  const following = graph.followingAt(name, window);
  if (following?.isItemByItem !== true) return false;
  return following.after.some((upstream) =>
    isChanged(graph.of(upstream), window, ({ shardingTotalCount }) => shardingTotalCount),
  );
}

function busy(evidence: Evidence, item: number): readonly Window[] {
  return (evidence.marksByItem.get(item) ?? []).map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs + PROMPT_MS }));
}

/** Complete rounds of jobs that others follow are on record at rest, with their outcomes. */
export function recordedRounds(graph: GraphEvidence): readonly string[] {
  return [...graph.jobs].flatMap(([name, evidence]) => {
    const rest = evidence.recording.rests.at(-1);
    const followers = graph.successors.filter(
      (other) => graph.followingAt(other, WHOLE)?.after.includes(name) === true,
    );
    const [follower] = followers;
    if (rest === undefined || follower === undefined) return [];
    const recorded = decodeRounds(rest.tree.get(evidence.paths.rounds) ?? '').rounds;
    const instants = new Set(begun(evidence).map(({ scheduledMs }) => scheduledMs));
    return [...instants].flatMap((instantMs) => {
      const round = graph.jobRound(name, instantMs);
      const isKnown = graph.isRegistered(follower, [name], instantMs);
      if (round === undefined || !isKnown || round.endMs + PATIENCE_MS > rest.atMs) return [];
      if (evidence.isWiped({ fromMs: instantMs - SLACK_MS, toMs: Infinity })) return [];
      const found = recorded.find(({ instant }) => instant === instantMs + START);
      const what = `the round of ${name} of ${seconds(instantMs)} has ${round.outcome} at ${seconds(round.endMs)}`;
      if (found === undefined) return [`${what}, and is not on record`];
      return found.outcome === round.outcome ? [] : [`${what}, and is on record as ${found.outcome}`];
    });
  });
}

const WHOLE: Window = { fromMs: -Infinity, toMs: Infinity };

function nameOf(job: string, { item, instance, scheduledMs, fromMs }: Mark): string {
  return `item ${item} of ${job} for ${seconds(scheduledMs ?? NaN)} on ${instance} (begun ${seconds(fromMs)})`;
}
