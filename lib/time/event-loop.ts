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

/** For so many turns of the event loop, tasks that may wait give way to others; then they have their turn, too. */
const MOST_TURNS_WAITED = 128;

/**
 * Runs tasks at once, but only some in one turn of the event loop: the others follow in the next turns, in their order. All that a
 * task sets off by promises comes before anything else in this process, and the sockets of a web server want their turn, too.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  /** What gives way to the tasks of `run`, each with the turn in which it came. A turn that leaves some of them schedules another one. */
  readonly #patient: { readonly task: () => void; readonly turn: number }[] = [];
  #turn = 0;
  #begun = 0;
  #isScheduled = false;

  /** @param most how many tasks run in one turn */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs the task now or in one of the next turns. What it throws passes through, and keeps no other task from its turn. */
  run(task: () => void): void {
    this.#schedule();
    if (this.#waiting.length > 0 || this.#begun >= this.#most) {
      this.#waiting.push(task);
      return;
    }
    this.#begun++;
    task();
  }

  /** Runs the task now, or, if tasks of `run` wait for their turn, when these have had it, or have kept it waiting for long. */
  runAfterwards(task: () => void): void {
    if (this.#waiting.length === 0 && this.#patient.length === 0) return task();
    this.#patient.push({ task, turn: this.#turn });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#begun = 0;
    this.#turn++;
    const urgent = this.#waiting.splice(0, this.#most);
    const tasks = [...urgent, ...this.#takePatient({ isFree: urgent.length === 0 })];
    if (tasks.length > 0) this.#schedule();
    for (const task of tasks) this.#runSafely(task);
  }

  /** The tasks that have been patient for long enough. The first ones have waited longest. */
  #takePatient({ isFree }: { readonly isFree: boolean }): readonly (() => void)[] {
    const first = this.#patient.slice(0, this.#most);
    const ready = isFree ? first : first.filter(({ turn }) => this.#turn - turn > MOST_TURNS_WAITED);
    this.#patient.splice(0, ready.length);
    return ready.map(({ task }) => task);
  }

  /** As an error of a timer would, it ends up as an uncaught exception. */
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
