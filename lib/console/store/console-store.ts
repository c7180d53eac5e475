/**
 * Where the console keeps what it must remember: users, tokens, sessions, registry centres, data sources. Each is a
 * document: a name, and a value that JSON can hold. One process works on a store at a time; several share one in a
 * registry centre.
 */
export abstract class ConsoleStore {
  /** In words, for messages: `the folder '/var/lib/elasticjob'`. */
  abstract readonly description: string;
  /** Whether what is written outlives the process. */
  abstract readonly isPersistent: boolean;
  /**
   * @param name lower-case letters and hyphens
   * @returns the document; `undefined` if it has never been written
   * @throws Error if it is there and cannot be read. The console then does not start, so that it never overwrites it
   */
  abstract read(name: string): Promise<unknown>;
  /**
   * Replaces the document as a whole: after a crash the old or the new one is there.
   * @throws Error if it could not be written
   */
  abstract write(name: string, value: unknown): Promise<void>;
}
