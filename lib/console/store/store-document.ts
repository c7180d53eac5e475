import { describeCause } from '../../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
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
   * @param parse checks what was read; throws an Error that says what is wrong: `it must be a list of users`
   * @throws InvalidConfigurationError if `parse` throws; nothing is overwritten
   */
  static async open<T>(
    store: ConsoleStore,
    name: string,
    { initial, parse }: { readonly initial: T; readonly parse: (stored: unknown) => T },
  ): Promise<StoreDocument<T>> {
    const stored = await store.read(name);
    return new StoreDocument(store, name, stored === undefined ? initial : parsed(store, name, () => parse(stored)));
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

function parsed<T>({ description }: ConsoleStore, name: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const fault = `The console's ${name} in ${description} cannot be used: ${describeCause(cause)}. Nothing is overwritten: restore them from a backup, or move them away.`;
    throw new InvalidConfigurationError([fault], { cause });
  }
}
