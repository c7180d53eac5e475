import { describeCause } from '../../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { Mailbox } from '../../async/mailbox.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { type ConsoleStore } from './console-store.js';
import { RegistryConsoleStore } from './registry-store.js';

/** How a document is read. */
export interface DocumentFormat<T> {
  /** Its value if it has never been written. */
  readonly initial: T;
  /** Checks what was read; throws an Error that says what is wrong: `it must be a list of users`. */
  readonly parse: (stored: unknown) => T;
}

/** So many replicas may come first, one after the other; each time one of them gets on. */
const MOST_LOST_RACES = 30;

/**
 * One document of the store, kept in memory too. Changes are made one after the other; if the store is shared, each is
 * made of the value that the store has at that time, and changes of other replicas show by themselves.
 */
export class StoreDocument<T> {
  readonly #mailbox = new Mailbox();
  readonly #store: ConsoleStore | undefined;
  readonly #name: string;
  readonly #format: DocumentFormat<T>;
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;
  /** Of a shared store: the text that the value was made of. */
  #text: string | undefined;
  /** Of a shared store: why the value is not that of the text. */
  #damage: unknown;

  private constructor(store: ConsoleStore | undefined, name: string, format: DocumentFormat<T>) {
    this.#store = store;
    this.#name = name;
    this.#format = format;
    this.#value = format.initial;
  }

  /**
   * Reads a document.
   * @throws InvalidConfigurationError if `parse` throws; nothing is overwritten
   */
  static async open<T>(store: ConsoleStore, name: string, format: DocumentFormat<T>): Promise<StoreDocument<T>> {
    const document = new StoreDocument(store, name, format);
    if (store instanceof RegistryConsoleStore) {
      document.#follow(store);
      store.onChange(() => document.#follow(store));
      return document;
    }
    const stored = await store.read(name);
    if (stored !== undefined) document.#value = parsed(store, name, () => format.parse(stored));
    return document;
  }

  /** A document that nobody keeps. */
  static unsaved<T>(initial: T): StoreDocument<T> {
    return new StoreDocument<T>(undefined, '', { initial, parse: () => initial });
  }

  /** The value as last written, by this process or another replica. */
  get value(): T {
    return this.#value;
  }

  /** Whether other replicas write it too. */
  get isShared(): boolean {
    return this.#store instanceof RegistryConsoleStore;
  }

  /** Calls `listener` after each change of the value, whoever made it. It must not throw. */
  onChange(listener: (value: T) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Writes what `change` makes of the value. In a shared store, `change` is called again if another replica came first.
   * @throws what `change` or the store throws; the value then stays as it was
   */
  update(change: (value: T) => T): Promise<T> {
    const store = this.#store;
    return this.#mailbox.post(async () => {
      if (store instanceof RegistryConsoleStore) return this.#updateShared(store, change);
      const value = change(this.#value);
      if (value === this.#value) return value;
      await store?.write(this.#name, value);
      this.#show(value);
      return value;
    });
  }

  /** Resolves once the changes that have been asked for so far are written, or have failed. */
  settled(): Promise<void> {
    return this.#mailbox.post(() => undefined);
  }

  async #updateShared(store: RegistryConsoleStore, change: (value: T) => T): Promise<T> {
    for (let race = 0; race < MOST_LOST_RACES; race++) {
      const seen = store.seen(this.#name);
      this.#follow(store);
      if (this.#damage !== undefined) throw this.#damage as Error;
      const value = change(this.#value);
      if (value === this.#value) return value;
      // Serial: each attempt is made of what the last one has met.
      const isWritten = await store.replace(this.#name, value, seen);
      this.#follow(store);
      if (isWritten) return value;
    }
    const detail = `Other replicas of the console change its ${this.#name} all the time. Try again.`;
    throw new ConsoleProblem(503, 'state-busy', detail, { headers: { 'retry-after': '1' } });
  }

  /**
   * Takes over what the shared store has. What cannot be read changes nothing here, and is not overwritten.
   * @throws InvalidConfigurationError if it cannot be read, once
   */
  #follow(store: RegistryConsoleStore): void {
    const seen = store.seen(this.#name);
    if (seen?.text === this.#text) return;
    this.#text = seen?.text;
    this.#damage = undefined;
    let value = this.#format.initial;
    try {
      if (seen !== undefined)
        value = parsed(store, this.#name, () => this.#format.parse(store.decoded(this.#name, seen)));
    } catch (error) {
      this.#damage = error;
      throw error;
    }
    this.#show(value);
  }

  #show(value: T): void {
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }
}

function parsed<T>({ description }: ConsoleStore, name: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof InvalidConfigurationError) throw cause;
    const fault = `The console's ${name} in ${description} cannot be used: ${describeCause(cause)}. Nothing is overwritten: restore them from a backup, or move them away.`;
    throw new InvalidConfigurationError([fault], { cause });
  }
}
