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
/** True if the number is an instant that can be shown; numbers of the server or of an address may be invalid. */
const isInstant = (at: number | undefined): at is number => at !== undefined && Math.abs(at) <= 8.64e15;
const shown = (at: number | undefined, options: Intl.DateTimeFormatOptions): string =>
  isInstant(at) ? formatOf(options).format(at) : '–';

export function dateTime(at: number | undefined, timeZone?: string): string {
  const day = { year: 'numeric', month: 'short', day: '2-digit' } as const;
  return shown(at, { ...day, hour: two, minute: two, second: two, ...(timeZone && { timeZone }) });
}

/** The time in ISO format, for programs that read the page. */
export const isoTime = (at: number): string | undefined => (isInstant(at) ? new Date(at).toISOString() : undefined);

/** The time without the year, for near instants. */
export const nearTime = (at: number, timeZone?: string): string =>
  shown(at, {
    ...{ month: 'short', day: '2-digit', hour: two, minute: two, second: two },
    ...(timeZone && { timeZone }),
  });

export const shortTime = (at: number): string => shown(at, { hour: two, minute: two });
export const timeOfDay = (at: number): string => shown(at, { hour: two, minute: two, second: two });
export const longDay = (at: number): string =>
  shown(at, { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' });

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** The distance from now: `in 3 minutes`, `2 hours ago`. */
export function relative(at: number | undefined): string {
  if (!isInstant(at)) return '–';
  const distance = at - now.value;
  if (Math.abs(distance) < 1_500) return t('time.now');
  const [unit, size] = UNITS.find(([, each]) => Math.abs(distance) >= each) ?? UNITS[3];
  return new Intl.RelativeTimeFormat(locale.value, { numeric: 'always', style: 'short' }).format(
    Math.round(distance / size),
    unit,
  );
}

export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  // Rounded first, so that no duration has 60 seconds or minutes.
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.round(seconds / 60);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const count = (value: number): string => new Intl.NumberFormat(locale.value).format(value);
