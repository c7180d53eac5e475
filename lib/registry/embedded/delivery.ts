/**
 * One message on its way between a registry centre and the embedded server: a request, an answer, a change to mirror,
 * or the news that the connection was closed.
 */
export interface Delivery {
  /** Direction and centre, such as `centre 2 → server`. Deliveries of one channel must arrive in the order they were sent. */
  readonly channel: string;
  /** What is delivered, for the trace of a simulation: `create /job/config`, `answer to …`, `change 17 of /job`. */
  readonly what: string;
  /** Makes it arrive. Call it once; never calling it is a message that is on its way for ever. Does not throw. */
  readonly arrive: () => void;
}

/**
 * Takes care of a message's arrival: later, never within the call itself. All that is asynchronous in the embedded
 * registry goes through this one function, so that a simulator can keep messages and let them arrive in any order it
 * likes, as long as each channel stays in order.
 */
export type Deliver = (delivery: Delivery) => void;

/** Delivers everything in the order in which it was sent, as soon as the code that is running has ended. */
export const deliverSoon: Deliver = ({ arrive }) => {
  // Not queueMicrotask: that keeps an asynchronous context for each call, which costs more than all else here.
  void NOW.then(arrive);
};

const NOW = Promise.resolve();
