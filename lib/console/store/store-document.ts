import { Mailbox } from '../../async/mailbox.js';
import { type ConsoleStore } from './console-store.js';

/** One document of the store, kept in memory too. Changes are made one after the other. */
export class StoreDocument<T> {
  readonly #mailbox = new Mailbox();
  #value: T;

  private constructor(
    private readonly store: ConsoleStore,
    private readonly name: string,
    value: T,
  ) {
    this.#value = value;
  }

  /**
   * Reads a document.
   * @param initial its value if it has never been written
   * @param parse checks what was read; throws an Error that says what is wrong
   */
  static async open<T>(
    store: ConsoleStore,
    name: string,
    { initial, parse }: { readonly initial: T; readonly parse: (stored: unknown) => T },
  ): Promise<StoreDocument<T>> {
    const stored = await store.read(name);
    return new StoreDocument(store, name, stored === undefined ? initial : parse(stored));
  }

  /** The value as last written. */
  get value(): T {
    return this.#value;
  }

  /** Writes what `change` makes of the value. @throws what `change` or the store throws; the value then stays as it was */
  update(change: (value: T) => T): Promise<T> {
    return this.#mailbox.post(async () => {
      const value = change(this.#value);
      if (value === this.#value) return value;
      await this.store.write(this.name, value);
      this.#value = value;
      return value;
    });
  }
}
