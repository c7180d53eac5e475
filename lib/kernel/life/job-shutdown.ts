import { describeCause } from '../../api/text/describe-cause.js';
import { DeadlineExceededError } from '../../api/errors/errors.js';
import { type RunningCode } from '../../api/job/running-code.js';
import { type Mailbox } from '../../async/mailbox.js';
import { withDeadline } from '../../async/wait.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type JobComponents } from './job-components.js';
import { type JobLog } from '../job/job-log.js';
import { describeItems } from '../view/items.js';
import { type Registration } from '../writes/registration.js';
import { withdrawWhenPossible } from '../writes/withdraw-later.js';

/** Dependencies of a shutdown. */
export interface JobShutdownDeps {
  readonly mailbox: Mailbox;
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  /** Id of this instance. */
  readonly me: string;
  readonly clock: Clock;
  readonly logger: JobLog;
  /** How long it waits for running items, in milliseconds. */
  readonly gracePeriodMs: number;
}

/** One step at the registry centre. */
export interface ShutdownStep {
  /** Object of the wait, for the log: `the registry centre to …`. */
  readonly what: string;
  /** The job's registration; `undefined` while there is none. A job that is not registered has nothing to withdraw. */
  readonly registration: () => Pick<Registration, 'session'> | undefined;
  readonly task: () => Promise<void>;
}

/** How long each step at the registry centre, and the error handler, may take, in milliseconds. */
const STEP_TIMEOUT_MS = 5_000;

/** How long an error handler may take that waits for the end of the process itself, in milliseconds. */
const CALLER_TIMEOUT_MS = 1_000;

/**
 * The steps by which a job ends on this instance: it waits for the running items up to the grace period and aborts
 * those that remain, waits for the error handler, and withdraws from the registry centre, at once or as soon as that is
 * possible. Each step has a deadline, and none rejects.
 */
export class JobShutdown {
  readonly #deps: JobShutdownDeps;
  #isOver = false;
  /** Code of the job that waits for the end of the whole process. */
  readonly #callers: RunningCode[] = [];
  #isHeldUp = false;
  #giveUpWithdrawal = (): void => undefined;

  constructor(deps: JobShutdownDeps) {
    this.#deps = deps;
  }

  /** Does one step in the mailbox, after the tasks that are queued there. */
  async step({ what, registration, task }: ShutdownStep): Promise<void> {
    const { clock, mailbox, logger } = this.#deps;
    const timeout = (): Error => new DeadlineExceededError(what, STEP_TIMEOUT_MS);
    try {
      await withDeadline(clock, mailbox.post(task), STEP_TIMEOUT_MS, timeout);
    } catch (error) {
      if (registration()?.session === undefined)
        return logger.debug(`stops while it is not registered: ${describeCause(error)}`);
      logger.warn(
        `this instance could not withdraw, and will when the registry centre answers, unless its session is over by then: ` +
          describeCause(error),
      );
    }
  }

  /** Waits for the running items, then for the error handler. */
  async endRuns({ work, marks, failures }: JobComponents, why: string): Promise<void> {
    const { clock, logger, gracePeriodMs } = this.#deps;
    const isInVain = (): boolean => this.#waitsInVain(work.started);
    if (!(await work.end(why, { gracePeriodMs, isInVain }))) {
      // Otherwise the error is logged already.
      if (!this.#waitsInVain(work.started))
        logger.error(
          `the job is left although the items ${describeItems([...work.busy])} still run: they do not react to context.signal.`,
        );
      await marks.removal.clearAll();
    }
    const drainMs = this.#waiting('error-handler').length > 0 ? CALLER_TIMEOUT_MS : STEP_TIMEOUT_MS;
    await withDeadline(clock, failures.drained(), drainMs, () => new Error('time is up')).catch(() =>
      logger.warn('the error handler is still busy, and is no longer waited for.'),
    );
    await failures.close();
  }

  /** Remembers code of the job that waits for the end of the whole process. */
  noteCaller(code: RunningCode): void {
    this.#callers.push(code);
  }

  #waiting(...parts: readonly RunningCode['part'][]): readonly RunningCode[] {
    return this.#callers.filter(({ hasReturned, part }) => !hasReturned && parts.includes(part));
  }

  /**
   * True if nothing runs any more but code that waits for this very end. Items that have not started wait for places in
   * the pool that this code has.
   */
  #waitsInVain(started: ReadonlySet<number>): boolean {
    const waiting = this.#waiting('item', 'listener');
    if (waiting.length === 0) return false;
    if (!this.#isHeldUp) this.#logCallers(waiting);
    this.#isHeldUp = true;
    return (
      waiting.some(({ part }) => part === 'listener') ||
      [...started].every((item) => waiting.some((each) => each.item === item))
    );
  }

  #logCallers(waiting: readonly RunningCode[]): void {
    const who = waiting.map(({ what }) => what).join(', ');
    this.#deps.logger.error(
      `the process ends while ${who} waits for that end, as by await app.close(), and the job would wait for ${who}. So the job is left ` +
        "while that runs. To end the process from within a job, send it a signal: process.kill(process.pid, 'SIGTERM').",
    );
  }

  /** Removes everything that shows that this instance takes part. */
  async withdraw(components: JobComponents): Promise<void> {
    const { registry, paths, me } = this.#deps;
    const { marks, registration, barrier, faultReport } = components;
    const task = async (): Promise<void> => {
      if (registry.session.state.phase !== 'connected') return;
      await marks.removal.clearLeftovers();
      try {
        if (registration.session !== undefined) {
          await registration.withdraw();
          await barrier.withdraw();
        }
      } finally {
        // After the deadline, nothing waits for this step any more.
        if (this.#isOver) this.#withdrawLater(components);
      }
      if (!faultReport.says(undefined)) await faultReport.store(undefined);
    };
    const what = `the registry centre to remove ${paths.instance(me)}`;
    await this.step({ what, registration: () => registration, task });
  }

  /**
   * To be called when the job has stopped. If it could not withdraw, it does when the registry centre answers again.
   */
  end(components: JobComponents): void {
    this.#isOver = true;
    this.#withdrawLater(components);
  }

  /** Gives up withdrawing: the registration belongs to another job object now. */
  keepRegistration(): void {
    this.#giveUpWithdrawal();
  }

  #withdrawLater({ registration: { session } }: JobComponents): void {
    if (session === undefined) return;
    const { registry, paths, me, logger, clock } = this.#deps;
    this.#giveUpWithdrawal();
    this.#giveUpWithdrawal = withdrawWhenPossible({ registry, paths, me, session, logger, clock });
  }
}
