import { lookup, type LookupAddress } from 'node:dns';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { type FaultKind, faultKindOf } from './connection-faults.js';
import { FrameReader } from './frame-reader.js';
import { type ServerAddress, shuffled } from './server-list.js';

/** The callbacks of a connection. */
export interface ConnectionListener {
  /** Bytes have arrived, a whole message or less. */
  onHeard(): void;
  /** A message has arrived. If it throws, the connection is closed with that reason. */
  onMessage(message: Buffer): void;
  /** Called once, at the end. `kind` is what the end means if the server has not answered yet. */
  onClosed(reason: string, kind: FaultKind): void;
}

/** One TCP or TLS connection to one server: messages in, frames out. It has no deadlines; its user has. */
export class Connection {
  readonly server: ServerAddress;
  readonly #listener: ConnectionListener;
  readonly #tls: tls.ConnectionOptions | undefined;
  readonly #reader = new FrameReader();
  #socket: net.Socket | undefined;
  #outbox: Buffer[] = [];
  #accepted = 0;
  #written = 0;
  #closed = false;
  #rejectOpening: (reason: Error) => void = () => undefined;

  constructor(server: ServerAddress, listener: ConnectionListener, tlsOptions: tls.ConnectionOptions | undefined) {
    this.server = server;
    this.#listener = listener;
    this.#tls = tlsOptions;
  }

  /** Number of the last frame handed to the operating system; frames count from 1. */
  get written(): number {
    return this.#written;
  }

  /**
   * Resolves when connected, for TLS after the certificate was accepted. Rejects if the connection is closed before.
   */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#rejectOpening = reject;
      const address = { ...this.server, noDelay: true, autoSelectFamily: true, lookup: lookupShuffled };
      const socket = this.#tls ? tls.connect({ ...this.#tls, ...address }, resolve) : net.connect(address, resolve);
      this.#socket = socket;
      socket.on('data', (chunk: Buffer) => this.#onData(chunk));
      const protocol = this.#tls ? 'tls' : 'tcp';
      socket.on('error', (error: Error) => this.close(describe(error), faultKindOf(error, protocol)));
      socket.on('close', () => this.close('the server closed the connection', 'hung-up'));
    });
  }

  /** Takes a frame and returns its number. All frames of one tick are written together, which saves system calls. */
  send(frame: Buffer): number {
    this.#outbox.push(frame);
    if (this.#outbox.length === 1) process.nextTick(() => this.#flush());
    return ++this.#accepted;
  }

  /** Ends the connection at once, unless it has ended, because there was no answer for too long. */
  giveUp(reason: string): void {
    this.close(reason, this.#socket?.connecting === false ? 'silent' : 'unroutable');
  }

  /** Ends the connection at once, unless it has ended. */
  close(reason: string, kind: FaultKind = 'other'): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket?.destroy();
    this.#rejectOpening(new Error(reason));
    this.#listener.onClosed(reason, kind);
  }

  #flush(): void {
    if (this.#closed || !this.#socket) return;
    const frames = this.#outbox;
    this.#outbox = [];
    this.#written = this.#accepted;
    const [only] = frames;
    this.#socket.write(frames.length === 1 && only ? only : Buffer.concat(frames));
  }

  #onData(chunk: Buffer): void {
    if (this.#closed) return;
    this.#listener.onHeard();
    try {
      for (const message of this.#reader.push(chunk)) {
        this.#listener.onMessage(message);
        if (this.#closed) return;
      }
    } catch (error) {
      this.close(error instanceof Error ? error.message : String(error), 'foreign');
    }
  }
}

/**
 * Looks up the name at each dial, and tries its addresses in random order, since servers come and go behind one name.
 */
const lookupShuffled: net.LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, []);
    const order = shuffled(addresses);
    const [first] = order;
    return options.all || !first ? callback(null, order) : callback(null, first.address, first.family);
  });
};

/**
 * The message of a failure. Node collects the failures of several addresses in an error that has no message of its own.
 */
function describe(error: Error): string {
  const parts = 'errors' in error ? (error.errors as readonly Error[]) : [error];
  return parts.map(({ message }) => message).join('; ');
}
