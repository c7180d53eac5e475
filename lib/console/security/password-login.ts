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

/** An attempt to log in with a name and a password. */
export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** The request, after the guard has set its id and origin. */
  readonly request: ConsoleRequest;
  /** True for a script, which sends its password with each request. */
  readonly isRepeated?: boolean;
}

/** The parts of logins by name and password. */
export interface PasswordLoginParts {
  readonly users: Users;
  readonly attempts: LoginAttempts;
  readonly checks: PasswordChecks;
  readonly devices: KnownDevices;
  readonly audit: ConsoleAudit;
  readonly logger: Pick<JobLogger, 'error'>;
  readonly clock: Clock;
}

/** The milliseconds between two records of a script that logs in with each request. */
const BASIC_EVERY_MS = 60 * 60_000;
const MOST_BASIC = 1_000;

/** Checks names and passwords. */
export class PasswordLogin {
  readonly #parts: PasswordLoginParts;
  /** The time of the last recorded login by HTTP Basic, by user and network, the oldest first. */
  readonly #recorded = new Map<string, number>();

  constructor(parts: PasswordLoginParts) {
    this.#parts = parts;
  }

  /**
   * Checks a login by name and password, and records it or its refusal.
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
   * As `check`, for HTTP Basic, where each request is a login: a success is remembered for a minute, and one login an
   * hour is recorded for each user and network.
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
   * @returns the user; `undefined` if the user may not log in with them
   * @throws ConsoleProblem 429 `too-many-attempts` or 503 `busy`, with `retry-after`
   */
  async verify(attempt: PasswordAttempt): Promise<KnownUser | undefined> {
    const { username, password } = attempt;
    const user = this.#permitted(attempt);
    // A user who may not log in is checked as long as others, so that the time reveals nothing.
    const check = { username, password, hash: user?.passwordHash };
    if (!(await this.#isRight(check, attempt))) return undefined;
    // The password may have been changed, or the user disabled, during the check.
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

  /** The user of that name, if the user may log in with a password from that client. */
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

  /** A login stays valid if this cannot be stored. */
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
 * A login for the audit. The tried name is the target, and not the user, as the caller has not proved to be that user.
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

/** The refusal of an attempt before the end of the wait. */
export function tooManyAttempts(waitMs: number): ConsoleProblem {
  const seconds = Math.ceil(waitMs / 1_000);
  const detail = `Too many attempts have failed. Try again in ${seconds} seconds.`;
  return new ConsoleProblem(429, 'too-many-attempts', detail, { headers: { 'retry-after': String(seconds) } });
}

function isForThisMachine(user: KnownUser): boolean {
  return user.origin === 'settings' && user.isShippedDefault;
}

/**
 * True for a client on this machine. Clients behind a proxy on this machine are excluded by the header that it adds.
 */
function isFromThisMachine(request: ConsoleRequest): boolean {
  const { remoteAddress = '', localAddress = '' } = request.socket;
  return isLoopback(remoteAddress) && isLoopback(localAddress) && !isProxied(request);
}
