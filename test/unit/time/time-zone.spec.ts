import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { InvalidTimeZoneError } from '../../../lib/time/cron.js';
import { parseTimeZone } from '../../../lib/time/time-zone.js';
import { wording } from '../../../lib/wording/wording.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const at = (iso: string): number => Date.parse(iso);
const shown = (wallMs: number): string => new Date(wallMs).toISOString().slice(0, 16);

function refusal(id: string): InvalidTimeZoneError {
  try {
    parseTimeZone(id);
  } catch (error) {
    if (error instanceof InvalidTimeZoneError) return error;
    throw error;
  }
  throw new Error(`'${id}' is accepted.`);
}

describe('a fixed offset', () => {
  test.each([
    ['GMT', 0],
    ['UTC', 0],
    ['GMT0', 0],
    ['GMT+0', 0],
    ['GMT+8', 480],
    ['GMT+08', 480],
    ['GMT+8:00', 480],
    ['GMT+08:00', 480],
    ['GMT+0530', 330],
    ['GMT+530', 330],
    ['GMT-5:30', -330],
    ['GMT-2359', -1439],
    ['GMT+23', 1380],
  ])('%s is %i minutes, as java.util.TimeZone reads it', (id, minutes) => {
    const zone = parseTimeZone(id);

    expect(zone.id).toBe(id);
    expect(zone.toWall(0)).toBe(minutes * MINUTE_MS);
    expect(zone.toInstant(minutes * MINUTE_MS)).toBe(0);
  });
});

test('the signs of IANA’s own offsets are the other way round', () => {
  expect(parseTimeZone('Etc/GMT+5').toWall(0)).toBe(-5 * HOUR_MS);
});

describe('text that names no zone', () => {
  test.each(['GMT+', 'GMT+24', 'GMT+12:60', 'GMT+05:3', 'GMT+080000', 'Mars/Olympus', '+08:00', 'Etc/Unknown', ' '])(
    '%j is refused with a message that says what is allowed',
    (id) => {
      expect(() => parseTimeZone(id)).toThrow(InvalidTimeZoneError);
      expect(() => parseTimeZone(id)).toThrow(`Time zone '${id}' is not known: `);
      expect(() => parseTimeZone(id)).toThrow(`'GMT+08:00'`);
    },
  );

  test.each([
    ['UTC+8', 'GMT+8'],
    ['gmt-0530', 'GMT-0530'],
    ['+08:00', 'GMT+08:00'],
    ['-5', 'GMT-5'],
  ])('%s is refused with the hint to write %s', (id, right) => {
    expect(() => parseTimeZone(id)).toThrow(`write '${right}'`);
  });

  test.each(['GMT+99', 'UTC+99', 'utc-24', '+24:00'])(
    'for %s, whose offset is too large, nothing wrong is proposed',
    (id) => {
      expect(() => parseTimeZone(id)).toThrow(
        `Time zone '${id}' is not known: allowed are GMT with an offset up to 23:59`,
      );
    },
  );

  test.each(['Mars/UTC+8', 'UTC+8 or so', 'UTC +8', 'UTC8'])('for %s, which is no offset, none is proposed', (id) => {
    expect(() => parseTimeZone(id)).toThrow(`Time zone '${id}' is not known: allowed are`);
  });

  test('is refused with what Intl says as the cause, if Intl was asked', () => {
    expect(refusal('Mars/Olympus').cause).toBeInstanceOf(RangeError);
    expect(refusal('+08:00')).not.toHaveProperty('cause');
  });

  test('the error carries a stable code and the value', () => {
    const error = new InvalidTimeZoneError('Mars/Olympus', wording('zone-allowed'));

    expect(error).toMatchObject({ name: 'InvalidTimeZoneError', code: 'INVALID_CRON', timeZone: 'Mars/Olympus' });
    expect(error).toBeInstanceOf(RangeError);
  });
});

// Each zone remembers the offsets of days. One that was made for each firing would ask Intl each time.
test.each(['GMT+8', 'Asia/Shanghai', ''])('the zone %j is made once', (id) => {
  expect(parseTimeZone(id)).toBe(parseTimeZone(id));
});

describe('what Java ElasticJob takes', () => {
  test.each([
    ['GMT', true],
    ['GMT+8', true],
    ['GMT-1145', true],
    ['Etc/GMT', false],
    ['GMT0', true],
    ['', true],
    [undefined, true],
    ['UTC', false],
    ['Asia/Shanghai', false],
    ['Etc/GMT+8', false],
  ])('%j: %s', (id, isAccepted) => {
    expect(parseTimeZone(id).acceptedByJava).toBe(isAccepted);
  });
});

describe('a zone whose clocks are set', () => {
  const newYork = parseTimeZone('America/New_York');

  test('wall clocks and instants belong together on ordinary days', () => {
    const instant = at('2026-07-01T12:34:56Z');

    expect(shown(newYork.toWall(instant))).toBe('2026-07-01T08:34');
    expect(newYork.toInstant(newYork.toWall(instant))).toBe(instant);
  });

  test('a time that is skipped is read with the old offset, and shows as a later one', () => {
    const skipped = at('2026-03-08T02:30:00Z');

    expect(newYork.toInstant(skipped)).toBe(at('2026-03-08T07:30:00Z'));
    expect(shown(newYork.toWall(newYork.toInstant(skipped)))).toBe('2026-03-08T03:30');
  });

  test('of a time that occurs twice the later instant is meant, to the edges of the hour', () => {
    expect(newYork.toInstant(at('2026-11-01T00:59:59Z'))).toBe(at('2026-11-01T04:59:59Z'));
    expect(newYork.toInstant(at('2026-11-01T01:00:00Z'))).toBe(at('2026-11-01T06:00:00Z'));
    expect(newYork.toInstant(at('2026-11-01T01:59:59Z'))).toBe(at('2026-11-01T06:59:59Z'));
    expect(newYork.toInstant(at('2026-11-01T02:00:00Z'))).toBe(at('2026-11-01T07:00:00Z'));
  });

  test('half an hour, three quarters and a day left out are known', () => {
    expect(shown(parseTimeZone('Australia/Lord_Howe').toWall(at('2026-10-03T15:30:00Z')))).toBe('2026-10-04T02:30');
    expect(shown(parseTimeZone('Asia/Kathmandu').toWall(at('2026-01-01T00:00:00Z')))).toBe('2026-01-01T05:45');
    expect(shown(parseTimeZone('Pacific/Apia').toWall(at('2011-12-30T10:00:00Z')))).toBe('2011-12-31T00:00');
  });

  test('more days than a zone remembers do not confuse it', () => {
    const berlin = parseTimeZone('Europe/Berlin');
    for (let day = 0; day < 10_000; day += 1) berlin.toWall(day * 24 * HOUR_MS);

    expect(shown(berlin.toWall(at('2026-03-29T00:59:00Z')))).toBe('2026-03-29T01:59');
    expect(shown(berlin.toWall(at('2026-03-29T01:00:00Z')))).toBe('2026-03-29T03:00');
  });
});

test('offsets of the past have seconds', () => {
  expect(new Date(parseTimeZone('Africa/Monrovia').toWall(at('1971-01-01T12:00:00Z'))).toISOString()).toBe(
    '1971-01-01T11:15:30.000Z',
  );
});

test.each([
  ['Asia/Kathmandu', '2026-07-01T05:45', '2026-01-01T05:45'],
  ['America/St_Johns', '2026-06-30T21:30', '2025-12-31T20:30'],
])('a process that is started with TZ=%s has that zone', async (TZ, inSummer, inWinter) => {
  // A change of process.env in a test is a change of a copy, which Node does not see.
  const module = new URL('../../../lib/time/time-zone.ts', import.meta.url).href;
  const program = `
    const { parseTimeZone } = await import('${module}');
    const zone = parseTimeZone('');
    const walls = ['2026-07-01', '2026-01-01'].map((day) => zone.toWall(Date.parse(day)));
    console.log(JSON.stringify({ walls, id: zone.id, isKept: parseTimeZone(undefined) === zone }));`;
  const loader = fileURLToPath(new URL('../../../.config/typescript.mjs', import.meta.url));
  const args = ['--import', loader, '--input-type=module', '--eval', program];

  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TZ } });

  const { walls, ...zone } = JSON.parse(stdout) as { walls: readonly number[]; id: string; isKept: boolean };
  expect(walls.map(shown)).toEqual([inSummer, inWinter]);
  expect(zone).toEqual({ id: canonicalId(TZ), isKept: true });
});

/** The id by which this version of Node's Intl calls a zone: it may still prefer `Asia/Katmandu`. */
function canonicalId(timeZone: string): string {
  return Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
}

test.each(['', undefined])('%j is the zone of this process', (text) => {
  const zone = parseTimeZone(text);
  const now = new Date(2026, 6, 1, 9, 30);

  expect(shown(zone.toWall(now.getTime()))).toBe('2026-07-01T09:30');
  expect(zone.toInstant(zone.toWall(now.getTime()))).toBe(now.getTime());
});
