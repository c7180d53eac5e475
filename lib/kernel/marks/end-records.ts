/**
 * This instance's record of the runs that it has brought to an end, in jobs that belong to a graph. The end of a run is
 * written in the commit that removes its marks: no crash separates the two. Jobs that belong to no graph write nothing.
 *
 * One write follows the other, and each has all that the earlier ones have: no other instance writes this record while
 * this one lives.
 */
import { isOutcomeUnknown } from '../../api/errors/registry-errors.js';
import {
  decodeEndRecord,
  encodeEndRecord,
  type EndedRun,
  type EndRecord,
  NOTHING_ENDED,
  withEnded,
  withoutCompleted,
} from '../../layout/x-node/end-record.js';
import { isInGraph } from '../../layout/job-view.js';
import { type Operation } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';

/** Writes the ends of runs. */
export class EndRecords {
  readonly #context: JobContext;
  /** The record as this instance has written it; `undefined` before it has read its own node. */
  #record: EndRecord | undefined;
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
    const before = await this.#open();
    const record = withoutCompleted(withEnded(before, ended), watch.view.graph.rounds.rounds.at(-1)?.instant);
    try {
      const result = await commit([{ type: 'set', path: paths.endRecord(me), value: encodeEndRecord(record) }]);
      this.#record = record;
      return result;
    } catch (error) {
      // The runs have ended, whether or not the registry centre has it: the next write tells it once more.
      if (isOutcomeUnknown(error)) this.#record = record;
      throw error;
    }
  }

  /** Creates the node, if it is not there, and reads what it has from before. */
  async #open(): Promise<EndRecord> {
    const { registry, watch, paths, me } = this.#context;
    const path = paths.endRecord(me);
    if (!watch.nodes.has(path)) {
      await registry.create(path, '');
      if (this.#record === undefined) await watch.sync();
    }
    const text = watch.nodes.get(path)?.value;
    return (this.#record ??= text === undefined ? NOTHING_ENDED : decodeEndRecord(text));
  }
}

/** A run that has ended; `instant` in milliseconds since 1970, `undefined` if it was triggered or is unknown. */
export interface RunToEnd extends Omit<EndedRun, 'instant'> {
  readonly instant: number | undefined;
}
