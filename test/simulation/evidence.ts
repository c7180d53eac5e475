/**
 * What a recording says of the registry over time, for the rules of the oracle: which value a node had when, who had
 * marked which item as running and what became of the mark, when which instants were scheduled.
 */
import { type JobConfiguration } from '../../lib/api/job-configuration.js';
import { decodeBeginRecord } from '../../lib/layout/x-node/begin-record.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { idOf, ipOf } from '../support/views.js';
import { configurationOf } from './configuration.js';
import { type History } from './history.js';
import { type Commit, type Recording, type Run } from './recording.js';
import { START } from './world.js';

/** What a node was from one moment to another; `undefined`: absent. */
export interface Span<T = string | undefined> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly value: T;
}

/**
 * What became of a mark: removed by its owner (`ended`), handed to a rescuer (`reported`), gone with the session of its
 * owner (`vanished`), or removed by somebody else without a word (`removed`). `open`: still there at the end.
 */
export type Fate = 'open' | 'ended' | 'reported' | 'vanished' | 'removed';

/** One life of `sharding/{item}/running`. */
export interface Mark extends Span<string> {
  readonly item: number;
  /** Name of the instance that it names. */
  readonly instance: string;
  readonly revision: number;
  readonly fate: Fate;
  /** Whether it was made in taking over a crashed item. */
  readonly isPartial: boolean;
  /** The run of user code that it covers; there is none if the instance died before. */
  readonly run: Run | undefined;
  /** The instant it was begun for, in milliseconds since the beginning; `undefined` if it was asked for by hand. */
  readonly scheduledMs: number | undefined;
}

/** A recording, and what can be looked up in it. */
export class Evidence {
  readonly paths = new JobPaths('bill');
  readonly history: History;
  readonly recording: Recording;
  readonly marks: readonly Mark[];
  /** The job's configuration over time. */
  readonly configs: readonly Span<JobConfiguration>[];
  /** How much the clocks of instances were ahead of true time, and behind it if negative. */
  readonly skews: { readonly leastMs: number; readonly greatestMs: number };
  readonly #nodes = new Map<string, Span[]>();

  constructor(history: History, recording: Recording) {
    this.history = history;
    this.recording = recording;
    for (const commit of recording.commits) this.#follow(commit);
    this.configs = this.spans(this.paths.config).flatMap(({ value, ...span }) =>
      value === undefined ? [] : [{ ...span, value: configurationOf(value) }],
    );
    const skews = recording.played.flatMap(({ step }) => (step && 'skewMs' in step ? [step.skewMs] : []));
    this.skews = { leastMs: Math.min(0, ...skews), greatestMs: Math.max(0, ...skews) };
    this.marks = marksOf(this.paths, recording);
  }

  /** The states of a node, one after the other, from the beginning for ever. */
  spans(path: string): readonly Span[] {
    return this.#nodes.get(path) ?? [ALWAYS_ABSENT];
  }

  /** Whether the node had a value that fulfils `predicate` at some time in between. */
  ever(path: string, predicate: (value: string | undefined) => boolean, { fromMs, toMs }: Window): boolean {
    return this.spans(path).some((span) => span.fromMs <= toMs && span.toMs >= fromMs && predicate(span.value));
  }

  /** The configuration that held at a moment; later ones come first if several held in that millisecond. */
  configAt(ms: number): JobConfiguration | undefined {
    return this.configs.findLast((span) => span.fromMs <= ms)?.value;
  }

  /** Whether a configuration that fulfils `predicate` held at some time in between. */
  everConfigured(predicate: (config: JobConfiguration) => boolean, { fromMs, toMs }: Window): boolean {
    return this.configs.some((span) => span.fromMs <= toMs && span.toMs >= fromMs && predicate(span.value));
  }

  /** Whether marks were made all the time in between, and long enough before. */
  isMonitored({ fromMs, toMs }: Window): boolean {
    const window = { fromMs: fromMs - 1_000, toMs: toMs + 1_000 };
    return !this.everConfigured(({ monitorExecution }) => !monitorExecution, window);
  }

  /** What a node was at a moment, after everything that happened in that millisecond. */
  valueAt(path: string, ms: number): string | undefined {
    return this.spans(path).findLast(({ fromMs }) => fromMs <= ms)?.value;
  }

  /** Whether the instance was registered and its server enabled at a moment. */
  isAvailable(name: string, ms: number): boolean {
    const { paths } = this;
    return (
      this.valueAt(paths.instance(idOf(name)), ms) !== undefined &&
      this.valueAt(paths.server(ipOf(name)), ms) === 'ENABLED'
    );
  }

  get names(): readonly string[] {
    return [...this.recording.requests.keys()];
  }

  #follow({ atMs, changes }: Commit): void {
    for (const { path, after } of changes) {
      const spans = this.#nodes.get(path);
      if (spans === undefined) {
        this.#nodes.set(path, [
          { ...ALWAYS_ABSENT, toMs: atMs },
          { fromMs: atMs, toMs: Infinity, value: after },
        ]);
        continue;
      }
      const last = spans.pop();
      if (last !== undefined) spans.push({ ...last, toMs: atMs }, { fromMs: atMs, toMs: Infinity, value: after });
    }
  }
}

/** A length of time. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

const ALWAYS_ABSENT: Span = { fromMs: -Infinity, toMs: Infinity, value: undefined };

interface OpenMark extends Omit<Mark, 'toMs' | 'fate' | 'run'> {
  readonly path: string;
}

function marksOf(paths: JobPaths, { commits, runs }: Recording): readonly Mark[] {
  const open = new Map<string, OpenMark>();
  const runsByToken = new Map(runs.map((run) => [`${run.item} ${run.token}`, run]));
  const marks: Mark[] = [];
  const close = ({ path, ...mark }: OpenMark, toMs: number, fate: Fate): void => {
    open.delete(path);
    // The token of a run is the revision of the commit that marked its item.
    const run = runsByToken.get(`${mark.item} ${mark.revision}`);
    // Who takes an item over knows the instant from whom it has died with.
    const lost = mark.isPartial ? marks.findLast(({ item }) => item === mark.item) : undefined;
    const scheduledMs = run === undefined ? (lost ?? mark).scheduledMs : run.scheduledMs;
    marks.push({ ...mark, toMs, fate, run, scheduledMs });
  };
  for (const commit of commits) {
    for (const { path, before, after } of commit.changes) {
      const node = paths.parse(path);
      if (node.type !== 'itemMark' || node.mark !== 'running') continue;
      const mark = open.get(path);
      if (before !== undefined && mark !== undefined) close(mark, commit.atMs, fateOf(paths, mark, commit));
      if (after === undefined) continue;
      const scheduledMs = scheduledFor(paths, { item: node.item, id: after }, commit);
      const instance = nameOfId(after);
      const { revision, atMs: fromMs } = commit;
      const takenOver = paths.item(node.item, 'failover');
      const isPartial = commit.changes.some((change) => change.path === takenOver && change.after !== undefined);
      open.set(path, { item: node.item, instance, revision, fromMs, value: after, scheduledMs, isPartial, path });
    }
  }
  for (const mark of open.values()) close(mark, Infinity, 'open');
  return marks.sort((one, other) => one.revision - other.revision);
}

function fateOf(paths: JobPaths, mark: OpenMark, { by, changes }: Commit): Fate {
  const reported = paths.crashedItem(mark.item);
  if (changes.some(({ path, after }) => path === reported && after !== undefined)) return 'reported';
  const instance = paths.instance(mark.value);
  const hasGone = ({ path, after }: Commit['changes'][number]): boolean =>
    after === undefined && (path === instance || path === paths.live(mark.value));
  if (changes.some(hasGone)) return 'vanished';
  return by === mark.instance ? 'ended' : 'removed';
}

/** What the record that was written with the mark says. */
function scheduledFor(
  paths: JobPaths,
  { item, id }: { readonly item: number; readonly id: string },
  { changes }: Commit,
): number | undefined {
  const written = changes.find(({ path, after }) => path === paths.beginRecord(id) && after !== undefined);
  if (written === undefined) return undefined;
  const { instants, byHand } = decodeBeginRecord(written.after ?? '');
  const instant = byHand.has(item) ? undefined : instants.get(item);
  return instant === undefined ? undefined : instant - START;
}

export function nameOfId(id: string): string {
  const code = /^10\.0\.0\.(\d+)@/.exec(id)?.[1];
  return code === undefined ? id : String.fromCharCode(Number(code));
}

/** The members of a list by a key, each group in the order of the list. */
export function grouped<T, K>(list: readonly T[], keyOf: (member: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const member of list) {
    const group = groups.get(keyOf(member));
    if (group === undefined) groups.set(keyOf(member), [member]);
    else group.push(member);
  }
  return groups;
}
