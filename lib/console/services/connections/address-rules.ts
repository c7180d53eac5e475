/** The addresses that the console may connect to: a pure function of the settings. */
import { BlockList, isIP } from 'node:net';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { describeValue } from '../../../api/text/describe-value.js';

/** One entry of `connections.allow`. */
interface AllowRule {
  readonly hosts: (host: string, addresses: readonly string[]) => boolean;
  readonly port: number | undefined;
}

/**
 * Never allowed: no registry centre and no database has such an address, but services with secrets of the machine have.
 */
const REFUSED = new BlockList();
for (const [net, bits] of [
  // Unspecified, link-local (with the metadata services of clouds), multicast, reserved.
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
] as const)
  REFUSED.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 128],
  ['fe80::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
] as const)
  REFUSED.addSubnet(net, bits, 'ipv6');

/** True if no rule can allow an address: unspecified, link-local, of a metadata service, multicast. */
export function isNeverAllowed(address: string): boolean {
  const plain = plainAddress(address);
  return REFUSED.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** The targets that the settings allow. */
export class AddressRules {
  readonly #rules: readonly AllowRule[];

  /** @throws InvalidConfigurationError naming each invalid entry */
  constructor(allow: readonly string[]) {
    const rules = allow.map(ruleOf);
    const faults = allow.filter((_, index) => rules[index] === undefined);
    if (faults.length > 0)
      throw new InvalidConfigurationError(
        faults.map(
          (entry) =>
            `elasticjob.console.connections.allow: must be like '10.0.0.0/8', '10.0.0.5:2181' or '*.example.com:2181', got ${describeValue(entry)}`,
        ),
      );
    this.#rules = rules.filter((rule) => rule !== undefined);
  }

  /** True if any target is allowed. */
  get isOpen(): boolean {
    return this.#rules.length > 0;
  }

  /** True if the console may connect to a host with all these addresses. */
  allows(host: string, port: number, addresses: readonly string[]): boolean {
    if (addresses.length === 0 || addresses.some(isNeverAllowed)) return false;
    const plain = addresses.map(plainAddress);
    return this.#rules.some((rule) => (rule.port ?? port) === port && rule.hosts(host.toLowerCase(), plain));
  }
}

/** The canonical form of an address: `::ffff:10.0.0.1` and `::ffff:a00:1` become 10.0.0.1, and a zone is removed. */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (isIP(bare) !== 6) return bare;
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  // IPv4-mapped, IPv4-compatible and NAT64 addresses contain an IPv4 address.
  const [, high, low] = /^(?:::ffff:|::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const [one, two] = [parseInt(high, 16), parseInt(low, 16)];
  return [one >> 8, one & 255, two >> 8, two & 255].join('.');
}

function ruleOf(entry: string): AllowRule | undefined {
  const text = entry.trim().toLowerCase();
  const [, bracketed, host, port] = /^(?:\[([^\]]+)\]|([^\s:]+|[0-9a-f:]+(?:\/\d+)?))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const target = bracketed ?? host;
  if (target === undefined || Number(port ?? 1) > 65_535) return undefined;
  const hosts = hostsOf(target);
  return hosts && { hosts, port: port === undefined ? undefined : Number(port) };
}

function hostsOf(target: string): AllowRule['hosts'] | undefined {
  const [net = '', bits] = target.split('/');
  const family = isIP(net);
  if (family !== 0) {
    const length = bits === undefined ? (family === 6 ? 128 : 32) : Number(bits);
    if (!Number.isInteger(length) || length < 0 || length > (family === 6 ? 128 : 32)) return undefined;
    const list = new BlockList();
    list.addSubnet(net, length, family === 6 ? 'ipv6' : 'ipv4');
    return (_, addresses) => addresses.every((each) => list.check(each, isIP(each) === 6 ? 'ipv6' : 'ipv4'));
  }
  if (target !== '*' && !/^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(target)) return undefined;
  if (target === '*') return () => true;
  if (target.startsWith('*.')) return (host) => host.endsWith(target.slice(1));
  return (host) => host === target;
}
