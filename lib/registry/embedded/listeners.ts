/**
 * Tells each event to all listeners before the next event, in the order of subscription, even if a listener causes
 * events itself. A listener that throws does not keep others from being told: its error becomes a process warning.
 */
export class Listeners<T> {
  readonly #listeners = new Set<{ readonly tell: (event: T) => void }>();
  readonly #events: T[] = [];
  #isTelling = false;

  /** Subscribes; returns a function that ends the subscription. */
  add(tell: (event: T) => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(event: T): void {
    this.#events.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#tellAll(next);
    this.#isTelling = false;
  }

  #tellAll(event: T): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.tell(event);
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.emitWarning(`A listener of the registry centre threw: ${text}`, 'ElasticJobWarning');
      }
    }
  }
}
