import { type JobLogger } from '../../api/text/logger.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { ConsoleProblem } from '../http/console-problem.js';
import { type ConsoleRequest } from './caller.js';
import { type ConsoleAudit } from './console-audit.js';
import { type LoginAttempts } from './login-attempts.js';
import { hashPassword, needsRehash, verifyPassword } from './password-hash.js';
import { headerOf, isLoopback } from './trusted-proxies.js';
import { isEnabled, type KnownUser, type Users } from './users.js';

/** A name and a password, from somewhere. */
export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  /** The request, once the guard has seen it. */
  readonly request: ConsoleRequest;
}

/** Checks names and passwords. */
export class PasswordLogin {
  constructor(
    private readonly users: Users,
    private readonly attempts: LoginAttempts,
    private readonly audit: ConsoleAudit,
    private readonly logger: Pick<JobLogger, 'error'>,
  ) {}

  /**
   * Logs somebody in by name and password, and records that, or the refusal.
   * @returns the user
   * @throws ConsoleProblem 401 `login-failed`, or 429 `too-many-attempts` with `retry-after`
   */
  async check({ username, password, request }: PasswordAttempt): Promise<KnownUser> {
    const caller = { ip: request.elasticJobOrigin?.ip ?? '', requestId: request.elasticJobRequestId ?? '' };
    const target = username.slice(0, 100);
    return this.audit.record({ action: 'auth.login', target, caller }, async () => {
      const user = await this.verify({ username, password, request });
      if (user === undefined) throw new ConsoleProblem(401, 'login-failed', 'The name or the password is wrong.');
      await this.#noteLogin(user, password);
      return user;
    });
  }

  /**
   * Checks a name and a password without recording it.
   * @returns the user; `undefined` if they may not log in so
   * @throws ConsoleProblem 429 `too-many-attempts`
   */
  async verify({ username, password, request }: PasswordAttempt): Promise<KnownUser | undefined> {
    const ip = request.elasticJobOrigin?.ip ?? '';
    const waitMs = this.attempts.begin(username, ip);
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    const user = this.users.find(username);
    const mayLogIn = user !== undefined && isEnabled(user) && (!isForThisMachine(user) || isFromThisMachine(request));
    // Who may not log in takes as long as who may.
    const isRight = await verifyPassword(password, mayLogIn ? user.passwordHash : undefined);
    if (!isRight) return undefined;
    this.attempts.succeeded(username, ip);
    return user;
  }

  /** The login is right whether or not this can be stored. */
  async #noteLogin(user: KnownUser, password: string): Promise<void> {
    try {
      const isOld = user.origin === 'console' && needsRehash(user.passwordHash);
      await this.users.noteLogin(user.username, isOld ? await hashPassword(password) : undefined);
    } catch (error) {
      this.logger.error(`The last login of a user could not be stored: ${describeCause(error)}`);
    }
  }
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
  const isProxied = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some(
    (name) => headerOf(request, name) !== undefined,
  );
  return isLoopback(remoteAddress) && isLoopback(localAddress) && !isProxied;
}
