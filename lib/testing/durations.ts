/** A length of time: milliseconds, or a text such as `5s`, `2m`, `1h`, `30d`, `250ms`. */
export type Duration = number | `${number}${keyof typeof UNITS}`;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @throws RangeError if it is no duration, or a negative one */
export function milliseconds(duration: Duration): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === 'number' ? duration : Number(number) * UNITS[unit as keyof typeof UNITS];
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  throw new RangeError(
    `A duration is a number of milliseconds or a text such as '5s' or '2m', got ${String(duration)}`,
  );
}
