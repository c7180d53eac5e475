import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { processTimeZoneProblem } from '../../../lib/settings/process-time-zone.js';
import { TimeZone } from '../../../lib/time/time-zone.js';

const NOW = Date.UTC(2026, 0, 15);

/** The zone in which Node runs if it is started with this TZ. */
function zoneOfNode(TZ: string): TimeZone {
  const program = `const NOW = ${NOW}; console.log(JSON.stringify([NOW, NOW + 182 * 86400000].map((ms) => new Date(ms).getTimezoneOffset())))`;
  const output = execFileSync(process.execPath, ['-e', program], { env: { ...process.env, TZ }, encoding: 'utf8' });
  const [now = 0, later = 0] = JSON.parse(output) as readonly number[];
  return new TimeZone('of the process', true, (instant) => -60_000 * (instant <= NOW ? now : later));
}

const problemWith = (TZ: string): string | undefined => processTimeZoneProblem(TZ, NOW, zoneOfNode(TZ));

test.each([
  ['Foo/Bar', "such as 'Asia/Shanghai'"],
  ['asia/shanghai', "such as 'Asia/Shanghai'"],
  ['Europe/Berln', "such as 'Europe/Berlin'"],
  ['EST5EDT,M3.2.0,M11.1.0', "such as 'Asia/Shanghai'"],
  ['<+08>-8', "such as 'Asia/Shanghai'"],
])('TZ=%s, for which Node takes UTC, is reported with the cure', (TZ, cure) => {
  const problem = problemWith(TZ);

  expect(problem).toContain(`The environment variable TZ is "${TZ}", which Node does not know as a time zone`);
  expect(problem).toContain('the process runs in UTC');
  expect(problem).toContain(cure);
});

test.each([
  ...['', 'UTC', 'Etc/UTC', 'UTC0', 'GMT', 'GMT0', 'UCT', 'Zulu', 'Africa/Abidjan', ':UTC', 'posix/UTC', '<UTC>+00:00'],
  ...['/usr/share/zoneinfo/UTC', ':/usr/share/zoneinfo/Etc/UTC', '/usr/share/zoneinfo/Asia/Tokyo', ':/etc/localtime'],
  ...['Asia/Shanghai', 'CST-8', 'EST5EDT', 'JST-9', 'Etc/GMT+8', 'Europe/London', ':Asia/Tokyo'],
])('TZ=%s raises no alarm', (TZ) => {
  expect(problemWith(TZ)).toBeUndefined();
});

test('a process without TZ has the zone of its machine', () => {
  expect(processTimeZoneProblem(undefined, NOW, zoneOfNode('UTC'))).toBeUndefined();
});

test.each([
  [
    'UTC+8',
    '8 hours behind UTC',
    "If 8 hours ahead are meant, set TZ to a zone such as 'Asia/Shanghai' or to 'Etc/GMT-8'",
  ],
  ['GMT+8', '8 hours behind UTC', "otherwise to 'Etc/GMT+8'"],
  ['UTC8', '8 hours behind UTC', "'Etc/GMT-8'"],
  [
    'utc-5',
    '5 hours ahead of UTC',
    "If 5 hours behind are meant, set TZ to a zone such as 'America/New_York' or to 'Etc/GMT+5'",
  ],
])('TZ=%s, which Node reads the other way round, is reported: it means %s', (TZ, meaning, cure) => {
  const problem = problemWith(TZ);

  expect(problem).toContain(`TZ is "${TZ}", which Node, as POSIX, reads as ${meaning}`);
  expect(problem).toContain(cure);
});
