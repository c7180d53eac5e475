import { describe, expect, test } from '@jest/globals';
import { type ConsoleRequest } from '../../../../lib/console/security/callers/caller.js';
import { isLoopback, proxyProblem, TrustedProxies } from '../../../../lib/console/security/callers/trusted-proxies.js';

function aRequest(remoteAddress: string, headers: ConsoleRequest['headers'] = {}): ConsoleRequest {
  return { method: 'GET', url: '/', socket: { remoteAddress }, headers: { host: 'console:8899', ...headers } };
}

const FORWARDED = {
  'x-forwarded-for': '203.0.113.7, 10.0.0.5',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'ops.example.com',
};

describe('where a request comes from', () => {
  test('is the peer, whatever headers say, if it is no trusted proxy', () => {
    expect(new TrustedProxies(['10.0.0.0/8']).originOf(aRequest('192.0.2.1', FORWARDED))).toEqual({
      ip: '192.0.2.1',
      network: '192.0.2.1 for 203.0.113.7, 10.0.0.5',
      isSecure: false,
      origin: 'http://console:8899',
    });
  });

  test.each([
    ['the browser', { via: '1.1 proxy', 'user-agent': 'Firefox' }, '192.0.2.1 for Firefox'],
    ['nothing', { via: '1.1 proxy' }, '192.0.2.1 for 1.1 proxy'],
    ['a header of a kind of proxies', { 'cf-connecting-ip': '203.0.113.7' }, '192.0.2.1 for 203.0.113.7'],
  ])(
    'is never one network for a proxy that nobody has named, and that tells %s of its clients',
    (_, headers, network) => {
      const warnings: string[] = [];
      const proxies = new TrustedProxies([], undefined, { warn: (text) => warnings.push(text) });

      expect(proxies.originOf(aRequest('192.0.2.1', headers))).toMatchObject({ ip: '192.0.2.1', network });
      expect(warnings).toHaveLength(1);
    },
  );

  test('is what trusted proxies say', () => {
    expect(new TrustedProxies(['10.0.0.0/8']).originOf(aRequest('::ffff:10.0.0.9', FORWARDED))).toEqual({
      ip: '203.0.113.7',
      network: '203.0.113.7',
      isSecure: true,
      origin: 'https://ops.example.com',
    });
  });

  test('is the last address that no trusted proxy has: anybody can have written what stands before it', () => {
    const { ip } = new TrustedProxies(['10.0.0.0/8']).originOf(
      aRequest('10.0.0.9', { 'x-forwarded-for': '127.0.0.1, 203.0.113.7, 10.0.0.5' }),
    );

    expect(ip).toBe('203.0.113.7');
  });

  test.each([
    ['the proxy itself, if it names nobody', undefined, '10.0.0.9'],
    ['the last proxy, if what stands before is no address', 'unknown, 10.0.0.5', '10.0.0.5'],
    ['the first proxy, if all are trusted', '10.0.0.4, 10.0.0.5', '10.0.0.4'],
    ['an IPv6 address', '2001:db8::1', '2001:db8::1'],
  ])('is %s', (_, header, expected) => {
    const { ip } = new TrustedProxies(['10.0.0.0/8']).originOf(
      aRequest('10.0.0.9', header === undefined ? {} : { 'x-forwarded-for': header }),
    );

    expect(ip).toBe(expected);
  });

  test.each([
    ['0.0.0.0/0', '203.0.113.7', '198.51.100.1'],
    ['::/0', '2001:db8::7', '2001:db8::1'],
  ])('is the first address of the list if the network of all addresses, %s, is trusted', (all, client, peer) => {
    const { ip } = new TrustedProxies([all]).originOf(
      aRequest(peer, { 'x-forwarded-for': `${client}, ${client.replace('7', '8')}` }),
    );

    expect(ip).toBe(client);
  });

  test('is as publicUrl says before all', () => {
    const proxies = new TrustedProxies([], 'https://ops.example.com/jobs');

    expect(proxies.originOf(aRequest('10.0.0.9'))).toMatchObject({ isSecure: true, origin: 'https://ops.example.com' });
    expect(new TrustedProxies([], 'http://ops.example.com').originOf(aRequest('10.0.0.9')).isSecure).toBe(false);
  });

  test('is encrypted if the connection is', () => {
    const request = { ...aRequest('10.0.0.9'), socket: { remoteAddress: '10.0.0.9', encrypted: true } };

    expect(new TrustedProxies([]).originOf(request)).toMatchObject({ isSecure: true, origin: 'https://console:8899' });
  });

  test.each(['loopback', '127.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8'])('can be told by the proxy %s', (proxy) => {
    expect(proxyProblem(proxy)).toBeUndefined();
  });

  test.each(['', 'proxy.example.com', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'fd00::/129', 7])(
    'cannot be told by %s',
    (proxy) => {
      expect(proxyProblem(proxy)).toBe("must be an address, a network such as '10.0.0.0/8', or 'loopback'");
    },
  );

  test.each([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::ffff:127.0.0.1', true],
    ['::1', true],
    ['127.0.0.1.example.com', false],
    ['10.0.0.1', false],
    ['0.0.0.0', false],
    ['', false],
  ])('is this machine for %s: %s', (address, expected) => {
    expect(isLoopback(address)).toBe(expected);
  });
});
