/** Changes nodes of jobs all together, and only if they are still as they were read. */
import { isLostRace } from '../../api/errors/registry-errors.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { ancestors } from '../../registry/node-paths.js';
import { type MirroredNode, type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { type ChangeNotes } from '../operation-audit.js';

/** A node that is to have another value, or none (`undefined`). */
export interface WantedNode {
  readonly path: string;
  readonly value: string | undefined;
  /**
   * True if the record of the operation contains the value. Default: true; configurations are recorded setting by
   * setting instead.
   */
  readonly isRecorded?: boolean;
}

/** The wanted values, and the nodes as they were read. */
export interface ChangePlan<T> {
  /** Contains the wanted nodes that exist, and their parents as far as they were read. */
  readonly nodes: ReadonlyMap<string, MirroredNode>;
  readonly wanted: readonly WantedNode[];
  /** Returned to the caller once this plan is carried out. */
  readonly result: T;
}

/** A change that was carried out. */
export interface Changed<T> {
  readonly result: T;
  /** Revision of its (first) commit; `undefined` if nothing had to be changed. */
  readonly revision: number | undefined;
}

/** The most attempts to change nodes that others change at the same moment. */
const ATTEMPTS = 10;

/**
 * Changes the nodes in one commit; very many nodes in several commits, one after the other. If a node of a commit has
 * been changed since it was read, that commit changes nothing, and the nodes are read and planned again.
 * @returns the `result` of the plan that was carried out, and the revision
 * @throws RegistryConflictError if the nodes are changed again and again
 */
export async function changeNodes<T>(
  registry: RegistryCenter,
  changes: ChangeNotes,
  plan: () => Promise<ChangePlan<T>>,
): Promise<Changed<T>> {
  for (let attempt = 1; ; attempt++) {
    const { nodes, wanted, result } = await plan();
    try {
      return { result, revision: await commitWanted(registry, changes, { nodes, wanted }) };
    } catch (error) {
      if (!isLostRace(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function commitWanted(
  registry: RegistryCenter,
  changes: ChangeNotes,
  { nodes, wanted }: Pick<ChangePlan<unknown>, 'nodes' | 'wanted'>,
): Promise<number | undefined> {
  let first: number | undefined;
  const created = new Set<string>();
  const groups = wanted
    .filter(({ path, value }) => nodes.get(path)?.value !== value)
    .map((node) => ({ node, operations: operationsFor(nodes, node, created) }));
  for (const chunk of commitChunks(groups, registry.limits)) {
    // One after the other, so that no commit follows a refused one.
    const revision = await registry.commit(chunk.operations);
    first ??= revision;
    for (const { node } of chunk.groups)
      if (node.isRecorded !== false) changes.note(node.path, nodes.get(node.path)?.value, node.value);
  }
  return first;
}

function operationsFor(
  nodes: ReadonlyMap<string, MirroredNode>,
  { path, value }: WantedNode,
  created: Set<string>,
): readonly Operation[] {
  const version = nodes.get(path)?.version;
  if (version !== undefined)
    return [value === undefined ? { type: 'remove', path, version } : { type: 'set', path, value, version }];
  if (value === undefined) return [];
  const [, ...parents] = ancestors(path);
  const missing = parents.filter((parent) => !nodes.has(parent) && !created.has(parent));
  for (const parent of missing) created.add(parent);
  return [
    ...missing.map((parent): Operation => ({ type: 'create', path: parent, value: '' })),
    { type: 'create', path, value },
  ];
}
