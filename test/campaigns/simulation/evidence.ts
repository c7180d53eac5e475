/**
 * The registry over time in a recording, for the rules of the oracle: the values of nodes, the marks of running items
 * with their instances and ends, and the scheduled instants.
 */
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { decodeTrigger } from '../../../lib/layout/x-node/trigger.js';
import { decodeAssignmentRecord } from '../../../lib/layout/x-node/assignment-record.js';
import { idOf, ipOf } from '../../support/views.js';
import { configurationOf } from './configuration.js';
import { FIRST_JOB, type History, SESSION_TIMEOUT_MS } from './history.js';
import { type Mark, marksOf, nameOfId } from './marks.js';
import { type Commit, type Recording, type Run } from './recording.js';
import { WIPE } from './world.js';

/** The value of a node from one moment to another; `undefined` if absent. */
export interface Span<T = string | undefined> {
  readonly fromMs: number;
  readonly toMs: number;
  readonly value: T;
}

/** A recording, and what can be looked up in it. */
export class Evidence {
  readonly paths: JobPaths;
  readonly history: History;
  readonly recording: Recording;
  readonly marks: readonly Mark[];
  /** The same by item, in their order. */
  readonly marksByItem: ReadonlyMap<number, readonly Mark[]>;
  /** The runs by item, in the order in which they began. */
  readonly runsByItem: ReadonlyMap<number, readonly Run[]>;
  /** The job's configuration over time. */
  readonly configs: readonly Span<JobConfiguration>[];
  /** How much the clocks of instances were ahead of true time, and behind it if negative. */
  readonly skews: { readonly leastMs: number; readonly greatestMs: number };
  /** When the registry lost its nodes; milliseconds since the beginning. */
  readonly wipes: readonly number[];
  readonly triggerChanges: readonly TriggerChange[];
  /** True if marks were made all the time. */
  readonly isAlwaysMonitored: boolean;
  readonly #nodes = new Map<string, OpenSpan[]>();

  constructor(history: History, recording: Recording, jobName = FIRST_JOB) {
    this.paths = new JobPaths(jobName);
    this.history = history;
    this.recording = recording;
    const triggerChanges: TriggerChange[] = [];
    for (const commit of recording.commits) this.#follow(commit, triggerChanges);
    this.triggerChanges = triggerChanges;
    this.wipes = recording.commits.filter(({ by }) => by === WIPE).map(({ atMs }) => atMs);
    this.configs = this.spans(this.paths.config).flatMap(({ value, ...span }) =>
      value === undefined ? [] : [{ ...span, value: configurationOf(value) }],
    );
    this.isAlwaysMonitored = this.configs.every(({ value }) => value.monitorExecution);
    const skews = recording.played.flatMap(({ step }) => (step && 'skewMs' in step ? [step.skewMs] : []));
    this.skews = { leastMs: Math.min(0, ...skews), greatestMs: Math.max(0, ...skews) };
    this.marks = marksOf(this.paths, recording);
    this.marksByItem = grouped(this.marks, ({ item }) => item);
    this.runsByItem = grouped(recording.runs, ({ item }) => item);
  }

  /** The states of a node, one after the other, from the beginning for ever. */
  spans(path: string): readonly Span[] {
    return this.#nodes.get(path) ?? [ALWAYS_ABSENT];
  }

  /** True if the node had a value that fulfils `predicate` at some time in between. */
  ever(path: string, predicate: (value: string | undefined) => boolean, { fromMs, toMs }: Window): boolean {
    return this.spans(path).some((span) => span.fromMs <= toMs && span.toMs >= fromMs && predicate(span.value));
  }

  /** The configuration that held at a moment; later ones come first if several held in that millisecond. */
  configAt(ms: number): JobConfiguration | undefined {
    return this.configs.findLast((span) => span.fromMs <= ms)?.value;
  }

  /** True if a configuration that fulfils `predicate` held at some time in between. */
  everConfigured(predicate: (config: JobConfiguration) => boolean, { fromMs, toMs }: Window): boolean {
    return this.configs.some((span) => span.fromMs <= toMs && span.toMs >= fromMs && predicate(span.value));
  }

  /**
   * True if marks were made all the time in between, and so long before that an instance that is cut off knows, too.
   */
  isMonitored({ fromMs, toMs }: Window): boolean {
    if (this.isAlwaysMonitored) return true;
    const window = { fromMs: fromMs - SESSION_TIMEOUT_MS, toMs: toMs + 1_000 };
    return !this.everConfigured(({ monitorExecution }) => !monitorExecution, window);
  }

  /** True if an assignment that leaves out the item held at some time in between. */
  everLeftOut(item: number, window: Window): boolean {
    return this.ever(
      this.paths.assignmentRecord,
      (text) => (decodeAssignmentRecord(text ?? '')?.itemCount ?? Infinity) <= item,
      window,
    );
  }

  /** The value of a node at a moment, after all changes in that millisecond. */
  valueAt(path: string, ms: number): string | undefined {
    return this.spans(path).findLast(({ fromMs }) => fromMs <= ms)?.value;
  }

  /** True if the instance was registered and its server enabled at a moment. */
  isAvailable(name: string, ms: number): boolean {
    const { paths } = this;
    return (
      this.valueAt(paths.instance(idOf(name)), ms) !== undefined &&
      this.valueAt(paths.server(ipOf(name)), ms) === 'ENABLED'
    );
  }

  /** True if the registry lost its nodes in between: it does not know then what came before. */
  isWiped({ fromMs, toMs }: Window): boolean {
    return this.wipes.some((atMs) => atMs >= fromMs && atMs <= toMs);
  }

  /** When the instance was registered and its server enabled. */
  availability(name: string): readonly Window[] {
    const registered = this.spans(this.paths.instance(idOf(name))).filter(({ value }) => value !== undefined);
    const enabled = this.spans(this.paths.server(ipOf(name))).filter(({ value }) => value === 'ENABLED');
    return registered.flatMap((one) =>
      enabled
        .map((other) => ({ fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) }))
        .filter(({ fromMs, toMs }) => fromMs < toMs),
    );
  }

  /** All items that were ever configured. */
  get items(): readonly number[] {
    const most = Math.max(0, ...this.configs.map(({ value }) => value.shardingTotalCount));
    return Array.from({ length: most }, (_, item) => item);
  }

  get names(): readonly string[] {
    return [...this.recording.requests.keys()];
  }

  #follow({ atMs, by, changes }: Commit, triggerChanges: TriggerChange[]): void {
    for (const { path, before, after } of changes) {
      const spans = this.#nodes.get(path);
      const last = spans?.at(-1);
      if (spans === undefined || last === undefined) {
        this.#nodes.set(path, [
          { ...ALWAYS_ABSENT, toMs: atMs },
          { fromMs: atMs, toMs: Infinity, value: after },
        ]);
      } else {
        last.toMs = atMs;
        spans.push({ fromMs: atMs, toMs: Infinity, value: after });
      }
      const isTrigger = path.startsWith(this.paths.triggers) && (before === undefined) !== (after === undefined);
      const node = isTrigger ? this.paths.parse(path) : undefined;
      if (node?.type !== 'trigger') continue;
      const trigger = decodeTrigger(after ?? before ?? '');
      const items = 'problem' in trigger ? [] : trigger.items;
      const what = after === undefined ? 'removed' : 'made';
      triggerChanges.push({
        name: nameOfId(node.id),
        atMs,
        by,
        what,
        isFor: (item) => items?.includes(item) ?? this.valueAt(this.paths.item(item, 'instance'), atMs) === node.id,
      });
    }
  }
}

type OpenSpan = { -readonly [Key in keyof Span]: Span[Key] };

/** That a trigger of an instance was made, or removed. */
export interface TriggerChange {
  /** The instance that is asked to run. */
  readonly name: string;
  readonly atMs: number;
  /** As in `Commit`. */
  readonly by: string;
  readonly what: 'made' | 'removed';
  /** True if it asks for the item: it names that, or the instance owned it then. */
  readonly isFor: (item: number) => boolean;
}

/** A length of time. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

const ALWAYS_ABSENT: Span = { fromMs: -Infinity, toMs: Infinity, value: undefined };

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
