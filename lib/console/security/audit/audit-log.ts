import { randomUUID } from 'node:crypto';
import { describeCause } from '../../../api/text/describe-cause.js';
import { type JobLogger } from '../../../api/text/logger.js';
import { Listeners } from '../../../async/listeners.js';
import { Mailbox } from '../../../async/mailbox.js';
import { shownValue, withoutSecrets } from '../../../api/text/secrets.js';
import { type Clock } from '../../../time/clock.js';
import { type AuditRecord } from '../../contract/session.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type AuditedAction, type AuditNotes, type AuditQuery, ConsoleAudit } from './console-audit.js';
import { actorOf } from '../callers/account.js';
import { type AuditStorage } from './audit-file.js';
import { RefusalCounts } from './refusal-counts.js';

/** The longest text of a user in a record. */
const LONGEST_TEXT = 2_000;

/** The longest text in a record of a refusal, as the refused caller chooses it. */
const LONGEST_TEXT_OF_REFUSAL = 200;
const MINUTE_MS = 60_000;

/** The parts of the audit. */
export interface AuditLogOptions {
  /** The storage of actions. */
  readonly storage: AuditStorage;
  /** The storage of refusals, which is separate so that refusals cannot displace actions. */
  readonly refusals: AuditStorage;
  readonly logger: Pick<JobLogger, 'error' | 'warn'>;
  readonly clock: Clock;
}

/** The audit: makes records, stores them, and passes them to listeners. */
export class AuditLog extends ConsoleAudit {
  readonly #storage: AuditStorage;
  readonly #refusals: AuditStorage;
  readonly #logger: AuditLogOptions['logger'];
  readonly #clock: Clock;
  readonly #mailbox = new Mailbox();
  readonly #listeners: Listeners<AuditRecord>;
  readonly #counts = new RefusalCounts();
  #cancelCount: (() => void) | undefined;
  #isStopped = false;

  constructor({ storage, refusals, logger, clock }: AuditLogOptions) {
    super();
    this.#storage = storage;
    this.#refusals = refusals;
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
    for await (const record of merged(this.#storage.newestFirst(), this.#refusals.newestFirst())) {
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

  override async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelCount?.();
    await this.#writeCounts();
  }

  /** Never throws: the change is made already, and its caller must get that result and not a failure of the audit. */
  async #append(
    { action, registry, target, reason, caller }: AuditedAction,
    result: Pick<AuditRecord, 'outcome'> & Partial<AuditRecord>,
  ): Promise<void> {
    const { role, provider, ip, requestId } = caller;
    const username = caller.username === undefined ? undefined : actorOf({ ...caller, username: caller.username });
    const isRefusal = result.outcome === 'refused' || (result.outcome === 'failed' && username === undefined);
    const entries = { username, role, provider, ip, action, registry, target, reason, ...result, requestId };
    const given = Object.entries(entries).filter(([, value]) => value !== undefined);
    const longest = isRefusal ? LONGEST_TEXT_OF_REFUSAL : LONGEST_TEXT;
    const texts = given.map(([name, value]) => [
      name,
      typeof value === 'string' ? shortened(withoutSecrets(value), longest) : value,
    ]);
    const record = {
      ...{ id: randomUUID(), at: this.#clock.now() },
      ...(Object.fromEntries(texts) as Omit<AuditRecord, 'id' | 'at'>),
    };
    if (!isRefusal) return this.#write(this.#storage, record);
    if (!this.#isStopped) this.#cancelCount ??= this.#clock.after(MINUTE_MS, () => void this.#writeCounts());
    if (this.#counts.admits(record)) await this.#write(this.#refusals, record);
  }

  async #writeCounts(): Promise<void> {
    this.#cancelCount = undefined;
    for (const record of this.#counts.take())
      await this.#write(this.#refusals, { ...record, id: randomUUID(), at: this.#clock.now() });
  }

  async #write(storage: AuditStorage, record: AuditRecord): Promise<void> {
    try {
      await this.#mailbox.post(() => storage.append(record));
    } catch (error) {
      this.#logger.error(
        `A record of the console's audit could not be written and is lost (${JSON.stringify(record)}): ${describeCause(error)}`,
      );
    }
    this.#listeners.notify(record);
  }
}

type Records = ReturnType<AuditStorage['newestFirst']>;

/** The records of all sources, from the newest to the oldest. */
async function* merged(...all: readonly Records[]): AsyncIterable<AuditRecord> {
  const iterators = all.map(awaited);
  const heads = await Promise.all(iterators.map((each) => each.next()));
  for (;;) {
    const times = heads.map((head) => (head.done === true ? -Infinity : head.value.at));
    const newest = times.indexOf(Math.max(...times));
    const head = heads[newest];
    if (head === undefined || head.done === true) return;
    yield head.value;
    const next = await iterators[newest]?.next();
    if (next !== undefined) heads[newest] = next;
  }
}

async function* awaited(records: Records): AsyncGenerator<AuditRecord> {
  for await (const record of records) yield record;
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

/**
 * True if the record is a login with that name: the name of a refused login is not proved, so it is the target of the
 * record.
 */
function isLoginOf(username: string, { action, target }: AuditRecord): boolean {
  return action === 'auth.login' && target !== undefined && target.toLowerCase() === username.toLowerCase();
}

function shown(what: string, value: string): string {
  return shortened(shownValue(what, value), LONGEST_TEXT);
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
