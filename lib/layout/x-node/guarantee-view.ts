import { type MirroredNode } from '../../registry/registry-center.js';
import { type Attendance, type CallView, decodeAttendance, decodeCall, decodeCalled } from './arrival-record.js';
import { type GuaranteeStage, type JobPath } from '../job-paths.js';

/** What our instances have written down of the meetings of a firing's items; see `attendance.ts`. */
export interface GuaranteeView {
  /** By instance id, and by round; of instances whose session lives. */
  readonly attendance: ReadonlyMap<string, ReadonlyMap<string, Attendance>>;
  readonly started: StageView;
  readonly completed: StageView;
}

/** One of the two meetings. */
export interface StageView {
  /** Rounds whose call was begun, the latest last. */
  readonly called: readonly string[];
  /** The call that is being made now. */
  readonly call: CallView | undefined;
}

const NO_STAGE: StageView = { called: [], call: undefined };

/** A job without such listeners. */
export const NO_GUARANTEE: GuaranteeView = { attendance: new Map(), started: NO_STAGE, completed: NO_STAGE };

/** What can be remembered of a node as long as it does not change. */
type Remember = <T extends object>(node: MirroredNode, make: () => T) => T;

/** A `GuaranteeView` in the making. */
export class GuaranteeDraft {
  #attendance: Map<string, ReadonlyMap<string, Attendance>> | undefined;
  #started = NO_STAGE;
  #completed = NO_STAGE;

  /** Adds what the node says, if it is one of ours. */
  add(path: JobPath, node: MirroredNode, remember: Remember): void {
    const value = node.value ?? '';
    switch (path.type) {
      case 'attendance':
        this.#attendance ??= new Map();
        this.#attendance.set(
          path.id,
          remember(node, () => decodeAttendance(value)),
        );
        return;
      case 'called':
        return this.#change(path.stage, { called: remember(node, () => decodeCalled(value)) });
      case 'call':
        return this.#change(path.stage, { call: decodeCall(value) });
      default:
    }
  }

  finished(): GuaranteeView {
    if (this.#attendance === undefined && this.#started === NO_STAGE && this.#completed === NO_STAGE)
      return NO_GUARANTEE;
    return { attendance: this.#attendance ?? new Map(), started: this.#started, completed: this.#completed };
  }

  #change(stage: GuaranteeStage, change: Partial<StageView>): void {
    if (stage === 'started') this.#started = { ...this.#started, ...change };
    else this.#completed = { ...this.#completed, ...change };
  }
}
