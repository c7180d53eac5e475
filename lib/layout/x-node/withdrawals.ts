/**
 * Instances that have stopped, as opposed to those that have crashed: the value of `x-node/live`. An instance that
 * stops writes its id there in the commit that removes its own nodes; a session that ends by itself only removes the
 * nodes. One id a line, the latest first. Java neither writes nor reads it.
 */

/** Most instances that are remembered. Peers read the note as soon as the instance is gone. */
const MOST_REMEMBERED = 20;

/** The ids in the text of the node, the latest first; at most as many as are ever written. */
export function decodeWithdrawals(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((id) => id !== '')
    .slice(0, MOST_REMEMBERED);
}

/** The text of the node after these instances have stopped. An id that occurs twice counts once. */
export function encodeWithdrawals(ids: readonly string[]): string {
  return [...new Set(ids)].slice(0, MOST_REMEMBERED).join('\n');
}
