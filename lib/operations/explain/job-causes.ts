import { availableInstances, isGone, type JobView } from '../../layout/job-view.js';
import { itemsToAwait } from '../../kernel/view/assignment.js';
import { configurationFault } from '../../kernel/view/obstacles.js';
import { type ServerOff } from './explanation.js';
import {
  changeOf,
  type FoundCause,
  MOST_ITEMS,
  onRecord,
  type Question,
  scheduleOf,
  withoutSchedule,
} from './question.js';

type Finding = (question: Question) => FoundCause | undefined;

/**
 * The causes that keep the whole job from running now, the most decisive one first.
 * @param faults faults that instances report
 */
export function jobCauses(question: Question, faults: readonly FoundCause[]): readonly FoundCause[] {
  const absence = absent(question);
  if (absence !== undefined) return [absence];
  const found = FINDINGS.flatMap((find) => find(question) ?? []);
  // An instance that could not start the job explains why no instance has it; unusable settings come before that.
  const start = configuration(question) === undefined ? 0 : 1;
  return [...found.slice(0, start), ...faults, ...found.slice(start)];
}

const absent: Finding = ({ view, paths, past, similar }) => {
  if (view.exists) return undefined;
  const removal = past.operations?.find(({ operation, outcome, jobName }) => {
    return operation === 'remove-job' && outcome === 'done' && jobName === paths.jobName;
  });
  return { type: 'unknown-job', similar, record: onRecord(removal) };
};

const configuration: Finding = ({ view: { config, configFault }, paths, fullPath }) => {
  if (configFault !== undefined)
    return { type: 'unreadable-configuration', fault: configurationFault(configFault, paths, fullPath) };
  if (config === undefined) return { type: 'no-configuration' };
  const { shardingTotalCount } = config;
  return shardingTotalCount > MOST_ITEMS
    ? { type: 'too-many-items', shardingTotalCount, limit: MOST_ITEMS }
    : undefined;
};

const instances: Finding = ({ view: { instances: living, withdrawn } }) =>
  living.size === 0 ? { type: 'no-instance', stopped: withdrawn } : undefined;

const servers: Finding = ({ view, paths, past }) => {
  if (view.instances.size === 0 || availableInstances(view).length > 0) return undefined;
  const ips = new Set([...view.instances.values()].map(({ serverIp }) => serverIp));
  const off = [...ips]
    .filter((ip) => view.servers.get(ip) === 'DISABLED')
    .map((serverIp): ServerOff => {
      const change = changeOf(past.operations, paths.server(serverIp), { value: 'DISABLED' });
      return { serverIp, record: onRecord(change) };
    });
  // Otherwise the cause of each item names its owner's server.
  return off.length === 0 ? undefined : { type: 'servers-disabled', servers: off };
};

const leader: Finding = ({ view }) => {
  if (availableInstances(view).length === 0) return undefined;
  if (view.leader === undefined) return { type: 'no-leader' };
  if (!isGone(view, view.leader)) return undefined;
  return { type: 'unknown-leader', leader: view.leader, isPersistent: view.leaderSession === undefined };
};

const assignment: Finding = ({ view }) => {
  const isLed = view.leader !== undefined && !isGone(view, view.leader);
  if (!isLed || availableInstances(view).length === 0 || !isUnassigned(view)) return undefined;
  return { type: 'being-assigned', leader: view.leader, waitsFor: itemsToAwait(view) };
};

function isUnassigned({ reshardingNeeded, processing, items }: JobView): boolean {
  return reshardingNeeded || processing || items.every(({ owner }) => owner === undefined);
}

const schedule: Finding = (question) => {
  if (question.view.config === undefined) return undefined;
  const now = scheduleOf({ ...question, instant: undefined });
  switch (now.type) {
    case 'none':
      return withoutSchedule(question);
    case 'unusable':
      return { type: 'unusable-schedule', cron: now.cron, fault: now.fault };
    case 'cron':
      return now.cron.next(new Date(question.now)) === undefined
        ? { type: 'schedule-over', last: undefined }
        : undefined;
    default:
      return now satisfies never;
  }
};

const FINDINGS: readonly Finding[] = [configuration, instances, servers, leader, assignment, schedule];
