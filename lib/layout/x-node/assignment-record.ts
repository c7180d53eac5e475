/**
 * Basis of the present assignment: the value of `x-node/assigned-for`. The leader writes it in the commit that makes
 * the assignment valid. So each instance knows whether another assignment is due, even without knowing the job's
 * strategy, which may leave out instances on purpose. Java neither writes nor reads it.
 * ```
 * items: 4
 * basis: 5feceb66ffc86f38
 * ```
 */

/** The number of items and the basis of an assignment. */
export interface AssignmentRecord {
  /** Number of items. */
  readonly itemCount: number;
  /** Digest of all that the assignment depends on: it changes whenever another assignment is due. */
  readonly basis: string;
}

/** The text of a record. */
export function encodeAssignmentRecord({ itemCount, basis }: AssignmentRecord): string {
  return `items: ${itemCount}\nbasis: ${basis}`;
}

/** The inverse of `encodeAssignmentRecord`; `undefined` for anything else. */
export function decodeAssignmentRecord(text: string): AssignmentRecord | undefined {
  const [, itemCount, basis] = /^items: (\d{1,10})\nbasis: ([0-9a-f]+)$/.exec(text) ?? [];
  return basis === undefined ? undefined : { itemCount: Number(itemCount), basis };
}
