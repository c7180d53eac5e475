import { type ConsoleRequest } from '../callers/caller.js';
import { headerOf } from '../callers/trusted-proxies.js';

/** Names of cookies by TLS. Browsers take a `__Host-` cookie over TLS only, for this host and all of its paths only. */
const NAMES = { true: '__Host-ejc', false: 'ejc' } as const;

/** A cookie of the console: its name without the prefix that TLS brings. */
export interface CookieOptions {
  readonly isSecure: boolean;
  /** What is added to the name, `-oidc`; nothing for the session. */
  readonly suffix?: string;
  /** How long the browser keeps it. Default: until the browser is closed. */
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
  // Another host of the same domain can set a second cookie of this name. Nobody can tell which one is ours: neither is
  // taken.
  return values.length === 1 ? values[0] : undefined;
}

/** The `Set-Cookie` header that gives a cookie to the browser. */
export function setCookie(value: string, { isSecure, suffix = '', maxAgeSeconds }: CookieOptions): string {
  const ends = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${NAMES[`${isSecure}`]}${suffix}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${ends}`;
}

/** The `Set-Cookie` header that takes it away. */
export function clearCookie(options: CookieOptions): string {
  return setCookie('', { ...options, maxAgeSeconds: 0 });
}
