/** A promise that is settled from outside. Its rejection counts as handled, for nobody need be waiting for it. */
export class Deferred {
  readonly promise: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(() => undefined);
  }

  /** Fulfils the promise, unless it is settled. */
  resolve(): void {
    this.#resolve();
  }

  /** Rejects the promise, unless it is settled. */
  reject(reason: unknown): void {
    this.#reject(reason);
  }
}
