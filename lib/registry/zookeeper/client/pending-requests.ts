import { type JuteReader, MalformedMessageError } from './wire/jute.js';

/** A request that waits for its answer. */
export interface PendingRequest {
  readonly xid: number;
  /** Number of its frame on the connection. */
  readonly frame: number;
  /** When it was made, by the monotonic clock. */
  readonly sentAt: number;
  /** @throws MalformedMessageError if the answer cannot be read */
  succeed(zxid: bigint, answer: JuteReader): void;
  refuse(errorCode: number): void;
  /** Called if the connection ended before the answer. `written`: the request may have reached the server. */
  abandon(fate: { readonly written: boolean }): void;
}

/** The requests of one connection that wait for their answers; these come in the order of the requests. */
export class PendingRequests {
  readonly #requests = new Map<number, PendingRequest>();

  get size(): number {
    return this.#requests.size;
  }

  add(request: PendingRequest): void {
    this.#requests.set(request.xid, request);
  }

  /** The request that is answered next; `xid` must be its number. @throws MalformedMessageError if it is not */
  take(xid: number): PendingRequest {
    const [oldest] = this.#requests.values();
    if (oldest?.xid !== xid) {
      throw new MalformedMessageError(`The server answered request ${xid} where ${oldest?.xid ?? 'none'} was next.`);
    }
    this.#requests.delete(xid);
    return oldest;
  }

  /**
   * Abandons all requests: the connection has ended. `written`: number of the last frame handed to the operating
   * system.
   */
  abandonAll(written: number): void {
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const request of requests) request.abandon({ written: request.frame <= written });
  }
}
