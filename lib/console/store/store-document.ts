import { describeCause } from '../../api/text/describe-cause.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { Mailbox } from '../../async/mailbox.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { type ConsoleStore } from './console-store.js';
import { RegistryConsoleStore } from './registry-store.js';

/** The format of a document. */
export interface DocumentFormat<T> {
  /** The value of a document that has never been written. */
  readonly initial: T;
  /** Checks a stored value; throws an Error with the problem: `it must be a list of users`. */
  readonly parse: (stored: unknown) => T;
}

/** The most lost races of one change; in each race another replica makes progress. */
const MOST_LOST_RACES = 30;

/**
 * One document of the store, kept in memory too. Changes are made one after the other. In a shared store, each change
 * is applied to the value that the store has at that time, and changes of other replicas show by themselves.
 */
export class StoreDocument<T> {
  readonly #mailbox = new Mailbox();
  readonly #store: ConsoleStore | undefined;
  readonly #name: string;
  readonly #format: DocumentFormat<T>;
  readonly #listeners = new Set<(value: T) => void>();
  #value: T;
  /** For a shared store: the text from which the value was parsed. */
  #text: string | undefined;
  /** For a shared store: the error because of which the text could not be parsed. */
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

  /** A document that is never stored. */
  static unsaved<T>(initial: T): StoreDocument<T> {
    return new StoreDocument<T>(undefined, '', { initial, parse: () => initial });
  }

  /** The value as last written, by this process or another replica. */
  get value(): T {
    return this.#value;
  }

  /** True if other replicas write it too. */
  get isShared(): boolean {
    return this.#store instanceof RegistryConsoleStore;
  }

  /** Calls `listener` after each change of the value, by this process or another replica. It must not throw. */
  onChange(listener: (value: T) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Writes the result of `change` for the present value. In a shared store, `change` is called again if another replica
   * was first.
   * @throws the error of `change` or of the store; the value is then unchanged
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

  /** Resolves when all changes so far are written or have failed. */
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
      // One after the other: each attempt follows the change that the last one met.
      const isWritten = await store.replace(this.#name, value, seen);
      this.#follow(store);
      if (isWritten) return value;
    }
    const detail = `Other replicas of the console change its ${this.#name} all the time. Try again.`;
    throw new ConsoleProblem(503, 'state-busy', detail, { headers: { 'retry-after': '1' } });
  }

  /**
   * Reads the document of the shared store. A document that cannot be read changes nothing here, and is not
   * overwritten.
   * @throws InvalidConfigurationError if it cannot be read; only once for each stored text
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
