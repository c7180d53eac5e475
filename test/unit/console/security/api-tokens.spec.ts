import { expect, test } from '@jest/globals';
import { ApiTokens, type StoredToken } from '../../../../lib/console/security/users/api-tokens.js';
import { StoreDocument } from '../../../../lib/console/store/store-document.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';

const HOUR = 60 * 60_000;
const account = { username: 'gina', provider: 'local' };
const stored: readonly StoredToken[] = [];

function tokensWith(clock: ManualClock): ApiTokens {
  return new ApiTokens(StoreDocument.unsaved(stored), StoreDocument.unsaved({}), clock);
}

test.each(['stored', 'short'] as const)(
  'what a %s token has opened ends in the instant its time is up',
  async (keep) => {
    const clock = new ManualClock();
    const tokens = tokensWith(clock);
    const issue = async (lifetimeMs: number): Promise<{ readonly aborted: boolean }> => {
      const { secret } = await tokens.issue({ account, name: 'ci', role: 'guest', lifetimeMs, keep });
      return tokens.use(secret)!.ended;
    };
    const [long, brief] = [await issue(365 * 24 * HOUR), await issue(HOUR + 1)];

    await clock.advance(HOUR);
    expect([long.aborted, brief.aborted]).toEqual([false, false]);
    await clock.advance(1);
    expect([long.aborted, brief.aborted]).toEqual([false, true]);
    await clock.advance(365 * 24 * HOUR);
    expect(long.aborted).toBe(true);
  },
);

test('a stream of a token ends after a minute at most if the clock of the machine is set forward', async () => {
  const clock = new ManualClock();
  const tokens = tokensWith(clock);
  const { secret } = await tokens.issue({ account, name: 'ci', role: 'guest', lifetimeMs: HOUR, keep: 'stored' });
  const { ended } = tokens.use(secret)!;

  clock.setWallClock(clock.now() + 2 * HOUR);
  await clock.advance(60_000);

  expect(ended.aborted).toBe(true);
});

test('tokens whose time is up leave no timer behind, nor do tokens of a console that has stopped', async () => {
  const clock = new ManualClock();
  const tokens = tokensWith(clock);
  const issue = async (): Promise<void> => {
    const { secret } = await tokens.issue({ account, name: 'ci', role: 'guest', lifetimeMs: HOUR, keep: 'short' });
    tokens.use(secret);
  };

  for (let made = 0; made < 50; made++) await issue();
  await clock.advance(HOUR);
  expect(clock.timers).toBe(0);
  await issue();
  tokens.stop();
  await issue();

  expect(clock.timers).toBe(0);
});
