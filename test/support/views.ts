import { type JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { NOTHING_BEGUN } from '../../lib/layout/x-node/begin-record.js';
import { type ItemView, type JobView, NO_GRAPH, NO_GUARANTEE } from '../../lib/layout/job-view.js';

/** A complete configuration with the defaults of the manual. */
export function aConfiguration(changes: Partial<JobConfiguration> = {}): JobConfiguration {
  return {
    jobName: 'bill',
    shardingTotalCount: 2,
    shardingItemParameters: '',
    jobParameter: '',
    monitorExecution: true,
    failover: false,
    misfire: true,
    maxTimeDiffSeconds: -1,
    reconcileIntervalMinutes: 10,
    jobListenerTypes: [],
    description: '',
    props: {},
    disabled: false,
    overwrite: false,
    staticSharding: false,
    ...changes,
  };
}

/** An unowned, idle item. */
export function anItem(item: number, changes: Partial<ItemView> = {}): ItemView {
  return {
    item,
    version: 0,
    owner: undefined,
    ownerRevision: 0,
    running: false,
    runningOn: undefined,
    runningSession: undefined,
    disabled: false,
    misfired: false,
    takenOverBy: undefined,
    failoveringBy: undefined,
    ...changes,
  };
}

/** Id of the instance that tests call `name`; its ip is its own. */
export function idOf(name: string): string {
  return `${ipOf(name)}@-@1-${name}`;
}

/** Ip of the server that tests call `name`. */
export function ipOf(name: string): string {
  return `10.0.0.${name.charCodeAt(0)}`;
}

/**
 * A settled job of the given living instances, the first of which leads, two items each owned in turn. Instances that
 * are not `live` are Java's.
 */
export function aView(names: readonly string[], changes: Partial<JobView> = {}): JobView {
  const config = changes.config ?? aConfiguration();
  const owner = (item: number): string | undefined => {
    const name = names[item % names.length];
    return name === undefined ? undefined : idOf(name);
  };
  const [leader] = names;
  const live = changes.live ?? new Set(names.map(idOf));
  return {
    exists: true,
    jobClass: 'BillJob',
    config,
    configFault: undefined,
    configRevision: 1,
    configVersion: 0,
    instances: new Map(
      names.map((name) => [
        idOf(name),
        { jobInstanceId: idOf(name), serverIp: ipOf(name), session: `session of ${name}`, readable: true },
      ]),
    ),
    live,
    withdrawn: [],
    javaPeers: new Set(names.map(idOf).filter((id) => !live.has(id))),
    servers: new Map(names.map((name) => [ipOf(name), 'ENABLED'])),
    leader: leader === undefined ? undefined : idOf(leader),
    leaderSession: leader === undefined ? undefined : `session of ${leader}`,
    reshardingNeeded: false,
    reshardingVersion: undefined,
    processing: false,
    shardingVersion: 3,
    items: Array.from({ length: config.shardingTotalCount }, (_, item) => anItem(item, { owner: owner(item) })),
    triggers: new Set(),
    acceptedTriggers: new Map(),
    crashedItems: [],
    crashReports: new Map(),
    strayItems: [],
    startedItems: new Set(),
    completedItems: new Set(),
    guarantee: NO_GUARANTEE,
    nextJobInstanceIp: undefined,
    assignmentRecord: undefined,
    lastBegun: new Map(),
    lastKeys: new Map(),
    manuallyBegun: new Map(),
    beginRecords: new Map(names.map((name) => [idOf(name), NOTHING_BEGUN])),
    graph: NO_GRAPH,
    ...changes,
  };
}
