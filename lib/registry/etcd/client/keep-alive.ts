import { type Clock } from '../../../time/clock.js';
import { afterNextPoll } from '../../../time/event-loop.js';
import { type EtcdClient, type EtcdStream } from './etcd-client.js';
import { type EtcdError } from './etcd-error.js';

/** The lease that a keep-alive prolongs, and the functions that it notifies. */
export interface KeepAliveOptions {
  readonly leaseId: string;
  /** The pause between two requests, and how long the answer to one may take, in milliseconds. */
  readonly intervalMs: number;
  /** The lease goes on. `sentAt`: when the answered request was sent, on the monotonic scale. */
  readonly onRenewed: (sentAt: number) => void;
  /** The server says that the lease has ended. */
  readonly onOver: () => void;
  /** The last request was not answered in time. */
  readonly onSilent: (silentMs: number) => void;
  /** The stream has ended. */
  readonly onEnd: (error: EtcdError) => void;
}

/** Prolongs a lease, again and again, until it is stopped or there is no answer. */
export class KeepAlive {
  readonly #clock: Clock;
  readonly #options: KeepAliveOptions;
  readonly #stream: EtcdStream<{ readonly id: string }>;
  /** When the unanswered requests were sent. The answers come in their order. */
  readonly #sent: number[] = [];
  #cancel = (): void => undefined;
  #isStopped = false;

  /** Sends the first request at once. */
  constructor(client: EtcdClient, clock: Clock, options: KeepAliveOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#stream = client.open('leaseKeepAlive', {
      onMessage: ({ ttl }) => this.#answered(Number(ttl)),
      onEnd: (error) => {
        if (this.#isStopped) return;
        this.stop();
        options.onEnd(error);
      },
    });
    this.#send();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.#stream.close();
  }

  #answered(ttl: number): void {
    if (this.#isStopped) return;
    const sentAt = this.#sent.shift();
    if (ttl <= 0) {
      this.stop();
      this.#options.onOver();
    } else if (sentAt !== undefined) this.#options.onRenewed(sentAt);
  }

  #send(): void {
    this.#sent.push(this.#clock.monotonic());
    this.#stream.send({ id: this.#options.leaseId });
    this.#cancel = this.#clock.after(this.#options.intervalMs, () => {
      // An answer may wait in a socket that was not read while the event loop was blocked.
      afterNextPoll(() => this.#next());
    });
  }

  #next(): void {
    if (this.#isStopped) return;
    const [oldest] = this.#sent;
    if (oldest === undefined) return this.#send();
    this.stop();
    this.#options.onSilent(this.#clock.monotonic() - oldest);
  }
}
