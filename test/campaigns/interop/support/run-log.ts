import { existsSync, readFileSync } from 'node:fs';

/** The usual job fires every two seconds: Java's runs are told apart by the time at which they start. */
export const PERIOD_MS = 2_000;

/** A run of an item, by whatever kind of instance. Times are milliseconds since 1970. */
export interface PeerRun {
  /** Name of the instance. */
  readonly by: string;
  readonly job: string;
  readonly item: number;
  readonly startedAt: number;
  /** When it ended, or its process died; `undefined` while it runs. */
  readonly endedAt: number | undefined;
  readonly outcome: 'running' | 'ended' | 'failed' | 'interrupted' | 'killed';
  /** Node instances know for which firing they run. */
  readonly scheduledAt: number | undefined;
  readonly cause: string | undefined;
  readonly task: string;
  /** shardingTotalCount, jobParameter and the item's parameter as the job was given them. */
  readonly total: number;
  readonly jobParameter: string;
  readonly parameter: string | null;
}

/** A call of a job listener. */
export interface PeerCall {
  readonly by: string;
  readonly event: 'before' | 'after' | 'once-before' | 'once-after';
  readonly at: number;
  readonly job: string;
  readonly items: readonly number[];
}

interface Line {
  readonly event: string;
  readonly at: number;
  readonly run?: number;
  readonly failed?: boolean;
  readonly [name: string]: unknown;
}

/** The runs that an instance wrote down, in the order of their starts. */
export function readRuns(by: string, file: string, diedAt: number | undefined): readonly PeerRun[] {
  const lines = readLines(file);
  const ends = new Map(lines.flatMap((line) => (/^(end|interrupted)$/.test(line.event) ? [[line.run, line]] : [])));
  return lines
    .filter(({ event }) => event === 'start')
    .map((line) => {
      const end = ends.get(line.run);
      const cut = diedAt === undefined ? 'running' : 'killed';
      const outcome = end === undefined ? cut : end.event === 'end' ? (end.failed ? 'failed' : 'ended') : 'interrupted';
      return { ...line, by, startedAt: line.at, endedAt: end?.at ?? diedAt, outcome } as unknown as PeerRun;
    });
}

/** The calls of listeners that an instance wrote down. */
export function readCalls(by: string, file: string): readonly PeerCall[] {
  return readLines(file)
    .filter(({ event }) => /^(once-)?(before|after)$/.test(event))
    .map((line) => ({ ...line, by }) as unknown as PeerCall);
}

/** A line that was being written when the process died counts for nothing. */
function readLines(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/**
 * `item 2 at 12:00:04: J1, N1` for each item and each instant of a period between two times that did not run exactly
 * once.
 */
export function misdeeds(
  runs: readonly PeerRun[],
  {
    items,
    periodMs,
    from,
    to,
  }: { readonly items: number; readonly periodMs: number; readonly from: number; readonly to: number },
): readonly string[] {
  const first = Math.ceil(from / periodMs);
  const count = Math.max(0, Math.floor(to / periodMs) - first);
  const instants = Array.from({ length: count }, (_, index) => (first + index) * periodMs);
  return Array.from({ length: items }, (_, item) => item).flatMap((item) => {
    const by = byInstant(
      runs.filter((run) => run.item === item),
      instants,
      periodMs,
    );
    return instants.flatMap((instant) => {
      const names = by.get(instant) ?? [];
      if (names.length === 1) return [];
      return [`item ${item} at ${new Date(instant).toISOString().slice(11, 19)}: ${names.join(', ') || 'never'}`];
    });
  });
}

/**
 * The instances that ran an item, by firing. Java does not log the firing of a run: it is the one at which the run
 * starts, or, a little late or making up for a misfire, the one before, if no other instance has run that.
 */
function byInstant(
  runs: readonly PeerRun[],
  instants: readonly number[],
  periodMs: number,
): ReadonlyMap<number, readonly string[]> {
  const by = new Map<number, string[]>(instants.map((instant) => [instant, []]));
  for (const run of [...runs].sort((one, other) => Number(mayBeLate(one)) - Number(mayBeLate(other)))) {
    const instant = instantOf(run, periodMs);
    const before = by.get(instant - periodMs);
    const isOfTheOneBefore = mayBeLate(run) && before?.length === 0;
    (isOfTheOneBefore ? before : by.get(instant))?.push(run.by);
  }
  return by;
}

/** True if a run may belong to an earlier firing than the one at which it started. */
const mayBeLate = ({ scheduledAt }: PeerRun): boolean => scheduledAt === undefined;

/** The firing that a run belongs to: Java's are known by when they start. */
export function instantOf({ scheduledAt, startedAt }: PeerRun, periodMs = PERIOD_MS): number {
  return scheduledAt ?? Math.floor(startedAt / periodMs) * periodMs;
}

/** `item 2: J1 until 12:00:04.100, N1 from 12:00:04.050` for each two runs of an item at the same time. */
export function overlaps(runs: readonly PeerRun[]): readonly string[] {
  const time = (at: number | undefined): string =>
    at === undefined ? 'for ever' : new Date(at).toISOString().slice(11, 23);
  return runs.flatMap((one) =>
    runs
      .filter((other) => other !== one && other.job === one.job && other.item === one.item)
      .filter(({ startedAt }) => startedAt >= one.startedAt && startedAt < (one.endedAt ?? Infinity))
      .map(
        (other) => `item ${one.item}: ${one.by} until ${time(one.endedAt)}, ${other.by} from ${time(other.startedAt)}`,
      ),
  );
}
