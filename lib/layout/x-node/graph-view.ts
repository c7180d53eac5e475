import { type EndRecord } from './end-record.js';
import { type GraphOrders, NO_ORDERS } from './graph-orders.js';
import { NO_ROUNDS, type RoundRecord } from './round-record.js';

/** The part of a job that concerns the graph it belongs to: empty for a job that belongs to none. */
export interface GraphView {
  /** The runs that each instance has brought to an end, by its id. */
  readonly ends: ReadonlyMap<string, EndRecord>;
  readonly rounds: RoundRecord;
  /** The orders of operators for its rounds. */
  readonly orders: GraphOrders;
  /** Version of the node with the orders; `undefined` if there is none. */
  readonly ordersVersion: number | undefined;
  /** The jobs that run after this one, by name, each with the instant that `since` of its node has. */
  readonly successors: ReadonlyMap<string, number | undefined>;
}

/** A job that belongs to no graph. */
export const NO_GRAPH: GraphView = {
  ends: new Map(),
  rounds: NO_ROUNDS,
  orders: NO_ORDERS,
  ordersVersion: undefined,
  successors: new Map(),
};

/**
 * The text of `x-node/graph/successors/{job}`, with which a job registers as a successor.
 * @param since the latest instant that is not due for it, in milliseconds since 1970; `undefined`: all are due
 */
export function encodeSuccessor(since: number | undefined): string {
  return `since: ${since ?? 'none'}`;
}

/** The inverse of `encodeSuccessor`; `undefined` also for a text that cannot be read. */
export function decodeSuccessor(text: string): number | undefined {
  const [, since] = /^since: (\d{1,15})$/.exec(text) ?? [];
  return since === undefined ? undefined : Number(since);
}
