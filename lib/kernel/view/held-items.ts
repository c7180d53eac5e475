import { type ItemMark } from '../../layout/job-paths.js';
import { type RunEnd } from '../../layout/x-node/end-record.js';
import { type BegunItem } from './firing.js';
import { type EndedItem } from './items.js';

/** The marks that a run puts on an item. */
export const RUN_MARKS: readonly ItemMark[] = ['running'];

/** The marks that a takeover puts on an item. */
export const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover', 'failovering'];

/** Phase of an item that this instance runs. */
export type ItemPhase =
  /** Its marks are being written. */
  | 'beginning'
  /** It has begun: it waits for a place in the pool, or the job's code runs. */
  | 'running'
  /** The job's code has ended; its marks are being removed. */
  | 'ending';

/** The marks by which peers know of a run. */
export interface HeldMark {
  readonly marks: readonly ItemMark[];
  readonly instant: number | undefined;
  /** Id of the session in which the marks were made. */
  readonly session: string | undefined;
  state: MarkState;
  /** How the run has ended, as peers are told; set when it has. */
  end?: RunEnd;
}

/** State of a run and of its marks. */
export type MarkState =
  /** The item runs, and its session lives. */
  | 'running'
  /** The item runs, and the session of its marks has ended. */
  | 'session-lost'
  /** The item has ended; its marks are about to be removed. */
  | 'ended'
  /** The item has ended, and its marks could not be removed, or not yet. */
  | 'not-removed'
  /** The item has ended, and a peer that took it for crashed runs it again. */
  | 'rerun-by-peer';

/** An item whose run has ended, and that may be begun again. */
export interface ReleasedItem {
  readonly item: number;
  /** True if its run was marked in the registry centre, as with `monitorExecution`. */
  readonly wasMarked: boolean;
}

/** A run of an item. */
interface HeldRun {
  phase: ItemPhase;
  isMarked: boolean;
}

/**
 * The one picture of what this instance holds: each item from the moment its marks are asked for until they are
 * removed, also when that takes longer than the run. A run changes it, and the lanes, the rules and the marks read it.
 */
export class HeldItems {
  /** Called when a run of an item is over. */
  onReleased: (released: ReleasedItem) => void = () => undefined;
  readonly #runs = new Map<number, HeldRun>();
  readonly #marks = new Map<number, HeldMark>();
  readonly #busy = new Set<number>();
  readonly #started = new Set<number>();
  /** How many items are in the phase `running`. */
  #running = 0;
  readonly #impairments = new Map<number, string>();

  // ── runs ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Items that run or are ending: none of them can be begun again yet. A live view. */
  get busy(): ReadonlySet<number> {
    return this.#busy;
  }

  /**
   * Those of `busy` for which the job's code was called; the others wait, for a place in the pool or for listeners. A
   * live view.
   */
  get started(): ReadonlySet<number> {
    return this.#started;
  }

  /** The impairments of items that run, by item: reason and cure. A live view. */
  get impairments(): ReadonlyMap<number, string> {
    return this.#impairments;
  }

  /** Phase of the item's run; `undefined` if it does not run here. */
  phase(item: number): ItemPhase | undefined {
    return this.#runs.get(item)?.phase;
  }

  /** True if a mark of this item is being written, or stands for a run that goes on. */
  isMarking(item: number): boolean {
    const phase = this.phase(item);
    return phase === 'beginning' || phase === 'running';
  }

  /** True if the job's code still runs for any item, or is going to. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** The marks of these items are about to be written. */
  begin(items: readonly number[]): void {
    for (const item of items) this.#enter(item, 'beginning');
  }

  /** Those of these items that have not begun do not begin. */
  giveUpBeginning(items: readonly number[]): void {
    for (const item of items) if (this.phase(item) === 'beginning') this.#leave(item);
  }

  /** These items have begun, without marks. */
  run(items: readonly number[]): void {
    for (const item of items) {
      this.#enter(item, 'running');
      this.#busy.add(item);
    }
  }

  /** These items have begun, and bear these marks. */
  runMarked(items: readonly BegunItem[], { marks, session }: Pick<HeldMark, 'marks' | 'session'>): void {
    this.run(items.map(({ item }) => item));
    for (const { item, instant } of items) {
      this.#marks.set(item, { marks, session, instant, state: 'running' });
      const run = this.#runs.get(item);
      if (run !== undefined) run.isMarked = true;
    }
  }

  /** The job's code is called for this item. */
  start(item: number): void {
    this.#started.add(item);
  }

  /** The item has an impairment until its code has ended. If it does not run, the call does nothing. */
  impair(item: number, reason: string): void {
    if (this.phase(item) === 'running') this.#impairments.set(item, reason);
  }

  /** The job's code has ended for this item, or was not called. */
  end(item: number): void {
    this.#enter(item, 'ending');
  }

  /** The run of the item is over. */
  release(item: number): void {
    const wasMarked = this.#runs.get(item)?.isMarked === true;
    this.#leave(item);
    this.#busy.delete(item);
    this.#started.delete(item);
    this.onReleased({ item, wasMarked });
  }

  #enter(item: number, phase: ItemPhase): void {
    const isMarked = this.#runs.get(item)?.isMarked === true;
    this.#leave(item);
    this.#runs.set(item, { phase, isMarked });
    if (phase === 'running') this.#running++;
  }

  #leave(item: number): void {
    if (this.phase(item) === 'running') this.#running--;
    this.#runs.delete(item);
    this.#impairments.delete(item);
  }

  // ── marks ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The mark that this instance has put on the item, as far as it knows. */
  mark(item: number): HeldMark | undefined {
    return this.#marks.get(item);
  }

  /** All items with a mark. */
  get marked(): readonly number[] {
    return [...this.#marks.keys()];
  }

  /** Items whose run has ended and that may still bear this instance's marks, because these could not be removed. */
  get leftovers(): readonly EndedItem[] {
    return this.itemsMarked('not-removed');
  }

  /** Items whose run has ended here, but which a peer reported as crashed and runs again. */
  get rerunByPeers(): readonly EndedItem[] {
    return this.itemsMarked('rerun-by-peer');
  }

  /** Items whose marks are in that state. */
  itemsMarked(wanted: MarkState): readonly EndedItem[] {
    const items: EndedItem[] = [];
    for (const [item, { state, instant }] of this.#marks) if (state === wanted) items.push({ item, instant });
    return items;
  }

  /** True if a mark of the item is this instance's, as far as it knows. */
  hasMarked(item: number): boolean {
    const state = this.#marks.get(item)?.state;
    return state !== undefined && state !== 'session-lost' && state !== 'rerun-by-peer';
  }

  /** True if this instance knows of a run of the item, or of its mark. */
  isKnown(item: number): boolean {
    return this.#busy.has(item) || this.hasMarked(item);
  }

  /** The item bears no mark of this instance any more. */
  unmark(item: number): void {
    this.#marks.delete(item);
  }

  /** The marks of an ended run could not be removed, or not yet. */
  leave(item: number): void {
    const mark = this.#marks.get(item);
    if (mark?.state === 'ended') mark.state = 'not-removed';
  }

  /**
   * The session is over. The marks of ended runs are removed when the instance is back: even those that lived with the
   * session may still stand then. An item that still runs here may be taken over by a peer from now on.
   */
  forgetSession(): void {
    for (const mark of this.#marks.values())
      if (mark.state === 'running') mark.state = 'session-lost';
      else if (mark.state === 'ended') mark.state = 'not-removed';
  }
}
