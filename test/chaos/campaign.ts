/**
 * A campaign: a real ensemble of three ZooKeeper servers, several processes that host all jobs, and faults that overlap.
 *
 * ```
 *   process C#3 ──▶ three proxies of instance C ──▶ three servers
 *       │                                             ▲
 *       └── its own log (runs, steps, library)        │ bystander: what the registry said when
 *                        ╰──────────▶ checker ◀───────╯
 * ```
 * The processes' logs are the evidence; the bystander only serves to excuse a miss.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import { until } from '../support/until.js';
import { incompleteFirings, ownership, residue } from './aftermath.js';
import { Bystander } from './bystander.js';
import { Chaos } from './chaos.js';
import { check, type Verdict } from './checker/checker.js';
import { readRuns } from './checker/runs.js';
import { planFaults } from './fault-plan.js';
import { Fleet, type Instance } from './fleet.js';
import { type Fault, type Finding, type History, type JobSpec } from './history.js';
import { CHAOS_JOBS, settingsOf } from './jobs.js';
import { monotonicMs, pause } from './monotonic.js';
import { describeFault } from './report.js';

export interface CampaignOptions {
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

const NAMESPACE = 'chaos';
const GRACE_MS = 10_000;

/** Runs a campaign and judges it. */
export async function runCampaign(
  options: CampaignOptions,
): Promise<{ readonly history: History; readonly verdict: Verdict }> {
  const { seed, sessionMs, print, folder } = options;
  const jobs = CHAOS_JOBS;
  mkdirSync(folder, { recursive: true });
  await using ensemble = await ZooKeeperEnsemble.start();
  await using fleet = await Fleet.start(options.instances, {
    folder,
    servers: ensemble.servers.map(({ address }) => address),
    env: { NAMESPACE, JOBS: settingsOf(jobs), SESSION_MS: `${sessionMs}`, GRACE_MS: `${GRACE_MS}` },
  });
  const { instances } = fleet;
  await using bystander = await Bystander.open(ensemble.address, NAMESPACE, jobs);
  const isSettled = (): boolean => jobs.every((job) => isSpread(bystander, job, instances));
  await until(isSettled, 'all jobs to be spread over all instances', 30_000);
  await pause(2_000);

  const from = monotonicMs();
  print(
    `${instances.length} instances, ${jobs.length} jobs, session ${sessionMs} ms, ${options.faults} faults, seed ${seed}`,
  );
  const onFault = (fault: Fault): void => print(describeFault(fault, from));
  const chaos = new Chaos({ instances, ensemble, onFault });
  const plan = planFaults(seed, { count: options.faults, meanGapMs: options.meanGapMs, sessionMs });
  const findings: Finding[] = [];
  const tellOf = (error: unknown): unknown =>
    findings.push({ kind: 'process', t: monotonicMs(), text: error instanceof Error ? error.message : String(error) });
  try {
    await chaos.run(plan);
    await until(isSettled, 'all jobs to be spread over all instances again', 4 * sessionMs + 15_000);
  } catch (error) {
    tellOf(error);
  }

  print(`${((monotonicMs() - from) / 1000).toFixed(1)} s  all is made good; watching what comes`);
  const longestMs = Math.max(...jobs.map(({ steps, stepMs }) => Math.max(...steps) * stepMs));
  // What was late or is being rescued may go on for as long as that.
  await pause(2 * longestMs);
  const settledAt = monotonicMs();
  const before = await allNodes(bystander, jobs);
  await pause(3 * Math.max(...jobs.map(({ periodMs }) => periodMs)) + longestMs + 2_000);
  const to = monotonicMs();
  const living = new Set(instances.map(({ life }) => life.record.pid));
  for (const [job, nodes] of await allNodes(bystander, jobs)) {
    findings.push(...residue(job, before.get(job) ?? new Map(), nodes, to), ...ownership(job, nodes, living, to));
  }
  findings.push(...unexpectedEnds(instances, to));
  for (const instance of instances) await instance.life.end('SIGTERM').catch(tellOf);
  // What is to be done by whoever comes next stays: an assignment, and making up for what the last run has made items miss.
  for (const [job, nodes] of await allNodes(bystander, jobs))
    findings.push(...residue(job, nodes, nodes, to).filter(({ text }) => !/necessary|misfire/.test(text)));

  const history: History = {
    jobs,
    processes: instances.flatMap(({ lives }) => lives.map(({ record }) => record)),
    events: instances.flatMap(({ lives }) => lives.flatMap(({ events }) => events)),
    faults: chaos.faults,
    outages: chaos.outages,
    moments: bystander.moments,
    from,
    to: to - 1_000,
    wallOffset: Date.now() - monotonicMs(),
    sessionMs,
  };
  // Without the events, which are in the processes' logs, and too many for one text.
  const saved = { history: { ...history, events: [] }, settledAt, findings };
  writeFileSync(join(folder, 'history.json'), JSON.stringify(saved));
  return { history, verdict: judge(history, settledAt, findings) };
}

/** The checker's verdict, what was left behind, and whether the firings after the last fault were complete. */
export function judge(history: History, settledAt: number, others: readonly Finding[]): Verdict {
  const verdict = check(history);
  const known = new Set(verdict.findings.map(({ text }) => text));
  const late = incompleteFirings(history, readRuns(history), settledAt).filter(({ text }) => !known.has(text));
  return { ...verdict, findings: [...verdict.findings, ...late, ...others] };
}

/** Whether the job is assigned, and each living instance registered and no other one. */
function isSpread(bystander: Bystander, { name }: JobSpec, instances: readonly Instance[]): boolean {
  const moment = bystander.latest(name);
  if (moment === undefined || !moment.isSeen || moment.isResharding) return false;
  const pids = new Set(instances.map(({ life }) => String(life.record.pid)));
  return moment.living.length === pids.size && moment.living.every((id) => pids.has(/@-@(\d+)-/.exec(id)?.[1] ?? ''));
}

async function allNodes(
  bystander: Bystander,
  jobs: readonly JobSpec[],
): Promise<ReadonlyMap<JobSpec, Awaited<ReturnType<Bystander['nodes']>>>> {
  return new Map(await Promise.all(jobs.map(async (job) => [job, await bystander.nodes(job.name)] as const)));
}

function unexpectedEnds(instances: readonly Instance[], t: number): readonly Finding[] {
  return instances.flatMap(({ lives }) =>
    lives
      .filter(({ hasExited, isToEnd }) => hasExited && !isToEnd)
      .map(({ name, output }) => ({ kind: 'process', t, text: `${name} ended by itself:\n${output.slice(-2_000)}` })),
  );
}
