// Time of one next(), next to that of cron-parser in the same run: `npm run build && node bench/cron.bench.mjs`.
import { CronExpressionParser } from 'cron-parser';
import { QuartzCron } from 'nestjs-elasticjob/cron';

const ROUNDS = 7;
const ROUND_MS = 40;
const start = new Date('2026-11-21T00:00:00Z');

const usual = [
  ['every 5 seconds', '0/5 * * * * ?', '*/5 * * * * *'],
  ['every 5 minutes', '0 0/5 * * * ?', '0 */5 * * * *'],
  ['office hours', '0 0/15 9-17 ? * 2-6', '0 */15 9-17 * * 1-5'],
  ['daily', '0 0 9 * * ?', '0 0 9 * * *'],
  ['weekdays', '0 0 9 ? * 2-6', '0 0 9 * * 1-5'],
  ['monthly', '0 0 0 1 * ?', '0 0 0 1 * *'],
  ['last Friday', '0 0 12 ? * 6L', '0 0 12 * * 5L'],
];
const sparse = [
  ['29 February', '0 0 0 29 2 ?', '0 0 0 29 2 *'],
  ['fifth Monday of February', '0 0 0 ? 2 2#5'],
  ['in 2099', '0 0 0 1 1 ? 2099'],
  ['never', '0 0 0 31 2 ?'],
];

const quartz = (expression, timeZone) => {
  const cron = QuartzCron.parse(expression, { timeZone });
  let at = start;
  return () => (at = cron.next(at) ?? start);
};
const cronParser = (expression, tz) => {
  const cron = CronExpressionParser.parse(expression, { currentDate: start, tz });
  return () => cron.next();
};

/** Nanoseconds of one call: the median of the rounds. */
function measure(next) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    let calls = 0;
    for (; performance.now() - begin < ROUND_MS; calls += 50) for (let i = 0; i < 50; i += 1) next();
    return ((performance.now() - begin) * 1e6) / calls;
  });
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1];
}

const inMicroseconds = (ns) => `${(ns / 1000).toFixed(2)} µs`.padStart(11);
let slowest = 0;
for (const [title, names] of Object.entries({ usual, sparse })) {
  const ratios = [];
  for (const [name, expression, crontab] of names) {
    for (const timeZone of ['UTC', 'America/New_York']) {
      const ours = measure(quartz(expression, timeZone));
      const theirs = crontab === undefined ? undefined : measure(cronParser(crontab, timeZone));
      slowest = Math.max(slowest, ours);
      if (theirs !== undefined) ratios.push(theirs / ours);
      const ratio = theirs === undefined ? '' : `cron-parser ${inMicroseconds(theirs)}  ${(theirs / ours).toFixed(1)}×`;
      console.log(`${title}  ${name.padEnd(25)} ${timeZone.padEnd(17)} ${inMicroseconds(ours)}  ${ratio}`);
    }
  }
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  console.log(`${title}  cron-parser takes ${mean.toFixed(1)} times as long (geometric mean)`);
}
console.log(`slowest next(): ${inMicroseconds(slowest).trim()}; the limit is 100 µs`);
process.exitCode = slowest < 100_000 ? 0 : 1;
