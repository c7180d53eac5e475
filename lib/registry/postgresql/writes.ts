import {
  RegistryConflictError,
  RegistryOutcomeUnknownError,
  RegistryRefusedError,
  RegistryUnavailableError,
} from '../../api/errors/errors.js';
import { withDeadline } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';
import { type Operation, type SessionState } from '../registry-center.js';
import { CommitBatches } from './commit-batches.js';
import { faultOf, isLasting, isServerAnswer, LinkBrokenError } from './connection/faults.js';
import { type Mirrors } from './mirror/mirrors.js';
import { jobOf, type OwnCommit } from './mirror/postgresql-mirror.js';
import { type Connected, type PostgresqlSession } from './postgresql-session.js';
import { RoutineNotices } from './routine-notices.js';
import { type CommitAnswer, type Statements } from './statements.js';

/**
 * The server's operations in one commit: those of the port, and three that create or remove nodes with their parents or
 * children.
 */
export type ServerOperation =
  | Operation
  | { readonly type: 'make'; readonly path: string; readonly value: string; readonly lifetime?: string }
  | { readonly type: 'put'; readonly path: string; readonly value: string }
  | { readonly type: 'purge'; readonly path: string };

/** The name of a write in messages. */
export interface Subject {
  readonly operation: string;
  readonly path: string;
}

/** The result of a commit. */
export interface Committed {
  readonly revision: number;
  /** True if there was a node to create or to remove. */
  readonly done: boolean;
}

interface WritesOptions {
  readonly session: PostgresqlSession;
  readonly statements: Statements;
  readonly clock: Clock;
  /** Most connections of the process. */
  readonly connections: number;
  /** How long a lost answer is looked for, in milliseconds. */
  readonly settleMs: number;
  readonly mirrors: Mirrors;
}

/**
 * Commits. One whose answer was lost is never repeated: as soon as the same session has another link, the journal says
 * whether it was carried out, because the new link has waited for what the former one had under way.
 */
export class Writes {
  readonly #options: WritesOptions;
  readonly #notices: RoutineNotices;
  readonly #batches: CommitBatches;
  #commits = 0;

  constructor(options: WritesOptions) {
    this.#options = options;
    const { clock, statements, connections, mirrors } = options;
    // One connection is for heartbeats, and one is left to those who read.
    this.#batches = new CommitBatches(statements, mirrors, Math.max(1, connections - 2));
    this.#notices = new RoutineNotices(clock, (revisions) => mirrors.announce(revisions));
  }

  /**
   * @throws RegistryConflictError, RegistryRefusedError or RegistryUnavailableError if nothing was changed;
   *   RegistryOutcomeUnknownError if that cannot be found out
   */
  async commit(subject: Subject, operations: readonly ServerOperation[]): Promise<Committed> {
    const { session, statements, mirrors } = this.#options;
    const { connected } = session;
    if (!connected) throw this.#unavailable(subject, new Error(`The session is ${session.state.phase}`));
    const id = ++this.#commits;
    const paths = operations.flatMap(({ type, path }) => (type === 'check' ? [] : [path]));
    const jobs = [...new Set(paths.map(jobOf))];
    const ended = mirrors.awaitCommit(jobs);
    try {
      const notifies = statements.channel !== undefined && (!mirrors.isRoutine(paths) || this.#notices.admit());
      const answer = await this.#batches.send(connected, { id, notifies, jobs, operations: encode(operations) });
      if (statements.channel !== undefined && 'changed' in answer && answer.changed)
        this.#notices[notifies ? 'notified' : 'add'](answer.revision, Object.keys(answer.previous));
      return this.#take(answer, { subject, operations, connected });
    } catch (error) {
      if (error instanceof LinkBrokenError && error.wasSent)
        return this.#findOut(subject, { id, connected, operations, error });
      if (isLasting(error)) session.onRefusal(connected, error);
      throw isOurs(error) ? error : this.#unavailable(subject, error);
    } finally {
      ended();
    }
  }

  #take(
    answer: CommitAnswer,
    of: { readonly subject: Subject; readonly operations: readonly ServerOperation[]; readonly connected: Connected },
  ): Committed {
    const { subject, operations, connected } = of;
    if ('conflict' in answer) throw new RegistryConflictError(answer.path, answer.conflict);
    if ('refused' in answer) throw new RegistryRefusedError(subject.operation, answer.path, answer.refused);
    if ('session' in answer) {
      this.#options.session.notOurs();
      throw this.#unavailable(subject, new Error('The session is over, or has another connection'));
    }
    const { revision, previous, done, changed } = answer;
    const known = operations.filter(isOfPort);
    const isKnown = known.length === operations.length;
    if (changed)
      this.#changed(connected, { revision, previous, session: connected.id, operations: isKnown ? known : [] });
    return { revision, done };
  }

  async #findOut(
    subject: Subject,
    of: {
      readonly id: number;
      readonly connected: Connected;
      readonly operations: readonly ServerOperation[];
      readonly error: Error;
    },
  ): Promise<Committed> {
    const { connected, operations, id, error } = of;
    const unknown = new RegistryOutcomeUnknownError(subject.operation, subject.path, error);
    const again = await this.#sameSession(connected, unknown);
    const jobs = [...new Set(operations.map(({ path }) => jobOf(path)))];
    let rows;
    try {
      ({ rows } = await again.link.query(this.#options.statements.outcome(connected.id, id, jobs)));
    } catch {
      throw unknown;
    }
    if (rows.length === 0) throw this.#unavailable(subject, error);
    const revision = Number(rows[0]?.['revision']);
    const previous = Object.fromEntries(rows.map((row) => [String(row['job']), Number(row['previous'])]));
    this.#changed(again, { revision, previous, session: connected.id, operations: [] });
    return { revision, done: true };
  }

  #changed(connected: Connected, commit: OwnCommit): void {
    this.#options.session.onCommit(connected, commit);
    this.#options.mirrors.onOwnCommit(commit);
  }

  /** The next link of the session. @throws `unknown` if there is none in time */
  async #sameSession({ id }: Connected, unknown: Error): Promise<Connected> {
    const { session, clock, settleMs } = this.#options;
    let unsubscribe = (): void => undefined;
    const connected = new Promise<Connected>((resolve, reject) => {
      const look = ({ phase }: SessionState): void => {
        const { connected: now } = session;
        if (now?.id === id && !now.link.isBroken) resolve(now);
        else if (phase === 'lost' || phase === 'closed' || phase === 'connecting') reject(unknown);
      };
      unsubscribe = session.onChange(look);
      look(session.state);
    });
    return withDeadline(clock, connected, settleMs, () => unknown).finally(unsubscribe);
  }

  #unavailable({ operation, path }: Subject, cause: unknown): RegistryUnavailableError {
    const { session } = this.#options;
    const answer = isServerAnswer(cause) ? faultOf(cause, session.place).reason : undefined;
    return new RegistryUnavailableError(operation, path, cause, answer ?? session.reason);
  }
}

function isOurs(error: unknown): boolean {
  return (
    error instanceof RegistryConflictError ||
    error instanceof RegistryRefusedError ||
    error instanceof RegistryUnavailableError
  );
}

function isOfPort(operation: ServerOperation): operation is Operation {
  return operation.type !== 'make' && operation.type !== 'put' && operation.type !== 'purge';
}

/** As `ej_commit` reads them: `[type, path, value, lifetime, version]`. */
function encode(operations: readonly ServerOperation[]): string {
  return JSON.stringify(
    operations.map((each) => [
      each.type,
      each.path,
      'value' in each ? each.value : null,
      ('lifetime' in each && each.lifetime) || null,
      ('version' in each ? each.version : undefined) ?? null,
    ]),
  );
}
