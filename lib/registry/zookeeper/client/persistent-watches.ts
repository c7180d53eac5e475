import { JuteWriter } from './wire/jute.js';
import { RESERVED_XIDS, requestHeader, setWatches } from './wire/messages.js';

/** Most bytes of paths in one message; a server drops the connection at a message of 1 MB. */
const BATCH_BYTES = 128 * 1024;

/**
 * The paths watched by this session. A server forgets them with the connection, so they are set again on each new one.
 */
export class PersistentWatches {
  /** For each path, the marks of its additions. */
  readonly #paths = new Map<string, symbol>();

  /** Adds a path. Returns a function that undoes this addition, but no earlier or later one of the same path. */
  add(path: string): () => void {
    if (this.#paths.has(path)) return () => undefined;
    const addition = Symbol(path);
    this.#paths.set(path, addition);
    return () => {
      if (this.#paths.get(path) === addition) this.#paths.delete(path);
    };
  }

  delete(path: string): void {
    this.#paths.delete(path);
  }

  /** The frames that set all watches again; none if there are no watches. `lastZxid`: the newest transaction seen. */
  *frames(lastZxid: bigint): Generator<Buffer> {
    for (const paths of this.#batches()) {
      const writer = new JuteWriter();
      requestHeader.write(writer, { xid: RESERVED_XIDS.setWatches, opcode: setWatches.opcode });
      setWatches.question.write(writer, {
        relativeZxid: lastZxid,
        data: [],
        exist: [],
        child: [],
        persistent: [],
        persistentRecursive: paths,
      });
      yield writer.toFrame();
    }
  }

  *#batches(): Generator<readonly string[]> {
    let batch: string[] = [];
    let size = 0;
    for (const path of this.#paths.keys()) {
      const length = 4 + Buffer.byteLength(path);
      if (batch.length > 0 && size + length > BATCH_BYTES) {
        yield batch;
        batch = [];
        size = 0;
      }
      batch.push(path);
      size += length;
    }
    if (batch.length > 0) yield batch;
  }
}
