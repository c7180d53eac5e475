import { dependenciesOf } from '../../api/settings/dependencies.js';
import { type InstanceView, type JobView } from '../../layout/job-view.js';
import { readJob } from '../../operations/job-reading.js';
import { changedSettings } from '../../operations/changes/setting-changes.js';
import { itemStatus, jobStatus } from '../../operations/statuses.js';
import { QuartzCron } from '../../time/cron.js';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Tone } from '../terminal/style.js';
import { type Column } from '../terminal/table.js';
import { printable } from '../terminal/text.js';
import { toneOfJob } from './jobs.js';
import { firingsAfter } from './next.js';
import { wallTime } from './wall-time.js';

/** `job <name>`: one job, with its settings, servers and instances. */
export async function job(invocation: Invocation, jobName: string): Promise<ExitCode> {
  const { output, surroundings } = invocation;
  const { view } = await readJob(await invocation.registry(), jobName);
  const { nextFiring, cronProblem } = nextFiringOf(view, new Date(surroundings.clock.now()));
  if (output.isJson) {
    output.json(jobJson(jobName, view, nextFiring));
    return EXIT.done;
  }
  const status = jobStatus(view);
  const upstreams = view.config && dependenciesOf(view.config)?.after;
  const counts = Object.entries(countsOf(view)).map(([name, count]) => `${count} ${name}`);
  const facts: readonly (readonly [string, string | undefined, Tone?])[] = [
    ['Job', jobName],
    ['Status', status, toneOfJob(status)],
    ['Class', view.jobClass],
    ['Problem', view.configFault ?? cronProblem, 'bad'],
    ['Runs after', upstreams?.join(', ')],
    ['Next firing', nextFiring && `${wallTime(nextFiring, view.config?.timeZone)} (${nextFiring.toISOString()})`],
    ['Items', counts.join(', ') || 'not assigned yet'],
    ['Leader', view.leader ?? 'none'],
    ['Assignment', view.reshardingNeeded ? 'asked for: the items are assigned before the next firing' : undefined],
  ];
  const shown = facts.filter(([, text]) => text !== undefined && text !== '');
  for (const [name, text = '', tone] of shown)
    output.text(`${output.paint('head', `${name}:`.padEnd(13))} ${output.paint(tone, printable(text))}\n`);
  const settings = changedSettings(undefined, view.config).filter(
    ({ setting, after = '' }) => setting !== 'jobName' && after !== '' && after !== '[]',
  );
  const servers = rowsOf(view);
  if (settings.length > 0) output.text(`\n${output.table({ columns: SETTING_COLUMNS, rows: settings })}`);
  if (servers.length > 0) output.text(`\n${output.table({ columns: INSTANCE_COLUMNS, rows: servers })}`);
  return EXIT.done;
}

/** The next firing, or the reason why the stored cron expression cannot be used. */
function nextFiringOf(
  { config }: JobView,
  now: Date,
): { readonly nextFiring?: Date | undefined; readonly cronProblem?: string } {
  if (config?.cron === undefined) return {};
  try {
    const [nextFiring] = firingsAfter(QuartzCron.parse(config.cron, { timeZone: config.timeZone }), now, 1);
    return { nextFiring };
  } catch (error) {
    if (exitCodeOf(error) !== EXIT.usage) throw error;
    return { cronProblem: (error as Error).message };
  }
}

function countsOf(view: JobView): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const item of view.items) counts[itemStatus(view, item)] = (counts[itemStatus(view, item)] ?? 0) + 1;
  return counts;
}

/** A server, with one of its instances if it has any. */
interface ServerRow {
  readonly serverIp: string;
  readonly serverStatus: string;
  readonly instance: InstanceView | undefined;
  readonly isLeader: boolean;
  readonly isJava: boolean;
  readonly items: readonly number[];
}

function rowsOf(view: JobView): readonly ServerRow[] {
  const row = (serverIp: string, instance?: InstanceView): ServerRow => {
    const id = instance?.jobInstanceId;
    return {
      serverIp,
      serverStatus: view.servers.get(serverIp) ?? 'absent',
      instance,
      isLeader: id !== undefined && id === view.leader,
      isJava: id !== undefined && view.javaPeers.has(id),
      items: id === undefined ? [] : view.items.filter(({ owner }) => owner === id).map(({ item }) => item),
    };
  };
  const instances = [...view.instances.values()];
  const empty = [...view.servers.keys()].filter((ip) => instances.every(({ serverIp }) => serverIp !== ip));
  return [...instances.map((each) => row(each.serverIp, each)), ...empty.map((ip) => row(ip))].sort((one, other) =>
    one.serverIp < other.serverIp ? -1 : 1,
  );
}

const SETTING_COLUMNS: readonly Column<{ readonly setting: string; readonly after: string | undefined }>[] = [
  { title: 'SETTING', text: ({ setting }) => setting },
  { title: 'VALUE', text: ({ after = '' }) => after },
];

const INSTANCE_COLUMNS: readonly Column<ServerRow>[] = [
  { title: 'SERVER', text: ({ serverIp }) => serverIp },
  {
    title: 'STATUS',
    text: ({ serverStatus }) => serverStatus,
    tone: ({ serverStatus }) => (serverStatus === 'ENABLED' ? 'good' : 'doubtful'),
  },
  { title: 'INSTANCE', text: ({ instance }) => instance?.jobInstanceId ?? 'none lives' },
  { title: 'ITEMS', text: ({ items }) => rangesOf(items) },
  { title: '', text: ({ isLeader, isJava }) => [isLeader ? 'leader' : '', isJava ? 'Java' : ''].join(' ').trim() },
];

/** `0-3, 7` for 0, 1, 2, 3 and 7. */
function rangesOf(items: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const item of items) {
    const last = ranges.at(-1);
    if (last?.[1] === item - 1) last[1] = item;
    else ranges.push([item, item]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(', ');
}

function jobJson(jobName: string, view: JobView, nextFiring: Date | undefined): unknown {
  const settings = changedSettings(undefined, view.config).map(({ setting, after = '' }) => [setting, after]);
  return {
    jobName,
    status: jobStatus(view),
    jobClass: view.jobClass,
    configurationProblem: view.configFault,
    settings: Object.fromEntries(settings) as unknown,
    nextFiring: nextFiring?.toISOString(),
    after: view.config && dependenciesOf(view.config)?.after,
    items: countsOf(view),
    leader: view.leader,
    reshardingNeeded: view.reshardingNeeded,
    instances: rowsOf(view).flatMap(({ instance, isJava, items }) =>
      instance === undefined
        ? []
        : [{ instanceId: instance.jobInstanceId, serverIp: instance.serverIp, java: isJava, items }],
    ),
    servers: [...view.servers].map(([serverIp, status]) => ({ serverIp, status })),
  };
}
