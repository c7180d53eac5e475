import { decodeBeginRecord } from '../../../lib/layout/x-node/begin-record.js';
import { type JobPaths } from '../../../lib/layout/job-paths.js';
import { type Commit, type Recording, type Run } from './recording.js';
import { START } from './world.js';

/**
 * The end of a mark: removed by its owner (`ended`), reported for a takeover (`reported`), gone with the session of its
 * owner (`vanished`), or removed by another instance without a report (`removed`). `open`: still there at the end.
 */
export type Fate = 'open' | 'ended' | 'reported' | 'vanished' | 'removed';

/** One life of `sharding/{item}/running`. */
export interface Mark {
  readonly fromMs: number;
  readonly toMs: number;
  /** Id of the instance that it names. */
  readonly value: string;
  readonly item: number;
  /** The instance's name. */
  readonly instance: string;
  readonly revision: number;
  readonly fate: Fate;
  /** True if it was made in taking over a crashed item. */
  readonly isRescue: boolean;
  /** The run of user code that it covers; there is none if the instance died before. */
  readonly run: Run | undefined;
  /** The instant it was begun for, in milliseconds since the beginning; `undefined` if the firing was manual. */
  readonly scheduledMs: number | undefined;
}

/** A mark that is still there, and the commit that made it. */
interface OpenMark {
  readonly item: number;
  readonly value: string;
  readonly commit: Commit;
}

/** All marks of a recording, in the order in which they were made. */
export function marksOf(paths: JobPaths, { commits, runs }: Recording): readonly Mark[] {
  const open = new Map<string, OpenMark>();
  const runsByToken = new Map(runs.map((run) => [keyOf(run.item, run.token), run]));
  const latest = new Map<number, Mark>();
  const marks: Mark[] = [];
  const close = ({ item, value, commit }: OpenMark, toMs: number, end: Commit | undefined): void => {
    const instance = nameOfId(value);
    const takenOver = paths.item(item, 'failover');
    const isRescue = commit.changes.some(({ path, after }) => path === takenOver && after !== undefined);
    // The token of a run is the revision of the commit that marked its item.
    const run = runsByToken.get(keyOf(item, commit.revision));
    const mark: Mark = {
      ...{ fromMs: commit.atMs, toMs, value, item, instance, revision: commit.revision, isRescue, run },
      fate: end === undefined ? 'open' : fateOf(paths, { item, value, instance }, end),
      scheduledMs: run === undefined ? scheduledFor(paths, { item, value, commit }, latest, isRescue) : run.scheduledMs,
    };
    marks.push(mark);
    latest.set(item, mark);
  };
  for (const commit of commits) {
    for (const { path, before, after } of commit.changes) {
      if (!path.endsWith('/running')) continue;
      const node = paths.parse(path);
      if (node.type !== 'itemMark' || node.mark !== 'running') continue;
      const mark = open.get(path);
      open.delete(path);
      if (before !== undefined && mark !== undefined) close(mark, commit.atMs, commit);
      if (after !== undefined) open.set(path, { item: node.item, value: after, commit });
    }
  }
  for (const mark of open.values()) close(mark, Infinity, undefined);
  return marks.sort((one, other) => one.revision - other.revision);
}

/** One number for both. */
function keyOf(item: number, revision: number): number {
  return revision * 100_000 + item;
}

function fateOf(
  paths: JobPaths,
  { item, value, instance }: Pick<Mark, 'item' | 'value' | 'instance'>,
  { by, changes }: Commit,
): Fate {
  const reported = paths.crashedItem(item);
  if (changes.some(({ path, after }) => path === reported && after !== undefined)) return 'reported';
  const [registration, live] = [paths.instance(value), paths.live(value)];
  if (changes.some(({ path, after }) => after === undefined && (path === registration || path === live)))
    return 'vanished';
  return by === instance ? 'ended' : 'removed';
}

/**
 * The instant of a mark without a run: what the record says that was written with it, or that of the run it takes over.
 */
function scheduledFor(
  paths: JobPaths,
  { item, value, commit }: OpenMark,
  latest: ReadonlyMap<number, Mark>,
  isRescue: boolean,
): number | undefined {
  const lost = isRescue ? latest.get(item) : undefined;
  if (lost !== undefined) return lost.scheduledMs;
  const written = commit.changes.find(({ path, after }) => path === paths.beginRecord(value) && after !== undefined);
  if (written === undefined) return undefined;
  const { instants, manual } = decodeBeginRecord(written.after ?? '');
  const instant = manual.has(item) ? undefined : instants.get(item);
  return instant === undefined ? undefined : instant - START;
}

/** The name of the instance that has this id. */
export function nameOfId(id: string): string {
  const code = /^10\.0\.0\.(\d+)@/.exec(id)?.[1];
  return code === undefined ? id : String.fromCharCode(Number(code));
}
