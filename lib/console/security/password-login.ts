import { type JobLogger } from '../../api/text/logger.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { type Clock } from '../../time/clock.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { LOCAL } from './callers/account.js';
import { type ConsoleRequest } from './callers/caller.js';
import { type AuditedAction, type ConsoleAudit } from './audit/console-audit.js';
import { HASH_QUEUES } from './passwords/hash-queue.js';
import { type KnownDevices } from './sessions/known-devices.js';
import { type LoginAttempts } from './passwords/login-attempts.js';
import { type PasswordCheck, type PasswordChecks } from './passwords/password-checks.js';
import { hashPassword, needsRehash } from './passwords/password-hash.js';
import { isLoopback, isProxied } from './callers/trusted-proxies.js';
import { isEnabled, type KnownUser, type Users } from './users/users.js';

/** A name and a password, from somewhere. */
export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** The request, once the guard has seen it. */
  readonly request: ConsoleRequest;
  /** The same password comes with each request of a script. */
  readonly isRepeated?: boolean;
}

/** What logins by name and password need. */
export interface PasswordLoginParts {
  readonly users: Users;
  readonly attempts: LoginAttempts;
  readonly checks: PasswordChecks;
  readonly devices: KnownDevices;
  readonly audit: ConsoleAudit;
  readonly logger: Pick<JobLogger, 'error'>;
  readonly clock: Clock;
}

/** A script sends its password with each request: one record an hour says that it does. */
const BASIC_EVERY_MS = 60 * 60_000;
const MOST_BASIC = 1_000;

/** Checks names and passwords. */
export class PasswordLogin {
  readonly #parts: PasswordLoginParts;
  /** When a login by HTTP Basic was recorded last, by user and network, the oldest first. */
  readonly #recorded = new Map<string, number>();

  constructor(parts: PasswordLoginParts) {
    this.#parts = parts;
  }

  /**
   * Logs somebody in by name and password, and records that, or the refusal.
   * @returns the user
   * @throws ConsoleProblem 401 `login-failed`; 429 `too-many-attempts` or 503 `busy`, with `retry-after`
   */
  async check(attempt: PasswordAttempt): Promise<KnownUser> {
    return this.#parts.audit.record(loginBy(attempt), async (notes) => {
      const user = await this.#require(attempt);
      notes.identify(accountOf(user));
      await this.#noteLogin(user, attempt.password);
      return user;
    });
  }

  /**
   * As `check`, for HTTP Basic, where each request is a login: one that succeeds is remembered for a minute, and one an
   * hour is recorded for a user from a network.
   */
  async checkBasic(attempt: PasswordAttempt): Promise<KnownUser> {
    const { audit } = this.#parts;
    let user: KnownUser;
    try {
      user = await this.#require({ ...attempt, isRepeated: true });
    } catch (error) {
      if (error instanceof ConsoleProblem) await audit.refused(loginBy(attempt), error.code);
      throw error;
    }
    if (!this.#isDue(user, attempt)) return user;
    await audit.record(loginBy(attempt), async (notes) => {
      notes.identify(accountOf(user));
      notes.note('by', undefined, 'HTTP Basic');
      await this.#noteLogin(user, attempt.password);
    });
    return user;
  }

  /**
   * Checks a name and a password without recording it.
   * @returns the user; `undefined` if they may not log in so
   * @throws ConsoleProblem 429 `too-many-attempts` or 503 `busy`, with `retry-after`
   */
  async verify(attempt: PasswordAttempt): Promise<KnownUser | undefined> {
    const { username, password } = attempt;
    const user = this.#permitted(attempt);
    // Who may not log in takes as long as who may.
    const check = { username, password, hash: user?.passwordHash };
    if (!(await this.#isRight(check, attempt))) return undefined;
    // Somebody has perhaps changed the password or disabled the user while it was checked.
    return this.#permitted(attempt)?.passwordHash === check.hash ? user : this.verify(attempt);
  }

  async #isRight(check: PasswordCheck, attempt: PasswordAttempt): Promise<boolean> {
    const { checks } = this.#parts;
    if (attempt.isRepeated !== true) return this.#isFoundRight(check, attempt);
    if (checks.isRemembered(check)) return true;
    const isRight = await this.#isFoundRight(check, attempt);
    if (isRight) checks.remember(check);
    return isRight;
  }

  async #isFoundRight(check: PasswordCheck, { request }: PasswordAttempt): Promise<boolean> {
    const { attempts, checks, devices } = this.#parts;
    const device = devices.idFor(check.username, request);
    const queue = HASH_QUEUES[device === undefined ? 'strangers' : 'known'];
    if (checks.isRunning(check)) return checks.isRight(check, queue);
    const attempt = attempts.begin(check.username, { network: request.elasticJobOrigin?.network ?? '', device });
    if (!attempt.isAdmitted) throw tooManyAttempts(attempt.waitMs);
    let outcome: 'right' | 'wrong' | 'unchecked' = 'unchecked';
    try {
      const isRight = await checks.isRight(check, queue);
      outcome = isRight ? 'right' : 'wrong';
      return isRight;
    } finally {
      attempt.end(outcome);
    }
  }

  /** The user of that name, if it may log in with a password from there. */
  #permitted({ username, request }: PasswordAttempt): KnownUser | undefined {
    const user = this.#parts.users.find(username);
    if (user === undefined || !isEnabled(user)) return undefined;
    return isForThisMachine(user) && !isFromThisMachine(request) ? undefined : user;
  }

  async #require(attempt: PasswordAttempt): Promise<KnownUser> {
    const user = await this.verify(attempt);
    if (user === undefined) throw new ConsoleProblem(401, 'login-failed', 'The name or the password is wrong.');
    return user;
  }

  #isDue({ username }: KnownUser, { request }: PasswordAttempt): boolean {
    const key = JSON.stringify([username, request.elasticJobOrigin?.network]);
    const now = this.#parts.clock.monotonic();
    if (now - (this.#recorded.get(key) ?? -Infinity) < BASIC_EVERY_MS) return false;
    this.#recorded.delete(key);
    this.#recorded.set(key, now);
    const [oldest] = this.#recorded.keys();
    if (this.#recorded.size > MOST_BASIC && oldest !== undefined) this.#recorded.delete(oldest);
    return true;
  }

  /** The login is right whether or not this can be stored. */
  async #noteLogin(user: KnownUser, password: string): Promise<void> {
    const { users, logger } = this.#parts;
    try {
      const isOld = user.origin === 'console' && needsRehash(user.passwordHash);
      await users.noteLogin(user.username, isOld ? await hashPassword(password, HASH_QUEUES.known) : undefined);
    } catch (error) {
      logger.error(`The last login of a user could not be stored: ${describeCause(error)}`);
    }
  }
}

/**
 * A login for the audit. The name is what was tried: who has not proved to be that user does not stand there as one.
 */
function loginBy({ username, request }: PasswordAttempt): AuditedAction {
  const caller = { ip: request.elasticJobOrigin?.ip ?? '', requestId: request.elasticJobRequestId ?? '' };
  return { action: 'auth.login', target: username.slice(0, 100), caller };
}

function accountOf({
  username,
  role,
}: KnownUser): Pick<KnownUser, 'username' | 'role'> & { readonly provider: string } {
  return { username, role, provider: LOCAL };
}

/** The refusal of an attempt that comes too early. */
export function tooManyAttempts(waitMs: number): ConsoleProblem {
  const seconds = Math.ceil(waitMs / 1_000);
  const detail = `Too many attempts have failed. Try again in ${seconds} seconds.`;
  return new ConsoleProblem(429, 'too-many-attempts', detail, { headers: { 'retry-after': String(seconds) } });
}

function isForThisMachine(user: KnownUser): boolean {
  return user.origin === 'settings' && user.isShippedDefault;
}

/** A proxy on this machine would make all clients look so: it adds a header. */
function isFromThisMachine(request: ConsoleRequest): boolean {
  const { remoteAddress = '', localAddress = '' } = request.socket;
  return isLoopback(remoteAddress) && isLoopback(localAddress) && !isProxied(request);
}
