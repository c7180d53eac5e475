import { isLostRace } from '../../api/errors/registry-errors.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { commitSizeProblem } from '../../registry/commit-limits.js';
import { requireWithinLimits } from '../../registry/request-limits.js';
import { type MirroredNode, type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type CopiedJob } from './copied-job.js';

/** The former nodes of a job, by path; empty if it is not there. */
export type FormerNodes = ReadonlyMap<string, MirroredNode>;

/**
 * Writes a job in place of its former nodes: in one commit, if it is within the limits. A job that is too large for one
 * commit is written in several, its settings in the last one: until then it is no job, and no instance can run it. If
 * one of them fails, the next copy replaces what the others have written.
 * @returns the revision of the (last) commit
 * @throws CommandError if others change the job at the same time; then it is as they have left it
 */
export async function writeJob(registry: RegistryCenter, job: CopiedJob, former: FormerNodes): Promise<number> {
  const whole = replacing(job, former);
  try {
    if (commitSizeProblem(whole, registry.limits) === undefined) return await registry.commit(whole);
    return await writeInParts(registry, job, former);
  } catch (error) {
    if (!isLostRace(error)) throw error;
    throw new CommandError(
      EXIT.state,
      `Job '${job.jobName}' was changed in ${registry.description} at the same moment: nothing was copied over it. ` +
        'End what writes there, and copy again.',
      { cause: error },
    );
  }
}

/**
 * Compares the job with what the registry centre has of it now.
 * @throws CommandError if a node is missing or has another value
 */
export async function verifyJob(registry: RegistryCenter, job: CopiedJob): Promise<void> {
  const found = await registry.getAll([...job.nodes.keys()]);
  const different = [...job.nodes].filter(([, value], index) => found[index]?.value !== value).map(([path]) => path);
  if (different.length === 0) return;
  throw new CommandError(
    EXIT.state,
    `Job '${job.jobName}' was copied, but ${registry.description} has other values now at ${different.join(', ')}: ` +
      'something else writes there. End it, and copy again with --overwrite.',
  );
}

/** The operations that make the wanted nodes of the former ones. */
function replacing({ nodes }: CopiedJob, former: FormerNodes): readonly Operation[] {
  const obsolete = [...former.keys()].filter((path) => !nodes.has(path)).sort();
  return [
    // Children before their parents.
    ...obsolete.reverse().map((path): Operation => ({ type: 'remove', path })),
    ...[...nodes].map(([path, value]) => written(path, value, former.get(path))),
  ];
}

function written(path: string, value: string, former: MirroredNode | undefined): Operation {
  return former === undefined ? { type: 'create', path, value } : { type: 'set', path, value, version: former.version };
}

async function writeInParts(registry: RegistryCenter, job: CopiedJob, former: FormerNodes): Promise<number> {
  const { root, config, nodes } = job;
  const others = [...nodes].filter(([path]) => path !== config);
  const last = [...nodes].filter(([path]) => path === config);
  const groups = [...others, ...last].map(([path, value]) => ({
    operations: [{ type: 'create', path, value } as const],
  }));
  const { limits } = registry;
  const chunks = commitChunks(groups, limits);
  // Before anything is removed: a node that is too large is refused here.
  for (const { operations } of chunks) requireWithinLimits('commit to', root, { operations, limits });
  if (former.size > 0) await registry.remove(root);
  let revision = 0;
  // One after the other: the settings come last.
  for (const { operations } of chunks) revision = await registry.commit(operations);
  return revision;
}
