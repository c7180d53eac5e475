import { MalformedMessageError } from './jute.js';

const LENGTH_BYTES = 4;

/** Largest message accepted from a server, in bytes. A list of 500,000 children fits; a wrong length is refused. */
export const LARGEST_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Cuts the stream of a connection into messages, however the bytes are split on the way. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #wanted = LENGTH_BYTES;

  /**
   * The messages completed by `chunk`, in order, without their lengths. They may share memory with `chunk`.
   * @throws MalformedMessageError if a length is negative or above {@link LARGEST_RESPONSE_BYTES}
   */
  *push(chunk: Buffer): Generator<Buffer, void> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return;

    let rest = this.#joined();
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + messageLength(rest);
      if (rest.length < end) break;
      const message = rest.subarray(LENGTH_BYTES, end);
      rest = rest.subarray(end);
      yield message;
    }
    this.#keep(rest);
  }

  /** Joins the chunks once per message rather than once per chunk, so that a large message costs one copy. */
  #joined(): Buffer {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#size);
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#wanted = rest.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + messageLength(rest);
  }
}

function messageLength(frame: Buffer): number {
  const length = frame.readInt32BE(0);
  if (length >= 0 && length <= LARGEST_RESPONSE_BYTES) return length;
  throw new MalformedMessageError(
    `The server announced a message of ${length} bytes; at most ${LARGEST_RESPONSE_BYTES} are accepted. Is it a ZooKeeper server?`,
  );
}
