import { RegistryRefusedError } from '../api/errors/errors.js';
import { describeValue } from '../api/text/describe-value.js';
import { type CommitLimits, type Operation } from './registry-center.js';

/** @throws RegistryRefusedError unless it is a list of operations */
export function requireOperations(operations: unknown): void {
  if (Array.isArray(operations)) return;
  throw new RegistryRefusedError(
    'commit changes of',
    '/',
    `needs a list of operations, got ${describeValue(operations)}`,
  );
}

/**
 * The size of one operation in bytes: path and value as UTF-8, plus `limits.overheadBytes`. A `replace` is as large as
 * a `remove` and a `create`, which it is to some registries.
 */
export function operationBytes(operation: Operation, limits: Pick<CommitLimits, 'overheadBytes'>): number {
  const valueBytes = 'value' in operation ? Buffer.byteLength(operation.value) : 0;
  const times = operation.type === 'replace' ? 2 : 1;
  return times * (limits.overheadBytes + Buffer.byteLength(operation.path)) + valueBytes;
}

/** The size in bytes of operations that become one commit; compare it with `limits.bytes`. */
export function commitBytes(operations: readonly Operation[], limits: Pick<CommitLimits, 'overheadBytes'>): number {
  return operations.reduce((sum, operation) => sum + operationBytes(operation, limits), 0);
}

/**
 * Checks operations that are to become one commit.
 * @returns the problem, or undefined if the commit is within the limits
 */
export function commitSizeProblem(operations: readonly Operation[], limits: CommitLimits): string | undefined {
  if (operations.length > limits.operations) {
    return `the commit has ${operations.length} operations, the limit is ${limits.operations}`;
  }
  const bytes = commitBytes(operations, limits);
  if (bytes > limits.bytes) return `the commit has ${bytes} bytes, the limit is ${limits.bytes}`;
  for (const operation of operations) {
    const problem = 'value' in operation ? valueSizeProblem(operation.value, limits) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** @throws RegistryRefusedError if the value is larger than a node's may be */
export function requireValueSize(
  operation: string,
  path: string,
  { value, limits }: { readonly value: string; readonly limits: CommitLimits },
): void {
  const problem = valueSizeProblem(value, limits);
  if (problem !== undefined) throw new RegistryRefusedError(operation, path, problem);
}

/** @returns what is wrong with the length of a value, or undefined if a node may have it */
function valueSizeProblem(value: string, { valueBytes }: CommitLimits): string | undefined {
  // No character takes more than three bytes for each unit of the text's length.
  if (value.length * 3 <= valueBytes) return undefined;
  const bytes = Buffer.byteLength(value);
  return bytes > valueBytes ? `the value has ${bytes} bytes, the limit is ${valueBytes}` : undefined;
}

/**
 * Checks that at most one operation changes each path, after all checks of that path: what the port asks of a commit.
 * @returns the problem, or undefined
 */
export function repeatedChangeProblem(operations: readonly Operation[]): string | undefined {
  const changed = new Set<string>();
  for (const { type, path } of operations) {
    if (changed.has(path)) return `the commit has another operation on ${path} after one that changes it`;
    if (type !== 'check') changed.add(path);
  }
  return undefined;
}
