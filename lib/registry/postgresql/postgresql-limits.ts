import { RegistryRefusedError } from '../../api/errors/errors.js';
import { commitSizeProblem, repeatedChangeProblem, requireValueSize } from '../commit-limits.js';
import { type CommitLimits, type Operation } from '../registry-center.js';
import { requirePath } from '../request-limits.js';

/**
 * How much one commit may hold. PostgreSQL itself would take more; a commit keeps its job's row locked all the while,
 * and each mirror of the job reads it.
 */
export const POSTGRESQL_LIMITS: CommitLimits = {
  operations: 10_000,
  bytes: 1_047_551,
  overheadBytes: 64,
  valueBytes: 1_000_000,
};

/** An index holds no more than 2,700 bytes of a row; the namespace has its share of them. */
const LONGEST_PATH_BYTES = 2_000;

/** @throws RegistryRefusedError if a path or a value is one that PostgreSQL cannot store */
export function requireStorable(
  operation: string,
  ...all: readonly { readonly path: string; readonly value?: string }[]
): void {
  for (const { path, value = '' } of all) {
    requirePath(operation, path);
    if (Buffer.byteLength(path) > LONGEST_PATH_BYTES)
      throw new RegistryRefusedError(
        operation,
        `${path.slice(0, 100)}…`,
        `a path may have ${LONGEST_PATH_BYTES} bytes`,
      );
    requireValueSize(operation, path, { value, limits: POSTGRESQL_LIMITS });
    const problem = textProblem(path) ?? textProblem(value);
    if (problem !== undefined) throw new RegistryRefusedError(operation, JSON.stringify(path), problem);
  }
}

/** @returns what is wrong with the commit as a whole, or undefined */
export function commitProblem(operations: readonly Operation[]): string | undefined {
  return commitSizeProblem(operations, POSTGRESQL_LIMITS) ?? repeatedChangeProblem(operations);
}

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'PostgreSQL stores no text with a NUL character';
  // Half of a surrogate pair is no character, and has no bytes in UTF-8.
  return /[\uD800-\uDFFF]/.test(text) && !isWellFormed(text) ? 'the text has half of a surrogate pair' : undefined;
}

function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}
