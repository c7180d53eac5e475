import { soon } from '../../time/event-loop.js';

/**
 * One message on its way between a registry centre and the embedded server: a request, an answer, a change for a
 * mirror, or the end of the connection.
 */
export interface Delivery {
  /**
   * Direction and centre, such as `centre 2 → server`. Deliveries of one channel must arrive in the order they were
   * sent.
   */
  readonly channel: string;
  /** A description for the trace of a simulation: `create /job/config`, `answer to …`, `revision 17 of /job`. */
  readonly what: string;
  /** Makes the message arrive. Call it at most once; a message whose `arrive` is not called is lost. Does not throw. */
  readonly arrive: () => void;
}

/**
 * Makes a message arrive later, never within the call itself. Everything asynchronous in the embedded registry goes
 * through this one function, so that a simulator can hold messages and choose their order; each channel must stay in
 * order.
 */
export type Deliver = (delivery: Delivery) => void;

/** Delivers messages in the order in which they were sent, as soon as the running code has ended. */
export const deliverSoon: Deliver = ({ arrive }) => soon(arrive);
