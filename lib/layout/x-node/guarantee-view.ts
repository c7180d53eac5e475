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

/** What our instances have written down of the barriers of firings; see `arrival-record.ts`. */
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

/** What can be remembered of a node as long as it does not change. */
type Remember = <T extends object>(node: MirroredNode, make: () => T) => T;

/** A `GuaranteeView` in the making. */
export class GuaranteeDraft {
  readonly #arrivals = new Map<string, ReadonlyMap<string, ArrivalRecord>>();
  readonly #dropped = new Map<string, DroppedFirings>();
  readonly #stages: Record<GuaranteeStage, StageView> = { started: NO_STAGE, completed: NO_STAGE };

  /** Adds what the node says, if it is one of ours. */
  add(path: JobPath, node: MirroredNode, remember: Remember): void {
    const value = node.value ?? '';
    switch (path.type) {
      case 'arrivals': {
        const { rounds, dropped } = remember(node, () => decodeArrivals(value));
        this.#arrivals.set(path.id, rounds);
        if (dropped.size > 0) this.#dropped.set(path.id, dropped);
        return;
      }
      case 'called':
        return this.#change(path.stage, { called: remember(node, () => decodeCalled(value)) });
      case 'call':
        return this.#change(path.stage, { call: decodeCall(value) });
      default:
    }
  }

  finished(): GuaranteeView {
    return { arrivals: this.#arrivals, dropped: this.#dropped, ...this.#stages };
  }

  #change(stage: GuaranteeStage, change: Partial<StageView>): void {
    this.#stages[stage] = { ...this.#stages[stage], ...change };
  }
}
