import { describe, expect, test } from '@jest/globals';
import { AddressMask } from '../../../lib/api/text/address-mask.js';

describe('addresses', () => {
  test('are numbered in the order in which they first occur, the same one by the same number in all texts', () => {
    const mask = new AddressMask();

    expect(mask.apply('10.0.0.7@-@12 10.0.0.77 10.0.0.7')).toBe('ip1@-@12 ip2 ip1');
    expect(mask.apply('/servers/10.0.0.77')).toBe('/servers/ip2');
  });

  test.each([
    ['fe80::1', 'ip1'],
    ['::1', 'ip1'],
    ['/servers/2001:db8:0:0:0:0:2:1 ENABLED', '/servers/ip1 ENABLED'],
    ['fe80::1%eth0', 'ip1%eth0'],
    ['::ffff:10.0.0.7', 'ip1'],
    ['serverIp: 2001:db8::2:1', 'serverIp: ip1'],
    ['10.0.0.7:2181', 'ip1:2181'],
    ['8080:10.0.0.7', '8080:ip1'],
  ])('of both versions are masked wherever they stand: %s', (text, masked) => {
    expect(new AddressMask().apply(text)).toBe(masked);
  });

  test('of the sixth version are the same in each of their spellings', () => {
    expect(new AddressMask().apply('2001:DB8::2:1 2001:db8:0:0:0:0:2:1')).toBe('ip1 ip1');
  });

  test.each(['10:15:30', '0/5 * * * * ?', '1.2.3', '1.2.3.4.5', '300.1.1.1', 'std::string', 'v10.0.0.7.1', '1:2:3'])(
    'are not seen in %s',
    (text) => {
      expect(new AddressMask().apply(text)).toBe(text);
    },
  );
});
