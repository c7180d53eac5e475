import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

test.each([
  ['Europe/Berlin', '2026-10-25 02:50:00.000', '2026-10-25 02:10:00.000', '2026-10-25T00:50Z', '2026-10-25T01:10Z'],
  [
    'Australia/Lord_Howe',
    '2026-04-05 01:50:00.000',
    '2026-04-05 01:40:00.000',
    '2026-04-04T14:50Z',
    '2026-04-04T15:10Z',
  ],
])(
  'in the hour that occurs twice in %s, an end that seems to be before its start is of the second hour',
  async (TZ, start, end, begunAt, endedAt) => {
    // A change of process.env in a test is a change of a copy, which Node does not see.
    const module = new URL('../../../lib/tracing/rdb/wall-clock.ts', import.meta.url).href;
    const program = `
      const { fromWallClock } = await import('${module}');
      const start = fromWallClock('${start}');
      console.log(JSON.stringify([start, fromWallClock('${end}', start), fromWallClock('${end}')]));`;
    const loader = fileURLToPath(new URL('../../../.config/typescript.mjs', import.meta.url));
    const args = ['--import', loader, '--input-type=module', '--eval', program];

    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TZ } });

    const [started = '', ended = '', alone = ''] = JSON.parse(stdout) as readonly string[];
    expect([Date.parse(started), Date.parse(ended)]).toEqual([Date.parse(begunAt), Date.parse(endedAt)]);
    expect(Date.parse(alone)).toBeLessThan(Date.parse(started));
  },
);

test('an end before its start stays one, if no hour is repeated', async () => {
  const { fromWallClock } = await import('../../../lib/tracing/rdb/wall-clock.js');

  const start = new Date(2026, 5, 1, 12);

  expect(fromWallClock('2026-06-01 11:30:00.000', start)).toEqual(new Date(2026, 5, 1, 11, 30));
});
