const nothing = (): void => undefined;

/** A promise that its owner settles by a call. A rejection that no caller waits for is not reported as unhandled. */
export class Deferred {
  readonly promise: Promise<void>;
  #resolve: () => void = nothing;
  #reject: (reason: unknown) => void = nothing;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.promise.catch(nothing);
  }

  /** Fulfils the promise. Has no effect if it is settled. */
  resolve(): void {
    this.#resolve();
  }

  /** Rejects the promise. Has no effect if it is settled. */
  reject(reason: unknown): void {
    this.#reject(reason);
  }
}
