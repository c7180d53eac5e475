/**
 * Calls `task` once the event loop has looked at its sockets again. After the loop was blocked, timers run before what
 * has arrived meanwhile is read; so a deadline for hearing from a peer is checked in such a task, or a long computation
 * would pass for the peer's silence. No clock can do this: a delay of 0 may run before the sockets are looked at.
 */
export function afterNextPoll(task: () => void): void {
  setImmediate(task);
}

/** Resolves in the next turn of the event loop: when all chains of promises that wait for nothing else are at rest. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
