import { RegistryRefusedError } from '../api/errors/errors.js';
import { commitSizeProblem, repeatedChangeProblem } from './commit-limits.js';
import { type CommitLimits, type Operation } from './registry-center.js';

/** The limits of ZooKeeper with default settings and a namespace of up to 15 bytes. */
export const DEFAULT_LIMITS: CommitLimits = {
  operations: 10_000,
  bytes: 1_047_551,
  overheadBytes: 64,
  valueBytes: 1_047_551,
};

/** Names after slashes; no name is empty, `.` or `..`. */
export const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/;

/**
 * @throws RegistryRefusedError unless the path is `/`, or like `/a/b` without empty, `.` or `..` parts and null
 *   characters
 */
export function requirePath(operation: string, path: string): void {
  if (path === '/' || (PATH.test(path) && !path.includes('\0'))) return;
  const rule = 'a path starts with a slash, does not end with one, and has no empty, "." or ".." part';
  throw new RegistryRefusedError(operation, JSON.stringify(path), rule);
}

/**
 * @throws RegistryRefusedError if an operation has an unusable path, if two change the same one, or if the operations
 *   exceed the limits
 */
export function requireWithinLimits(
  operation: string,
  path: string,
  { operations, limits }: { readonly operations: readonly Operation[]; readonly limits: CommitLimits },
): void {
  for (const each of operations) requirePath(operation, each.path);
  const problem = commitSizeProblem(operations, limits) ?? repeatedChangeProblem(operations);
  if (problem !== undefined) throw new RegistryRefusedError(operation, path, problem);
}
