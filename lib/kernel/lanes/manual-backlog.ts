import { mapOf } from '../../layout/shared-collections.js';
import { type Firing } from '../view/firing.js';

/** What a manual firing is told: its own `jobParameter`, or `undefined` for that of the settings. */
type Parameter = string | undefined;

/**
 * The triggers that this instance has accepted and cannot run yet: for all its items, or for items that were still running.
 * Triggers with the same job parameter are one; others are run one after the other, in the order in which they came.
 */
export class ManualBacklog {
  #ofAll: Set<Parameter> | undefined;
  #ofItems: Map<number, Set<Parameter>> | undefined;

  /** The next one for all items; `undefined` if there is none. */
  get next(): Pick<Firing, 'jobParameter'> | undefined {
    for (const jobParameter of this.#ofAll ?? []) return { jobParameter };
    return undefined;
  }

  /** Whether the item waits for a run. */
  hasItem(item: number): boolean {
    return this.#ofItems?.has(item) === true;
  }

  /** The items that wait, each with the parameter of its next run. */
  get items(): ReadonlyMap<number, Parameter> {
    return mapOf([...(this.#ofItems ?? [])].map(([item, [next]]) => [item, next] as const));
  }

  /** The firing has to wait. */
  add({ items, jobParameter }: Firing): void {
    if (items === undefined) (this.#ofAll ??= new Set()).add(jobParameter);
    for (const item of items ?? []) this.#parametersOf(item).add(jobParameter);
  }

  /** The firing is run now. */
  take({ items, jobParameter }: Firing): void {
    if (items === undefined) this.#ofAll?.delete(jobParameter);
    else this.noteBegun(items, jobParameter);
  }

  /** A manual firing with this parameter has begun the items, which stands for those that wait for single items, too. */
  noteBegun(items: readonly number[], jobParameter: Parameter): void {
    for (const item of items) {
      const waiting = this.#ofItems?.get(item);
      waiting?.delete(jobParameter);
      if (waiting?.size === 0) this.#ofItems?.delete(item);
    }
  }

  #parametersOf(item: number): Set<Parameter> {
    this.#ofItems ??= new Map();
    const known = this.#ofItems.get(item) ?? new Set();
    this.#ofItems.set(item, known);
    return known;
  }
}
