/** The server sent bytes that are no message of the protocol. The connection can no longer be used. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/** Writes and reads one type in ZooKeeper's encoding, jute: big-endian, lengths in front, no names, no tags. */
export interface Codec<T> {
  write(to: JuteWriter, value: T): void;
  /** @throws MalformedMessageError if the message ends too early or a length cannot be right */
  read(from: JuteReader): T;
}

const LENGTH_BYTES = 4;

/** Builds one frame: the length of a message and the message. */
export class JuteWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = LENGTH_BYTES;

  /** A whole frame whose message is `value`. */
  static frame<T>(codec: Codec<T>, value: T): Buffer {
    const writer = new JuteWriter();
    codec.write(writer, value);
    return writer.toFrame();
  }

  int(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
  }

  long(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeBigInt64BE(value, this.#length);
  }

  bool(value: boolean): void {
    this.#reserve(1);
    this.#length = this.#bytes.writeUInt8(value ? 1 : 0, this.#length);
  }

  bytes(value: Buffer): void {
    this.int(value.length);
    this.#reserve(value.length);
    this.#length += value.copy(this.#bytes, this.#length);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.int(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** The frame built so far. */
  toFrame(): Buffer {
    this.#bytes.writeInt32BE(this.#length - LENGTH_BYTES, 0);
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Reads one message (a frame without its length). */
export class JuteReader {
  #offset = 0;

  constructor(readonly message: Buffer) {}

  /** Number of bytes not read yet. */
  get remaining(): number {
    return this.message.length - this.#offset;
  }

  int(): number {
    return this.message.readInt32BE(this.#take(4));
  }

  long(): bigint {
    return this.message.readBigInt64BE(this.#take(8));
  }

  bool(): boolean {
    return this.message[this.#take(1)] !== 0;
  }

  /** A copy, so that a small value does not keep the large chunk alive in which it arrived. Null is read as empty. */
  bytes(): Buffer {
    const length = this.#count();
    const start = this.#take(length);
    return Buffer.from(this.message.subarray(start, start + length));
  }

  text(): string {
    const length = this.#count();
    const start = this.#take(length);
    return this.message.toString('utf8', start, start + length);
  }

  /** Number of elements that follow; null is read as none. Never more than there are bytes left. */
  count(): number {
    const count = this.#count();
    if (count > this.remaining) throw this.#tooShort(count);
    return count;
  }

  #count(): number {
    const count = this.int();
    if (count < -1) throw new MalformedMessageError(`A length in a message of the server is negative: ${count}`);
    return Math.max(count, 0);
  }

  #take(length: number): number {
    if (length > this.remaining) throw this.#tooShort(length);
    const start = this.#offset;
    this.#offset += length;
    return start;
  }

  #tooShort(length: number): MalformedMessageError {
    return new MalformedMessageError(
      `A message of the server ends too early: ${length} more bytes expected at byte ${this.#offset}, ${this.remaining} there`,
    );
  }
}

/** 32-bit signed integer. */
export const int: Codec<number> = { write: (to, value) => to.int(value), read: (from) => from.int() };
/** 64-bit signed integer. */
export const long: Codec<bigint> = { write: (to, value) => to.long(value), read: (from) => from.long() };
/** One byte, 0 or 1. */
export const bool: Codec<boolean> = { write: (to, value) => to.bool(value), read: (from) => from.bool() };
/** Bytes behind their length. */
export const bytes: Codec<Buffer> = { write: (to, value) => to.bytes(value), read: (from) => from.bytes() };
/** UTF-8 behind its length in bytes. */
export const text: Codec<string> = { write: (to, value) => to.text(value), read: (from) => from.text() };
/** Nothing at all. */
export const nothing: Codec<void> = { write: () => undefined, read: () => undefined };

/** Elements of one type behind their number. */
export function vector<T>(element: Codec<T>): Codec<readonly T[]> {
  return {
    write(to, values) {
      to.int(values.length);
      for (const value of values) element.write(to, value);
    },
    read(from) {
      return Array.from({ length: from.count() }, () => element.read(from));
    },
  };
}

/** Fields one after the other, in the order in which they are given. */
export function record<T extends object>(fields: { readonly [Name in keyof T]: Codec<T[Name]> }): Codec<T> {
  const names = Object.keys(fields) as (keyof T)[];
  return {
    write(to, value) {
      for (const name of names) fields[name].write(to, value[name]);
    },
    read(from) {
      const value: Partial<T> = {};
      for (const name of names) value[name] = fields[name].read(from);
      return value as T;
    },
  };
}
