/**
 * This instance's record of the runs that it has brought to an end, in jobs that belong to a graph. The end of a run is
 * written in the commit that removes its marks: no crash separates the two. Jobs that belong to no graph write nothing.
 *
 * One write follows the other, and each has all that the earlier ones have: no other instance writes this record while
 * this one lives. If a write has no answer, the record is read again, so that the next write has the end of a run only
 * if its marks are gone. The version of the node refuses a write that arrives after later ones.
 */
import {
  decodeEndRecord,
  encodeEndRecord,
  type EndedRun,
  type EndRecord,
  withEnded,
  withoutCompleted,
} from '../../layout/x-node/end-record.js';
import { lastRounds } from '../../layout/x-node/round-record.js';
import { isInGraph } from '../../layout/job-view.js';
import { type Operation } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';

/** Writes the ends of runs. */
export class EndRecords {
  readonly #context: JobContext;
  /** The record as this instance has written it; `undefined` before it has read its own node, or read it again. */
  #written: { readonly record: EndRecord; readonly version: number } | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** True if the ends of runs are written. */
  get areWritten(): boolean {
    return isInGraph(this.#context.watch.view);
  }

  /**
   * Makes a commit together with the ends of these runs; runs without an instant have no end on record.
   * @param commit makes the commit with these operations in addition; none if there is nothing to write
   */
  write<T>(runs: readonly RunToEnd[], commit: (operations: readonly Operation[]) => Promise<T>): Promise<T> {
    const ended = runs.flatMap(({ item, instant, end }) => (instant === undefined ? [] : [{ item, instant, end }]));
    if (!this.areWritten || ended.length === 0) return commit([]);
    const turn = this.#turn.then(() => this.#write(ended, commit));
    this.#turn = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  async #write<T>(ended: readonly EndedRun[], commit: (operations: readonly Operation[]) => Promise<T>): Promise<T> {
    const { watch, paths, me } = this.#context;
    const { record: before, version } = await this.#open();
    this.#written = undefined;
    const record = withoutCompleted(withEnded(before, ended), lastRounds(watch.view.graph.rounds));
    const value = encodeEndRecord(record);
    const result = await commit([{ type: 'set', path: paths.endRecord(me), value, version }]);
    this.#written = { record, version: version + 1 };
    return result;
  }

  /** Creates the node, if it is not there, and reads what it has from before. */
  async #open(): Promise<{ readonly record: EndRecord; readonly version: number }> {
    const { registry, watch, paths, me } = this.#context;
    const path = paths.endRecord(me);
    if (this.#written !== undefined && watch.nodes.has(path)) return this.#written;
    if (!watch.nodes.has(path)) await registry.create(path, '');
    await watch.sync();
    const { value = '', version = 0 } = watch.nodes.get(path) ?? {};
    return { record: decodeEndRecord(value), version };
  }
}

/** A run that has ended; `instant` in milliseconds since 1970, `undefined` if it was triggered or is unknown. */
export interface RunToEnd extends Omit<EndedRun, 'instant'> {
  readonly instant: number | undefined;
}
