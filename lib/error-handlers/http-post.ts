import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock } from '../time/clock.js';
import { DeliveryError } from './delivery-error.js';

/** The longest answer that is read, in bytes. */
const LONGEST_ANSWER = 65_536;

/** A request, and its limits of time. */
export interface PostOptions {
  readonly body: string;
  readonly clock: Clock;
  /** The most milliseconds that connecting may take, TLS included. */
  readonly connectTimeoutMs: number;
  /** The most milliseconds that a connected server may be silent. */
  readonly readTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** The answer of the server. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Posts JSON over a connection of its own. Redirects are not followed.
 * @throws DeliveryError if no answer comes before the deadline; otherwise the error of the connection
 */
export function postJson(url: URL, options: PostOptions): Promise<Answer> {
  const { body, clock, connectTimeoutMs, readTimeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const isSecure = url.protocol === 'https:';
    const request: ClientRequest = (isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      // No connection is kept, as notices are rare.
      agent: false,
      signal,
    });
    const giveUp = (message: string) => (): void => void request.destroy(new DeliveryError(message, 'transient'));
    let cancel = clock.after(connectTimeoutMs, giveUp(`no connection within ${connectTimeoutMs} ms`));
    const hear = (): void => {
      cancel();
      cancel = clock.after(readTimeoutMs, giveUp(`no answer within ${readTimeoutMs} ms`));
    };
    request
      .once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', hear))
      .once('response', (response) => {
        readAnswer(response, hear).then(resolve, reject);
      })
      .once('error', reject)
      .once('close', () => cancel())
      .end(body);
  });
}

function readAnswer(response: IncomingMessage, hear: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response
      .on('data', (chunk: Buffer) => {
        hear();
        length += chunk.length;
        chunks.push(chunk);
        if (length > LONGEST_ANSWER)
          response.destroy(new DeliveryError(`the answer is longer than ${LONGEST_ANSWER} bytes`, 'final'));
      })
      .once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }))
      .once('error', reject);
  });
}
