import { isGone, type ItemView } from '../../layout/job-view.js';
import { parseTaskId } from '../../layout/task-id.js';
import { droppedItems } from '../../kernel/view/assignment.js';
import { failsOver } from '../../kernel/view/items.js';
import { type PastExecution, type PastState } from './explanation.js';
import { isScript } from './item-causes.js';
import {
  changeOf,
  countInstants,
  type FoundCause,
  isInstant,
  neighbours,
  onRecord,
  type Question,
  rescheduling,
  scheduleOf,
  withoutSchedule,
} from './question.js';

/** A question about one instant. */
export interface InstantQuestion extends Question {
  readonly instant: number;
}

/** The most missed instants that are counted. */
const MOST_COUNTED = 1_000;

/** Causes in the schedule, for the whole job. If there are any, the first one answers the question. */
export function scheduleCauses(question: InstantQuestion): readonly FoundCause[] {
  const { instant, now, past } = question;
  const schedule = scheduleOf(question);
  const change = rescheduling(past.operations ?? [], instant);
  const record = onRecord(change);
  const changed: readonly FoundCause[] =
    record === undefined ? [] : [{ type: 'rescheduled', cron: change?.before['cron'], record }];
  switch (schedule.type) {
    case 'none':
      return [withoutSchedule(question), ...changed];
    case 'unusable':
      return [{ type: 'unusable-schedule', cron: schedule.cron, fault: schedule.fault }, ...changed];
    case 'cron':
      if (!isInstant(schedule.cron, instant))
        return [{ type: 'not-scheduled', ...neighbours(schedule.cron, instant) }, ...changed];
      return instant > now ? [{ type: 'still-to-come' }] : [];
    default:
      return schedule satisfies never;
  }
}

/** Causes on record for an item and an instant of the past, the most decisive one first. */
export function recordedCauses(question: InstantQuestion, item: ItemView): readonly FoundCause[] {
  const ran = traced(question, item);
  if (ran !== undefined) return [ran];
  const { view, instant } = question;
  const last = view.lastBegun.get(item.item);
  const crash = view.crashReports.get(item.item);
  if (crash?.instant === instant) return [lost(question, item)];
  if (last === instant) return [begunOrAbsent(question, item)];
  const then = [...heldThen(question, item), ...stated(question, item)];
  if (droppedItems(view, instant).has(item.item)) return [{ type: 'misfire-off', since: undefined }, ...then];
  if (last !== undefined && last > instant) return [...then, laterBegun(question, item, last)];
  return then;
}

/** Causes for an item without a record of the instant: the gaps of the records. */
export function unrecordedCauses(question: InstantQuestion, item: ItemView): readonly FoundCause[] {
  const { view, instant } = question;
  if (view.config?.monitorExecution === false) return [{ type: 'not-recorded', why: 'unmonitored' }];
  if (item.owner !== undefined && view.javaPeers.has(item.owner)) return [{ type: 'not-recorded', why: 'java' }];
  const last = view.lastBegun.get(item.item);
  if (last !== undefined && last >= instant) return [];
  const moved = changedHands(question, item, last);
  return moved === undefined
    ? [{ type: 'not-begun', lastBegun: last === undefined ? undefined : new Date(last) }]
    : [moved];
}

/** A run of the trace that began between the instant and the next one. */
function traced(question: InstantQuestion, { item }: ItemView): FoundCause | undefined {
  const { past, instant } = question;
  const end = nextInstant(question) ?? Infinity;
  const row = past.executions?.findLast(
    ({ shardingItem, startTime }) =>
      shardingItem === item && startTime.getTime() >= instant && startTime.getTime() < end,
  );
  return row && { type: 'ran', ...outcomeOf(row), startedAt: row.startTime };
}

function outcomeOf({ taskId, completeTime, success, failureCause }: PastExecution) {
  const outcome = success
    ? 'succeeded'
    : completeTime === undefined && failureCause === undefined
      ? 'running'
      : 'failed';
  return { instanceId: parseTaskId(taskId)?.jobInstanceId, outcome, failureCause } as const;
}

function nextInstant(question: InstantQuestion): number | undefined {
  const schedule = scheduleOf(question);
  return schedule.type === 'cron' ? schedule.cron.next(new Date(question.instant))?.getTime() : undefined;
}

function lost({ view }: InstantQuestion, { item, failoveringBy, runningOn }: ItemView): FoundCause {
  const id = failoveringBy ?? runningOn ?? runnerOf(view, item);
  return { type: 'begun-and-lost', instanceId: id ?? '', failover: failsOver(view) };
}

function begunOrAbsent(question: InstantQuestion, item: ItemView): FoundCause {
  const { view, instant } = question;
  const records = [...view.beginRecords];
  const holds = ([, record]: (typeof records)[number]): boolean => record?.instants.get(item.item) === instant;
  const id = records.find((each) => holds(each) && each[1]?.manual.has(item.item) !== true)?.[0];
  if (id === undefined) {
    // If the number of items grows again, the leader notes the last instant at which the item did not exist.
    const isReturned = records.some(([, record]) => (record?.returned.get(item.item) ?? -Infinity) >= instant);
    if (isReturned) return { type: 'left-out' };
    // The item was run manually since: the record says after which instant, but not which instance began the item for
    // it.
    return { type: 'later-begun', instant: undefined, startedAt: undefined };
  }
  const isGoneNow = isGone(view, id);
  const isMarked = item.running && (item.runningOn ?? id) === id;
  if (isMarked && isGoneNow) return lost(question, item);
  const state = isMarked ? 'running' : isGoneNow ? 'gone' : 'over';
  return { type: 'begun', instanceId: id, state };
}

/** The id of the instance that began the item last. */
function runnerOf({ beginRecords, lastBegun }: Question['view'], item: number): string | undefined {
  const last = lastBegun.get(item);
  return [...beginRecords].find(([, record]) => last !== undefined && record?.instants.get(item) === last)?.[0];
}

/** Causes that held at the instant: an item or server that operators had switched off, and a run that went on. */
function heldThen({ view, paths, past, instant }: InstantQuestion, { item, owner }: ItemView): readonly FoundCause[] {
  const causes: FoundCause[] = [];
  const off = changeOf(past.operations, paths.item(item, 'disabled'), { value: '', until: instant });
  if (off !== undefined) causes.push({ type: 'item-disabled', record: onRecord(off) });
  const serverIp = owner === undefined ? undefined : view.instances.get(owner)?.serverIp;
  const disabled = serverIp && changeOf(past.operations, paths.server(serverIp), { value: 'DISABLED', until: instant });
  if (disabled && owner !== undefined)
    causes.push({
      type: 'owner-disabled',
      ...{ instanceId: owner, status: 'DISABLED', server: { serverIp: serverIp ?? '', record: onRecord(disabled) } },
    });
  const going = past.executions?.find(
    ({ shardingItem, startTime, completeTime }) =>
      shardingItem === item &&
      startTime.getTime() < instant &&
      (completeTime === undefined || completeTime.getTime() > instant),
  );
  if (going === undefined) return causes;
  const since = going.startTime;
  if (view.config?.misfire === false) return [...causes, { type: 'misfire-off', since }];
  const instanceId = parseTaskId(going.taskId)?.jobInstanceId;
  return [...causes, { type: 'still-running', instanceId, since, missed: 'made-up-for', isScript: isScript(view) }];
}

const STATES: Readonly<Record<string, 'put-off' | 'aborted' | 'refused'>> = {
  TASK_DROPPED: 'put-off',
  TASK_KILLED: 'aborted',
  TASK_ERROR: 'refused',
};

/** Reports of instances about a firing of the item between the instant and the next one. */
function stated(question: InstantQuestion, { item, owner }: ItemView): readonly FoundCause[] {
  const { past, instant } = question;
  const end = nextInstant(question) ?? Infinity;
  const isMeant = ({ taskId, creationTime }: PastState): boolean => {
    const task = parseTaskId(taskId);
    const isOfItem = task?.items.includes(item) === true || (task?.items.length === 0 && task.jobInstanceId === owner);
    return isOfItem && creationTime.getTime() >= instant && creationTime.getTime() < end;
  };
  return (past.states ?? []).filter(isMeant).flatMap(({ taskId, state, message, creationTime }): FoundCause[] => {
    const type = STATES[state];
    const instanceId = parseTaskId(taskId)?.jobInstanceId;
    return type === undefined ? [] : [{ type, instanceId, message, at: creationTime }];
  });
}

function laterBegun({ past, instant }: InstantQuestion, { item }: ItemView, last: number): FoundCause {
  const madeUp = past.executions?.findLast(
    ({ shardingItem, startTime, source }) =>
      shardingItem === item && source === 'MISFIRE' && startTime.getTime() >= instant,
  );
  return { type: 'later-begun', instant: new Date(last), startedAt: madeUp?.startTime };
}

function changedHands(question: InstantQuestion, item: ItemView, last: number | undefined): FoundCause | undefined {
  const { view, now } = question;
  const from = runnerOf(view, item.item);
  const schedule = scheduleOf(question);
  if (from === undefined || from === item.owner || last === undefined || schedule.type !== 'cron') return undefined;
  const missed = countInstants(schedule.cron, last, now, MOST_COUNTED);
  return { type: 'changed-hands', from, to: item.owner, missed };
}
