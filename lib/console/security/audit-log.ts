import { randomUUID } from 'node:crypto';
import { describeCause } from '../../api/text/describe-cause.js';
import { type JobLogger } from '../../api/text/logger.js';
import { Listeners } from '../../async/listeners.js';
import { Mailbox } from '../../async/mailbox.js';
import { shownValue, withoutSecrets } from '../../api/text/secrets.js';
import { type Clock } from '../../time/clock.js';
import { type AuditRecord } from '../contract/session.js';
import { ConsoleProblem } from '../http/console-problem.js';
import { type AuditedAction, type AuditNotes, type AuditQuery, ConsoleAudit } from './console-audit.js';
import { type AuditStorage } from './audit-file.js';

/** Texts of users are kept up to this length. */
const LONGEST_TEXT = 2_000;

/** So many refusals of callers who are not known are recorded in a minute: nobody can push older records out by more. */
const MOST_ANONYMOUS = 120;
const MINUTE_MS = 60_000;

/** What the audit needs. */
export interface AuditLogOptions {
  readonly storage: AuditStorage;
  readonly logger: Pick<JobLogger, 'error' | 'warn'>;
  readonly clock: Clock;
}

/** The audit: makes the records, stores them, and hands them to listeners. */
export class AuditLog extends ConsoleAudit {
  readonly #storage: AuditStorage;
  readonly #logger: AuditLogOptions['logger'];
  readonly #clock: Clock;
  readonly #mailbox = new Mailbox();
  readonly #listeners: Listeners<AuditRecord>;
  /** The refusals of unknown callers in the minute that began then. */
  #anonymous = { since: -Infinity, count: 0 };

  constructor({ storage, logger, clock }: AuditLogOptions) {
    super();
    this.#storage = storage;
    this.#logger = logger;
    this.#clock = clock;
    const onError = (error: unknown): void =>
      this.#logger.warn(`A listener of the console's audit has failed: ${describeCause(error)}`);
    this.#listeners = new Listeners({ onError });
  }

  override async record<T>(action: AuditedAction, task: (notes: AuditNotes) => T | Promise<T>): Promise<T> {
    let known = action;
    const before = new Map<string, string>();
    const after = new Map<string, string>();
    const notes: AuditNotes = {
      note(what, was, is) {
        if (was !== undefined && !before.has(what) && !after.has(what)) before.set(what, shown(what, was));
        if (is === undefined) after.delete(what);
        else after.set(what, shown(what, is));
      },
      identify({ username, role, provider }) {
        known = { ...action, caller: { ...action.caller, username, role, provider } };
      },
    };
    const changes = (): Partial<AuditRecord> => ({
      ...(before.size > 0 && { before: Object.fromEntries(before) }),
      ...(after.size > 0 && { after: Object.fromEntries(after) }),
    });
    try {
      const result = await task(notes);
      await this.#append(known, { outcome: 'done', ...changes() });
      return result;
    } catch (error) {
      const outcome = error instanceof ConsoleProblem && error.status < 500 ? 'refused' : 'failed';
      const reason = error instanceof ConsoleProblem ? error.message : describeCause(error);
      await this.#append(known, { outcome, error: reason, ...changes() });
      throw error;
    }
  }

  override async refused(action: AuditedAction, error: string): Promise<void> {
    await this.#append(action, { outcome: 'refused', error });
  }

  override async find(
    query: AuditQuery,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: readonly AuditRecord[]; readonly nextCursor?: string }> {
    const items: AuditRecord[] = [];
    let isBehindCursor = cursor === undefined;
    for await (const record of this.#storage.newestFirst()) {
      if (query.from !== undefined && record.at < query.from) break;
      if (isBehindCursor && matches(record, query)) {
        const last = items.at(-1);
        if (items.length === limit && last !== undefined) return { items, nextCursor: last.id };
        items.push(record);
      }
      isBehindCursor ||= record.id === cursor;
    }
    return { items };
  }

  override onRecord(listener: (record: AuditRecord) => void): () => void {
    return this.#listeners.add(listener);
  }

  #admitsAnonymous(): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#anonymous.since >= MINUTE_MS) this.#anonymous = { since: now, count: 0 };
    const { count } = this.#anonymous;
    this.#anonymous.count++;
    if (count === MOST_ANONYMOUS)
      this.#logger.warn(
        'The console refuses very many requests of strangers: for the rest of this minute, it leaves these out of the audit.',
      );
    return count < MOST_ANONYMOUS;
  }

  /** Never throws: the change is made already, and its caller must learn of that and not of the audit's trouble. */
  async #append(
    { action, registry, target, reason, caller }: AuditedAction,
    result: Pick<AuditRecord, 'outcome'> & Partial<AuditRecord>,
  ): Promise<void> {
    const { username, role, provider, ip, requestId } = caller;
    if (username === undefined && result.outcome === 'refused' && !this.#admitsAnonymous()) return;
    const entries = { username, role, provider, ip, action, registry, target, reason, ...result, requestId };
    const given = Object.entries(entries).filter(([, value]) => value !== undefined);
    const texts = given.map(([name, value]) => [
      name,
      typeof value === 'string' ? shortened(withoutSecrets(value)) : value,
    ]);
    const record = {
      ...{ id: randomUUID(), at: this.#clock.now() },
      ...(Object.fromEntries(texts) as Omit<AuditRecord, 'id' | 'at'>),
    };
    try {
      await this.#mailbox.post(() => this.#storage.append(record));
    } catch (error) {
      this.#logger.error(
        `A record of the console's audit could not be written and is lost (${JSON.stringify(record)}): ${describeCause(error)}`,
      );
    }
    this.#listeners.notify(record);
  }
}

function matches(record: AuditRecord, { username, action, target, registry, outcome, to }: AuditQuery): boolean {
  const isAction =
    action === undefined || (action.endsWith('.') ? record.action.startsWith(action) : record.action === action);
  return (
    isAction &&
    (username === undefined || record.username === username || isLoginOf(username, record)) &&
    (target === undefined || record.target === target) &&
    (registry === undefined || record.registry === registry) &&
    (outcome === undefined || record.outcome === outcome) &&
    (to === undefined || record.at <= to)
  );
}

/** Whose login was refused has not proved the name, which is the target of the record. */
function isLoginOf(username: string, { action, target }: AuditRecord): boolean {
  return action === 'auth.login' && target !== undefined && target.toLowerCase() === username.toLowerCase();
}

function shown(what: string, value: string): string {
  return shortened(shownValue(what, value));
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
