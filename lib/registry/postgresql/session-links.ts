import { randomUUID } from 'node:crypto';
import { withDeadline } from '../../async/wait.js';
import { DeadlineExceededError } from '../../api/errors/errors.js';
import { type Clock } from '../../time/clock.js';
import { type PostgresLink } from './connection/link.js';
import { Receipts } from './receipts.js';
import { type Statements } from './statements.js';

/** The parts that bring sessions and links together. */
export interface SessionLinksOptions {
  /** Opens a link, and makes sure of the tables. */
  readonly open: () => Promise<PostgresLink>;
  /** Called when the server of the last link cannot serve: another host may. */
  readonly moveOn: () => void;
  readonly statements: Statements;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A link with the session that it serves. */
export interface AttachedLink {
  readonly link: PostgresLink;
  readonly id: string;
  readonly epoch: number;
  readonly receipts: Receipts;
  /** When the session was prolonged last: the time of sending, by the monotonic clock. */
  readonly sentAt: number;
}

/** How long closing waits for the server, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Opens links, and has them serve a session: the one that was there before, or a new one once that has ended. */
export class SessionLinks {
  readonly #options: SessionLinksOptions;
  /** The session that was opened last; it may live at the server. */
  #latest: string | undefined;
  #hasServed = false;
  #receipts = new Receipts();

  constructor(options: SessionLinksOptions) {
    this.#options = options;
  }

  /** True once the server has let this client open a session. */
  get hasServed(): boolean {
    return this.#hasServed;
  }

  /**
   * @param id the session to come back to; otherwise a new one is opened
   * @returns `undefined` if the session has ended
   */
  async attach(id: string | undefined): Promise<AttachedLink | undefined> {
    const { statements, timeoutMs, clock } = this.#options;
    const link = await this.#options.open();
    try {
      if (id === undefined && this.#latest !== undefined) await link.control(statements.end(this.#latest));
      const session = id ?? randomUUID();
      if (id === undefined) {
        this.#latest = session;
        this.#receipts = new Receipts();
      }
      const receipts = this.#receipts;
      const sentAt = clock.monotonic();
      const { rows } = await link.control(
        statements.attach(session, timeoutMs, id === undefined ? undefined : receipts.confirmed),
      );
      const epoch = rows[0]?.['answer'];
      if (typeof epoch === 'number') {
        this.#hasServed = true;
        return { link, id: session, epoch, receipts, sentAt };
      }
      link.break('the session is over');
      return undefined;
    } catch (error) {
      link.break('it could not serve a session');
      this.#options.moveOn();
      throw error;
    }
  }

  /** Ends the session at the server, if that answers. Otherwise it ends when its time is over. */
  async end({ link, id }: Pick<AttachedLink, 'link' | 'id'>): Promise<void> {
    const { clock, statements } = this.#options;
    const ended = link.control(statements.end(id)).then(() => link.end());
    const late = (): Error => new DeadlineExceededError('the end of the session', CLOSE_TIMEOUT_MS);
    await withDeadline(clock, ended, CLOSE_TIMEOUT_MS, late).catch(() => link.break('the registry centre was closed'));
  }
}
