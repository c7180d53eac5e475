import { ref } from 'vue';
import { locale, t } from './i18n.js';

/** The present time, for relative times; it ticks each second while the page is visible. */
export const now = ref(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);

export const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale.value} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale.value, { hourCycle: 'h23', ...options });
  formats.set(key, known);
  return known;
}

const two = '2-digit' as const;

export function dateTime(at: number | undefined, timeZone?: string): string {
  if (at === undefined) return '–';
  const day = { year: 'numeric', month: 'short', day: '2-digit' } as const;
  return formatOf({ ...day, hour: two, minute: two, second: two, ...(timeZone && { timeZone }) }).format(at);
}

/** Without the year, for what is near. */
export const nearTime = (at: number, timeZone?: string): string =>
  formatOf({
    ...{ month: 'short', day: '2-digit', hour: two, minute: two, second: two },
    ...(timeZone && { timeZone }),
  } as const).format(at);

export const shortTime = (at: number): string => formatOf({ hour: two, minute: two }).format(at);
export const longDay = (at: number): string =>
  formatOf({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }).format(at);

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `in 3 minutes`, `2 hours ago`. */
export function relative(at: number | undefined): string {
  if (at === undefined) return '–';
  const distance = at - now.value;
  if (Math.abs(distance) < 1_500) return t('time.now');
  const [unit, size] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? UNITS[3];
  return new Intl.RelativeTimeFormat(locale.value, { numeric: 'always', style: 'short' }).format(
    Math.round(distance / size),
    unit,
  );
}

export function duration(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

export const count = (value: number): string => new Intl.NumberFormat(locale.value).format(value);
