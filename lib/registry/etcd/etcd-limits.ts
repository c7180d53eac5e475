import { RegistryRefusedError } from '../../api/errors/errors.js';
import { commitSizeProblem, repeatedChangeProblem } from '../commit-limits.js';
import { type CommitLimits, type Operation } from '../registry-center.js';
import { HALF_CHARACTER, requirePath } from './etcd-keys.js';

/** etcd's default of `--max-txn-ops`: the most comparisons, and the most requests, of one transaction. */
export const DEFAULT_MAX_TXN_OPS = 128;

/** A `create` compares its key and, twice, its parent's: the parent exists, and has no lease. */
const COMPARISONS_OF_OPERATION = 3;
/** Each commit compares the keys of its session and of its slot: the session lives, and the slot is as we left it. */
const COMPARISONS_OF_COMMIT = 2;

/**
 * Bounded because each operation has its path up to four times in the request, of which `bytes` counts one: 300 paths
 * of 512 bytes, three times more, fit beside `BYTES` into the 1,572,864 bytes of etcd's default `--max-request-bytes`.
 */
const MOST_OPERATIONS = 300;
const BYTES = 1_047_551;
/** The bytes that one operation takes besides paths, namespaces and its value. */
const OPERATION_OVERHEAD_BYTES = 96;

/** How much one commit may hold at servers with this `--max-txn-ops` and the default `--max-request-bytes`. */
export function etcdLimits(namespace: string, maxTxnOps: number): CommitLimits {
  const operations = Math.floor((maxTxnOps - COMPARISONS_OF_COMMIT) / COMPARISONS_OF_OPERATION);
  return {
    operations: Math.min(MOST_OPERATIONS, operations),
    bytes: BYTES,
    overheadBytes: OPERATION_OVERHEAD_BYTES + 4 * Buffer.byteLength(namespace),
    valueBytes: BYTES,
  };
}

/**
 * @throws RegistryRefusedError if an operation has an unusable path, if two change the same one, if a value is no text
 *   that etcd keeps as it is, or if the operations exceed the limits
 */
export function requireWithinLimits(
  subject: { readonly operation: string; readonly path: string },
  operations: readonly Operation[],
  limits: CommitLimits,
): void {
  for (const each of operations) requirePath(subject.operation, each.path);
  const problem =
    commitSizeProblem(operations, limits) ??
    repeatedChangeProblem(operations) ??
    valueProblem(operations) ??
    rootProblem(operations);
  if (problem !== undefined) throw new RegistryRefusedError(subject.operation, subject.path, problem);
}

function valueProblem(operations: readonly Operation[]): string | undefined {
  const wrong = operations.find((operation) => 'value' in operation && HALF_CHARACTER.test(operation.value));
  return wrong && `the value of ${wrong.path} contains half of a character (a lone surrogate)`;
}

function rootProblem(operations: readonly Operation[]): string | undefined {
  const changesRoot = operations.some(({ type, path }) => path === '/' && type !== 'check' && type !== 'create');
  return changesRoot ? 'the root of the namespace is always there, and empty' : undefined;
}
