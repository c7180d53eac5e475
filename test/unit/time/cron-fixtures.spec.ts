import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { InvalidCronError, QuartzCron } from '../../../lib/time/cron.js';

interface Fixture {
  readonly title: string;
  readonly expression: string;
  readonly timeZone: string;
  readonly from: Date;
  readonly count: number;
  readonly firings: string;
}

/** Lines of `expression|zone|from|n`, a tab, and the n firings that Quartz 2.4.0 computed, or `ERR` and its reason. */
const fixtures: readonly Fixture[] = readFileSync('test/unit/time/fixtures/quartz-2.4.0-fixtures.tsv', 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [query = '', firings = ''] = line.split('\t');
    const [expression = '', timeZone = '', from = '', count = ''] = query.split('|');
    return { title: query, expression, timeZone, from: new Date(from), count: Number(count), firings };
  });

const refused = fixtures.filter(({ firings }) => firings.startsWith('ERR'));
const accepted = fixtures.filter(({ firings }) => !firings.startsWith('ERR'));

describe('compared with Quartz 2.4.0', () => {
  test('there is something to compare with', () => {
    expect([accepted.length, refused.length]).toEqual([661, 20]);
  });

  test.each(accepted)('$title fires when Quartz fires it', ({ expression, timeZone, from, count, firings }) => {
    const cron = QuartzCron.parse(expression, { timeZone });

    expect(chain(cron, { from, count })).toBe(firings);
  });

  test.each(refused)('$title is refused, as Quartz refuses it', ({ expression, timeZone }) => {
    expect(() => QuartzCron.parse(expression, { timeZone })).toThrow(InvalidCronError);
  });
});

function chain(cron: QuartzCron, { from, count }: Pick<Fixture, 'from' | 'count'>): string {
  const firings: string[] = [];
  for (let after = from; firings.length < count;) {
    const next = cron.next(after);
    firings.push(next === undefined ? 'null' : next.toISOString().replace('.000Z', 'Z'));
    if (next === undefined) break;
    after = next;
  }
  return firings.join();
}
