/**
 * Reads the nodes of many jobs with few requests. A job that these credentials may not read does not hide the others.
 */
import { JobPaths } from '../../layout/job-paths.js';
import { type MirroredNode, type RegistryCenter } from '../../registry/registry-center.js';
import { readApart, type ReadJob, readMoment } from '../job-reading.js';

/** A job that could not be read, and the reason. */
export interface HiddenJob {
  readonly jobName: string;
  readonly fault: string;
}

/** Most jobs that are read at a time. It bounds the memory. */
const JOBS_AT_ONCE = 100;

/** Nodes whose children are read; the others have none, or none that the checks need. */
const INNER: ReadonlySet<string> = new Set([
  'root',
  'instances',
  'servers',
  'sharding',
  'item',
  'leaderSharding',
  'crashedItems',
  'triggers',
  'beginRecords',
  'lives',
  'crashReports',
  'endRecords',
  'successors',
]);

/** Inner folders that have no name of their own in a job's layout. */
const FOLDERS = ['leader', 'leader/election', 'leader/failover', 'x-node', 'x-node/graph'];

/**
 * Reads jobs one portion after the other. The nodes of a job need not be of the same moment.
 * @param onPortion called with each portion, so that not all jobs need be in memory at once
 */
export async function readTrees(
  registry: RegistryCenter,
  names: readonly string[],
  onPortion: (jobs: readonly ReadJob[], hidden: readonly HiddenJob[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < names.length; start += JOBS_AT_ONCE) {
    const portion = names.slice(start, start + JOBS_AT_ONCE);
    // One after the other, so that the nodes of very many jobs are never in memory at once.
    const { read, refused } = await readApart(portion, (some) => readWhole(registry, some));
    await onPortion(
      read,
      refused.map(({ name, error }) => ({ jobName: name, fault: error.message })),
    );
  }
}

async function readWhole(registry: RegistryCenter, names: readonly string[]): Promise<readonly ReadJob[]> {
  const jobs = names.map((name) => ({ paths: new JobPaths(name), nodes: new Map<string, MirroredNode>() }));
  let level = jobs.map((job) => ({ job, path: job.paths.root }));
  while (level.length > 0) {
    const inner = level.filter(({ job, path }) => hasChildren(job.paths, path));
    const [nodes, children] = await Promise.all([
      registry.getAll(level.map(({ path }) => path)),
      registry.childrenOfAll(inner.map(({ path }) => path)),
    ]);
    level.forEach(({ job, path }, index) => {
      const node = nodes[index];
      if (node !== undefined) job.nodes.set(path, node);
    });
    level = inner.flatMap(({ job, path }, index) =>
      (children[index] ?? []).map((name) => ({ job, path: `${path}/${name}` })).filter(isWanted),
    );
  }
  return jobs.map(({ paths, nodes }) => readMoment(nodes, paths));
}

function hasChildren(paths: JobPaths, path: string): boolean {
  return INNER.has(paths.parse(path).type) || FOLDERS.includes(path.slice(paths.root.length + 1));
}

function isWanted({ job: { paths }, path }: { readonly job: { readonly paths: JobPaths }; readonly path: string }) {
  const { type } = paths.parse(path);
  return type !== 'unknown' || FOLDERS.includes(path.slice(paths.root.length + 1));
}
