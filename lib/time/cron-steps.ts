// Steps that do not go on as they begin, because the minutes begin again with each hour, the hours with each day, and
// so on.
//
// cron libraries read the step 90 in the field of minutes as the step 60, while the author means every 90 minutes: such
// steps are refused. The step 45 means the minutes 0 and 45, which is right for Quartz and may still surprise.
import { inEnglish, type Wording, wording } from '../wording/wording.js';
import { CRON_FIELDS, type CronField } from './cron-field.js';
import { InvalidCronError } from './invalid-cron-error.js';

/** The texts of the six fields as they were written. */
export interface CrontabWords {
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
}

type FieldKey = keyof CrontabWords;

const FIELDS = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const satisfies readonly FieldKey[];

/** The values of a field, and the larger unit with which they begin again. */
const UNITS: Readonly<Record<FieldKey, { readonly values: Wording; readonly whole: Wording }>> = {
  second: { values: wording('cron-seconds'), whole: wording('cron-minute') },
  minute: { values: wording('cron-minutes'), whole: wording('cron-hour') },
  hour: { values: wording('cron-hours'), whole: wording('cron-day') },
  dayOfMonth: { values: wording('cron-days'), whole: wording('cron-month') },
  month: { values: wording('cron-months'), whole: wording('cron-year') },
  dayOfWeek: { values: wording('cron-days'), whole: wording('cron-week') },
};

/**
 * Steps of a Quartz expression that are not followed by a step of the same length at the end of their field.
 * @returns a clause about each: `the step /45 of the minutes begins again with each hour`
 */
export function unevenSteps(expression: string): readonly string[] {
  const texts = expression.trim().split(/[ \t]+/);
  return FIELDS.flatMap((key, index) => {
    const { min, max } = CRON_FIELDS[key];
    const { values, whole } = UNITS[key];
    return (texts[index] ?? '').split(',').flatMap((item) => {
      const [, step = '1'] = /^(?:\*|\d+)?\/(\d+)$/.exec(item) ?? [];
      // Months have different numbers of days.
      const isEven = Number(step) <= 1 || (key !== 'dayOfMonth' && (max - min + 1) % Number(step) === 0);
      return isEven ? [] : [`the step /${step} of the ${inEnglish(values)} begins again with each ${inEnglish(whole)}`];
    });
  });
}

/** @throws InvalidCronError if a step is longer than its field; the message has the text to write instead */
export function refuseTooLongSteps(expression: string, words: CrontabWords): void {
  for (const key of FIELDS) {
    const field = CRON_FIELDS[key];
    const size = field.max - field.min + 1;
    for (const item of words[key].split(',')) {
      const step = Number(item.split('/')[1] ?? 0);
      if (step <= size) continue;
      const { values, whole } = UNITS[key];
      throw new InvalidCronError(expression, {
        reason: wording('step-too-long', {
          ...{ field: field.title, text: words[key], step, item, most: size, values, whole },
          cure: cure(words, { key, step, size }),
        }),
        field: field.name satisfies CronField['name'],
      });
    }
  }
}

interface LongStep {
  readonly key: FieldKey;
  readonly step: number;
  /** Number of values of the field. */
  readonly size: number;
}

/** The text to write instead of a step after `*` or a number. */
function cure(words: CrontabWords, { key, step, size }: LongStep): Wording {
  const { values } = UNITS[key];
  const [start = '', end] = words[key].split('/');
  const first = start === '*' ? '0' : start;
  const oneByOne = wording('step-one-by-one', { values });
  const next = FIELDS[FIELDS.indexOf(key) + 1];
  if (!/^\d+$/.test(first) || end !== String(step) || next === undefined || words[next] !== '*') return oneByOne;
  if (step % size === 0 && ['second', 'minute', 'hour'].includes(key)) {
    const count = step / size;
    const text = textOf(words, { [key]: first, [next]: `*/${count}` });
    return wording('step-every', { count, unit: UNITS[next].values, text });
  }
  if (key !== 'minute' || start !== '*' || step !== 90) return oneByOne;
  const onTheHour = textOf(words, { minute: '0', hour: '*/3' });
  const halfPast = textOf(words, { minute: '30', hour: '1-23/3' });
  return wording('step-90-minutes', { first: onTheHour, second: halfPast });
}

/** The expression with other texts in some fields, and without the field of seconds if it is not needed. */
function textOf(words: CrontabWords, changes: Partial<CrontabWords>): string {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = { ...words, ...changes };
  const five = [minute, hour, dayOfMonth, month, dayOfWeek].join(' ');
  return second === '0' && changes.second === undefined ? five : `${second} ${five}`;
}
