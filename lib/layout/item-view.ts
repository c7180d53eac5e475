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

/** The nodes of an item: its own, and those below it. */
export type ItemNodes = { readonly [Key in 'item' | ItemMark]: MirroredNode | undefined };

/** An item without nodes. */
export const NO_ITEM_NODES: ItemNodes = {
  ...{ item: undefined, instance: undefined, running: undefined, failover: undefined },
  ...{ failovering: undefined, misfire: undefined, disabled: undefined },
};

/** What the nodes of an item say; `undefined` if there is none. */
export function itemView(item: number, nodes: ItemNodes): ItemView | undefined {
  const { item: own, instance, running, failover, failovering, misfire, disabled } = nodes;
  if ((own ?? instance ?? running ?? failover ?? failovering ?? misfire ?? disabled) === undefined) return undefined;
  const owner = textOf(instance);
  const takenOverBy = textOf(failover);
  return {
    item,
    version: own?.version,
    owner,
    ownerRevision: owner === undefined ? 0 : (instance?.revision ?? 0),
    running: running !== undefined,
    runningOn: textOf(running),
    runningSession: running?.session,
    disabled: disabled !== undefined,
    misfired: misfire !== undefined,
    takenOverBy,
    takenOverRevision: takenOverBy === undefined ? 0 : (failover?.revision ?? 0),
    failoveringBy: textOf(failovering),
  };
}

/** The node's value. Java keeps some nodes with the empty text where it means that there is no value. */
export function textOf(node: MirroredNode | undefined): string | undefined {
  return node?.value === '' ? undefined : node?.value;
}
