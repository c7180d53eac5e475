/**
 * The storage of the console's state: users, tokens, sessions, registry centres, data sources. Each is a document: a
 * name, and a value that JSON can express. Only one process uses a store at a time, except a store in a registry
 * centre, which several share.
 */
export abstract class ConsoleStore {
  /** The store in words, for messages: `the folder '/var/lib/elasticjob'`. */
  abstract readonly description: string;
  /** True if documents outlive the process. */
  abstract readonly isPersistent: boolean;
  /**
   * @param name lower-case letters and hyphens
   * @returns the document; `undefined` if it has never been written
   * @throws Error if it exists and cannot be read. The console then does not start, so that it never overwrites the
   *   document
   */
  abstract read(name: string): Promise<unknown>;
  /**
   * Replaces the document as a whole: after a crash, either the old or the new one is stored.
   * @throws Error if it could not be written
   */
  abstract write(name: string, value: unknown): Promise<void>;
}
