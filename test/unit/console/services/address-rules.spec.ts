import { expect, test } from '@jest/globals';
import {
  AddressRules,
  isNeverAllowed,
  plainAddress,
} from '../../../../lib/console/services/connections/address-rules.js';
import { TargetGuard } from '../../../../lib/console/services/connections/target-guard.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

test.each([
  ['10.0.0.0/8', '10.1.2.3', 2181, true],
  ['10.0.0.0/8', '11.1.2.3', 2181, false],
  ['10.0.0.0/8:2181', '10.1.2.3', 2181, true],
  ['10.0.0.0/8:2181', '10.1.2.3', 2182, false],
  ['10.0.0.5', '10.0.0.5', 1, true],
  ['10.0.0.5', '10.0.0.6', 1, false],
  ['[fd00::]/8', 'fd00::1', 1, false],
  ['fd00::/8', 'fd00::1', 1, true],
  ['[fd00::1]:2181', 'fd00::1', 2181, true],
  ['[fd00::1]:2181', 'fd00::1', 2182, false],
  ['0.0.0.0/0', '::ffff:10.0.0.1', 1, true],
])('the rule %s says of %s, port %i: %s', (rule, address, port, isAllowed) => {
  if (rule.startsWith('[fd00::]/')) {
    expect(() => new AddressRules([rule])).toThrow('connections.allow');
    return;
  }
  expect(new AddressRules([rule]).allows(address, port, [address])).toBe(isAllowed);
});

test.each([
  ['zk1', 'zk1', true],
  ['zk1', 'zk2', false],
  ['ZK1', 'zk1', true],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'a.example.com.evil', false],
  ['*', 'anything', true],
])('the rule %s says of the name %s: %s', (rule, host, isAllowed) => {
  expect(new AddressRules([rule]).allows(host, 1, ['10.0.0.1'])).toBe(isAllowed);
});

test('all addresses of a name must be allowed, and it must have one', () => {
  const rules = new AddressRules(['10.0.0.0/8']);

  expect(rules.allows('db', 1, ['10.0.0.1', '10.0.0.2'])).toBe(true);
  expect(rules.allows('db', 1, ['10.0.0.1', '192.168.0.1'])).toBe(false);
  expect(rules.allows('db', 1, [])).toBe(false);
  expect(new AddressRules([]).isOpen).toBe(false);
});

test.each([
  '169.254.169.254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  'fe80::1%eth0',
  '224.0.0.1',
  '255.255.255.255',
  '0.0.0.0',
  '::',
  'ff02::1',
  'fd00:ec2::254',
  '100.100.100.200',
])('%s is never allowed', (address) => {
  expect(isNeverAllowed(address)).toBe(true);
  expect(new AddressRules(['*']).allows('metadata', 80, [address])).toBe(false);
});

test.each(['127.0.0.1', '10.0.0.1', '192.168.1.1', '8.8.8.8', '::1', 'fd00::1', '2001:db8::1'])(
  '%s may be allowed',
  (address) => {
    expect(isNeverAllowed(address)).toBe(false);
  },
);

test.each(['', 'a b', '10.0.0.0/33', '10.0.0.0/x', 'zk:99999', '*.*.com', 'http://zk', '-'])(
  'the entry %j is refused',
  (entry) => {
    expect(() => new AddressRules(['zk', entry])).toThrow("must be like '10.0.0.0/8'");
  },
);

test('an address has one form', () => {
  expect(plainAddress('::FFFF:10.0.0.1')).toBe('10.0.0.1');
  expect(plainAddress('64:ff9b::a00:1')).toBe('10.0.0.1');
  expect(plainAddress('fe80:0:0::1%eth0')).toBe('fe80::1');
});

test('the address that was checked is the one to connect to, whatever the name leads to later', async () => {
  const answers = [['10.0.0.1'], ['169.254.169.254']];
  const resolve = () => Promise.resolve(answers.shift() ?? []);
  const guard = new TargetGuard(['10.0.0.0/8'], { clock: new ManualClock(), resolve });

  expect(await guard.check('zk', 2181)).toBe('10.0.0.1');
  await expect(guard.check('zk', 2181)).rejects.toMatchObject({ reason: 'not-allowed' });
  await expect(guard.check('zk', 2181)).rejects.toMatchObject({ reason: 'name-unknown' });
});

test('a name that is not resolved in time has no address', async () => {
  const clock = new ManualClock();
  const guard = new TargetGuard(['*'], { clock, resolve: () => new Promise(() => undefined) });

  const checked = guard.check('zk', 2181).catch((error: unknown) => error);
  await clock.advance(5_000);

  expect(await checked).toMatchObject({ reason: 'name-unknown' });
});
