import { lookup, type LookupAddress } from 'node:dns';
import * as net from 'node:net';
import * as tls from 'node:tls';
import { detached } from '../../../time/detached.js';
import { afterNextPoll } from '../../../time/event-loop.js';
import { type FaultKind, faultKindOf } from './connection-faults.js';
import { FrameReader } from './wire/frame-reader.js';
import { type ServerAddress, shuffled } from './server-list.js';

/** Most messages that are handled in one turn of the event loop. */
const MESSAGES_A_TURN = 32;

/** The callbacks of a connection. */
export interface ConnectionListener {
  /** Called when bytes have arrived, a whole message or less. */
  onHeard(): void;
  /** Called when a message has arrived. If it throws, the connection is closed with that reason. */
  onMessage(message: Buffer): void;
  /** Called once, at the end. `kind` is the kind of fault if the server has not answered yet. */
  onClosed(reason: string, kind: FaultKind): void;
}

/** One TCP or TLS connection to one server: messages in, frames out. It has no deadlines; its user has. */
export class Connection {
  readonly server: ServerAddress;
  readonly #listener: ConnectionListener;
  readonly #tls: tls.ConnectionOptions | undefined;
  readonly #reader = new FrameReader();
  #socket: net.Socket | undefined;
  /** Messages that have arrived and wait for their turn. */
  readonly #inbox: Buffer[] = [];
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
   * Resolves when connected; with TLS, after the certificate was accepted. Rejects if the connection is closed before.
   */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#rejectOpening = reject;
      const address = { ...this.server, noDelay: true, autoSelectFamily: true, lookup: lookupShuffled };
      // Messages that arrive belong to no caller, not even to the one that had the connection opened.
      const socket = detached(() =>
        this.#tls ? tls.connect({ ...this.#tls, ...address }, resolve) : net.connect(address, resolve),
      );
      this.#socket = socket;
      socket.on('data', (chunk: Buffer) => this.#onData(chunk));
      const protocol = this.#tls ? 'tls' : 'tcp';
      socket.on('error', (error: Error) => this.#onEnded(describe(error), faultKindOf(error, protocol)));
      socket.on('close', () => this.#onEnded('the server closed the connection', 'hung-up'));
    });
  }

  /** Takes a frame and returns its number. All frames of one tick are written together, which saves system calls. */
  send(frame: Buffer): number {
    this.#outbox.push(frame);
    if (this.#outbox.length === 1) process.nextTick(() => this.#flush());
    return ++this.#accepted;
  }

  /** Ends the connection at once, unless it has ended: there was no answer for too long. */
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
    const isWaiting = this.#inbox.length > 0;
    try {
      for (const message of this.#reader.push(chunk)) this.#inbox.push(message);
    } catch (error) {
      // The messages before the malformed one are valid.
      this.#handOver(Infinity);
      this.#refuse(error);
    }
    if (!isWaiting) this.#nextTurn();
  }

  /**
   * Each message may set off a long chain of promises, all of which come before anything else in this process: the
   * event loop gets its turn after some of them.
   */
  #nextTurn(): void {
    this.#handOver(MESSAGES_A_TURN);
    if (this.#inbox.length > 0) afterNextPoll(() => this.#nextTurn());
  }

  #handOver(most: number): void {
    let count = 0;
    try {
      for (const message of this.#inbox) {
        if (this.#closed || count === most) break;
        count++;
        this.#listener.onMessage(message);
      }
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#inbox.splice(0, count);
    }
  }

  #refuse(error: unknown): void {
    this.close(error instanceof Error ? error.message : String(error), 'foreign');
  }

  /** Closes this end too, after the messages that the other end had sent before it went. */
  #onEnded(reason: string, kind: FaultKind): void {
    this.#handOver(Infinity);
    this.close(reason, kind);
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
