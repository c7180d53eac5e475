import { RegistryConflictError, RegistryRefusedError } from '../../../api/errors/errors.js';
import { isWithin, parentPath } from '../../node-paths.js';
import { type Operation } from '../../registry-center.js';

/** The known facts of a node that a commit changes or checks. */
export interface KnownNode {
  readonly version: number;
  readonly isOfSession: boolean;
}

/**
 * Finds out why a commit does not fit a tree: etcd says only that some comparison did not hold. Pure.
 * @param tree the nodes at the paths of the operations, their parents, and those below what is removed
 * @returns the error of the first operation that does not fit; `undefined` if all do
 */
export function misfitOf(
  operations: readonly Operation[],
  tree: ReadonlyMap<string, KnownNode>,
): RegistryConflictError | RegistryRefusedError | undefined {
  const nodes = new Map(tree);
  for (const operation of operations) {
    const misfit = operation.type === 'create' ? creationProblem(operation.path, nodes) : problem(operation, nodes);
    if (misfit !== undefined) return misfit;
    carryOut(operation, nodes);
  }
  return undefined;
}

function creationProblem(
  path: string,
  nodes: ReadonlyMap<string, KnownNode>,
): RegistryConflictError | RegistryRefusedError | undefined {
  if (nodes.has(path)) return new RegistryConflictError(path, 'exists');
  const parent = parentPath(path);
  if (!nodes.has(parent)) return new RegistryConflictError(path, 'absent');
  return nodes.get(parent)?.isOfSession === true ? childOfSessionNode(path) : undefined;
}

/** The error of a creation below a node that lives with a session. */
export function childOfSessionNode(path: string): RegistryRefusedError {
  const reason = `${parentPath(path)} lives with a session and cannot have children`;
  return new RegistryRefusedError('create', path, reason);
}

function problem(
  operation: Exclude<Operation, { type: 'create' }>,
  nodes: ReadonlyMap<string, KnownNode>,
): RegistryConflictError | undefined {
  const { type, path, version } = operation;
  const node = nodes.get(path);
  if (node === undefined) return new RegistryConflictError(path, 'absent');
  if (version !== undefined && version !== node.version) return new RegistryConflictError(path, 'changed');
  if (type !== 'remove' && type !== 'replace') return undefined;
  for (const each of nodes.keys()) {
    if (each !== path && isWithin(each, path)) return new RegistryConflictError(path, 'changed');
  }
  return undefined;
}

function carryOut(operation: Operation, nodes: Map<string, KnownNode>): void {
  const { type, path } = operation;
  if (type === 'remove') nodes.delete(path);
  else if (type === 'create' || type === 'replace')
    nodes.set(path, { version: 0, isOfSession: operation.lifetime === 'session' });
}
