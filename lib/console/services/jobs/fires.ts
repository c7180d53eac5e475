import { toQuartz } from '../../../time/crontab.js';
import { InvalidCronError, InvalidTimeZoneError, QuartzCron } from '../../../time/cron.js';
import { type FiresPreview } from '../../contract/jobs.js';

/** The range of firings. */
export interface FiresRange {
  /** Only firings after this time, in milliseconds since 1970. */
  readonly from: number;
  /** Only firings before this time. Default: no end. */
  readonly to?: number;
  /** The most firings. */
  readonly count: number;
}

/** The firings of a range; `hasMore` if there are more than `count`. */
export function firesAfter(
  schedule: QuartzCron,
  { from, to = Infinity, count }: FiresRange,
): { fires: readonly number[]; hasMore: boolean } {
  const fires: number[] = [];
  let last: Date | undefined = new Date(from);
  while (fires.length < count) {
    last = schedule.next(last);
    if (last === undefined || last.getTime() >= to) return { fires, hasMore: false };
    fires.push(last.getTime());
  }
  const next = schedule.next(last);
  return { fires, hasMore: next !== undefined && next.getTime() < to };
}

/** The next firings of an expression, or the problem with it. */
export function previewOf(
  {
    cron,
    timeZone,
    lang,
  }: { readonly cron: string; readonly timeZone?: string | undefined; readonly lang?: string | undefined },
  range: FiresRange,
): FiresPreview {
  try {
    const schedule = QuartzCron.parse(toQuartz(cron), { timeZone });
    const words = inWords(schedule.expression, lang);
    const { fires } = firesAfter(schedule, range);
    return { fires, timeZone: schedule.timeZone, ...(words !== undefined && { words }) };
  } catch (error) {
    if (!(error instanceof InvalidCronError || error instanceof InvalidTimeZoneError)) throw error;
    return { fires: [], timeZone: timeZone ?? '', problem: error.message, wording: error.because };
  }
}

type Unit = 'second' | 'minute' | 'hour';

const WORDS = {
  en: {
    every: (step: number, unit: Unit) => (step === 1 ? `every ${unit}` : `every ${step} ${unit}s`),
    daily: (time: string) => `every day at ${time}`,
    weekdays: (time: string) => `Monday to Friday at ${time}`,
  },
  zh: {
    every: (step: number, unit: Unit) => `每 ${step} ${{ second: '秒', minute: '分钟', hour: '小时' }[unit]}`,
    daily: (time: string) => `每天 ${time}`,
    weekdays: (time: string) => `周一至周五 ${time}`,
  },
} as const;

/** The most common schedules in words; `undefined` for others, which their firings describe better. */
function inWords(expression: string, lang = 'en'): string | undefined {
  const words = WORDS[lang.toLowerCase().startsWith('zh') ? 'zh' : 'en'];
  const [second = '', minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] = expression
    .trim()
    .split(/\s+/);
  if (month !== '*' || year !== '*') return undefined;
  const isDaily = [dayOfMonth, dayOfWeek].every((day) => day === '*' || day === '?');
  const step = (text: string): number | undefined =>
    text === '*' ? 1 : Number(/^(?:0|\*)\/(\d+)$/.exec(text)?.[1] ?? NaN) || undefined;
  if (isDaily && hour === '*' && minute === '*')
    return divides(step(second), 60, (each) => words.every(each, 'second'));
  if (isDaily && hour === '*' && second === '0')
    return divides(step(minute), 60, (each) => words.every(each, 'minute'));
  if (isDaily && minute === '0' && second === '0' && step(hour) !== undefined)
    return divides(step(hour), 24, (each) => words.every(each, 'hour'));
  if (![second, minute, hour].every((each) => /^\d+$/.test(each))) return undefined;
  const two = (text: string): string => text.padStart(2, '0');
  const time = `${two(hour)}:${two(minute)}${Number(second) === 0 ? '' : `:${two(second)}`}`;
  if (isDaily) return words.daily(time);
  return dayOfMonth === '?' && /^(?:2-6|MON-FRI)$/i.test(dayOfWeek) ? words.weekdays(time) : undefined;
}

/** Only a step that divides the hour or day has equal intervals: otherwise the last one is shorter. */
function divides(step: number | undefined, whole: number, say: (step: number) => string): string | undefined {
  return step !== undefined && whole % step === 0 ? say(step) : undefined;
}
