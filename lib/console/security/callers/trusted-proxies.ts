import { type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddresses from 'proxy-addr';
import { type JobLogger } from '../../../api/text/logger.js';
import { type ConsoleRequest } from './caller.js';
import { networkOf } from './client-network.js';
import { type RequestOrigin } from './request-origin.js';

/** Finds the client of a request. The headers of proxies are used only if a trusted proxy has sent them. */
export class TrustedProxies {
  readonly #isTrusted: (address: string, hop: number) => boolean;
  readonly #publicOrigin: string | undefined;
  readonly #logger: Pick<JobLogger, 'warn'> | undefined;
  #hasWarned = false;

  /**
   * @param proxies addresses, or networks such as `10.0.0.0/8`; `loopback` for this machine. See `proxyProblem`
   * @param publicUrl the URL of the console for browsers, which replaces all headers
   * @param logger logs the first proxy that is not in the settings
   */
  constructor(proxies: readonly string[], publicUrl?: string, logger?: Pick<JobLogger, 'warn'>) {
    this.#logger = logger;
    this.#isTrusted = proxyAddresses.compile(proxies.flatMap(withoutWholeNetwork));
    this.#publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  }

  originOf(request: ConsoleRequest): RequestOrigin {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    const isTrusted = this.#isTrusted(peer, 0);
    const header = (name: string): string | undefined => (isTrusted ? lastEntry(headerOf(request, name)) : undefined);
    const proto = header('x-forwarded-proto') ?? (request.socket.encrypted === true ? 'https' : 'http');
    const host = header('x-forwarded-host') ?? headerOf(request, 'host');
    const ip = this.#clientOf(peer, request);
    return {
      ip,
      network: isTrusted ? networkOf(ip) : this.#networkBehind(peer, request),
      isSecure: this.#publicOrigin === undefined ? proto === 'https' : this.#publicOrigin.startsWith('https:'),
      origin: this.#publicOrigin ?? (host === undefined ? undefined : originFrom(`${proto}://${host}`)),
    };
  }

  /**
   * A peer that is no trusted proxy but sends headers of a proxy may be a proxy that the settings do not name, with all
   * clients behind it. Its clients are distinguished by these headers, or else by their browsers. Invented headers help
   * an attacker little, as failed logins are counted by user, too.
   */
  #networkBehind(peer: string, request: ConsoleRequest): string {
    if (!isProxied(request)) return networkOf(peer);
    const said = [...FORWARDED, 'user-agent', 'via'].map((name) => headerOf(request, name)).find((value) => value);
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      this.#logger?.warn(
        `A request came from ${peer} with a header of proxies (such as X-Forwarded-For), and console.trustedProxies does not name that address. If it is your proxy, name it: until then, the audit has its address instead of those of the clients.`,
      );
    }
    return `${networkOf(peer)} for ${said?.slice(0, LONGEST_SAID) ?? ''}`;
  }

  /** The last address of the list that is no trusted proxy's: earlier ones may be invented. */
  #clientOf(peer: string, { headers }: ConsoleRequest): string {
    const request = { headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage;
    const addresses = proxyAddresses.all(request, this.#isTrusted).map(plainAddress);
    return addresses.findLast((address) => isIP(address) !== 0) ?? peer;
  }
}

/** The headers in which proxies name their clients. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip', 'x-client-ip'];
const LONGEST_SAID = 200;

/** The halves of a network of all addresses, which proxy-addr refuses. */
function withoutWholeNetwork(proxy: string): readonly string[] {
  if (!/\/0+$/.test(proxy)) return [proxy];
  return proxy.includes(':') ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1'];
}

/** @returns the problem with an entry of the trusted proxies, as a requirement; `undefined` if there is none */
export function proxyProblem(proxy: unknown): string | undefined {
  const requirement = "must be an address, a network such as '10.0.0.0/8', or 'loopback'";
  if (typeof proxy !== 'string') return requirement;
  const [address = '', bits, more] = proxy.split('/');
  const version = isIP(address);
  if (proxy === 'loopback' || (version !== 0 && bits === undefined)) return undefined;
  const isNetwork = version !== 0 && more === undefined && /^\d{1,3}$/.test(bits ?? '');
  return isNetwork && Number(bits) <= (version === 6 ? 128 : 32) ? undefined : requirement;
}

/** True if a request has a header that proxies add, trusted or not. */
export function isProxied(request: Pick<ConsoleRequest, 'headers'>): boolean {
  return [...FORWARDED, 'via'].some((name) => headerOf(request, name) !== undefined);
}

/** True if an address is a loopback address. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

/** The value of a header; the first one, if there are several. */
export function headerOf({ headers }: Pick<ConsoleRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** The IPv4 address in an IPv4-mapped IPv6 address; any other address unchanged. */
function plainAddress(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').split('%', 1);
  return plain;
}

/** The entry of the nearest proxy, if there are several. */
function lastEntry(value: string | undefined): string | undefined {
  return value?.split(',').at(-1)?.trim();
}

function originFrom(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
