import { type MirroredNode } from '../../registry/registry-center.js';
import {
  type ArrivalRecord,
  type CallView,
  type DroppedFirings,
  decodeArrivals,
  decodeCall,
  decodeCalled,
} from './arrival-record.js';
import { type GuaranteeStage, type JobPath } from '../job-paths.js';

/** The records of our instances at the barriers of firings; see `arrival-record.ts`. */
export interface GuaranteeView {
  /** By instance id, and by key of the round, the latest last. */
  readonly arrivals: ReadonlyMap<string, ReadonlyMap<string, ArrivalRecord>>;
  /** By instance id. */
  readonly dropped: ReadonlyMap<string, DroppedFirings>;
  readonly started: StageView;
  readonly completed: StageView;
}

/** One of the two barriers. */
export interface StageView {
  /** Keys of the rounds whose callback was begun, the latest last. */
  readonly called: readonly string[];
  /** The callback that is in progress now. */
  readonly call: CallView | undefined;
}

const NO_STAGE: StageView = { called: [], call: undefined };

/** A job without such listeners. */
export const NO_GUARANTEE: GuaranteeView = {
  arrivals: new Map(),
  dropped: new Map(),
  started: NO_STAGE,
  completed: NO_STAGE,
};

/** A `GuaranteeView` in the making. */
export class GuaranteeDraft {
  readonly #arrivals: Map<string, ReadonlyMap<string, ArrivalRecord>>;
  readonly #dropped: Map<string, DroppedFirings>;
  readonly #stages: Record<GuaranteeStage, StageView>;

  /** Starts from that view: nodes that are not noted keep their facts. */
  constructor({ arrivals, dropped, started, completed }: GuaranteeView) {
    this.#arrivals = new Map(arrivals);
    this.#dropped = new Map(dropped);
    this.#stages = { started, completed };
  }

  /** Notes the node's present content, if it is one of ours; `undefined`: it is not there. */
  note(path: JobPath, node: MirroredNode | undefined): void {
    switch (path.type) {
      case 'arrivals':
        return this.#noteArrivals(path.id, node);
      case 'called':
        return this.#change(path.stage, {
          called: node === undefined ? NO_STAGE.called : decodeCalled(node.value ?? ''),
        });
      case 'call':
        return this.#change(path.stage, { call: node && decodeCall(node.value ?? '') });
      default:
    }
  }

  finished(): GuaranteeView {
    return { arrivals: this.#arrivals, dropped: this.#dropped, ...this.#stages };
  }

  #noteArrivals(id: string, node: MirroredNode | undefined): void {
    if (node === undefined) {
      this.#arrivals.delete(id);
      this.#dropped.delete(id);
      return;
    }
    const { rounds, dropped } = decodeArrivals(node.value ?? '');
    this.#arrivals.set(id, rounds);
    if (dropped.size > 0) this.#dropped.set(id, dropped);
    else this.#dropped.delete(id);
  }

  #change(stage: GuaranteeStage, change: Partial<StageView>): void {
    this.#stages[stage] = { ...this.#stages[stage], ...change };
  }
}
