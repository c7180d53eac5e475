import { dependenciesOf } from '../../../api/settings/dependencies.js';
import { toQuartz } from '../../../time/crontab.js';
import { QuartzCron } from '../../../time/cron.js';
import { isDisabled, itemStatus, jobStatus, settingsFault } from '../../../operations/statuses.js';
import { readItemParameters } from '../../../layout/sharding-item-parameters.js';
import { ipOfInstanceId } from '../../../layout/job-instance.js';
import { type ItemView, type JobView } from '../../../layout/job-view.js';
import {
  type ConsoleJobStatus,
  type InstanceRow,
  type JobRow,
  type LastRun,
  type ShardRow,
} from '../../contract/jobs.js';
import { type LiveJob } from './live-jobs.js';

/** The status of a job in the console. */
export function consoleStatus({ view, hidden }: LiveJob): ConsoleJobStatus {
  if (hidden !== undefined) return 'HIDDEN';
  if (view.configFault !== undefined || settingsFault(view) !== undefined) return 'CONFIG_ERROR';
  const status = jobStatus(view);
  if (status !== 'OK' && status !== 'SHARDING_FLAG') return status;
  return [...view.servers.values()].some(isDisabled) ? 'PARTIALLY_DISABLED' : status;
}

/** A row without the fields that depend on the time. */
type TimelessRow = Omit<JobRow, 'nextFireAt' | 'lastRun' | 'failedFirings'>;

const rows = new WeakMap<LiveJob, TimelessRow>();

/** The row of a job, without its last run. */
export function jobRow(job: LiveJob, now: number): JobRow {
  let row = rows.get(job);
  if (row === undefined) rows.set(job, (row = timelessRow(job)));
  const next = nextFire(job, now);
  return next === undefined ? row : { ...row, nextFireAt: next };
}

/** The row with the last run: the status of a healthy job becomes `FAILING` if its last firing failed. */
export function withRuns(row: JobRow, runs: Pick<JobRow, 'lastRun' | 'failedFirings'>): JobRow {
  const isFailing = runs.failedFirings !== undefined && (row.status === 'OK' || row.status === 'SHARDING_FLAG');
  return { ...row, ...runs, ...(isFailing && { status: 'FAILING' }) };
}

function timelessRow(job: LiveJob): TimelessRow {
  const { jobName, view, hidden } = job;
  const { config, configFault, instances, servers, items } = view;
  const after = config && dependenciesOf(config)?.after;
  const problem = hidden ?? configFault ?? settingsFault(view);
  return {
    jobName,
    status: consoleStatus(job),
    ...(problem !== undefined && { problem }),
    ...(config && {
      type: config.cron !== undefined ? 'cron' : after === undefined ? 'one-off' : 'after',
      ...(after !== undefined && { after }),
      ...(config.cron !== undefined && { cron: config.cron }),
      ...(config.timeZone !== undefined && { timeZone: config.timeZone }),
      ...(config.description !== '' && { description: config.description }),
      ...(config.label !== undefined && { label: config.label }),
      shardingTotalCount: config.shardingTotalCount,
    }),
    instanceCount: instances.size,
    servers: [...servers.keys()].sort(),
    runningItems: items.filter(({ running }) => running).length,
    disabledItems: items.filter(({ disabled }) => disabled).length,
  };
}

/**
 * The next firing of a job, valid until it is over. Keyed by the configuration, which is the same object as long as it
 * does not change.
 */
const nextFires = new WeakMap<object, { readonly after: number; readonly at: number | undefined }>();

/** The next firing of a job; `undefined` if it has none, or cannot fire. */
export function nextFire(job: LiveJob, now: number): number | undefined {
  const { config } = job.view;
  if (config?.cron === undefined || !isAble(job)) return undefined;
  const known = nextFires.get(config);
  if (known !== undefined && known.after <= now && (known.at === undefined || known.at > now)) return known.at;
  const at = scheduleOf(config)?.next(new Date(now))?.getTime();
  nextFires.set(config, { after: now, at });
  return at;
}

/** True if an instance could fire the job. */
function isAble(job: LiveJob): boolean {
  const status = consoleStatus(job);
  return status === 'OK' || status === 'SHARDING_FLAG' || status === 'PARTIALLY_DISABLED';
}

/** The schedule of stored settings; `undefined` if there is none, or it cannot be read. */
export function scheduleOf({
  cron,
  timeZone,
}: {
  readonly cron?: string;
  readonly timeZone?: string;
}): QuartzCron | undefined {
  if (cron === undefined) return undefined;
  try {
    return QuartzCron.parse(toQuartz(cron), { timeZone });
  } catch {
    // Another console may have stored an invalid schedule; the settings show the problem.
    return undefined;
  }
}

/** The items of a job in ascending order, also those that have not been assigned yet. */
export function shardRows(job: LiveJob, lastRuns: ReadonlyMap<number, LastRun> = new Map()): readonly ShardRow[] {
  const { view } = job;
  const parameters = parametersOf(view);
  const rows = view.items.map((item) => shardRow(job, item, { lastRuns, parameters }));
  const known = new Set(rows.map(({ item }) => item));
  const total = view.config?.shardingTotalCount ?? 0;
  for (let item = 0; item < total; item++) {
    if (known.has(item)) continue;
    const parameter = parameters.get(item);
    const base = { status: 'SHARDING_FLAG', failover: false, disabled: false, misfired: false } as const;
    const lastRun = lastRuns.get(item);
    rows.push({ item, ...(parameter !== undefined && { parameter }), ...base, ...(lastRun && { lastRun }) });
  }
  return rows.sort((one, other) => one.item - other.item);
}

/** One item of a job. */
export function shardRow(
  { view }: LiveJob,
  item: ItemView,
  {
    lastRuns,
    parameters = parametersOf(view),
  }: { readonly lastRuns?: ReadonlyMap<number, LastRun>; readonly parameters?: ReadonlyMap<number, string> } = {},
): ShardRow {
  const { owner } = item;
  const parameter = parameters.get(item.item);
  const serverIp = owner === undefined ? undefined : (view.instances.get(owner)?.serverIp ?? ipOfInstanceId(owner));
  const lastRun = lastRuns?.get(item.item);
  return {
    item: item.item,
    ...(parameter !== undefined && { parameter }),
    ...(serverIp !== undefined && { serverIp }),
    ...(owner !== undefined && { instanceId: owner }),
    status: itemStatus(view, item),
    failover: item.takenOverBy !== undefined,
    ...(item.takenOverBy !== undefined && { takenOverBy: item.takenOverBy }),
    disabled: item.disabled,
    misfired: item.misfired,
    ...(lastRun && { lastRun }),
  };
}

/** Keyed by the configuration, which is the same object as long as it does not change. */
const parametersBy = new WeakMap<object, ReadonlyMap<number, string>>();
const NO_PARAMETERS: ReadonlyMap<number, string> = new Map();

function parametersOf({ config }: JobView): ReadonlyMap<number, string> {
  if (config === undefined) return NO_PARAMETERS;
  let parameters = parametersBy.get(config);
  if (parameters === undefined) parametersBy.set(config, (parameters = readParameters(config.shardingItemParameters)));
  return parameters;
}

function readParameters(text: string): ReadonlyMap<number, string> {
  try {
    return readItemParameters(text);
  } catch {
    // The check of the settings reports the problem.
    return NO_PARAMETERS;
  }
}

/** The kind of an instance: Java instances have no node `live` of ours. */
export function kindOf({ javaPeers, live, beginRecords }: JobView, id: string): InstanceRow['kind'] {
  if (javaPeers.has(id)) return 'java';
  return live.has(id) || beginRecords.has(id) ? 'node' : 'unknown';
}

/** The living instances of a job, by id. */
export function instanceRows({ view }: LiveJob): readonly InstanceRow[] {
  const items = new Map<string | undefined, number>();
  for (const { owner } of view.items) items.set(owner, (items.get(owner) ?? 0) + 1);
  return [...view.instances.values()]
    .map(({ jobInstanceId: instanceId, serverIp, labels }): InstanceRow => {
      const pid = /(?<!\d)(\d+)(?:-[^-]*)?$/.exec(instanceId.slice(ipOfInstanceId(instanceId).length))?.[1];
      return {
        instanceId,
        serverIp,
        ...(pid !== undefined && { pid }),
        kind: kindOf(view, instanceId),
        ...(labels !== undefined && { labels }),
        isLeader: view.leader === instanceId,
        items: items.get(instanceId) ?? 0,
      };
    })
    .sort((one, other) => (one.instanceId < other.instanceId ? -1 : 1));
}
