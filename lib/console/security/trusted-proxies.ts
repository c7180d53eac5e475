import { BlockList, isIP, isIPv6 } from 'node:net';
import { type ConsoleRequest } from './caller.js';
import { type RequestOrigin } from './request-origin.js';

/** Reads where requests come from. The headers of proxies count only if a trusted proxy has sent them. */
export class TrustedProxies {
  readonly #trusted = new BlockList();
  readonly #publicOrigin: string | undefined;

  /**
   * @param proxies addresses, or networks such as `10.0.0.0/8`; `loopback` for this machine. See `proxyProblem`
   * @param publicUrl where browsers find the console; comes before all headers
   */
  constructor(proxies: readonly string[], publicUrl?: string) {
    for (const proxy of proxies.flatMap((each) => (each === 'loopback' ? LOOPBACK : [each]))) {
      const [address = '', bits] = proxy.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#trusted.addAddress(address, family);
      else this.#trusted.addSubnet(address, Number(bits), family);
    }
    this.#publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  }

  originOf(request: ConsoleRequest): RequestOrigin {
    const peer = plainAddress(request.socket.remoteAddress ?? '');
    const isProxied = this.#isTrusted(peer);
    const header = (name: string): string | undefined => (isProxied ? lastEntry(headerOf(request, name)) : undefined);
    const proto = header('x-forwarded-proto') ?? (request.socket.encrypted === true ? 'https' : 'http');
    const host = header('x-forwarded-host') ?? headerOf(request, 'host');
    return {
      ip: isProxied ? this.#clientBehind(peer, headerOf(request, 'x-forwarded-for')) : peer,
      isSecure: this.#publicOrigin === undefined ? proto === 'https' : this.#publicOrigin.startsWith('https:'),
      origin: this.#publicOrigin ?? (host === undefined ? undefined : originFrom(`${proto}://${host}`)),
    };
  }

  /** The last address of the list that no trusted proxy has: what stands before it, anybody may have written. */
  #clientBehind(peer: string, forwardedFor: string | undefined): string {
    let client = peer;
    for (const entry of (forwardedFor ?? '').split(',').reverse()) {
      const address = plainAddress(entry.trim());
      if (isIP(address) === 0) break;
      client = address;
      if (!this.#isTrusted(address)) break;
    }
    return client;
  }

  #isTrusted(address: string): boolean {
    return isIP(address) !== 0 && this.#trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

const LOOPBACK = ['127.0.0.0/8', '::1'];

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

/** Whether an address is of this machine alone. */
export function isLoopback(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

/** The one value of a header; the first, if there are several. */
export function headerOf({ headers }: Pick<ConsoleRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** An IPv4 address in the clothes of an IPv6 one is the IPv4 address. */
function plainAddress(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').split('%', 1);
  return plain;
}

/** What the nearest proxy has written, if several have. */
function lastEntry(value: string | undefined): string | undefined {
  return value?.split(',').at(-1)?.trim();
}

function originFrom(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
