import { type JobPath } from '../../layout/job-paths.js';
import { type JobView } from '../../layout/job-view.js';
import { waitingRuns } from '../../layout/waiting-runs.js';
import { type ReadJob } from '../../operations/job-reading.js';
import { pathsDownTo } from '../../registry/node-paths.js';
import { type MirroredNode } from '../../registry/registry-center.js';

/**
 * The part of a job that moves with it to another registry centre: its settings, the servers and items that an operator
 * has disabled, and the records of begun runs. It has no node of a session, and nothing that an instance writes again
 * when it starts: no instances, leader, owners, marks of runs, triggers or barriers.
 */
export interface CopiedJob {
  readonly jobName: string;
  /** The path of the job's root node. */
  readonly root: string;
  /** The path of the job's settings, the node that makes it a job. */
  readonly config: string;
  /** Values by path, parents before their children. */
  readonly nodes: ReadonlyMap<string, string>;
  /** Servers of the job that are disabled, by ip. */
  readonly disabledServers: readonly string[];
  readonly disabledItems: readonly number[];
  /** How many instances have a record of the runs that they have begun. */
  readonly beginRecords: number;
  /** The greatest revision of the job: its fencing tokens are not greater. */
  readonly revision: number;
}

/** The part of a job that is copied. */
export function copiedJob({ jobName, paths, nodes, view }: ReadJob): CopiedJob {
  const { root, config } = paths;
  const kept = [...nodes].flatMap(([path, node]) => {
    const parsed = paths.parse(path);
    return isCopied(parsed, node) ? [{ path, parsed }] : [];
  });
  const all = new Set(kept.flatMap(({ path }) => pathsDownTo(path, '/')));
  // Sorted, so that each parent comes before its children.
  const copied = [...all].sort().map((path) => [path, nodes.get(path)?.value ?? ''] as const);
  return {
    ...{ jobName, root, config, nodes: new Map(copied) },
    disabledServers: kept.flatMap(({ parsed }) => (parsed.type === 'server' ? [parsed.ip] : [])).sort(),
    disabledItems: view.items.filter(({ disabled }) => disabled).map(({ item }) => item),
    beginRecords: kept.filter(({ parsed }) => parsed.type === 'beginRecord').length,
    revision: [...nodes.values()].reduce((greatest, { revision }) => Math.max(greatest, revision), 0),
  };
}

/** The paths at which one of two copies of a job has another value, or none, sorted. */
export function differentPaths({ nodes }: CopiedJob, { nodes: others }: CopiedJob): readonly string[] {
  const paths = new Set([...nodes.keys(), ...others.keys()]);
  return [...paths].filter((path) => nodes.get(path) !== others.get(path)).sort();
}

function isCopied(path: JobPath, { value, session }: MirroredNode): boolean {
  if (session !== undefined) return false;
  switch (path.type) {
    case 'root':
    case 'config':
    case 'beginRecord':
      return true;
    case 'server':
      return value === 'DISABLED';
    case 'itemMark':
      return path.mark === 'disabled';
    default:
      return false;
  }
}

/** Instances whose process has not ended, by id. */
export function livingInstances({ instances, live }: JobView): readonly string[] {
  return [...new Set([...instances.keys(), ...live])].sort();
}

/**
 * The reasons why a copy would lose runs that are due in the registry centre: one for each kind, for people. Empty if
 * there are none.
 */
export function unfinishedRuns(view: JobView): readonly string[] {
  const { crashedItems, items, triggers } = view;
  const kinds: Readonly<Record<string, readonly number[]>> = {
    'that crashed and wait for another instance': crashedItems,
    'that were taken over and have not ended': items
      .filter(({ takenOverBy }) => takenOverBy !== undefined)
      .map(({ item }) => item),
    'that make up for a missed firing': items.filter(({ misfired }) => misfired).map(({ item }) => item),
    'that wait for a manual run': [...new Set(waitingRuns(view).flatMap((run) => [...run.items]))],
  };
  const reasons = Object.entries(kinds).flatMap(([what, which]) =>
    which.length === 0 ? [] : [`items ${what}: ${[...which].sort((one, other) => one - other).join(', ')}`],
  );
  return triggers.size === 0 ? reasons : [...reasons, `triggers that no instance has taken: ${triggers.size}`];
}
