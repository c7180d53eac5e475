import { isWaiting } from '../../layout/waiting-runs.js';
import { awaitsTakeover, isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { staysAsAssigned } from '../../kernel/view/assignment.js';
import { failsOver, isInAssignment } from '../../kernel/view/items.js';
import { changeOf, type FoundCause, onRecord, type Question, scheduleOf } from './question.js';

type Finding = (question: Question, item: ItemView) => FoundCause | undefined;

/** The causes that keep an item from running now, the most decisive one first; only `free` if there is none. */
export function itemCauses(question: Question, item: ItemView): readonly FoundCause[] {
  const found = FINDINGS.flatMap((find) => find(question, item) ?? []);
  return found.length > 0 ? found : [free(question)];
}

/** The cause for an item that the job does not have. */
export function absentItem({ view }: Question, item: number): FoundCause {
  const total = view.config?.shardingTotalCount ?? 0;
  if (item >= total) return { type: 'no-such-item', shardingTotalCount: total };
  // Before the first assignment, no assignment can have left the item out.
  return view.items.length === 0 ? { type: 'no-owner', isStatic: false } : { type: 'left-out' };
}

/** The cause of an item that nothing keeps from running: it waits for its next instant. */
function free(question: Question): FoundCause {
  const schedule = scheduleOf({ ...question, instant: undefined });
  return { type: 'free', next: schedule.type === 'cron' ? schedule.cron.next(new Date(question.now)) : undefined };
}

const surplus: Finding = ({ view }, { item }) => {
  const total = view.config?.shardingTotalCount ?? Infinity;
  if (item >= total) return { type: 'no-such-item', shardingTotalCount: total };
  return isInAssignment(view, item) ? undefined : { type: 'left-out' };
};

const disabled: Finding = ({ paths, past }, { item, disabled: isDisabled }) => {
  if (!isDisabled) return undefined;
  const change = changeOf(past.operations, paths.item(item, 'disabled'), { value: '' });
  return { type: 'item-disabled', record: onRecord(change) };
};

const run: Finding = ({ view, past }, item) => {
  const runner = item.runningOn ?? item.takenOverBy ?? item.owner;
  const isLost = item.running && runner !== undefined && isGone(view, runner);
  if (isLost || (!item.running && awaitsTakeover(view, item.item)))
    return { type: 'run-lost', instanceId: isLost ? runner : item.failoveringBy, failover: failsOver(view) };
  if (item.takenOverBy !== undefined) return { type: 'taken-over', by: item.takenOverBy };
  if (!item.running) return undefined;
  const missed = view.config?.misfire === false ? 'dropped' : 'made-up-for';
  const open = past.executions?.find((row) => row.shardingItem === item.item && row.completeTime === undefined);
  const instant = runner === undefined ? undefined : begunFor(view, runner, item.item);
  const since = instant ?? open?.startTime;
  return { type: 'still-running', instanceId: runner, since, missed, isScript: isScript(view) };
};

/** True if the job's items are programs, which the root node says. */
export function isScript({ jobClass }: JobView): boolean {
  return jobClass?.toUpperCase() === 'SCRIPT';
}

/** The instant of the item's last run on that instance. */
export function begunFor({ beginRecords }: JobView, id: string, item: number): Date | undefined {
  const record = beginRecords.get(id);
  const instant = record?.manual.has(item) === true ? undefined : record?.instants.get(item);
  return instant === undefined ? undefined : new Date(instant);
}

const owner: Finding = ({ view, paths, past }, { owner: id }) => {
  const isStatic = view.config?.staticSharding === true;
  if (id === undefined) return { type: 'no-owner', isStatic };
  const instance = view.instances.get(id);
  if (instance === undefined) {
    if (view.live.has(id)) return { type: 'owner-stopping', instanceId: id };
    return { type: 'owner-gone', instanceId: id, how: howGone(view, id), isStatic: isStatic && staysAsAssigned(view) };
  }
  if (!instance.readable) return { type: 'owner-unreadable', instanceId: id };
  const { serverIp } = instance;
  const status = view.servers.get(serverIp) ?? 'MISSING';
  if (status === 'ENABLED') return undefined;
  const value = status === 'DISABLED' ? 'DISABLED' : undefined;
  const change = value && changeOf(past.operations, paths.server(serverIp), { value });
  return { type: 'owner-disabled', instanceId: id, status, server: { serverIp, record: onRecord(change) } };
};

/**
 * How an instance ended. Our instances record that they stop; only the latest of these records are kept, and Java
 * instances write none.
 */
function howGone({ withdrawn, beginRecords }: JobView, id: string): 'stopped' | 'died' | 'unknown' {
  if (withdrawn.includes(id)) return 'stopped';
  return beginRecords.has(id) ? 'died' : 'unknown';
}

const waiting: Finding = ({ view }, { item, owner: id, misfired }) => {
  if (isWaiting(view, item)) return { type: 'manual-run-due' };
  if (misfired && view.config?.misfire === true) return { type: 'misfired' };
  return id !== undefined && view.triggers.has(id) ? { type: 'triggered', instanceId: id } : undefined;
};

const FINDINGS: readonly Finding[] = [surplus, disabled, run, owner, waiting];
