/**
 * The sessions of browsers. The browser has a random id in a signed cookie, the server has all other data:
 *
 * ```
 *   cookie  id.signature ──▶ KeyRing ──▶ SHA-256 of the id ──▶ session: user, role, created, seen, address, agent
 * ```
 * A session ends 30 minutes after its last request and 12 hours after its login (both can be set), when its user logs
 * out, is changed or disabled, or when an administrator ends it. Its signal then aborts, and its open streams end with
 * it.
 *
 * Replicas that share a store write the last requests of their sessions at intervals, all at once, so that no request
 * waits for it. Another replica may have served the latest request, so a replica waits two intervals longer before it
 * ends an idle session.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Abort } from '../../../async/abort.js';
import { type Clock } from '../../../time/clock.js';
import { isMap } from '../../../api/text/describe-value.js';
import { type Role } from '../../contract/common.js';
import { type StoreDocument } from '../../store/store-document.js';
import { type Account, isSameAccount } from '../callers/account.js';
import { type KeyRing } from './key-ring.js';
import { isRole } from '../callers/roles.js';

/** A stored login. */
export interface Session extends Account {
  /** The id by which administrators name the session. It is not the id in the cookie. */
  readonly id: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly ip: string;
  readonly agent: string;
}

/** The user and the client of a new session. */
export type NewSession = Account & Pick<Session, 'role' | 'ip' | 'agent'>;

/** The durations of sessions, in milliseconds. */
export interface SessionLimits {
  /** The longest time since the last request. */
  readonly idleMs: number;
  /** The longest time since the login. */
  readonly longestMs: number;
}

/** The stored sessions by the SHA-256 of the id in the cookie. */
export type StoredSessions = Readonly<Record<string, Session>>;

/** The state of a session in this process, besides the stored one. */
interface UsedSession {
  /** The time of its last use here. */
  seenAt: number;
  readonly end: Abort;
}

/** The purpose of the signature, for the key ring. */
const PURPOSE = 'session';
const MOST_OF_USER = 20;
/** The most sessions in a shared store, so that they fit into one node; beyond that, the oldest end. */
const MOST_SHARED = 2_000;
const SWEEP_MS = 30_000;
/** The number of sweeps within the idle time after which a session ends. */
const SWEEPS_WHILE_IDLE = 20;

/** All sessions of the console. */
export class Sessions {
  readonly #keys: KeyRing;
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #document: StoreDocument<StoredSessions>;
  readonly #sweepMs: number;
  /** The sessions that were used here, by the SHA-256 of the id in the cookie. */
  readonly #used = new Map<string, UsedSession>();
  /**
   * The sessions that have ended here while the store still has them: they are invalid even if the store does not
   * answer.
   */
  readonly #ended = new Set<string>();
  #cancelSweep: (() => void) | undefined;

  constructor(
    keys: KeyRing,
    clock: Clock,
    { limits, document }: { readonly limits: SessionLimits; readonly document: StoreDocument<StoredSessions> },
  ) {
    this.#keys = keys;
    this.#clock = clock;
    this.#limits = limits;
    this.#document = document;
    this.#sweepMs = document.isShared ? Math.min(SWEEP_MS, limits.idleMs / SWEEPS_WHILE_IDLE) : SWEEP_MS;
    document.onChange((stored) => {
      for (const key of this.#used.keys()) if (stored[key] === undefined) this.#forget(key);
      for (const key of this.#ended) if (stored[key] === undefined) this.#ended.delete(key);
    });
  }

  /** Begins to end expired sessions at intervals. */
  start(): void {
    this.#cancelSweep ??= this.#clock.after(this.#sweepMs, () => {
      this.#cancelSweep = undefined;
      for (const key of this.#used.keys()) if (this.#find(key) === undefined) this.#forget(key);
      // If it fails, the next sweep stores them; requests that need the store report the failure.
      if (this.#document.isShared) void this.#store().catch(() => undefined);
      this.start();
    });
  }

  /** Ends the sweeps; the sessions stay. */
  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  /** Opens a session. @returns the value of the cookie, and the session */
  async open(who: NewSession): Promise<{ readonly cookie: string; readonly session: Session }> {
    const secret = randomBytes(32).toString('base64url');
    const now = this.#clock.now();
    const session: Session = { ...who, id: randomBytes(9).toString('base64url'), createdAt: now, seenAt: now };
    await this.#store({ key: hashOf(secret), session });
    return { cookie: this.#keys.sign(PURPOSE, secret), session };
  }

  /** The session of a cookie, which counts as used now; `undefined` if the cookie has no open session. */
  use(cookie: string): { readonly session: Session; readonly ended: AbortSignal } | undefined {
    const secret = this.#keys.verify(PURPOSE, cookie);
    const key = secret === undefined ? undefined : hashOf(secret);
    const session = key === undefined ? undefined : this.#find(key);
    if (key === undefined) return undefined;
    if (session === undefined) {
      this.#forget(key);
      return undefined;
    }
    const seenAt = this.#clock.now();
    const used = this.#used.get(key) ?? { seenAt, end: new Abort() };
    used.seenAt = seenAt;
    this.#used.set(key, used);
    return { session: { ...session, seenAt }, ended: used.end.signal };
  }

  /** The end of a session if no request comes until then, in milliseconds since 1970. */
  expiresAt({ createdAt, seenAt }: Session): number {
    return Math.min(createdAt + this.#limits.longestMs, seenAt + this.#limits.idleMs);
  }

  /** The open sessions, the latest login first. */
  list(): readonly Session[] {
    return this.#open()
      .map(([, session]) => session)
      .sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Ends a session at once. @returns true if there was one of that id */
  async end(id: string): Promise<boolean> {
    return (await this.#endThose((session) => session.id === id)) > 0;
  }

  /** Ends all sessions of an account at once, except one if its id is given. */
  async endOf(account: Account, exceptId?: string): Promise<void> {
    await this.#endThose((session) => isSameAccount(session, account) && session.id !== exceptId);
  }

  async #endThose(isMeant: (session: Session) => boolean): Promise<number> {
    const meant = this.#open().filter(([, session]) => isMeant(session));
    for (const [key] of meant) {
      this.#ended.add(key);
      this.#forget(key);
    }
    await this.#store();
    return meant.length;
  }

  #find(key: string): Session | undefined {
    const stored = this.#document.value[key];
    if (stored === undefined || this.#ended.has(key)) return undefined;
    const session = this.#seen(key, stored);
    return this.#isOver(session) ? undefined : session;
  }

  #open(): readonly (readonly [key: string, session: Session])[] {
    return Object.keys(this.#document.value).flatMap((key) => {
      const session = this.#find(key);
      return session === undefined ? [] : [[key, session] as const];
    });
  }

  /** The session with the time of its last request, here or at another replica. */
  #seen(key: string, session: Session): Session {
    return { ...session, seenAt: Math.max(session.seenAt, this.#used.get(key)?.seenAt ?? 0) };
  }

  #forget(key: string): void {
    const used = this.#used.get(key);
    this.#used.delete(key);
    used?.end.abort(new Error('The session has ended.'));
  }

  #isOver(session: Session): boolean {
    // Another replica may not have stored its last request of the session yet.
    const graceMs = this.#document.isShared ? 2 * this.#sweepMs : 0;
    const { createdAt, seenAt } = session;
    return this.#clock.now() >= Math.min(createdAt + this.#limits.longestMs, seenAt + this.#limits.idleMs + graceMs);
  }

  /** Stores the ends and the last requests of sessions, and a new session. */
  async #store(added?: { readonly key: string; readonly session: Session }): Promise<void> {
    await this.#document.update((stored) => {
      const kept = Object.entries(stored)
        .filter(([key]) => !this.#ended.has(key))
        .map(([key, session]) => [key, this.#seen(key, session)] as const)
        .filter(([, session]) => !this.#isOver(session));
      const isSame =
        kept.length === Object.keys(stored).length && kept.every(([key, { seenAt }]) => seenAt === stored[key]?.seenAt);
      if (added === undefined) return isSame ? stored : Object.fromEntries(kept);
      return Object.fromEntries([...this.#withRoom(kept, added.session), [added.key, added.session]]);
    });
  }

  /**
   * The sessions that stay when one is added: the user's oldest sessions beyond `MOST_OF_USER` end, and the oldest of
   * all beyond `MOST_SHARED`.
   */
  #withRoom(
    all: readonly (readonly [key: string, session: Session])[],
    added: Session,
  ): readonly (readonly [key: string, session: Session])[] {
    const own = all.filter(([, session]) => isSameAccount(session, added));
    const tooMany = own.slice(0, Math.max(0, own.length + 1 - MOST_OF_USER));
    const left = all.filter((each) => !tooMany.includes(each));
    return this.#document.isShared ? left.slice(-(MOST_SHARED - 1)) : left;
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Checks sessions that were stored. @throws Error if they are invalid */
export function parseSessions(stored: unknown): StoredSessions {
  const isSession = (value: unknown): boolean =>
    isMap(value) &&
    ['id', 'username', 'provider', 'ip', 'agent'].every((name) => typeof value[name] === 'string') &&
    ['createdAt', 'seenAt'].every((name) => typeof value[name] === 'number') &&
    ['string', 'undefined'].includes(typeof value['subject']) &&
    isRole(value['role']);
  if (isMap(stored) && Object.values(stored).every(isSession)) return stored as StoredSessions;
  throw new Error('it must be keys with sessions (key: session)');
}
