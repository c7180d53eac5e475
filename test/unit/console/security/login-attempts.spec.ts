import { describe, expect, test } from '@jest/globals';
import { networkOf } from '../../../../lib/console/security/callers/client-network.js';
import { type AttemptOrigin, LoginAttempts } from '../../../../lib/console/security/passwords/login-attempts.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

/** An attempt that fails. @returns how long it must wait, if it may not be made */
function fail(attempts: LoginAttempts, username: string, origin: AttemptOrigin): number {
  const attempt = attempts.begin(username, origin);
  if (!attempt.isAdmitted) return attempt.waitMs;
  attempt.end('wrong');
  return 0;
}

const HERE = { network: '192.0.2.1' };

describe('failed logins', () => {
  test('of a network must wait from the thirtieth on, whoever the user', () => {
    const attempts = new LoginAttempts(new ManualClock());
    for (let user = 0; user < 30; user++) expect(fail(attempts, `u${user}`, HERE)).toBe(0);

    expect(fail(attempts, 'anna', HERE)).toBe(15_000);
    expect(fail(attempts, 'anna', { network: '192.0.2.2' })).toBe(0);
  });

  test('are counted once they have failed: any number may be under way', () => {
    const attempts = new LoginAttempts(new ManualClock());

    const all = Array.from({ length: 40 }, () => attempts.begin('anna', HERE));
    for (const attempt of all) if (attempt.isAdmitted) attempt.end('right');

    expect(all.every(({ isAdmitted }) => isAdmitted)).toBe(true);
    expect(fail(attempts, 'anna', HERE)).toBe(0);
  });

  test('are checked one at a time where too many have failed', async () => {
    const clock = new ManualClock();
    const attempts = new LoginAttempts(clock);
    for (let attempt = 0; attempt < 5; attempt++) fail(attempts, 'anna', HERE);
    await clock.advance(15_000);

    const first = attempts.begin('anna', HERE);
    const second = attempts.begin('anna', HERE);
    if (first.isAdmitted) first.end('unchecked');

    expect([first.isAdmitted, second]).toEqual([true, { isAdmitted: false, waitMs: 1_000 }]);
    expect(attempts.begin('anna', HERE).isAdmitted).toBe(true);
  });

  test('elsewhere, however many, push out none that make others wait', () => {
    const attempts = new LoginAttempts(new ManualClock());
    for (let attempt = 0; attempt < 5; attempt++) fail(attempts, 'anna', HERE);

    for (let other = 0; other < 20_000; other++) fail(attempts, `x${other}`, { network: `2001:db8:${other}::/64` });

    expect(fail(attempts, 'anna', HERE)).toBe(15_000);
  });

  test('are forgotten after an hour', async () => {
    const clock = new ManualClock();
    const attempts = new LoginAttempts(clock);
    for (let attempt = 0; attempt < 5; attempt++) fail(attempts, 'anna', HERE);

    await clock.advance(60 * 60_000);

    for (let attempt = 0; attempt < 5; attempt++) expect(fail(attempts, 'anna', HERE)).toBe(0);
  });

  test('at the set-up count for that network alone', () => {
    const attempts = new LoginAttempts(new ManualClock());
    const tryCode = (network: string): boolean => {
      const attempt = attempts.beginSetup({ network });
      if (attempt.isAdmitted) attempt.end('wrong');
      return attempt.isAdmitted;
    };
    for (let attempt = 0; attempt < 5; attempt++) tryCode('192.0.2.1');

    expect([tryCode('192.0.2.1'), tryCode('192.0.2.2'), fail(attempts, 'setup', HERE)]).toEqual([false, true, 0]);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
