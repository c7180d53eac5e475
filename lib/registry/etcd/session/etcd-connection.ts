import { type EtcdClient } from '../client/etcd-client.js';
import { type Endpoint } from '../client/endpoints.js';
import { type KeepAlive } from '../client/keep-alive.js';
import { type TreeWatch } from '../tree-watch.js';

/**
 * A connection to one endpoint that a session uses: its lease is kept alive through it, and its watch tells what
 * changes. It breaks as a whole, once; then another one is made.
 */
export class EtcdConnection {
  /** Resolves with the reason when the connection breaks. */
  readonly broken: Promise<string>;
  #resolve: (problem: string) => void = () => undefined;
  #keepAlive: KeepAlive | undefined;
  #watch: TreeWatch | undefined;
  #problem: string | undefined;

  constructor(
    readonly endpoint: Endpoint,
    readonly client: EtcdClient,
    /** The lease of the session. */
    readonly lease: string,
    /** How long the lease lasts without a keep-alive. */
    readonly ttlMs: number,
  ) {
    this.broken = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Takes what ends with this connection. */
  use(parts: { readonly keepAlive?: KeepAlive; readonly watch?: TreeWatch }): void {
    this.#keepAlive = parts.keepAlive ?? this.#keepAlive;
    this.#watch = parts.watch ?? this.#watch;
    if (this.#problem !== undefined) this.#end(this.#problem);
  }

  /** The changes of the keys of the namespace. */
  get watch(): TreeWatch {
    if (this.#watch === undefined) throw new Error('The connection has no watch yet');
    return this.#watch;
  }

  /** Ends it; further calls do nothing. */
  break(problem: string): void {
    if (this.#problem !== undefined) return;
    this.#problem = problem;
    this.#end(problem);
    this.#resolve(problem);
  }

  #end(problem: string): void {
    this.#keepAlive?.stop();
    this.#watch?.close(problem);
    this.client.close(problem);
  }
}
