/** How listeners are called. */
export interface ListenersOptions {
  /** Called with what a listener throws. Must not throw itself. */
  readonly onError: (error: unknown) => void;
}

/**
 * Calls listeners with events, in the order of subscription. All listeners are called with an event before the next
 * event, even if a listener causes events itself. A listener that throws does not keep the others from being called;
 * one whose subscription has ended is not called any more, not even with an event that is being passed on.
 */
export class Listeners<Event = void> {
  readonly #onError: (error: unknown) => void;
  readonly #subscriptions = new Set<{ readonly listener: (event: Event) => void }>();
  /** What came while listeners were being called. */
  #later: Event[] | undefined;
  #isNotifying = false;

  constructor({ onError }: ListenersOptions) {
    this.#onError = onError;
  }

  /** Subscribes; the same function may subscribe several times. Returns a function that ends this subscription. */
  add(listener: (event: Event) => void): () => void {
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Ends all subscriptions. */
  clear(): void {
    this.#subscriptions.clear();
  }

  /** Calls all listeners with the event; later, if a listener is being called at the moment. */
  notify(event: Event): void {
    if (this.#isNotifying) return void (this.#later ??= []).push(event);
    this.#isNotifying = true;
    try {
      this.#callAll(event);
      while (this.#later !== undefined && this.#later.length > 0) this.#callAll(this.#later.shift() as Event);
    } finally {
      this.#isNotifying = false;
      this.#later = undefined;
    }
  }

  #callAll(event: Event): void {
    for (const subscription of [...this.#subscriptions]) {
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
