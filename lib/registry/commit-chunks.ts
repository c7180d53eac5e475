import { RegistryRefusedError } from '../api/errors/errors.js';
import { commitBytes, commitSizeProblem } from './commit-limits.js';
import { type CommitLimits, type Operation } from './registry-center.js';

/** Operations that are never split over two commits. */
export interface OperationGroup {
  readonly operations: readonly Operation[];
}

/** One commit of several that belong together. */
export interface CommitChunk<Group extends OperationGroup> {
  /** The groups of this commit, in the order given. */
  readonly groups: readonly Group[];
  /** The operations to commit: the guard, then those of the groups. Within the limits. */
  readonly operations: readonly Operation[];
}

/**
 * Cuts groups of operations into commits that the registry centre accepts. Each commit takes as many groups as fit, in
 * the order given, and begins with the operations of `guard`, usually checks: if the state that justified the first
 * commit no longer holds, the later ones are refused. A group without operations goes with its neighbours. No groups
 * make no commit.
 *
 * The commits are separate: between two of them others see the first one alone.
 * @throws RegistryRefusedError if one group together with the guard is larger than a commit may be
 */
export function commitChunks<Group extends OperationGroup>(
  groups: Iterable<Group>,
  limits: CommitLimits,
  { guard = [] }: { readonly guard?: readonly Operation[] } = {},
): readonly CommitChunk<Group>[] {
  const guardBytes = commitBytes(guard, limits);
  const chunks: { readonly groups: Group[]; readonly operations: Operation[] }[] = [];
  let bytes = 0;
  for (const group of groups) {
    const groupBytes = commitBytes(group.operations, limits);
    let chunk = chunks.at(-1);
    const count = (chunk?.operations.length ?? 0) + group.operations.length;
    if (!chunk || bytes + groupBytes > limits.bytes || count > limits.operations) {
      const isTooMuch =
        guardBytes + groupBytes > limits.bytes || guard.length + group.operations.length > limits.operations;
      if (isTooMuch) throw tooLarge([...guard, ...group.operations], limits);
      chunks.push((chunk = { groups: [], operations: [...guard] }));
      bytes = guardBytes;
    }
    chunk.groups.push(group);
    chunk.operations.push(...group.operations);
    bytes += groupBytes;
  }
  return chunks;
}

function tooLarge(operations: readonly Operation[], limits: CommitLimits): RegistryRefusedError {
  const problem = commitSizeProblem(operations, limits);
  const reason = `operations that must not be split do not fit into one commit: ${problem}`;
  return new RegistryRefusedError('commit to', operations[0]?.path ?? '/', reason);
}
