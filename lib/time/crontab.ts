/**
 * Rewrites crontab text, as users of NestJS write it (`0/5 * * * * *`, `0 9 * * 1-5`, `@daily`, the constants of
 * @nestjs/schedule), as the equal Quartz expression. The registry centre holds the Quartz expression, and all instances
 * of a job read it.
 *
 * The two are easy to distinguish. Every Quartz expression has a `?`, because one of its two day fields must be `?`,
 * and crontab text never has one. So text with a `?` is a Quartz expression and stays as it is. Text without is crontab
 * text:
 *
 *     0 9 * * 1-5          five fields: second 0; 0 and 7 are SUN
 *     0 0 9 ? * 2-6        Quartz: SUN is 1, and the day field that allows all days is '?'
 *
 * Both fire at the same instants, except in the two nights of a year in which clocks are set. If clocks skip 02:30,
 * cron libraries fire a job of 02:30 at 03:30, and Quartz does not fire it in that night. If 01:30 occurs twice, cron
 * libraries fire a job of 01:30 the first time, and Quartz fires it the second time. A job that fires several times an
 * hour fires in both passes with cron libraries, and only in the second pass with Quartz. To avoid these nights, give
 * the job a `timeZone` whose clocks are never set, or another hour.
 */
import { CronExpressionParser, type CronFieldCollection } from 'cron-parser';
import { type CrontabWords, refuseTooLongSteps } from './cron-steps.js';
import { CRON_FIELDS, FieldFault, readValues, type CronField } from './cron-field.js';
import { QuartzCron, type CronOptions } from './cron.js';
import { type Wording, wording } from '../wording/wording.js';
import { InvalidCronError } from './invalid-cron-error.js';

/** Macros of crontab that cron-parser does not know, with the ones that it knows for the same. */
const MACRO_SYNONYMS: ReadonlyMap<string, string> = new Map([['@midnight', '@daily']]);

const DAYS_A_WEEK = 7;

/** Fewer numbers are easier to read one by one: `2,4,6`, not `2/2`. */
const FEWEST_STEPS = 4;

/**
 * The Quartz expression that fires when `expression` does.
 *
 * @param expression a Quartz expression, which has a `?` and is returned as it is; or crontab text, which has five
 * fields, six fields (seconds first), or is a macro such as `@hourly`. Fields that Quartz reads the same way stay as
 * written
 * @param options the time zone, which is only checked: it is the same for both texts
 * @throws InvalidCronError if the text is neither, if a step is longer than its field (every 90 minutes), or if Quartz
 *   has no equal expression, because both day fields restrict the days or `L` stands among other days
 * @throws InvalidTimeZoneError if the time zone is not known
 */
export function toQuartz(expression: string, options: CronOptions = {}): string {
  if (typeof (expression as unknown) !== 'string')
    throw new InvalidCronError(String(expression), { reason: wording('cron-no-text') });
  const quartz = expression.includes('?') ? expression : rewrite(expression);
  return QuartzCron.parse(quartz, options).expression;
}

function rewrite(expression: string): string {
  const text = expression.trim();
  const fields = readCrontab(expression, text.startsWith('@') ? macro(text) : text);
  // A macro has no words of its own. cron-parser writes equal ones for it.
  const words = splitWords(expression, text.startsWith('@') ? fields.stringify(true) : text);
  refuseTooLongSteps(expression, words);

  const time = [
    asWritten(CRON_FIELDS.second, { word: words.second, values: fields.second.values }),
    asWritten(CRON_FIELDS.minute, { word: words.minute, values: fields.minute.values }),
    asWritten(CRON_FIELDS.hour, { word: words.hour, values: fields.hour.values }),
  ].join(' ');
  const month = asWritten(CRON_FIELDS.month, { word: words.month, values: fields.month.values });
  const byDayOfMonth = (): string => `${time} ${quartzDayOfMonth(expression, { fields, words })} ${month} ?`;
  const byDayOfWeek = (): string => `${time} ? ${month} ${quartzDayOfWeek(expression, { fields, words })}`;

  if (fields.dayOfWeek.isWildcard) return byDayOfMonth();
  if (fields.dayOfMonth.isWildcard) return byDayOfWeek();
  const { dayOfMonth, dayOfWeek } = words;
  const days = { dayOfMonth, dayOfWeek, first: byDayOfMonth(), second: byDayOfWeek() };
  throw new InvalidCronError(expression, { reason: wording('crontab-both-days', days), field: 'day of week' });
}

function macro(text: string): string {
  const name = text.toLowerCase();
  return MACRO_SYNONYMS.get(name) ?? name;
}

function splitWords(expression: string, text: string): CrontabWords {
  const words = text.split(/\s+/);
  const six = words.length === 5 ? ['0', ...words] : words;
  if (six.length !== 6) {
    const count = text === '' ? 0 : words.length;
    if (six.length > 6) throw crontabFault(expression, wording('crontab-year', { count }));
    throw crontabFault(expression, count === 1 ? wording('crontab-one-field') : wording('crontab-fields', { count }));
  }
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = six as [string, string, string, string, string, string];
  return { second, minute, hour, dayOfMonth, month, dayOfWeek };
}

function readCrontab(expression: string, text: string): CronFieldCollection {
  const [zone] = /^(?:CRON_)?TZ=\S*/i.exec(text) ?? [];
  if (zone !== undefined) throw crontabFault(expression, wording('crontab-zone', { zone }));
  if (text.startsWith('@')) {
    if (text === '@reboot') throw crontabFault(expression, wording('crontab-reboot'));
  } else {
    splitWords(expression, text);
    if (/(^|[\s,])H/.test(text)) throw crontabFault(expression, wording('crontab-hash'));
  }
  try {
    return CronExpressionParser.parse(text).fields;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isMacro = text.startsWith('@');
    const fault = isMacro ? wording('crontab-macro', { macro: text }) : wording('crontab-parser', { reason });
    throw crontabFault(expression, fault, cause);
  }
}

function crontabFault(expression: string, fault: Wording, cause?: unknown): InvalidCronError {
  return new InvalidCronError(expression, { reason: wording('crontab', { fault }), cause });
}

interface Crontab {
  readonly fields: CronFieldCollection;
  readonly words: CrontabWords;
}

function quartzDayOfMonth(expression: string, { fields, words }: Crontab): string {
  const { values } = fields.dayOfMonth;
  const days = values.filter((value) => value !== 'L');
  if (days.length === values.length) return asWritten(CRON_FIELDS.dayOfMonth, { word: words.dayOfMonth, values: days });
  if (days.length === 0) return 'L';
  throw new InvalidCronError(expression, {
    reason: wording('crontab-last-day', { text: words.dayOfMonth }),
    field: 'day of month',
  });
}

function quartzDayOfWeek(expression: string, { fields, words }: Crontab): string {
  const { nthDay } = fields.dayOfWeek;
  // The types of cron-parser do not say that a value may be a text such as '5L'.
  const values: readonly (number | string)[] = fields.dayOfWeek.values;
  const days = values.filter((value) => typeof value === 'number').map(quartzDay);
  const isSingle = values.length === 1;
  const last = values.find((value) => typeof value === 'string');
  if (last !== undefined && isSingle) return `${quartzDay(Number.parseInt(last))}L`;
  if (last === undefined && nthDay > 0 && isSingle) return `${days.join()}#${nthDay}`;
  if (last === undefined && nthDay === 0) {
    const sorted = [...new Set(days)].sort((a, b) => a - b);
    return asWritten(CRON_FIELDS.dayOfWeek, { word: words.dayOfWeek, values: sorted });
  }
  throw new InvalidCronError(expression, {
    reason: wording('crontab-weekdays', { text: words.dayOfWeek, mark: nthDay > 0 ? '#' : 'L' }),
    field: 'day of week',
  });
}

/** The number that Quartz gives to a day of the week. SUN is 0 and 7 in crontab text, and 1 in Quartz. */
function quartzDay(day: number): number {
  return (day % DAYS_A_WEEK) + 1;
}

interface FieldReading {
  readonly word: string;
  readonly values: readonly number[];
}

function asWritten(field: CronField, { word, values }: FieldReading): string {
  try {
    const read = readValues(field, word.toUpperCase());
    if (read.length === values.length && read.every((value, index) => value === values[index])) return word;
  } catch (fault) {
    // Crontab text may have parts that Quartz does not accept, such as a step of 60. Its numbers are known all the
    // same.
    if (!(fault instanceof FieldFault)) throw fault;
  }
  return written(field, values);
}

/** The shortest natural text for an ascending list of numbers: `*`, `3/5`, `1-9/2`, or numbers and ranges. */
function written({ min, max }: CronField, values: readonly number[]): string {
  if (values.length === max - min + 1) return '*';
  const [first = min, second = max] = values;
  const step = second - first;
  const isStepped = step > 1 && values.every((value, index) => value === first + index * step);
  if (isStepped && values.length >= FEWEST_STEPS) {
    const last = values.at(-1) ?? max;
    return last + step > max ? `${first}/${step}` : `${first}-${last}/${step}`;
  }
  return runs(values)
    .map(([from, to]) => (from === to ? `${from}` : from + 1 === to ? `${from},${to}` : `${from}-${to}`))
    .join();
}

function runs(values: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const found: [from: number, to: number][] = [];
  for (const value of values) {
    const run = found.at(-1);
    if (run?.[1] === value - 1) run[1] = value;
    else found.push([value, value]);
  }
  return found;
}
