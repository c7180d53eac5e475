import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { until } from '../../support/until.js';
import { CommandStage, TestTerminal } from './stage.js';

let stage: CommandStage;
beforeEach(async () => {
  stage = await CommandStage.open();
  await stage.store();
});
afterEach(() => stage[Symbol.asyncDispose]());

/** The last drawing on a screen, without control sequences. */
function shownOn(terminal: TestTerminal): string {
  const last = terminal.out.text.split('\u001b[H').at(-1) ?? '';
  // eslint-disable-next-line no-control-regex
  return last.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r\n', '\n');
}

describe('watch, on a terminal,', () => {
  test('follows a job through a crash, until q', async () => {
    const terminal = new TestTerminal({ columns: 100, rows: 20 });
    const ended = stage.runOn(terminal, 'watch bill');
    await until(() => shownOn(terminal).includes('Job bill: OK, 2 items, 2 instances'));

    await stage.registry.put('/bill/sharding/1/running', '');
    await until(() => /1 +RUNNING +10\.0\.0\.2/.test(shownOn(terminal)));
    await stage.registry.remove('/bill/sharding/1/running');
    await stage.registry.remove('/bill/instances/10.0.0.2@-@2-a');
    await stage.registry.put('/bill/sharding/1/failover', '10.0.0.1@-@1-a');

    await until(() => /Job bill: SHARDING_FLAG, 2 items, 1 instance/.test(shownOn(terminal)));
    await until(() => /1 +SHARDING_FLAG +10\.0\.0\.2 +10\.0\.0\.2@-@2-a +yes/.test(shownOn(terminal)));
    terminal.end();
    expect(await ended).toBe(0);
    expect(terminal.out.text.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
    expect(terminal.out.text.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });

  test('shows that a job is removed, and as many lines as there is room for', async () => {
    await stage.store({ shardingTotalCount: 30 });
    const terminal = new TestTerminal({ columns: 60, rows: 8 });
    const ended = stage.runOn(terminal, 'watch bill');

    await until(() => shownOn(terminal).includes('… and 28 more'));
    expect(shownOn(terminal).split('\n')).toHaveLength(8);

    await stage.registry.remove('/bill');
    await until(() => shownOn(terminal).includes('Job bill: REMOVED'));
    terminal.end();
    await ended;
  });

  test('counts the lines that have no room', async () => {
    for (const [rows, end] of [
      [7, '10.0.0.2@-@2-a'],
      [6, '… and 2 more'],
    ] as const) {
      const terminal = new TestTerminal({ columns: 100, rows });
      const ended = stage.runOn(terminal, 'watch bill');
      await until(() => shownOn(terminal).includes('10.0.0.') || shownOn(terminal).includes('more'));
      expect(shownOn(terminal).trimEnd().endsWith(end)).toBe(true);
      terminal.end();
      await ended;
    }
  });

  test('follows all jobs', async () => {
    const terminal = new TestTerminal({ columns: 100, rows: 20 });
    const ended = stage.runOn(terminal, 'watch --interval 10ms');
    await until(() => shownOn(terminal).includes('  1 job\n'));

    await stage.store({ jobName: 'audit' });

    await until(() => /2 jobs\n[^]*audit +OK/.test(shownOn(terminal)));
    terminal.end();
    expect(await ended).toBe(0);
  });

  test('of a job that is not there is refused', async () => {
    expect((await stage.run('watch bil', { columns: 80 })).exitCode).toBe(3);
  });
});

describe('watch, elsewhere,', () => {
  test('writes a line of JSON for each change, until the pipe is closed', async () => {
    const terminal = new TestTerminal();
    const ended = stage.runOn(terminal, 'watch bill --json');
    const lines = () => terminal.out.text.split('\n').slice(0, -1);
    await until(() => lines().length === 1);

    await stage.registry.put('/bill/servers/10.0.0.1', 'DISABLED');
    await stage.registry.put('/bill/sharding/0/disabled', '');

    await until(() => lines().length === 2);
    expect(JSON.parse(lines()[1] ?? '')).toMatchObject({
      at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      jobName: 'bill',
      status: 'OK',
      items: [
        { item: 0, status: 'DISABLED' },
        { item: 1, status: 'PENDING' },
      ],
    });
    terminal.end();
    expect(await ended).toBe(0);
  });

  test('writes nothing if nothing has changed since the last reading', async () => {
    const clock = new ManualClock();
    const terminal = new TestTerminal();
    const ended = stage.runOn(terminal, 'watch --interval 1s --json', { clock });
    const lines = () => terminal.out.text.split('\n').slice(0, -1);
    const afterAWhile = async (isSo: () => boolean) => {
      await clock.advance(500);
      return isSo();
    };
    await until(() => afterAWhile(() => lines().length === 1));

    for (let reading = 0; reading < 20; reading++) await clock.advance(1_000);
    await stage.store({ jobName: 'audit' });
    await until(() => afterAWhile(() => terminal.out.text.includes('audit')));

    // The last reading before may have met the job half stored.
    expect(lines().length).toBeLessThan(5);
    terminal.end();
    await ended;
  });

  test('writes a table for each change', async () => {
    const terminal = new TestTerminal();
    const ended = stage.runOn(terminal, 'watch bill');
    await until(() => terminal.out.text !== '');

    expect(terminal.out.text).toMatch(/^\d{4}-.*Z {2}Job bill: OK, 2 items, 2 instances\n\nITEM {2}STATUS[^]*\n\n$/);
    terminal.end();
    await ended;
  });
});
