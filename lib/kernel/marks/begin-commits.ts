import { itemOf, type ItemView, type JobView } from '../../layout/job-view.js';
import {
  type BegunFor,
  encodeBeginRecord,
  NOTHING_BEGUN,
  withBegun,
  withParametersOf,
} from '../../layout/x-node/begin-record.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Lifetime, type Operation } from '../../registry/registry-center.js';
import { type ItemsHere } from '../view/items-here.js';
import { failsOver, numbersOf } from '../view/items.js';
import { type JobContext } from '../job/job-context.js';
import { TriggerAcceptance } from './trigger-acceptance.js';

/** How items begin. */
export interface Beginning extends BegunFor {
  /** How long the marks live. */
  readonly lifetime: Lifetime;
  /** The view from which the items were chosen. */
  readonly view: JobView;
}

/** One commit that begins items. */
export interface BeginCommit {
  readonly items: readonly ItemView[];
  readonly operations: readonly Operation[];
}

/** The things that preparing commits needs. */
export interface BeginCommitsContext extends JobContext {
  /** The items that run on this instance. */
  readonly items: ItemsHere;
}

/** A record that is written step by step may be a little longer in between than before and after. */
const RECORD_SLACK = 100;

/**
 * Prepares the commits that begin items. Each of them checks that the assignment and the settings are those by which the items
 * were chosen, creates the marks, and writes this instance's record of what it has begun, the items of the commits before included.
 */
export class BeginCommits {
  readonly #context: BeginCommitsContext;

  constructor(context: BeginCommitsContext) {
    this.#context = context;
  }

  /** The commits for these items, to be made in order; one, unless the items do not fit into it. */
  async chunks(items: readonly ItemView[], beginning: Beginning): Promise<readonly BeginCommit[]> {
    const { registry, watch, paths, me } = this.#context;
    const path = paths.beginRecord(me);
    if (watch.nodes.get(path)?.value === undefined) await this.#openRecord();
    const version = watch.nodes.get(path)?.version;
    const fence = this.#fence(beginning.view);
    const record = (upTo: readonly ItemView[]): string => this.#record(upTo, beginning);
    const all = record(items);
    const length = Math.max(watch.nodes.get(path)?.value?.length ?? 0, all.length) + RECORD_SLACK;
    // The longest record that any of the commits can write stands for all of them while they are measured.
    const measure: Operation = { type: 'set', path, value: '-'.repeat(length) };
    const groups = items.map((item) => ({ item, operations: this.#markOperations(item, beginning) }));
    const triggers = new TriggerAcceptance(this.#context);
    const takenOff = (steps: readonly (readonly number[])[]): readonly (readonly Operation[])[] =>
      beginning.instant === undefined ? triggers.beginning(steps, beginning.jobParameter) : [];
    const measures = takenOff([numbersOf(items)])
      .flat()
      .map((change) => this.#longest(change));
    const chunks = commitChunks(groups, registry.limits, { guard: [...fence, measure, ...measures] });
    const ofTriggers = takenOff(chunks.map((chunk) => chunk.groups.map(({ item }) => item.item)));
    let begun = 0;
    return chunks.map((chunk, index): BeginCommit => {
      begun += chunk.groups.length;
      const value = begun === items.length ? all : record(items.slice(0, begun));
      return {
        items: chunk.groups.map(({ item }) => item),
        operations: [
          ...fence,
          ...chunk.groups.flatMap(({ operations }) => operations),
          // The instance that cleans up writes here too, so nothing may be overwritten unseen.
          { type: 'set', path, value, ...(version !== undefined && { version: version + index }) },
          ...(ofTriggers[index] ?? []),
        ],
      };
    });
  }

  /** As long as any of the texts that a node has while commits change it step by step. */
  #longest(change: Operation): Operation {
    const { path } = change;
    const before = this.#context.watch.nodes.get(path)?.value?.length ?? 0;
    const after = change.type === 'set' ? change.value.length : 0;
    return { type: 'set', path, value: '-'.repeat(Math.max(before, after) + RECORD_SLACK) };
  }

  /** Fits as long as the assignment and the settings are those of the view; the present view may be a later one already. */
  #fence({ shardingVersion, configVersion }: JobView): readonly Operation[] {
    const { paths } = this.#context;
    return [
      { type: 'check', path: paths.sharding, ...(shardingVersion !== undefined && { version: shardingVersion }) },
      // Tokens of unmonitored runs stem from the settings' revision: no marked run may begin after they have changed.
      { type: 'check', path: paths.config, ...(configVersion !== undefined && { version: configVersion }) },
    ];
  }

  #markOperations({ item, misfired }: ItemView, { instant, lifetime }: Beginning): readonly Operation[] {
    const { paths, me } = this.#context;
    const mark: Operation = { type: 'create', path: paths.item(item, 'running'), value: me, lifetime };
    // A manual run recovers no misfire.
    return misfired && instant !== undefined ? [mark, { type: 'remove', path: paths.item(item, 'misfire') }] : [mark];
  }

  async #openRecord(): Promise<void> {
    const { registry, watch, paths, me } = this.#context;
    const path = paths.beginRecord(me);
    if (!watch.nodes.has(path)) {
      await registry.create(path, '');
      await watch.sync();
    }
    // After a disconnection the mirror need not know what this instance itself has written.
    if (watch.nodes.get(path)?.value === undefined) await watch.readAll();
  }

  #record(items: readonly ItemView[], begunFor: BegunFor): string {
    const { watch, me, items: here } = this.#context;
    const { view } = watch;
    const { beginRecords, lastBegun } = view;
    const record = withBegun(beginRecords.get(me) ?? NOTHING_BEGUN, numbersOf(items), begunFor, lastBegun);
    // An instance that takes over a run needs its job parameter, and a run with a mark may have to be taken over. The
    // parameters of all other runs would pile up.
    const isRunning = (item: number): boolean => here.isMarking(item) || itemOf(view, item)?.running === true;
    return encodeBeginRecord(withParametersOf(record, (item) => failsOver(view) && isRunning(item)));
  }
}
