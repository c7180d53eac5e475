import { describe, expect, test } from '@jest/globals';
import { type LogEntry } from '../../../lib/api/text/logger.js';
import { DeliveryError } from '../../../lib/error-handlers/delivery-error.js';
import { textOf } from '../../../lib/error-handlers/failure-text.js';
import { type ChannelSettings, type NoticeChannel } from '../../../lib/error-handlers/notice-channel.js';
import { NotifyingErrorHandler } from '../../../lib/error-handlers/notifying-error-handler.js';
import { PropsReader } from '../../../lib/error-handlers/props-reader.js';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.js';
import { aFailure, CompleteLog } from '../../support/failures.js';

/** A channel that a test lets work, fail or hang. */
class Pager implements NoticeChannel {
  readonly type = 'PAGER';
  readonly keys = ['pager.secret'];
  /** The first lines of what was delivered. */
  readonly told: string[] = [];
  attempts = 0;
  /** The result of an attempt. */
  mode: 'works' | 'remarks' | 'fails' | 'refuses' | 'hangs' = 'works';

  read(props: Readonly<Record<string, string>>): ReturnType<NoticeChannel['read']> {
    const reader = new PropsReader(props);
    const secret = reader.required('pager.secret');
    return reader.result<ChannelSettings>({ secrets: [secret], digestMs: 60_000, attemptMs: 10_000 });
  }

  async send(...[notice, { secrets }, signal]: Parameters<NoticeChannel['send']>): Promise<string | undefined> {
    this.attempts++;
    const { mode } = this;
    if (mode === 'hangs') await new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }));
    if (mode === 'fails') throw new Error(`the pager ${String(secrets[0])} is busy`);
    if (mode === 'refuses') throw new DeliveryError(`no such pager ${String(secrets[0])}`, 'final');
    this.told.push(textOf(notice).split('\n')[0] ?? '');
    return mode === 'remarks' ? `one of two pagers, ${String(secrets[0])}, was off` : undefined;
  }

  delivered = (job: string): string => `delivered for ${job}`;
  failed = (job: string): string => `not delivered for ${job}`;
}

class Paged {
  readonly clock = new ManualClock(Date.parse('2026-01-02T12:00:00Z'));
  readonly log = new CompleteLog();
  readonly pager = new Pager();
  readonly handler = new NotifyingErrorHandler(this.pager, { clock: this.clock, logger: this.log });

  async fail(times = 1, props: Readonly<Record<string, string>> = { 'pager.secret': 's3cret' }): Promise<void> {
    for (let count = 0; count < times; count++) this.handler.handleException(aFailure(props));
    await settle();
  }
}

const ONE = "Job 'bill' exception occur in job processing, caused by Error: no stock";
const more = (count: number, since: string): string =>
  `Job 'bill' exception occur in job processing, ${count} more failures since 2026-01-02T${since}.000Z:`;

describe('of a storm of failures', () => {
  test('the first one is told at once, the others together at the end of each interval, and after it is quiet at once again', async () => {
    const paged = new Paged();
    const { clock, pager, log } = paged;

    await paged.fail(500);
    expect(pager.told).toEqual([ONE]);
    await clock.advance(59_999);
    await paged.fail();
    expect(pager.told).toEqual([ONE]);
    await clock.advance(1);
    expect(pager.told).toEqual([ONE, more(500, '12:00:00')]);
    await paged.fail(2);
    await clock.advance(60_000);
    expect(pager.told.slice(2)).toEqual([more(2, '12:01:00')]);
    await clock.advance(60_000);
    await paged.fail();

    expect(pager.told.slice(3)).toEqual([ONE]);
    expect(log.of('log')).toEqual(Array(4).fill('delivered for bill'));
  });

  test('each job has its own notices', async () => {
    const paged = new Paged();
    const failure = aFailure({ 'pager.secret': 's3cret' });

    paged.handler.handleException(failure);
    paged.handler.handleException({ ...failure, configuration: { ...failure.configuration, jobName: 'mail' } });
    await settle();

    expect(paged.pager.told).toEqual([ONE, ONE.replace('bill', 'mail')]);
  });
});

describe('a notice that is not delivered', () => {
  test('is tried five times, after growing pauses of at most half a minute, while further failures are gathered', async () => {
    const paged = new Paged();
    paged.pager.mode = 'fails';

    await paged.fail();
    expect(paged.pager.attempts).toBe(1);
    await paged.clock.advance(999);
    expect(paged.pager.attempts).toBe(1);
    await paged.fail(3);
    await paged.clock.advance(120_000);
    expect(paged.pager.attempts).toBeGreaterThanOrEqual(5);

    const [failure = ''] = paged.log.of('error');
    expect(failure).toContain('not delivered for bill: Error: the pager *** is busy\nIt should have said:\nJob');
    expect(failure).toContain('Error: no stock');
  });

  test('is delivered as soon as the service works again', async () => {
    const paged = new Paged();
    paged.pager.mode = 'fails';
    await paged.fail();

    paged.pager.mode = 'works';
    await paged.clock.advance(30_000);

    expect(paged.pager.told).toEqual([ONE]);
    expect(paged.log.of('error')).toEqual([]);
  });

  test('for a reason that stays is logged at once, with what it should have said', async () => {
    const paged = new Paged();
    paged.pager.mode = 'refuses';

    await paged.fail();

    expect(paged.pager.attempts).toBe(1);
    expect(paged.log.text).toContain(`not delivered for bill: no such pager ***\nIt should have said:\n${ONE}`);
    expect(paged.log.text).not.toContain('s3cret');
  });

  test('because the service hangs is given up after its time, and tried again', async () => {
    const paged = new Paged();
    paged.pager.mode = 'hangs';
    await paged.fail();

    await paged.clock.advance(9_999);
    expect(paged.log.lines).toEqual([]);
    paged.pager.mode = 'works';
    await paged.clock.advance(2_001);

    expect(paged.log.text).toContain('it took more than 10000 ms');
    expect(paged.pager.told).toEqual([ONE]);
  });

  test('because its properties have become wrong is logged with their problems; the next one goes by the new properties', async () => {
    const paged = new Paged();

    await paged.fail(1, {});
    await paged.fail(1, { 'pager.secret': 'other' });

    expect(paged.log.of('error')).toEqual([
      expect.stringContaining('not delivered for bill: The property `pager.secret` is required.\nIt should have said:'),
    ]);
    expect(paged.pager.told).toEqual([ONE]);
  });
});

test.each([
  ['works', ['log notice-delivered']],
  ['remarks', ['log notice-delivered', 'warn notice-incomplete']],
  ['refuses', ['error notice-lost']],
] as const)('what has become of a notice is an event of its job in the log: the channel %s', async (mode, events) => {
  const entries: LogEntry[] = [];
  const pager = new Pager();
  pager.mode = mode;
  const logger = Object.assign(new CompleteLog(), { write: (entry: LogEntry) => void entries.push(entry) });

  new NotifyingErrorHandler(pager, { clock: new ManualClock(), logger }).handleException(
    aFailure({ 'pager.secret': 's3cret' }),
  );
  await settle();

  expect(entries.map(({ level, event }) => `${level} ${event}`)).toEqual(events);
  for (const entry of entries)
    expect(entry).toMatchObject({ jobName: 'bill', instance: '10.0.0.1@-@7', context: 'ElasticJob:bill' });
});

describe('when the job ends', () => {
  test('what was gathered is told before the handler lets go of it', async () => {
    const paged = new Paged();
    await paged.fail(3);

    await paged.handler.release('bill');

    expect(paged.pager.told).toEqual([ONE, more(2, '12:00:00')]);
    expect(paged.clock.timers).toBe(0);
  });

  test('a notice that waits for its next attempt is tried once more, and logged if that fails', async () => {
    const paged = new Paged();
    paged.pager.mode = 'fails';
    await paged.fail();

    await paged.handler.close();

    expect(paged.pager.attempts).toBe(2);
    expect(paged.log.of('error')).toHaveLength(1);
    expect(paged.clock.timers).toBe(0);
  });

  test('a service that hangs is waited for four seconds; then all that is pending is logged', async () => {
    const paged = new Paged();
    paged.pager.mode = 'hangs';
    await paged.fail(3);
    let isReleased = false;

    const released = paged.handler.release('bill').then(() => (isReleased = true));
    await paged.clock.advance(3_999);
    expect(isReleased).toBe(false);
    await paged.clock.advance(1);
    await released;

    expect(paged.log.of('error').map((line) => line.split('\n').slice(0, 3))).toEqual([
      [expect.stringContaining('not delivered for bill: DeadlineExceededError'), 'It should have said:', ONE],
      [
        expect.stringContaining('not delivered for bill: DeadlineExceededError'),
        'It should have said:',
        more(2, '12:00:00'),
      ],
    ]);
    expect(paged.clock.timers).toBe(0);
  });

  test('nothing is waited for if nothing is pending', async () => {
    const paged = new Paged();

    await paged.handler.release('bill');
    await paged.handler.close();

    expect(paged.pager.attempts).toBe(0);
  });
});
