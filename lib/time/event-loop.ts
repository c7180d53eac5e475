import { detached } from './detached.js';

/**
 * Calls `task` when the event loop has read its sockets again. After the loop was blocked, timers run before the loop
 * reads the messages that arrived meanwhile. A deadline for a message of a peer must therefore be checked in such a
 * task, or a long computation here would pass for silence of the peer. A clock cannot do this: a timer of 0 ms may run
 * before the read.
 */
export function afterNextPoll(task: () => void): void {
  detached(() => setImmediate(task));
}

/** Calls `task` as soon as the running code has ended, outside any caller's `AsyncLocalStorage`. It must not throw. */
export function soon(task: () => void): void {
  // Not queueMicrotask, which makes an object for async hooks each time.
  detached(() => void NOW.then(task));
}

const NOW = Promise.resolve();

/** Resolves in the next turn of the event loop, when all chains of promises that wait for nothing else have ended. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Number of turns after which a deferred task runs although other tasks still wait. */
const MOST_TURNS_WAITED = 128;

/**
 * Runs tasks at once, but only some in one turn of the event loop: the others follow in the next turns, in their order.
 * The promises that a task sets off all come before anything else in this process, and the sockets of a web server need
 * their turn, too.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  /**
   * Tasks of `runWhenFree` that wait, each with the turn in which it came. While there are any, another turn is
   * scheduled.
   */
  readonly #deferred: { readonly task: () => void; readonly turn: number }[] = [];
  #turn = 0;
  #begun = 0;
  #isScheduled = false;

  /** @param most number of tasks that run in one turn */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs the task now or in one of the next turns. Its error passes through, and keeps no other task from its turn. */
  run(task: () => void): void {
    this.#schedule();
    if (this.#waiting.length > 0 || this.#begun >= this.#most) {
      this.#waiting.push(task);
      return;
    }
    this.#begun++;
    task();
  }

  /** Runs the task now if no task of `run` waits; otherwise when none waits any more, or after 128 turns. */
  runWhenFree(task: () => void): void {
    if (this.#waiting.length === 0 && this.#deferred.length === 0) return task();
    this.#deferred.push({ task, turn: this.#turn });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    detached(() => setImmediate(() => this.#nextTurn()));
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#begun = 0;
    this.#turn++;
    const urgent = this.#waiting.splice(0, this.#most);
    const tasks = [...urgent, ...this.#takeDeferred({ isFree: urgent.length === 0 })];
    if (tasks.length > 0) this.#schedule();
    for (const task of tasks) this.#runSafely(task);
  }

  /**
   * The deferred tasks that run now: some if nothing else waits, otherwise all that have waited for long enough,
   * because more of them may come than of the tasks that they give way to. The first ones have waited longest.
   */
  #takeDeferred({ isFree }: { readonly isFree: boolean }): readonly (() => void)[] {
    const isOverdue = ({ turn }: { readonly turn: number }): boolean => this.#turn - turn > MOST_TURNS_WAITED;
    const firstInTime = this.#deferred.findIndex((each) => !isOverdue(each));
    const count = isFree ? this.#most : firstInTime === -1 ? this.#deferred.length : firstInTime;
    return this.#deferred.splice(0, count).map(({ task }) => task);
  }

  /** An error ends up as an uncaught exception, as an error of a timer would. */
  #runSafely(task: () => void): void {
    this.#begun++;
    try {
      task();
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }
}

/** Firings of all jobs of this process, which may be many at one second. */
export const firingTurns = new Turns(16);
