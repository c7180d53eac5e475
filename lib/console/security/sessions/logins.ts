import { type Account, LOCAL } from '../callers/account.js';
import { type KnownDevices } from './known-devices.js';
import { type Sessions } from './sessions.js';
import { type ConsoleRequest } from '../callers/caller.js';
import { clearCookie, readCookie, setCookie } from './session-cookie.js';
import { type Role } from '../../contract/common.js';
import { headerOf } from '../callers/trusted-proxies.js';

/** A user who has proved the identity. */
export interface ProvenUser extends Account {
  readonly role: Role;
}

/** Opens and closes the sessions of browsers. */
export class Logins {
  constructor(
    private readonly sessions: Sessions,
    private readonly devices: KnownDevices,
  ) {}

  /**
   * Opens a session; a former session of the browser ends, so that an attacker cannot make it use a session that the
   * attacker knows.
   * @returns the `Set-Cookie` headers
   */
  async open(user: ProvenUser, request: ConsoleRequest): Promise<readonly string[]> {
    const { isSecure, ip } = originOf(request);
    const former = readCookie(request, { isSecure });
    const used = former === undefined ? undefined : this.sessions.use(former);
    if (used !== undefined) await this.sessions.end(used.session.id);
    const agent = (headerOf(request, 'user-agent') ?? '').slice(0, 200);
    const { cookie } = await this.sessions.open({ ...user, ip, agent });
    const session = setCookie(cookie, { isSecure });
    // Other providers count failed passwords themselves.
    return user.provider === LOCAL ? [session, this.devices.remember(user.username, request)] : [session];
  }

  /** Ends the session of a request. @returns the `Set-Cookie` header */
  async close(request: ConsoleRequest): Promise<string> {
    const { sessionId } = request.elasticJobCaller ?? {};
    if (sessionId !== undefined) await this.sessions.end(sessionId);
    return clearCookie({ isSecure: originOf(request).isSecure });
  }
}

function originOf({ elasticJobOrigin }: ConsoleRequest): { readonly isSecure: boolean; readonly ip: string } {
  return { isSecure: elasticJobOrigin?.isSecure === true, ip: elasticJobOrigin?.ip ?? '' };
}
