import { isIPv6 } from 'node:net';

/**
 * The network of a client: the address for IPv4, the first 64 bits for IPv6, of which every client has 2^64 addresses.
 * A text that is no address is returned as it is.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%', 1);
  // The URL parser makes an address canonical, with an IPv4 address in it as two groups.
  const canonical = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  const [head = '', tail = ''] = canonical.split('::');
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== '')) as [
    string[],
    string[],
  ];
  const groups = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
