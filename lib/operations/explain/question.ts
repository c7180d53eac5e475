import { type OperationRecord } from '../../api/events/operation-record.js';
import { dependenciesOf } from '../../api/settings/dependencies.js';
import { type NodeRound } from '../../graphs/graph-round.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type ItemView, type JobView } from '../../layout/job-view.js';
import { QuartzCron } from '../../time/cron.js';
import { lastBefore } from '../../time/last-before.js';
import { type Cause, type InstanceFault, type OnRecord, type Past } from './explanation.js';

/** The most items that a job of this library can have. */
export const MOST_ITEMS = 100_000;

/** A question about a job, with all data that the answer depends on. */
export interface Question {
  readonly view: JobView;
  readonly paths: JobPaths;
  /** Adds the namespace to a path, as operators' tools show it. */
  readonly fullPath: (path: string) => string;
  /** `undefined` for all items. */
  readonly item: number | undefined;
  /** Milliseconds since 1970; `undefined` for the present. */
  readonly instant: number | undefined;
  /** When the view was read, in milliseconds since 1970. */
  readonly now: number;
  readonly past: Past;
  /** Faults that instances report; instances on which the job runs well report none. */
  readonly faults: readonly KnownFault[];
  /** The job in the round of that instant in its graph; `undefined` if there is no instant, or no such round. */
  readonly round?: NodeRound | undefined;
  /** Jobs of the namespace that have nearly this name; only if there is none of this name. */
  readonly similar?: string | undefined;
}

/** A fault that an instance has reported. `isHere`: the instance is in this process. */
export interface KnownFault extends InstanceFault {
  readonly isHere: boolean;
}

/** The causes that are found in a registry centre. */
export type FoundCause = Exclude<Cause, { readonly type: 'switched-off' }>;

/** A cause, and the items that it concerns. */
export interface Found {
  readonly cause: FoundCause;
  readonly items: readonly number[];
  readonly holds: 'then' | 'now';
}

/** The schedule of a job, as far as it can be used. */
export type Schedule =
  | { readonly type: 'none' }
  | { readonly type: 'unusable'; readonly cron: string; readonly fault: string }
  | { readonly type: 'cron'; readonly cron: QuartzCron };

/**
 * The job's schedule. For an instant of the past it is the former schedule, if operators' changes of it are on record.
 */
export function scheduleOf({ view, past, instant }: Question): Schedule {
  const changed = instant === undefined ? undefined : rescheduling(past.operations ?? [], instant);
  const text = changed === undefined ? view.config?.cron : changed.before['cron'];
  if (text === undefined) return { type: 'none' };
  const timeZone = changed?.before['timeZone'] ?? view.config?.timeZone;
  try {
    return { type: 'cron', cron: QuartzCron.parse(text, { timeZone }) };
  } catch (error) {
    return { type: 'unusable', cron: text, fault: error instanceof Error ? error.message : String(error) };
  }
}

/** The cause of a job without a cron expression: it runs after others, or when it is triggered. */
export function withoutSchedule({ view: { config }, round }: Question): FoundCause {
  const upstreams = config && dependenciesOf(config)?.after;
  return upstreams === undefined ? { type: 'no-schedule' } : { type: 'runs-after', upstreams, round };
}

/**
 * The first change of the schedule after that time (milliseconds since 1970); its record contains the former schedule.
 */
export function rescheduling(operations: readonly OperationRecord[], since: number): OperationRecord | undefined {
  return operations.findLast(
    ({ outcome, before, after, startedAt }) =>
      outcome === 'done' && startedAt.getTime() > since && before['cron'] !== after['cron'] && 'cron' in before,
  );
}

/**
 * The operation that gave a node its present value, or its value at `until` (milliseconds since 1970); `undefined` if
 * it is not on record. @param value `undefined` if the node was removed
 */
export function changeOf(
  operations: readonly OperationRecord[] | undefined,
  path: string,
  { value, until = Infinity }: { readonly value: string | undefined; readonly until?: number },
): OperationRecord | undefined {
  const latest = operations?.find(
    ({ outcome, before, after, startedAt }) =>
      outcome !== 'failed' && startedAt.getTime() <= until && (path in before || path in after),
  );
  return latest !== undefined && latest.after[path] === value ? latest : undefined;
}

/** The operator, time and reason of an operation. */
export function onRecord(operation: OperationRecord | undefined): OnRecord | undefined {
  return operation && { operator: operation.operator, reason: operation.reason, at: operation.startedAt };
}

/** The last instant of the schedule before a moment (milliseconds since 1970), and the first one after it. */
export function neighbours(cron: QuartzCron, moment: number): { before: Date | undefined; after: Date | undefined } {
  return { before: lastBefore(cron, new Date(moment)), after: cron.next(new Date(moment)) };
}

/** True if the schedule has this instant (milliseconds since 1970). */
export function isInstant(cron: QuartzCron, instant: number): boolean {
  return cron.next(new Date(instant - 1))?.getTime() === instant;
}

/**
 * How many instants of the schedule lie between two moments (milliseconds since 1970), the second included; at most
 * `limit`.
 */
export function countInstants(cron: QuartzCron, from: number, to: number, limit: number): number {
  let count = 0;
  for (let at = cron.next(new Date(from)); at !== undefined && at.getTime() <= to; at = cron.next(at))
    if (++count === limit) break;
  return count;
}

/** The items in question in ascending order, with their views; `undefined` for an item that the job does not have. */
export function itemsIn({ view, item }: Question): readonly (readonly [number, ItemView | undefined])[] {
  const known = new Map(view.items.map((each) => [each.item, each]));
  if (item !== undefined) return [[item, known.get(item)]];
  const total = Math.min(view.config?.shardingTotalCount ?? 0, MOST_ITEMS);
  const numbers = new Set([...known.keys(), ...Array.from({ length: total }, (_, index) => index)]);
  return [...numbers].sort((one, other) => one - other).map((each) => [each, known.get(each)]);
}
