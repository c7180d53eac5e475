import { JuteReader } from '../../lib/registry/zookeeper/client/wire/jute.js';
import { connectResponse } from '../../lib/registry/zookeeper/client/wire/messages.js';

/** The data that a client needs to use a session. */
export interface SessionKey {
  readonly sessionId: bigint;
  readonly password: Buffer;
}

/** Reads from what a server sends on one connection which session it has granted there. */
export class GreetingReader {
  #pending: Buffer = Buffer.alloc(0);
  #isOver = false;

  constructor(private readonly onSession: (session: SessionKey) => void) {}

  push(data: Buffer): void {
    if (this.#isOver) return;
    this.#pending = Buffer.concat([this.#pending, data]);
    // Bytes that do not belong to the protocol, such as the answer to a four-letter word, never complete a greeting.
    if (this.#pending.length < 4 || this.#pending.length < 4 + this.#pending.readUInt32BE(0)) return;
    this.#isOver = true;
    const { timeoutMs, sessionId, password } = connectResponse.read(new JuteReader(this.#pending.subarray(4)));
    if (timeoutMs > 0) this.onSession({ sessionId, password });
  }
}

/**
 * Counts the watch events in what a server sends on one connection. The first frame is the answer to the connect
 * request; all others begin with the number of what they answer, which is -1 for an event.
 */
export class EventReader {
  #pending: Buffer = Buffer.alloc(0);
  #isGreeted = false;

  constructor(private readonly onEvent: () => void) {}

  push(data: Buffer): void {
    this.#pending = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    while (this.#pending.length >= 8) {
      const length = this.#pending.readInt32BE(0);
      if (this.#pending.length < 4 + length) return;
      if (this.#isGreeted && this.#pending.readInt32BE(4) === EVENT_XID) this.onEvent();
      this.#isGreeted = true;
      this.#pending = this.#pending.subarray(4 + length);
    }
  }
}

const EVENT_XID = -1;

/** Names of the requests of ZooKeeper's protocol, by their numbers. */
export const REQUEST_NAMES = {
  1: 'create',
  2: 'delete',
  3: 'exists',
  4: 'getData',
  5: 'setData',
  6: 'getACL',
  7: 'setACL',
  8: 'getChildren',
  9: 'sync',
  11: 'ping',
  12: 'getChildren2',
  13: 'check',
  14: 'multi',
  15: 'create2',
  18: 'removeWatches',
  19: 'createContainer',
  22: 'multiRead',
  100: 'auth',
  101: 'setWatches',
  102: 'sasl',
  105: 'setWatches2',
  106: 'addWatch',
  [-11]: 'closeSession',
} as const;

/** Name of a request; `other` for numbers that are not listed. */
export type RequestName = (typeof REQUEST_NAMES)[keyof typeof REQUEST_NAMES] | 'connect' | 'other';

/**
 * Names the requests in what a client sends. Frames are a length of four bytes and that many bytes: the transaction
 * number (4), the request's number (4), and its body. The first frame is the connect request, which has neither.
 */
export class RequestReader {
  #pending: Buffer = Buffer.alloc(0);
  #connected = false;

  constructor(private readonly onRequest: (name: RequestName) => void) {}

  push(data: Buffer): void {
    this.#pending = this.#pending.length === 0 ? data : Buffer.concat([this.#pending, data]);
    while (this.#pending.length >= 4) {
      const length = this.#pending.readInt32BE(0);
      if (this.#pending.length < 4 + length) return;
      this.onRequest(this.#nameOf(this.#pending.subarray(4, 4 + length)));
      this.#pending = this.#pending.subarray(4 + length);
    }
  }

  #nameOf(frame: Buffer): RequestName {
    if (!this.#connected) {
      this.#connected = true;
      return 'connect';
    }
    const names: Readonly<Record<number, RequestName>> = REQUEST_NAMES;
    return names[frame.readInt32BE(4)] ?? 'other';
  }
}
