import { type MirroredNode } from '../registry/registry-center.js';
import { type ItemMark } from './job-paths.js';

/** One sharding item. */
export interface ItemView {
  readonly item: number;
  /** Version of the item's node, which grows with each report of a crash; `undefined` if there is only something below it. */
  readonly version: number | undefined;
  /** Id of the instance it is assigned to. */
  readonly owner: string | undefined;
  /** Revision at which the owner was written, which grows with each assignment: the fencing token's source. 0 without owner. */
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
  /** Revision at which that was written: the fencing token's source of a taken-over run. 0 if it is not taken over. */
  readonly takenOverRevision: number;
  /** Like `takenOverBy`, but survives the session of that instance, so that its crash can be seen. */
  readonly failoveringBy: string | undefined;
}

/** An `ItemView` in the making. */
export type ItemDraft = { -readonly [K in keyof ItemView]: ItemView[K] };

/** An item of which nothing is known but its number. */
export function newItem(item: number): ItemDraft {
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
    takenOverRevision: 0,
    failoveringBy: undefined,
  };
}

/** Adds what the node below the item says. */
export function addMark(view: ItemDraft, name: ItemMark, node: MirroredNode): void {
  switch (name) {
    case 'instance':
      view.owner = textOf(node);
      view.ownerRevision = view.owner === undefined ? 0 : node.revision;
      return;
    case 'running':
      view.running = true;
      view.runningOn = textOf(node);
      view.runningSession = node.session;
      return;
    case 'failover':
      view.takenOverBy = textOf(node);
      view.takenOverRevision = view.takenOverBy === undefined ? 0 : node.revision;
      return;
    case 'failovering':
      view.failoveringBy = textOf(node);
      return;
    case 'misfire':
      view.misfired = true;
      return;
    case 'disabled':
      view.disabled = true;
      return;
    default:
      name satisfies never;
  }
}

/** The node's value. Java keeps some nodes with the empty text where it means that there is no value. */
export function textOf(node: MirroredNode | undefined): string | undefined {
  return node?.value === '' ? undefined : node?.value;
}
