import type * as tls from 'node:tls';
import { type JobLogger } from '../../../api/text/logger.js';
import { type Clock } from '../../../time/clock.js';
import { afterNextPoll } from '../../../time/event-loop.js';
import { type ConnectionFault, type TransportState, type ZooKeeperConnection } from '../transport.js';
import { Connection } from './connection.js';
import { connectionFault, type FaultKind } from './connection-faults.js';
import { ErrorCode, refusal } from './error-codes.js';
import { Dialogue, type HandshakeResult, shakeHands } from './wire/handshake.js';
import { JuteReader, JuteWriter, MalformedMessageError } from './wire/jute.js';
import { KeepAlive } from './keep-alive.js';
import * as messages from './wire/messages.js';
import { type PendingRequest, PendingRequests } from './pending-requests.js';
import { abandoned, LARGEST_REQUEST_BYTES, tooLarge, unasked } from './request-errors.js';
import { PersistentWatches } from './persistent-watches.js';
import { type SaslCredentials } from './sasl-digest-md5.js';
import { ServerList } from './server-list.js';

/** TLS, credentials, clock and logger of a session; its servers are in `ZooKeeperConnection`. */
export interface SessionOptions {
  readonly clock: Clock;
  readonly logger?: JobLogger;
  /** Connect by TLS with these settings of `tls.connect`, such as `ca`, `cert`, `key`. */
  readonly tls?: tls.ConnectionOptions;
  /** Authenticate by SASL DIGEST-MD5 on each connection. */
  readonly sasl?: SaslCredentials;
}

/** The callbacks of a session. Their errors are logged. */
export interface SessionListener {
  onState(state: TransportState): void;
  onFault(fault: ConnectionFault): void;
  /** `path` is that at the server, with the chroot. `zxid` is 0 or less if the server does not send it. */
  onWatch(type: number, path: string, zxid: bigint): void;
}

/** An answer, and the newest transaction that the server had carried out. */
export interface Reply<Answer> {
  readonly answer: Answer;
  readonly zxid: bigint;
}

/**
 * Phase of the session. Each connection belongs to one phase; messages that arrive on it after that phase are ignored.
 */
type Phase =
  | { readonly name: 'idle' }
  | { readonly name: 'pausing'; readonly cancel: () => void }
  | {
      readonly name: 'dialling';
      readonly connection: Connection;
      readonly dialogue: Dialogue;
      readonly cancel: () => void;
    }
  | { readonly name: 'ready'; readonly connection: Connection; readonly keepAlive: KeepAlive; readonly since: number }
  | { readonly name: 'closing'; readonly connection: Connection; readonly done: () => void }
  | { readonly name: 'ended' };

/** A shorter connection counts as a failed attempt; otherwise a server that drops us would be dialled without pause. */
const PROVEN_AFTER_MS = 1000;
const CLOSE_TIMEOUT_MS = 1000;

/**
 * One session with the servers: dials, reconnects, keeps alive, and matches answers with requests. See
 * `zookeeper-client.ts`.
 */
export class Session {
  readonly watches = new PersistentWatches();
  readonly #settings: ZooKeeperConnection;
  readonly #options: SessionOptions;
  readonly #listener: SessionListener;
  readonly #servers: ServerList;
  readonly #pending = new PendingRequests();
  #phase: Phase = { name: 'idle' };
  #state: TransportState = { phase: 'connecting' };
  #sessionId = 0n;
  #password: Buffer = Buffer.alloc(16);
  #timeoutMs: number;
  #lastZxid = 0n;
  #acceptsOlderData = false;
  #xid = 0;
  #lastHeardAt: number;
  #renewedAt: number;
  #closing: Promise<void> | undefined;

  constructor(settings: ZooKeeperConnection, options: SessionOptions, listener: SessionListener) {
    this.#settings = settings;
    this.#options = options;
    this.#listener = listener;
    this.#servers = new ServerList(settings.servers);
    this.#timeoutMs = settings.sessionTimeoutMs;
    this.#lastHeardAt = this.#renewedAt = -Infinity;
  }

  get state(): TransportState {
    return this.#state;
  }

  get lastHeardAt(): number {
    return this.#lastHeardAt;
  }

  get renewedAt(): number {
    return this.#renewedAt;
  }

  connect(): void {
    if (this.#phase.name === 'idle') this.#dial();
  }

  /** From now on, also connects to servers whose data are older than those that this session has seen. */
  acceptOlderData(): void {
    this.#acceptsOlderData = true;
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => this.#startClosing(resolve));
    return this.#closing;
  }

  /**
   * Sends a request to the server. `path` is for error messages.
   * @throws ZooKeeperError if the server refuses, or no request can be sent
   */
  request<Question, Answer>(
    operation: messages.Operation<Question, Answer>,
    question: Question,
    path: string,
  ): Promise<Reply<Answer>> {
    return new Promise((resolve, reject) => {
      const phase = this.#phase;
      if (phase.name !== 'ready') throw unasked(this.#state, operation.verb, path);
      const xid = (this.#xid = messages.nextXid(this.#xid));
      const writer = new JuteWriter();
      messages.requestHeader.write(writer, { xid, opcode: operation.opcode });
      operation.question.write(writer, question);
      const bytes = writer.toFrame();
      if (bytes.length - 4 > LARGEST_REQUEST_BYTES) {
        throw tooLarge(operation.verb, path, bytes.length - 4);
      }

      this.#pending.add({
        xid,
        frame: phase.connection.send(bytes),
        sentAt: this.#options.clock.monotonic(),
        succeed: (zxid, reader) => resolve({ answer: operation.answer.read(reader), zxid }),
        refuse: (code) => reject(refusal(code, operation.verb, path)),
        abandon: ({ written }) => reject(abandoned(this.#state, operation.verb, path, { written })),
      });
      phase.keepAlive.requested();
    });
  }

  // Dialling

  #dial(): void {
    const { clock } = this.#options;
    const server = this.#servers.next();
    const connection: Connection = new Connection(
      server,
      {
        onHeard: () => this.#onHeard(),
        onMessage: (message) => this.#onMessage(message),
        onClosed: (reason, kind) => this.#onClosed(connection, reason, kind),
      },
      this.#options.tls,
    );
    const dialogue = new Dialogue((frame) => connection.send(frame));
    const deadlineMs = Math.min(this.#settings.connectionTimeoutMs, this.#timeoutMs / this.#servers.size);
    const giveUp = (): void => {
      if (this.#phase.name === 'dialling' && this.#phase.connection === connection) {
        connection.giveUp(`no answer within ${Math.round(deadlineMs)} ms`);
      }
    };
    const cancel = clock.after(deadlineMs, () => afterNextPoll(giveUp));
    this.#phase = { name: 'dialling', connection, dialogue, cancel };
    this.#greet(connection, dialogue).catch((error: unknown) =>
      connection.close(messageOf(error), error instanceof MalformedMessageError ? 'foreign' : 'other'),
    );
  }

  async #greet(connection: Connection, dialogue: Dialogue): Promise<void> {
    await connection.open();
    const askedAt = this.#options.clock.monotonic();
    const result = await shakeHands(dialogue, {
      lastZxidSeen: this.#acceptsOlderData ? 0n : this.#lastZxid,
      timeoutMs: this.#settings.sessionTimeoutMs,
      sessionId: this.#sessionId,
      password: this.#password,
      digest: this.#settings.digest,
      sasl: this.#options.sasl,
    });
    if (this.#phase.name !== 'dialling' || this.#phase.connection !== connection) return;
    this.#phase.cancel();
    this.#renewedAt = askedAt;
    this.#onGreeted(connection, result);
  }

  #onGreeted(connection: Connection, result: HandshakeResult): void {
    switch (result.outcome) {
      case 'expired':
        if (this.#sessionId === 0n) return connection.close('the server did not grant a session');
        return this.#end({ phase: 'expired' }, connection);
      case 'auth-failed':
        return this.#end({ phase: 'auth-failed', reason: result.reason }, connection);
      case 'connected':
        this.#sessionId = result.sessionId;
        this.#password = result.password;
        this.#timeoutMs = result.timeoutMs;
        return this.#begin(connection);
      default:
        return result satisfies never;
    }
  }

  #begin(connection: Connection): void {
    const { clock } = this.#options;
    const timeoutMs = this.#timeoutMs;
    const ping = JuteWriter.frame(messages.requestHeader, {
      xid: messages.RESERVED_XIDS.ping,
      opcode: messages.ping.opcode,
    });
    const keepAlive = new KeepAlive({
      clock,
      timeoutMs,
      ping: () => connection.send(ping),
      onSilence: (reason) => connection.close(reason),
    });
    this.#phase = { name: 'ready', connection, keepAlive, since: clock.monotonic() };
    keepAlive.start();
    for (const frame of this.watches.frames(this.#lastZxid)) connection.send(frame);
    this.#enter({
      phase: 'connected',
      sessionId: sessionIdText(this.#sessionId),
      timeoutMs,
      server: addressOf(connection),
    });
  }

  // Receiving

  #onHeard(): void {
    this.#lastHeardAt = this.#options.clock.monotonic();
    if (this.#phase.name === 'ready') this.#phase.keepAlive.heard();
  }

  #onMessage(message: Buffer): void {
    if (this.#phase.name === 'dialling') return this.#phase.dialogue.onMessage(message);
    const reader = new JuteReader(message);
    const { xid, zxid, error } = messages.replyHeader.read(reader);
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    switch (xid) {
      case messages.RESERVED_XIDS.watchEvent:
        return this.#onWatchEvent(reader, zxid);
      case messages.RESERVED_XIDS.ping:
        return this.#onPingAnswered();
      case messages.RESERVED_XIDS.setWatches:
        if (error !== ErrorCode.ok) throw refusal(error, messages.setWatches.verb, 'all watched paths');
        return;
      default:
        return this.#onAnswer(xid, zxid, error, reader);
    }
  }

  #onWatchEvent(reader: JuteReader, zxid: bigint): void {
    const { type, path } = messages.watcherEvent.read(reader);
    this.#notify('watch events', () => this.#listener.onWatch(type, path, zxid));
  }

  #onPingAnswered(): void {
    if (this.#phase.name !== 'ready') return;
    const sentAt = this.#phase.keepAlive.pingAnswered();
    if (sentAt !== undefined) this.#renewedAt = Math.max(this.#renewedAt, sentAt);
  }

  #onAnswer(xid: number, zxid: bigint, error: number, reader: JuteReader): void {
    const request = this.#pending.take(xid);
    if (this.#phase.name === 'ready') this.#phase.keepAlive.answered(this.#pending.size);
    if (error !== ErrorCode.sessionExpired) this.#renewedAt = Math.max(this.#renewedAt, request.sentAt);
    if (error !== ErrorCode.ok) request.refuse(error);
    else settle(request, zxid, reader);
    if (error === ErrorCode.sessionClosedRequiresSaslAuth && this.#phase.name === 'ready') {
      const reason = 'The server requires authentication by SASL and has closed the session.';
      this.#end({ phase: 'auth-failed', reason }, this.#phase.connection);
    }
  }

  // Losing and ending

  #onClosed(connection: Connection, reason: string, kind: FaultKind): void {
    const phase = this.#phase;
    switch (phase.name) {
      case 'dialling':
        phase.cancel();
        phase.dialogue.end(reason);
        this.#redial(this.#servers.failed());
        return this.#report(connectionFault(kind, addressOf(connection), reason));
      case 'ready':
        return this.#onLost(phase, reason);
      case 'closing':
        this.#phase = { name: 'ended' };
        this.#pending.abandonAll(connection.written);
        return phase.done();
      case 'idle':
      case 'pausing':
      case 'ended':
        return;
      default:
        return phase satisfies never;
    }
  }

  #onLost({ connection, keepAlive, since }: Extract<Phase, { name: 'ready' }>, reason: string): void {
    keepAlive.stop();
    const proven = this.#options.clock.monotonic() - since >= PROVEN_AFTER_MS;
    if (proven) this.#servers.succeeded();
    this.#redial(proven ? 0 : this.#servers.failed());
    this.#pending.abandonAll(connection.written);
    this.#enter({ phase: 'disconnected', reason });
  }

  #redial(delayMs: number): void {
    // Later, even without a delay: a listener may close the client while it is notified of the loss, before anything
    // starts.
    this.#phase = { name: 'pausing', cancel: this.#options.clock.after(delayMs, () => this.#dial()) };
  }

  #startClosing(done: () => void): void {
    const phase = this.#phase;
    if (phase.name !== 'ready') {
      const ended = phase.name === 'ended';
      this.#abort();
      if (!ended) this.#enter({ phase: 'closed' });
      return done();
    }
    const { connection, keepAlive } = phase;
    // Sent before the phase changes, since no request is accepted afterwards. The connection is closed in any case.
    const closeConnection = (): void => connection.close('the client was closed');
    this.request(messages.closeSession, undefined, 'the session').then(closeConnection, closeConnection);
    keepAlive.stop();
    const cancel = this.#options.clock.after(CLOSE_TIMEOUT_MS, closeConnection);
    this.#phase = {
      name: 'closing',
      connection,
      done: () => {
        cancel();
        done();
      },
    };
    this.#enter({ phase: 'closed' });
  }

  #end(state: TransportState, connection: Connection): void {
    this.#abort();
    // Before the pending requests are rejected, since the state is in their message.
    this.#state = state;
    this.#pending.abandonAll(connection.written);
    connection.close('the session has ended');
    this.#enter(state);
  }

  /** Stops all activity of the session; nothing follows. */
  #abort(): void {
    const phase = this.#phase;
    this.#phase = { name: 'ended' };
    if (phase.name === 'pausing' || phase.name === 'dialling') phase.cancel();
    if (phase.name === 'dialling') phase.connection.close('the client was closed');
    if (phase.name === 'ready') phase.keepAlive.stop();
  }

  #enter(state: TransportState): void {
    this.#state = state;
    this.#notify('the state', () => this.#listener.onState(state));
  }

  #report(fault: ConnectionFault): void {
    this.#notify('faults', () => this.#listener.onFault(fault));
  }

  /** Calls a listener. Its error must not be mistaken for a malformed message of the server. */
  #notify(of: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.logger?.error(`A listener for ${of} of a ZooKeeper session failed: ${messageOf(error)}`);
    }
  }
}

/** @throws MalformedMessageError if the answer cannot be read; the request has been rejected then */
function settle(request: PendingRequest, zxid: bigint, reader: JuteReader): void {
  try {
    request.succeed(zxid, reader);
  } catch (error) {
    request.abandon({ written: true });
    throw error;
  }
}

function addressOf({ server: { host, port } }: Connection): string {
  return `${host}:${port}`;
}

/** 16 lower-case hexadecimal digits. */
export function sessionIdText(sessionId: bigint): string {
  return BigInt.asUintN(64, sessionId).toString(16).padStart(16, '0');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
