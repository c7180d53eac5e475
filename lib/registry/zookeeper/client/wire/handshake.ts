import { randomBytes } from 'node:crypto';
import { ErrorCode } from '../error-codes.js';
import { bytes, JuteReader, JuteWriter, MalformedMessageError } from './jute.js';
import {
  authenticate,
  connectRequest,
  connectResponse,
  type Operation,
  replyHeader,
  requestHeader,
  RESERVED_XIDS,
  saslStep,
} from './messages.js';
import { answerChallenge, type DigestMd5Exchange, type SaslCredentials } from '../sasl-digest-md5.js';

/** Facts that a client sends before the first request of a connection. */
export interface HandshakeOptions {
  /** Newest transaction seen; a server that is behind it drops the connection. */
  readonly lastZxidSeen: bigint;
  readonly timeoutMs: number;
  /** The session to return to; 0 opens a new one. */
  readonly sessionId: bigint;
  readonly password: Buffer;
  /** `user:password` for the scheme `digest`. */
  readonly digest: string | undefined;
  readonly sasl: SaslCredentials | undefined;
}

/** The result of a handshake that did not fail. */
export type HandshakeResult =
  | { readonly outcome: 'connected'; readonly sessionId: bigint; readonly password: Buffer; readonly timeoutMs: number }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'auth-failed'; readonly reason: string };

/** One question, one answer, before any requests are made. */
export class Dialogue {
  readonly #send: (frame: Buffer) => void;
  #waiting: { resolve(message: Buffer): void; reject(reason: Error): void } | undefined;

  constructor(send: (frame: Buffer) => void) {
    this.#send = send;
  }

  /** Sends a frame and resolves with the next message; rejects when the connection is closed. */
  ask(frame: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#send(frame);
    });
  }

  /** @throws MalformedMessageError if nothing was asked */
  onMessage(message: Buffer): void {
    if (!this.#waiting) throw new MalformedMessageError('The server sent a message that was not asked for.');
    this.#waiting.resolve(message);
    this.#waiting = undefined;
  }

  /** Rejects a question that waits: the connection is closed. */
  end(reason: string): void {
    this.#waiting?.reject(new Error(reason));
  }
}

/**
 * Opens a session or returns to one, and authenticates, before any request is sent on the connection: the server would
 * refuse a request for protected nodes that precedes the credentials.
 * @throws Error if the connection fails, or the server is read-only
 */
export async function shakeHands(dialogue: Dialogue, options: HandshakeOptions): Promise<HandshakeResult> {
  const granted = await openSession(dialogue, options);
  if (granted.timeoutMs <= 0) return { outcome: 'expired' };
  if (options.digest !== undefined) {
    const credentials = { type: 0, scheme: 'digest', credentials: Buffer.from(options.digest) };
    const { error } = await step(dialogue, authenticate, RESERVED_XIDS.auth, credentials);
    if (error !== ErrorCode.ok) return authFailed(`The server refused authentication by digest (error ${error}).`);
  }
  const refused = options.sasl && (await authenticateBySasl(dialogue, options.sasl));
  return refused ?? { outcome: 'connected', ...granted };
}

async function openSession(
  dialogue: Dialogue,
  { lastZxidSeen, timeoutMs, sessionId, password }: HandshakeOptions,
): Promise<{ readonly timeoutMs: number; readonly sessionId: bigint; readonly password: Buffer }> {
  const question = { protocolVersion: 0, lastZxidSeen, timeoutMs, sessionId, password, readOnly: false };
  const reader = new JuteReader(await dialogue.ask(JuteWriter.frame(connectRequest, question)));
  const answer = connectResponse.read(reader);
  if (reader.remaining > 0 && reader.bool()) throw new Error('the server is read-only');
  return { timeoutMs: answer.timeoutMs, sessionId: answer.sessionId, password: answer.password };
}

/** Authenticates by SASL. @returns the failure, or undefined */
async function authenticateBySasl(
  dialogue: Dialogue,
  credentials: SaslCredentials,
): Promise<HandshakeResult | undefined> {
  const challenge = await step(dialogue, saslStep, 1, { token: Buffer.alloc(0) });
  if (challenge.error !== ErrorCode.ok || challenge.reader.remaining === 0) {
    return authFailed(`The server does not offer authentication by SASL (error ${challenge.error}).`);
  }
  const exchange = tryToAnswer(bytes.read(challenge.reader), credentials);
  if (exchange instanceof Error) return authFailed(`Authentication by SASL failed: ${exchange.message}.`);
  const proof = await step(dialogue, saslStep, 2, { token: exchange.response });
  const proven =
    proof.error === ErrorCode.ok && proof.reader.remaining > 0 && exchange.isProvenBy(bytes.read(proof.reader));
  if (proven) return undefined;
  return authFailed(`The server refused SASL user '${credentials.username}' (error ${proof.error}).`);
}

/** Answers a challenge, or returns the error: a challenge that cannot be answered is a fault of the configuration. */
function tryToAnswer(challenge: Buffer, credentials: SaslCredentials): DigestMd5Exchange | Error {
  try {
    return answerChallenge(challenge, credentials, randomBytes(24).toString('base64'));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function step<Question>(
  dialogue: Dialogue,
  operation: Operation<Question, unknown>,
  xid: number,
  question: Question,
): Promise<{ readonly error: number; readonly reader: JuteReader }> {
  const writer = new JuteWriter();
  requestHeader.write(writer, { xid, opcode: operation.opcode });
  operation.question.write(writer, question);
  const reader = new JuteReader(await dialogue.ask(writer.toFrame()));
  return { error: replyHeader.read(reader).error, reader };
}

function authFailed(reason: string): HandshakeResult {
  return { outcome: 'auth-failed', reason };
}
