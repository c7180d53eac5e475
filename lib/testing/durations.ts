import { describeValue } from '../api/text/describe-value.js';

/** A length of time: a number of milliseconds, or a text such as `5s`, `2m`, `1h`, `30d`, `250ms`. */
export type Duration = number | `${number}${keyof typeof UNITS}`;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The duration in milliseconds. @throws RangeError if it is no duration */
export function milliseconds(duration: Duration): number {
  if (Number.isFinite(duration)) return Number(duration);
  const [, number, unit] = /^(-?\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  if (number !== undefined) return Number(number) * UNITS[unit as keyof typeof UNITS];
  throw new RangeError(
    `A duration is a number of milliseconds or a text such as '5s' or '2m', got ${describeValue(duration)}`,
  );
}
