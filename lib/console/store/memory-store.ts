import { ConsoleStore } from './console-store.js';

/** Keeps the console's documents until the process ends. */
export class MemoryConsoleStore extends ConsoleStore {
  override readonly description = 'the memory of this process';
  override readonly isPersistent = false;
  readonly #documents = new Map<string, string>();

  override read(name: string): Promise<unknown> {
    const text = this.#documents.get(name);
    return Promise.resolve(text === undefined ? undefined : JSON.parse(text));
  }

  override write(name: string, value: unknown): Promise<void> {
    this.#documents.set(name, JSON.stringify(value));
    return Promise.resolve();
  }
}
