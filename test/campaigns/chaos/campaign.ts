/**
 * A campaign: a real registry centre in several servers, several processes that host all jobs, and faults that
 * overlap.
 *
 * ```
 *   process C#3 ──▶ proxies of instance C ──▶ servers
 *       │                                             ▲
 *       └── its own log (runs, steps, library)        │ bystander: what the registry said when
 *                        ╰──────────▶ checker ◀───────╯
 * ```
 * The processes' logs are the evidence; the bystander only serves to excuse a miss.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';
import { until } from '../../support/until.js';
import { incompleteFirings, ownership, residue } from './aftermath.js';
import { Bystander } from './bystander.js';
import { Chaos } from './chaos.js';
import { check, type Verdict } from './checker/checker.js';
import { readRuns } from './checker/runs.js';
import { planFaults } from './fault-plan.js';
import { Fleet, type Instance, readLog } from './fleet.js';
import { type Finding, type History, type JobSpec, type RegistryKind } from './history.js';
import { JOBS, settingsOf } from './jobs.js';
import { monotonicMs, pause } from './monotonic.js';
import { startRegistry } from './registry/registry-under-faults.js';
import { describeFault } from './report.js';

export interface CampaignOptions {
  readonly registry: RegistryKind;
  readonly seed: number;
  readonly faults: number;
  /** Mean time between arrivals of faults. */
  readonly meanGapMs: number;
  readonly instances: number;
  readonly sessionMs: number;
  /** Where logs and the history go. */
  readonly folder: string;
  readonly print: (line: string) => void;
}

const namespace = 'chaos';
const GRACE_MS = 10_000;

/** How long it may take, when everything has been made good, until every instance takes part in every job again. */
const SETTLING_LIMIT_MS = 60_000;

/** The results of a campaign. */
export interface CampaignRecord {
  readonly history: History;
  /** When all was well again; `undefined` if the campaign broke off. */
  readonly settledAt: number | undefined;
  /** The findings during the campaign and at its end. */
  readonly findings: readonly Finding[];
}

/** Runs a campaign; throws if the cluster does not even start. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignRecord> {
  const { seed, sessionMs, print, folder } = options;
  mkdirSync(folder, { recursive: true });
  await using registry = await startRegistry(options.registry);
  await using fleet = await Fleet.start(options.instances, {
    ...{ folder, registry },
    regCenter: { namespace, sessionTimeoutMilliseconds: sessionMs },
    env: { JOBS: settingsOf(JOBS), GRACE_MS: `${GRACE_MS}` },
  });
  const { instances } = fleet;
  await using bystander = await Bystander.open({ ...registry.settings(registry.servers), namespace }, JOBS);
  const untilSettled = (): Promise<void> =>
    until(
      () => JOBS.every((job) => isSpread(bystander, job, instances)),
      'all jobs to be shared by all',
      SETTLING_LIMIT_MS,
    );
  await untilSettled();
  const haveRun = async (): Promise<boolean> => {
    await pause(500);
    return hasRunAll(instances);
  };
  await until(haveRun, 'each item to have run', SETTLING_LIMIT_MS);

  const from = monotonicMs();
  const since = (): string => ((monotonicMs() - from) / 1000).toFixed(1);
  print(
    `${options.registry}, ${instances.length} instances, ${JOBS.length} jobs, session ${sessionMs} ms, ${options.faults} faults, seed ${seed}`,
  );
  const chaos = new Chaos({ instances, registry, onFault: (fault) => print(describeFault(fault, from)) });
  const plan = planFaults(seed, { ...options, count: options.faults });
  const findings: Finding[] = [];
  let settledAt: number | undefined;
  try {
    await chaos.run(plan);
    await untilSettled();
    print(`${since()} s  all is made good; watching what comes`);
    // Late runs and takeovers may go on for that long.
    await pause(2 * LONGEST_ITEM_MS);
    settledAt = monotonicMs();
    findings.push(...(await watchAftermath(bystander, instances)));
  } catch (error) {
    print(`${since()} s  broke off: ${String(error)}`);
    findings.push({ kind: 'process', t: monotonicMs(), text: String(error) });
  }
  const to = monotonicMs() - 1_000;
  findings.push(...(await stopAll(bystander, instances)));
  const history: History = {
    registry: options.registry,
    jobs: JOBS,
    processes: instances.flatMap(({ lives }) => lives.map(({ record }) => record)),
    events: instances.flatMap(({ lives }) => lives.flatMap(({ events }) => events)),
    faults: chaos.faults,
    outages: chaos.outages,
    moments: bystander.moments,
    from,
    to,
    wallOffset: Date.now() - monotonicMs(),
    sessionMs,
  };
  return { history, settledAt, findings };
}

const LONGEST_ITEM_MS = Math.max(...JOBS.map(({ steps, stepMs }) => Math.max(...steps) * stepMs));
const LONGEST_PERIOD_MS = Math.max(...JOBS.map(({ periodMs }) => periodMs));

/** Lets three firings of every job pass, and looks at what the registry holds before and after them. */
async function watchAftermath(bystander: Bystander, instances: readonly Instance[]): Promise<readonly Finding[]> {
  const before = await allNodes(bystander);
  await pause(3 * LONGEST_PERIOD_MS + LONGEST_ITEM_MS + 2_000);
  const t = monotonicMs();
  const living = new Set(instances.map(({ life }) => life.record.pid));
  return [...(await allNodes(bystander))].flatMap(([job, nodes]) => [
    ...residue(job, before.get(job) ?? new Map<string, MirroredNode>(), nodes, t),
    ...ownership(job, nodes, living, t),
  ]);
}

/** Stops all processes by SIGTERM and looks at what they leave. */
async function stopAll(bystander: Bystander, instances: readonly Instance[]): Promise<readonly Finding[]> {
  const t = monotonicMs();
  const findings: Finding[] = instances.flatMap(({ lives }) =>
    lives
      .filter(({ hasExited, isToEnd }) => hasExited && !isToEnd)
      .map(({ name, output }) => ({ kind: 'process', t, text: `${name} ended by itself:\n${output.slice(-2_000)}` })),
  );
  for (const { life } of instances)
    await life.end('SIGTERM').catch((error: unknown) => findings.push({ kind: 'process', t, text: String(error) }));
  // Work for the next instance stays: an assignment, and firings that items have missed during the last runs.
  for (const [job, nodes] of await allNodes(bystander))
    findings.push(...residue(job, nodes, nodes, t).filter(({ text }) => !/necessary|misfire/.test(text)));
  return findings;
}

/** The checker's verdict, with what was found otherwise and whether the firings after the last fault were complete. */
export function judge({ history, settledAt = Infinity, findings }: CampaignRecord): Verdict {
  const verdict = check(history);
  const known = new Set(verdict.findings.map(({ text }) => text));
  const incomplete = incompleteFirings(history, readRuns(history), settledAt).filter(({ text }) => !known.has(text));
  return { ...verdict, findings: [...findings, ...verdict.findings, ...incomplete] };
}

/** Keeps a record for `loadRecord`. Without the events, which are in the processes' logs, and too many for one text. */
export function saveRecord(folder: string, { history, ...more }: CampaignRecord): void {
  writeFileSync(join(folder, 'history.json'), JSON.stringify({ ...more, history: { ...history, events: [] } }));
}

/** The record of an earlier campaign. */
export function loadRecord(folder: string): CampaignRecord {
  const { history, ...more } = JSON.parse(readFileSync(join(folder, 'history.json'), 'utf8')) as CampaignRecord;
  const events = history.processes.flatMap(({ name }) => readLog(name, join(folder, `${name}.log`)));
  return { ...more, history: { ...history, events } };
}

/** True if the job is assigned, and exactly the living instances are registered. */
function isSpread(bystander: Bystander, { name }: JobSpec, instances: readonly Instance[]): boolean {
  const moment = bystander.latest(name);
  if (moment === undefined || !moment.isSeen || moment.isResharding) return false;
  const pids = new Set(instances.map(({ life }) => String(life.record.pid)));
  return moment.living.length === pids.size && moment.living.every((id) => pids.has(/@-@(\d+)-/.exec(id)?.[1] ?? ''));
}

/** Of an item that has never run, no record can show that a firing is missing. */
function hasRunAll(instances: readonly Instance[]): boolean {
  const events = instances.flatMap(({ life }) => life.events);
  const started = new Set(events.flatMap((event) => (event.event === 'start' ? [`${event.job}/${event.item}`] : [])));
  return JOBS.every(({ name, items }) =>
    Array.from({ length: items }, (_, item) => `${name}/${item}`).every((each) => started.has(each)),
  );
}

async function allNodes(bystander: Bystander): Promise<ReadonlyMap<JobSpec, ReadonlyMap<string, MirroredNode>>> {
  return new Map(await Promise.all(JOBS.map(async (job) => [job, await bystander.nodes(job.name)] as const)));
}
