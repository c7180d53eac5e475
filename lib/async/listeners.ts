/** Options of calling listeners. */
export interface ListenersOptions {
  /** Called with an error of a listener. Must not throw itself. */
  onError(error: unknown): void;
}

/**
 * Calls listeners with events, in the order of subscription. All listeners are called with an event before the next
 * event, even if a listener causes events itself. A listener that throws does not keep the others from being called; a
 * listener whose subscription has ended is not called any more, not even with an event that is being passed on.
 */
export class Listeners<Event = void> {
  readonly #options: ListenersOptions;
  /** In the order in which they began. */
  readonly #subscriptions = new Set<Subscription<Event>>();
  /** Subscriptions that are notified of the next event; `undefined` after a change. */
  #hearers: readonly Subscription<Event>[] | undefined;
  /** Events that came while listeners were being called. */
  #later: Event[] = [];
  #isNotifying = false;

  constructor(options: ListenersOptions) {
    this.#options = options;
  }

  /** Subscribes; the same function may subscribe several times. Returns a function that ends this subscription. */
  add(listener: (event: Event) => void): () => void {
    const subscription: Subscription<Event> = { listener };
    this.#subscriptions.add(subscription);
    this.#hearers = undefined;
    return () => this.#end(subscription);
  }

  /** Ends all subscriptions. */
  clear(): void {
    for (const subscription of this.#subscriptions) subscription.listener = undefined;
    this.#subscriptions.clear();
    this.#hearers = undefined;
  }

  /** Calls all listeners with the event; later, if a listener is being called at the moment. */
  notify(event: Event): void {
    if (this.#isNotifying) return void this.#later.push(event);
    this.#isNotifying = true;
    try {
      this.#callAll(event);
      while (this.#later.length > 0) for (const later of this.#later.splice(0)) this.#callAll(later);
    } finally {
      this.#isNotifying = false;
      this.#later = [];
    }
  }

  #callAll(event: Event): void {
    // A listener that subscribes another one makes it a hearer of the next event.
    this.#hearers ??= [...this.#subscriptions];
    for (const subscription of this.#hearers) {
      try {
        subscription.listener?.(event);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #end(subscription: Subscription<Event>): void {
    subscription.listener = undefined;
    this.#subscriptions.delete(subscription);
    this.#hearers = undefined;
  }
}

/** `undefined`: it has ended. */
interface Subscription<Event> {
  listener: ((event: Event) => void) | undefined;
}
