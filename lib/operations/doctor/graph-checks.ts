/**
 * Finds the problems of jobs that run after others: pure functions of the jobs' views and of the problems that the
 * settings have. A finding concerns the job that does not run, and names the upstream job for which it does not.
 */
import { dependenciesOf, namesText } from '../../api/settings/dependencies.js';
import { type GraphProblem } from '../../graphs/job-graph.js';
import { type FoundProblem } from '../../graphs/read-graph.js';
import { openItems, NO_UPSTREAMS } from '../../kernel/graph/rounds.js';
import { availableInstances, itemOf, type JobView } from '../../layout/job-view.js';
import { mergeEndRecords } from '../../layout/x-node/end-record.js';
import { toRanges } from '../../layout/x-node/item-ranges.js';
import { commandLine } from '../command-line.js';
import { type JobCase, type Symptom, symptom } from './finding.js';

/** A job that belongs to a graph, with the jobs beside it. */
export interface GraphCase extends JobCase {
  /** The views of the jobs before it and after it, by name; jobs that do not exist are missing. */
  readonly neighbours: ReadonlyMap<string, JobView>;
  /** The problems of its settings beside those of the jobs before it. */
  readonly problems: readonly FoundProblem[];
}

/** A round whose open items nobody runs is found this many milliseconds after its instant. */
export const OPEN_ROUND_MS = 600_000;

/** All problems of a job's place in its graph. */
export function diagnoseGraph(job: GraphCase): readonly Symptom[] {
  return [
    ...settingsSymptoms(job),
    ...upstreamsOfCase(job).flatMap((name) => upstreamSymptoms(job, name)),
    ...stale(job),
  ];
}

function upstreamsOfCase({ view: { config } }: JobCase): readonly string[] {
  return (config && dependenciesOf(config)?.after) ?? [];
}

function settingsSymptoms(job: GraphCase): readonly Symptom[] {
  return job.problems.map((found) => settingsSymptom(job, found));
}

const BLOCKED = 'The job never runs by itself.';

function settingsSymptom(job: GraphCase, { problem, wording }: FoundProblem): Symptom {
  const own = commandLine('config', 'set', job.jobName);
  switch (problem.type) {
    case 'cycle':
      return symptom(job, {
        ...{ type: 'graph-cycle', code: 'graph-cycle', values: { path: problem.path.join(' after ') } },
        severity: 'critical',
        sentence: `The job runs after itself: ${problem.path.join(' after ')}.`,
        consequence: 'None of these jobs ever runs by itself.',
        cure: `Take one of them out of the 'after' of the one before it: ${own} after=<jobs>.`,
      });
    case 'unknown':
      return unknownUpstream(job, problem, wording.values['hint']);
    case 'unequal-items': {
      const { upstream, own: count, theirs } = problem;
      return symptom(job, {
        ...{ type: 'graph-unequal-items', code: 'graph-unequal-items', values: { upstream, own: count, theirs } },
        severity: 'critical',
        subject: upstream,
        sentence: `Its items are to run after those of '${upstream}' with the same numbers, but it has ${count} items and '${upstream}' has ${theirs}.`,
        consequence: BLOCKED,
        cure: `Give both the same shardingTotalCount, or let its items wait for all of '${upstream}': ${own} afterItems=all.`,
      });
    }
    case 'unrecorded':
      return symptom(job, {
        ...{ type: 'graph-unrecorded', code: 'graph-unrecorded', values: { unmonitored: problem.jobName } },
        command: commandLine('config', 'set', problem.jobName, 'monitorExecution=true'),
        severity: 'critical',
        subject: problem.jobName,
        sentence: `The job '${problem.jobName}' has monitorExecution: false, so that no instance knows when its items have ended.`,
        consequence: BLOCKED,
        cure: `Set it to true: ${commandLine('config', 'set', problem.jobName, 'monitorExecution=true')}.`,
      });
    case 'also-cron':
      return symptom(job, {
        ...{ type: 'graph-also-cron', code: 'graph-also-cron', values: { cron: problem.cron } },
        severity: 'critical',
        sentence: `The job has both 'after' and the cron expression '${problem.cron}'.`,
        consequence: 'Applications that have it cannot start it.',
        cure: `Leave one of them out: ${own} cron=.`,
      });
    default:
      return problem satisfies never;
  }
}

function unknownUpstream(
  job: GraphCase,
  { upstream }: Extract<GraphProblem, { readonly type: 'unknown' }>,
  hint: unknown,
): Symptom {
  const meant = nameIn(hint);
  const others = upstreamsOfCase(job).map((name) => (name === upstream ? (meant ?? '<job>') : name));
  return symptom(job, {
    type: 'graph-unknown-upstream',
    code: meant === undefined ? 'graph-unknown-upstream' : 'graph-unknown-upstream.meant',
    values: { upstream, ...(meant !== undefined && { meant }) },
    severity: 'warning',
    subject: upstream,
    sentence: `It runs after '${upstream}', and there is no such job${meant === undefined ? '.' : `; did you mean '${meant}'?`}`,
    consequence: 'It waits until there is one.',
    cure: `Start an application that has that job, or name another one: ${commandLine('config', 'set', job.jobName)} after=${namesText(others)}.`,
  });
}

/** The name that the hint of a problem says was meant. */
function nameIn(hint: unknown): string | undefined {
  if (typeof hint !== 'object' || hint === null || !('values' in hint)) return undefined;
  const { name } = hint.values as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

/** The problems of an upstream job for which the job does not run. */
function upstreamSymptoms(job: GraphCase, upstream: string): readonly Symptom[] {
  const view = job.neighbours.get(upstream);
  if (view?.config === undefined) return [];
  return [
    ...unscheduled(job, upstream, view),
    ...notRunning(job, upstream, view),
    ...onJava(job, upstream, view),
    ...openRound(job, upstream, view),
  ];
}

function unscheduled(job: GraphCase, upstream: string, { config }: JobView): readonly Symptom[] {
  if (config === undefined || config.cron !== undefined || dependenciesOf(config) !== undefined) return [];
  return [
    symptom(job, {
      ...{ type: 'upstream-unscheduled', code: 'upstream-unscheduled', values: { upstream } },
      severity: 'notice',
      subject: upstream,
      sentence: `The upstream job '${upstream}' has neither a schedule nor upstream jobs of its own.`,
      consequence: 'The job has a round only when somebody triggers the graph.',
      cure: `If it is to run by itself, give '${upstream}' a schedule: ${commandLine('config', 'set', upstream)} cron=<cron>.`,
    }),
  ];
}

function notRunning(job: GraphCase, upstream: string, view: JobView): readonly Symptom[] {
  const consequence = 'The job runs for no instant until the upstream job runs again.';
  if (view.instances.size === 0)
    return [
      symptom(job, {
        ...{ type: 'upstream-without-instance', code: 'upstream-without-instance', values: { upstream } },
        severity: 'warning',
        subject: upstream,
        sentence: `No instance of the upstream job '${upstream}' lives.`,
        consequence,
        cure: `Start an application that has '${upstream}', or take it out of 'after'.`,
      }),
    ];
  if (availableInstances(view).length > 0) return [];
  return [
    symptom(job, {
      ...{ type: 'upstream-disabled', code: 'upstream-disabled', values: { upstream } },
      command: commandLine('enable', upstream),
      severity: 'notice',
      subject: upstream,
      sentence: `All servers of the upstream job '${upstream}' are disabled.`,
      consequence,
      cure: `Enable it: ${commandLine('enable', upstream)}, or JobOperateAPI.enable().`,
    }),
  ];
}

function onJava(job: GraphCase, upstream: string, { javaPeers, items }: JobView): readonly Symptom[] {
  if (javaPeers.size === 0) return [];
  const owned = items.filter(({ owner }) => owner !== undefined && javaPeers.has(owner)).map(({ item }) => item);
  return [
    symptom(job, {
      ...{ type: 'upstream-on-java', code: 'upstream-on-java', severity: owned.length > 0 ? 'critical' : 'warning' },
      values: { upstream, count: javaPeers.size },
      subject: upstream,
      sentence: `Java instances take part in the upstream job '${upstream}': ${javaPeers.size}.`,
      consequence:
        'They write down no ends of runs, so a round with an item on a Java instance is never complete, and the job does not run for it.',
      cure: `Let Node instances run all items of '${upstream}' (docs/dependencies.md).`,
    }),
  ];
}

function openRound(job: GraphCase, upstream: string, view: JobView): readonly Symptom[] {
  const { registryTime } = job;
  const instant = firstOpenInstant(view);
  if (instant === undefined || registryTime === undefined || registryTime - instant < OPEN_ROUND_MS) return [];
  const open = openItems(view, instant, NO_UPSTREAMS);
  const isBusy = open.some((item) => {
    const seen = itemOf(view, item);
    return seen?.running === true || seen?.takenOverBy !== undefined || seen?.failoveringBy !== undefined;
  });
  if (open.length === 0 || isBusy) return [];
  const items = toRanges(open);
  const at = new Date(instant).toISOString();
  return [
    symptom(job, {
      ...{ type: 'upstream-round-open', code: 'upstream-round-open' },
      values: { upstream, items, instant: { instant } },
      command: commandLine('explain', upstream, '--at', at),
      severity: 'warning',
      subject: upstream,
      sentence: `The round of '${upstream}' for ${at} is not complete: nobody runs its items ${items}.`,
      consequence: 'The job runs for neither that instant nor any later one.',
      cure: `Find out why they do not run: ${commandLine('explain', upstream, '--at', at)}; or disable them, so that the round is complete without them.`,
    }),
  ];
}

/** The instant of the first round that has begun and is not on record as complete. */
function firstOpenInstant({ graph }: JobView): number | undefined {
  const last = graph.rounds.rounds.at(-1)?.instant ?? -Infinity;
  const instants = [...mergeEndRecords(graph.ends.values()).ends.keys()].filter((instant) => instant > last);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Successors that are on record, although their settings name this job no more. */
function stale(job: GraphCase): readonly Symptom[] {
  const { jobName, view, paths, fullPath, neighbours } = job;
  return [...view.graph.successors.keys()].flatMap((successor) => {
    const theirs = neighbours.get(successor);
    // Settings that cannot be read name nobody, and are no reason to remove anything.
    if (theirs !== undefined && (theirs.config === undefined || namesJob(theirs, jobName))) return [];
    const path = paths.successor(successor);
    return [
      symptom(job, {
        ...{ type: 'stale-successor', code: 'stale-successor', values: { successor } },
        severity: 'notice',
        subject: successor,
        sentence: `'${successor}' is on record as running after this job, and ${theirs === undefined ? 'there is no such job' : 'does not'}.`,
        consequence: 'Instances of this job write down ends and rounds that nobody needs.',
        cure: `Delete the record: ${commandLine('doctor', jobName, '--fix')}, or DoctorAPI.fix().`,
        fix: `Removes ${fullPath(path)}, if it is still as it was read; a job that runs after this one registers again.`,
        changes: [{ path, value: undefined }],
      }),
    ];
  });
}

function namesJob({ config }: JobView, jobName: string): boolean {
  return config !== undefined && (dependenciesOf(config)?.after ?? []).includes(jobName);
}
