import { type ConsoleRequest } from '../callers/caller.js';
import { headerOf } from '../callers/trusted-proxies.js';

/**
 * Names of cookies with and without TLS. Browsers accept a `__Host-` cookie only over TLS, and only for this host and
 * all of its paths.
 */
const NAMES = { true: '__Host-ejc', false: 'ejc' } as const;

/** Options of a cookie of the console. */
export interface CookieOptions {
  readonly isSecure: boolean;
  /** The end of the name, such as `-oidc`; none for the session. */
  readonly suffix?: string;
  /** The lifetime in the browser. Default: until the browser is closed. */
  readonly maxAgeSeconds?: number;
}

/** The value of a cookie; `undefined` if the request has none, or has two of that name. */
export function readCookie(
  request: Pick<ConsoleRequest, 'headers'>,
  { isSecure, suffix = '' }: CookieOptions,
): string | undefined {
  const wanted = `${NAMES[`${isSecure}`]}${suffix}=`;
  const values = (headerOf(request, 'cookie') ?? '')
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(wanted))
    .map((each) => each.slice(wanted.length));
  // Another host of the same domain can set a second cookie of this name. It is unknown which one is ours, so neither
  // is used.
  return values.length === 1 ? values[0] : undefined;
}

/** The `Set-Cookie` header that sets a cookie. */
export function setCookie(value: string, { isSecure, suffix = '', maxAgeSeconds }: CookieOptions): string {
  const ends = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${NAMES[`${isSecure}`]}${suffix}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${ends}`;
}

/** The `Set-Cookie` header that removes a cookie. */
export function clearCookie(options: CookieOptions): string {
  return setCookie('', { ...options, maxAgeSeconds: 0 });
}
