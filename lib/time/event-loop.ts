/**
 * Calls `task` when the event loop has read its sockets again. After the loop was blocked, timers run before the loop
 * reads the messages that arrived meanwhile. A deadline for a message of a peer must therefore be checked in such a
 * task, or a long computation here would pass for silence of the peer. A clock cannot do this: a timer of 0 ms may run
 * before the read.
 */
export function afterNextPoll(task: () => void): void {
  setImmediate(task);
}

/** Resolves in the next turn of the event loop, when all chains of promises that wait for nothing else have ended. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
