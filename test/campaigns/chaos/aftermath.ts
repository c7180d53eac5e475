/** The demands after all faults have been repaired. */
import { type MirroredNode } from '../../../lib/registry/registry-center.js';
import { groupBy } from './checker/group-by.js';
import { type Run } from './checker/runs.js';
import { instantsOf } from './checker/misses.js';
import { type Finding, type History, type JobSpec } from './history.js';

type Nodes = ReadonlyMap<string, MirroredNode>;

/**
 * Marks that no instance is about to remove: two readings, further apart than any run lasts, have found them unchanged.
 */
export function residue(job: JobSpec, before: Nodes, after: Nodes, t: number): readonly Finding[] {
  const stale = [...after].filter(
    ([path, node]) => isTransient(path.slice(job.name.length + 2)) && before.get(path)?.revision === node.revision,
  );
  return stale.map(([path, node]) => ({
    kind: 'residue',
    t,
    job: job.name,
    text: `${path} is left behind${node.value ? `, with '${node.value}'` : ''}`,
  }));
}

/** Nodes that stand for something that goes on, below the job's root. */
function isTransient(path: string): boolean {
  return (
    /^sharding\/\d+\/(running|failover|failovering|misfire)$/.test(path) ||
    /^leader\/(failover\/items|failover\/latch|election\/latch)\/./.test(path) ||
    /^leader\/sharding\/(necessary|processing)$/.test(path) ||
    /^(trigger|guarantee\/(started|completed))\/./.test(path)
  );
}

/** Items without a living owner, registered instances that do not live, and a missing leader. */
export function ownership(job: JobSpec, nodes: Nodes, living: ReadonlySet<number>, t: number): readonly Finding[] {
  const findings: Finding[] = [];
  const tell = (text: string): unknown =>
    findings.push({ kind: 'residue', t, job: job.name, text: `${job.name}: ${text}` });
  const lives = (id: string | undefined): boolean => living.has(Number(/@-@(\d+)-/.exec(id ?? '')?.[1]));
  for (let item = 0; item < job.items; item++) {
    const owner = nodes.get(`/${job.name}/sharding/${item}/instance`)?.value;
    if (!lives(owner)) tell(`item ${item} belongs to ${owner ?? 'nobody'}, which does not live`);
  }
  const leader = nodes.get(`/${job.name}/leader/election/instance`)?.value;
  if (!lives(leader)) tell(`it is led by ${leader ?? 'nobody'}, which does not live`);
  const folders = ['instances', 'x-node/live', 'x-node/fired'];
  for (const path of nodes.keys()) {
    const [, folder, id] = /^\/[^/]+\/(instances|x-node\/live|x-node\/fired)\/([^/]+)$/.exec(path) ?? [];
    if (folder !== undefined && folders.includes(folder) && !lives(id))
      tell(`${path} is of an instance that does not live`);
  }
  const registered = [...nodes.keys()].filter((path) => path.startsWith(`/${job.name}/instances/`)).length;
  if (registered !== living.size) tell(`${registered} instances are registered, and ${living.size} live`);
  return findings;
}

/** A run has this long to start when all is well. */
const PROMPT_MS = 1_000;

/**
 * Instants since `settledAt` for which some item did not run exactly once, promptly and to its end. An item that still
 * ran for an earlier instant begins promptly when that run has ended: what the faults have delayed is caught up with in
 * a few periods.
 */
export function incompleteFirings(history: History, runs: readonly Run[], settledAt: number): readonly Finding[] {
  const byItem = groupBy(runs, ({ job, item }) => `${job}/${item}`);
  const late = groupBy(
    runs.filter(({ start }) => start >= settledAt - PROMPT_MS),
    ({ job, item, scheduledAt }) => `${job}/${item} ${scheduledAt}`,
  );
  // The rounds of jobs that run after others are accounted for to the end.
  return history.jobs
    .filter(({ after }) => after === undefined)
    .flatMap((job) => {
      const longestMs = Math.max(...job.steps) * job.stepMs;
      // Those that outlast their period cannot keep it.
      const isSteady = (item: number): boolean =>
        (job.steps[item % job.steps.length] ?? 0) * job.stepMs < job.periodMs - 300;
      const window = { ...history, from: settledAt, to: history.to - longestMs - PROMPT_MS };
      return instantsOf(job, window).flatMap((instant) =>
        Array.from({ length: job.items }, (_, item) => item)
          .filter(isSteady)
          .flatMap((item): readonly Finding[] => {
            const t = instant - history.wallOffset;
            const own = late.get(`${job.name}/${item} ${instant}`) ?? [];
            const [run] = own;
            const earlier = (byItem.get(`${job.name}/${item}`) ?? []).filter(
              ({ scheduledAt = Infinity, end }) => scheduledAt < instant && end <= (run?.start ?? t),
            );
            const possibleAt = Math.max(t, ...earlier.map(({ end }) => end));
            if (own.length === 1 && run?.outcome === 'done' && run.start - possibleAt < PROMPT_MS) return [];
            const found = own.map(
              ({ outcome, process, start }) => `${outcome} on ${process} after ${Math.round(start - t)} ms`,
            );
            const text = `${job.name}/${item} at ${new Date(instant).toISOString()}, when all was well: ${found.join(', ') || 'never ran'}`;
            return [{ kind: 'miss', t, job: job.name, item, text }];
          }),
      );
    });
}
