import { isLostRace } from '../../api/errors/registry-errors.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { commitSizeProblem } from '../../registry/commit-limits.js';
import { requireWithinLimits } from '../../registry/request-limits.js';
import {
  type CommitLimits,
  type MirroredNode,
  type Operation,
  type RegistryCenter,
} from '../../registry/registry-center.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type CopiedJob } from './copied-job.js';

/** The former nodes of a job, by path; empty if it is not there. */
export type FormerNodes = ReadonlyMap<string, MirroredNode>;

/** A job that was written. */
export interface Written {
  /** Of the last commit. */
  readonly revision: number;
  readonly commits: number;
}

/**
 * Writes a job in place of its former nodes: in one commit, if it is within the limits. A job that is too large for one
 * commit is written in several: the former settings go in the first one, and the new ones come in the last one.
 * Meanwhile it is no job, and no instance can run it. If one of the commits fails, the next copy replaces what the
 * others have written.
 * @returns the revision of the last commit, and the number of commits
 * @throws CommandError if others change the job at the same time, saying whether it is as they have left it
 */
export async function writeJob(registry: RegistryCenter, job: CopiedJob, former: FormerNodes): Promise<Written> {
  let revision = 0;
  const commits = commitsOf(job, former, registry.limits);
  // One after the other: the settings come last.
  for (const operations of commits) {
    try {
      revision = await registry.commit(operations);
    } catch (error) {
      throw isLostRace(error) ? changedMeanwhile(registry, job, { isIncomplete: revision > 0, cause: error }) : error;
    }
  }
  return { revision, commits: commits.length };
}

function changedMeanwhile(
  { description }: RegistryCenter,
  { jobName }: CopiedJob,
  { isIncomplete, cause }: { readonly isIncomplete: boolean; readonly cause: unknown },
): CommandError {
  const state = isIncomplete
    ? 'it is incomplete there, as it needs several commits, and some of them were made'
    : 'nothing was copied over it';
  return new CommandError(
    EXIT.state,
    `Job '${jobName}' was changed in ${description} at the same moment: ${state}. End what writes there, and copy again.`,
    { cause },
  );
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

/**
 * The commits that put the job in place of its former nodes.
 * @throws RegistryRefusedError if a node is too large for any commit
 */
function commitsOf(job: CopiedJob, former: FormerNodes, limits: CommitLimits): readonly (readonly Operation[])[] {
  const { root, config, nodes } = job;
  const obsolete = [...former].filter(([path]) => !nodes.has(path));
  const whole = [...removing(obsolete), ...[...nodes].map(([path, value]) => written(path, value, former.get(path)))];
  if (commitSizeProblem(whole, limits) === undefined) return [whole];
  const isConfig = ([path]: readonly [string, unknown]): boolean => path === config;
  const [settings, others] = [[...former].filter(isConfig), [...former].filter((entry) => !isConfig(entry))];
  const created = [...[...nodes].filter((entry) => !isConfig(entry)), ...[...nodes].filter(isConfig)];
  const commits = [
    [...removing(settings), ...removing(others)],
    created.map(([path, value]): Operation => ({ type: 'create', path, value })),
  ].flatMap((operations) =>
    commitChunks(
      operations.map((each) => ({ operations: [each] })),
      limits,
    ),
  );
  // Before anything is removed: a node that is too large is refused here.
  for (const { operations } of commits) requireWithinLimits('commit to', root, { operations, limits });
  return commits.map(({ operations }) => operations);
}

/** Removes nodes as they were read, children before their parents. */
function removing(nodes: readonly (readonly [string, MirroredNode])[]): readonly Operation[] {
  const sorted = [...nodes].sort(([one], [other]) => (one < other ? 1 : -1));
  return sorted.map(([path, { version }]): Operation => ({ type: 'remove', path, version }));
}

function written(path: string, value: string, former: MirroredNode | undefined): Operation {
  return former === undefined ? { type: 'create', path, value } : { type: 'set', path, value, version: former.version };
}
