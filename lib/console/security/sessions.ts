/**
 * Who is logged in with a browser. The browser has a random id in a signed cookie, the server all the rest:
 *
 * ```
 *   cookie  id.signature ──▶ KeyRing ──▶ SHA-256 of the id ──▶ session: user, role, created, seen, address, agent
 * ```
 * A session ends 30 minutes after its last request and 12 hours after its login (both can be set), when its user logs out, is
 * changed or disabled, or when an administrator ends it. Its signal then aborts, and whatever stream is open ends with it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Abort } from '../../async/abort.js';
import { type Clock } from '../../time/clock.js';
import { isMap } from '../../api/text/describe-value.js';
import { type Role } from '../contract/common.js';
import { type StoreDocument } from '../store/store-document.js';
import { type KeyRing } from './key-ring.js';
import { isRole } from './roles.js';

/** A login, as it is stored. */
export interface Session {
  /** What administrators name it by. It is not what the cookie holds. */
  readonly id: string;
  readonly username: string;
  readonly role: Role;
  /** `local`, or the name of the OIDC provider. */
  readonly provider: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly ip: string;
  readonly agent: string;
}

/** Who logs in, from where. */
export type NewSession = Pick<Session, 'username' | 'role' | 'provider' | 'ip' | 'agent'>;

/** How long sessions last, in milliseconds. */
export interface SessionLimits {
  /** Since the last request. */
  readonly idleMs: number;
  /** Since the login. */
  readonly longestMs: number;
}

/** The sessions as they are stored: by the SHA-256 of the id in the cookie. */
export type StoredSessions = Readonly<Record<string, Session>>;

interface OpenedSession {
  session: Session;
  readonly end: Abort;
}

/** What is signed, for the key ring. */
const PURPOSE = 'session';
const MOST_OF_USER = 20;
const SWEEP_MS = 30_000;

/** All sessions of the console. */
export class Sessions {
  readonly #keys: KeyRing;
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  readonly #document: StoreDocument<StoredSessions> | undefined;
  /** By the SHA-256 of the id in the cookie. */
  readonly #sessions = new Map<string, OpenedSession>();
  #cancelSweep: (() => void) | undefined;

  /** @param document where sessions are kept beyond the end of the process; `undefined`: nowhere */
  constructor(
    keys: KeyRing,
    clock: Clock,
    {
      limits,
      document,
    }: { readonly limits: SessionLimits; readonly document: StoreDocument<StoredSessions> | undefined },
  ) {
    this.#keys = keys;
    this.#clock = clock;
    this.#limits = limits;
    this.#document = document;
    for (const [key, session] of Object.entries(document?.value ?? {}))
      this.#sessions.set(key, { session, end: new Abort() });
  }

  /** Begins to end sessions whose time is up. */
  start(): void {
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => {
      this.#cancelSweep = undefined;
      for (const [key, { session }] of this.#sessions) if (this.#isOver(session)) this.#end(key);
      this.start();
    });
  }

  /** Ends that; the sessions stay. */
  stop(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  /** Logs somebody in. @returns the value of the cookie, and the session */
  async open(who: NewSession): Promise<{ readonly cookie: string; readonly session: Session }> {
    const secret = randomBytes(32).toString('base64url');
    const now = this.#clock.now();
    const session: Session = { ...who, id: randomBytes(9).toString('base64url'), createdAt: now, seenAt: now };
    const [oldest, ...others] = this.#of(who);
    if (oldest !== undefined && others.length + 1 >= MOST_OF_USER) this.#end(oldest);
    this.#sessions.set(hashOf(secret), { session, end: new Abort() });
    await this.#store();
    return { cookie: this.#keys.sign(PURPOSE, secret), session };
  }

  /** The session of a cookie, which counts as used now; `undefined` if it is of no open session. */
  use(cookie: string): { readonly session: Session; readonly ended: AbortSignal } | undefined {
    const secret = this.#keys.verify(PURPOSE, cookie);
    const key = secret === undefined ? undefined : hashOf(secret);
    const opened = key === undefined ? undefined : this.#sessions.get(key);
    if (key === undefined || opened === undefined) return undefined;
    if (this.#isOver(opened.session)) {
      this.#end(key);
      return undefined;
    }
    opened.session = { ...opened.session, seenAt: this.#clock.now() };
    return { session: opened.session, ended: opened.end.signal };
  }

  /** When a session ends if nothing is done until then, in milliseconds since 1970. */
  expiresAt({ createdAt, seenAt }: Session): number {
    return Math.min(createdAt + this.#limits.longestMs, seenAt + this.#limits.idleMs);
  }

  /** The open sessions, the latest login first. */
  list(): readonly Session[] {
    return [...this.#sessions.values()]
      .map(({ session }) => session)
      .filter((session) => !this.#isOver(session))
      .sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Ends a session at once. @returns whether there was one of that id */
  async end(id: string): Promise<boolean> {
    const found = [...this.#sessions].find(([, { session }]) => session.id === id);
    if (found === undefined) return false;
    this.#end(found[0]);
    await this.#store();
    return true;
  }

  /** Ends all sessions of a user at once, except one if its id is given. */
  async endOf(user: Pick<Session, 'username' | 'provider'>, exceptId?: string): Promise<void> {
    for (const key of this.#of(user)) if (this.#sessions.get(key)?.session.id !== exceptId) this.#end(key);
    await this.#store();
  }

  /** The keys of a user's sessions, the oldest first. */
  #of({ username, provider }: Pick<Session, 'username' | 'provider'>): readonly string[] {
    return [...this.#sessions]
      .filter(([, { session }]) => session.username === username && session.provider === provider)
      .map(([key]) => key);
  }

  #end(key: string): void {
    const opened = this.#sessions.get(key);
    this.#sessions.delete(key);
    opened?.end.abort(new Error('The session has ended.'));
  }

  #isOver(session: Session): boolean {
    return this.#clock.now() >= this.expiresAt(session);
  }

  async #store(): Promise<void> {
    await this.#document?.update(() =>
      Object.fromEntries([...this.#sessions].map(([key, { session }]) => [key, session])),
    );
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Checks sessions that were stored. @throws Error if they are none */
export function parseSessions(stored: unknown): StoredSessions {
  const isSession = (value: unknown): boolean =>
    isMap(value) &&
    ['id', 'username', 'provider', 'ip', 'agent'].every((name) => typeof value[name] === 'string') &&
    ['createdAt', 'seenAt'].every((name) => typeof value[name] === 'number') &&
    isRole(value['role']);
  if (isMap(stored) && Object.values(stored).every(isSession)) return stored as StoredSessions;
  throw new Error('it must be a map of sessions');
}
