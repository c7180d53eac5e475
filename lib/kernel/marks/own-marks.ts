import { type ItemMark } from '../../layout/job-paths.js';
import { type EndedItem } from '../view/items.js';

/** The marks that a run makes of an item. */
export const RUN_MARKS: readonly ItemMark[] = ['running'];

/** The marks that a takeover makes of an item. */
export const TAKEOVER_MARKS: readonly ItemMark[] = ['running', 'failover', 'failovering'];

/** What this instance has marked an item with. */
export interface OwnMark {
  readonly marks: readonly ItemMark[];
  readonly instant: number | undefined;
  /** Id of the session in which the marks were made. */
  readonly session: string | undefined;
  /**
   * `standing`: the item runs. `orphaned`: it runs, and the session of its marks is over. `ended`: its marks are about to be
   * removed. `left`: it has ended, and the marks could not be removed. `superseded`: it has ended, and a peer that took it
   * for crashed runs the item again.
   */
  state: 'standing' | 'orphaned' | 'ended' | 'left' | 'superseded';
}

/** What this instance has marked in the registry centre, as far as it knows. */
export class OwnMarks {
  readonly #marks = new Map<number, OwnMark>();

  /** Items whose run has ended and that may still bear this instance's marks, because these could not be removed. */
  get leftovers(): readonly EndedItem[] {
    return this.itemsThatAre('left');
  }

  /** Items whose run has ended and that a peer runs again, because it took that run for crashed. */
  get superseded(): readonly EndedItem[] {
    return this.itemsThatAre('superseded');
  }

  /** Items whose marks are in that state. */
  itemsThatAre(wanted: OwnMark['state']): readonly EndedItem[] {
    const items: EndedItem[] = [];
    for (const [item, { state, instant }] of this.#marks) if (state === wanted) items.push({ item, instant });
    return items;
  }

  /** Whether this instance has marked the item, as far as it knows. */
  has(item: number): boolean {
    const state = this.#marks.get(item)?.state;
    return state !== undefined && state !== 'orphaned' && state !== 'superseded';
  }

  /** All items with a mark. */
  get items(): readonly number[] {
    return [...this.#marks.keys()];
  }

  get(item: number): OwnMark | undefined {
    return this.#marks.get(item);
  }

  set(item: number, mark: OwnMark): void {
    this.#marks.set(item, mark);
  }

  delete(item: number): void {
    this.#marks.delete(item);
  }

  /** The marks of an ended run could not be removed, or not yet. */
  leave(item: number): void {
    const mark = this.#marks.get(item);
    if (mark?.state === 'ended') mark.state = 'left';
  }

  /**
   * The session is over. The marks of ended runs are removed when the instance is back: even those that lived with the session
   * may still stand then. An item that still runs here may be taken over by a peer from now on.
   */
  forgetSession(): void {
    for (const mark of this.#marks.values())
      if (mark.state === 'standing') mark.state = 'orphaned';
      else if (mark.state === 'ended') mark.state = 'left';
  }
}
