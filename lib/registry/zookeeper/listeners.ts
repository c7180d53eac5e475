import { type JobLogger } from '../../api/logger.js';

/** Those who want to be told; one that fails does not hurt the others, one that left during the telling is not told. */
export class Listeners<Told> {
  readonly #listeners = new Set<(told: Told) => void>();

  constructor(
    /** What they listen to, for messages. */
    private readonly subject: string,
    private readonly logger: JobLogger,
  ) {}

  /** Returns a function that ends the subscription. */
  add(listener: (told: Told) => void): () => void {
    // Wrapped, so that the same function can subscribe twice and leave once.
    const entry = (told: Told): void => listener(told);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  clear(): void {
    this.#listeners.clear();
  }

  tell(told: Told): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(told);
      } catch (error) {
        this.logger.error(`A listener of ${this.subject} failed: ${String(error)}`);
      }
    }
  }
}
