import { type MirroredNode } from '../registry/registry-center.js';
import { type ItemMark } from './job-paths.js';

/** One sharding item. */
export interface ItemView {
  readonly item: number;
  /**
   * Version of the item's node, which grows with each report of a crash; `undefined` if there is only something below
   * it.
   */
  readonly version: number | undefined;
  /** Id of the instance it is assigned to. */
  readonly owner: string | undefined;
  /**
   * Revision at which the owner was written, which grows with each assignment: the fencing token's source. 0 without
   * owner.
   */
  readonly ownerRevision: number;
  readonly running: boolean;
  /** Id of the instance that runs it; `undefined` if it does not run, and also if the value has not been read. */
  readonly runningOn: string | undefined;
  /** Session with which the mark of its run ends; `undefined` if it outlives its instance, or has not been read. */
  readonly runningSession: string | undefined;
  /** An operator has excluded it from normal firings. */
  readonly disabled: boolean;
  /** A firing came while it was running. */
  readonly misfired: boolean;
  /** Id of the instance that has taken it over after a crash. */
  readonly takenOverBy: string | undefined;
  /** Like `takenOverBy`, but survives the session of that instance, so that its crash can be seen. */
  readonly failoveringBy: string | undefined;
}

/** A node of an item: its own, or one of those below it. */
export type ItemNode = 'item' | ItemMark;

type Draft = { -readonly [Key in keyof ItemView]: ItemView[Key] };

/** Collects changes of items, node by node: an item keeps the facts of its other nodes. */
export class ItemChanges {
  /** In ascending order. */
  readonly #before: readonly ItemView[];
  readonly #drafts = new Map<number, Draft>();

  constructor(before: readonly ItemView[]) {
    this.#before = before;
  }

  /** Notes the node's present state; `undefined`: it is not there. */
  note(item: number, name: ItemNode, node: MirroredNode | undefined): void {
    let draft = this.#drafts.get(item);
    if (draft === undefined) {
      const before = itemIn(this.#before, item);
      this.#drafts.set(item, (draft = before === undefined ? withoutNodes(item) : { ...before }));
    }
    noteNode(draft, name, node);
  }

  /**
   * All items in ascending order.
   * @param hasNodes returns true if an item without any facts has nodes nevertheless, such as one for an empty owner
   */
  after(hasNodes: (item: number) => boolean): readonly ItemView[] {
    const items: ItemView[] = this.#before.slice();
    const added: ItemView[] = [];
    const gone = new Set<number>();
    for (const [item, draft] of this.#drafts) {
      const index = placeIn(this.#before, item, numberOf);
      if (saysNothing(draft) && !hasNodes(item)) gone.add(item);
      else if (index >= 0) items[index] = draft;
      else added.push(draft);
    }
    const present = gone.size === 0 ? items : items.filter(({ item }) => !gone.has(item));
    // A concatenated list takes no more memory than it needs.
    return added.length === 0 ? present : present.concat(added).sort((one, other) => one.item - other.item);
  }
}

const numberOf = ({ item }: ItemView): number => item;

/** The item of that number among others in ascending order; `undefined` if it is not there. Searched by halves. */
export function itemIn(items: readonly ItemView[], item: number): ItemView | undefined {
  return items[placeIn(items, item, numberOf)];
}

/** True if the number is in the list, which is in ascending order. Searched by halves. */
export function isIn(numbers: readonly number[], number: number): boolean {
  return placeIn(numbers, number, (each) => each) >= 0;
}

/** Index of the number in the list, which is in ascending order; -1 if it is not there. */
function placeIn<T>(sorted: readonly T[], number: number, of: (each: T) => number): number {
  const at = (place: number): number => {
    const each = sorted[place];
    return each === undefined ? Infinity : of(each);
  };
  // Items are numbered from 0, and usually none is missing.
  if (at(number) === number) return number;
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >> 1;
    if (at(middle) < number) start = middle + 1;
    else end = middle;
  }
  return at(start) === number ? start : -1;
}

function withoutNodes(item: number): Draft {
  return {
    item,
    version: undefined,
    owner: undefined,
    ownerRevision: 0,
    running: false,
    runningOn: undefined,
    runningSession: undefined,
    disabled: false,
    misfired: false,
    takenOverBy: undefined,
    failoveringBy: undefined,
  };
}

function noteNode(draft: Draft, name: ItemNode, node: MirroredNode | undefined): void {
  switch (name) {
    case 'item':
      draft.version = node?.version;
      return;
    case 'instance':
      draft.owner = textOf(node);
      draft.ownerRevision = draft.owner === undefined ? 0 : (node?.revision ?? 0);
      return;
    case 'running':
      draft.running = node !== undefined;
      draft.runningOn = textOf(node);
      draft.runningSession = node?.session;
      return;
    case 'failover':
      draft.takenOverBy = textOf(node);
      return;
    case 'failovering':
      draft.failoveringBy = textOf(node);
      return;
    case 'misfire':
      draft.misfired = node !== undefined;
      return;
    case 'disabled':
      draft.disabled = node !== undefined;
      return;
    default:
      return name satisfies never;
  }
}

function saysNothing({ version, owner, takenOverBy, failoveringBy, running, misfired, disabled }: ItemView): boolean {
  return (version ?? owner ?? takenOverBy ?? failoveringBy) === undefined && !running && !misfired && !disabled;
}

/** The node's value. Java keeps some nodes with the empty text to mean that there is no value. */
export function textOf(node: MirroredNode | undefined): string | undefined {
  return node?.value === '' ? undefined : node?.value;
}
