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

/** The size of one operation in bytes: path and value as UTF-8, plus `limits.overheadBytes`. */
export function operationBytes(operation: Operation, limits: Pick<CommitLimits, 'overheadBytes'>): number {
  const valueBytes = 'value' in operation ? Buffer.byteLength(operation.value) : 0;
  return limits.overheadBytes + Buffer.byteLength(operation.path) + valueBytes;
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
  return bytes > limits.bytes ? `the commit has ${bytes} bytes, the limit is ${limits.bytes}` : undefined;
}
