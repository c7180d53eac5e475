import { type JobLogger } from '../../../api/text/logger.js';
import { type Clock } from '../../../time/clock.js';
import { type Endpoint } from '../client/endpoints.js';

/** Logs why etcd cannot be reached: each problem of each endpoint once in an outage, and the recovery. */
export class EtcdOutages {
  readonly #clock: Clock;
  readonly #logger: JobLogger;
  /** The newest problem of each endpoint by its address; empty while there is no outage. */
  readonly #problems = new Map<string, string>();
  readonly #logged = new Set<string>();
  #since = 0;
  #isClosed = false;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: JobLogger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Why no endpoint can be used: `ECONNREFUSED 127.0.0.1:2379; …`. `undefined` unless one has failed. */
  get reason(): string | undefined {
    if (this.#problems.size === 0) return undefined;
    return [...this.#problems].map(([address, problem]) => problemText(address, problem)).join('; ');
  }

  /** An attempt to connect has failed, or a connection broke. */
  failed({ address }: Endpoint, problem: string): void {
    if (this.#isClosed) return;
    if (this.#problems.size === 0) this.#since = this.#clock.monotonic();
    this.#problems.set(address, problem);
    const text = problemText(address, problem);
    if (this.#logged.has(text)) return;
    this.#logged.add(text);
    this.#logger.warn(`etcd cannot be used: ${text}`);
  }

  /** The session is connected. */
  connected({ address }: Endpoint): void {
    if (this.#problems.size > 0 && this.#logged.size > 0) {
      const seconds = Math.round((this.#clock.monotonic() - this.#since) / 1_000);
      this.#logger.log(`etcd at ${address} is connected, after ${seconds} s without a connection.`);
    }
    this.#problems.clear();
    this.#logged.clear();
  }

  /** From now on nothing is logged. */
  close(): void {
    this.#isClosed = true;
    this.#problems.clear();
  }
}

function problemText(address: string, problem: string): string {
  return problem.includes(address) ? problem : `${problem} ${address}`;
}
