/**
 * Run keys: the instants of rounds that no schedule has made, but an operator: by a trigger of a graph, or by running a
 * round again. A schedule fires at whole seconds only, so an instant with milliseconds is a run key, and is never
 * confused with an instant of a schedule.
 */

/** True if the instant (milliseconds since 1970) is a run key. */
export function isRunKey(instant: number): boolean {
  return instant % 1_000 !== 0;
}

/**
 * A new run key: the present time, or the first free one after `last`.
 * @param now milliseconds since 1970
 * @param last the latest run key so far, in milliseconds since 1970; `-Infinity` if there is none
 */
export function nextRunKey(now: number, last: number): number {
  const key = Math.max(Math.floor(now), last + 1);
  return isRunKey(key) ? key : key + 1;
}

/** Instants of a schedule and run keys are two sequences, each in an order of its own. */
export type InstantKind = 'scheduled' | 'key';

/** The kind of an instant. */
export function kindOf(instant: number): InstantKind {
  return isRunKey(instant) ? 'key' : 'scheduled';
}

/** The last instant of each kind, in milliseconds since 1970; a kind without any is missing. */
export type LastInstants = Readonly<Partial<Record<InstantKind, number>>>;

/** The last instant of each kind among these, which need not be in order. */
export function lastOfEachKind(instants: Iterable<number>): LastInstants {
  const last: Partial<Record<InstantKind, number>> = {};
  for (const instant of instants) {
    const kind = kindOf(instant);
    last[kind] = Math.max(instant, last[kind] ?? instant);
  }
  return last;
}
