/**
 * One request of HTTP and its answer, by Node's own `http` and `https`. `fetch` is not used, as it has no limit for
 * connecting alone, and refuses methods and ports that Java accepts.
 */
import { type ClientRequest, type IncomingMessage, request as requestPlain, type RequestOptions } from 'node:http';
import { request as requestSecure } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { withAnySignal } from '../../async/any-signal.js';
import { abortable } from '../../async/wait.js';
import { type Clock } from '../../time/clock.js';

/** The most bytes of an answer that are kept. The rest is read and dropped. */
const LONGEST_BODY = 8_192;

/** A request. */
export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** If empty, no body is sent. */
  readonly body: string;
}

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  /** The header `Location`. */
  readonly location: string | undefined;
  /** The first 8 KiB of the body. */
  readonly body: string;
  /** The number of bytes of the body that were dropped. */
  readonly dropped: number;
}

/** Options of an exchange. */
export interface ExchangeOptions {
  readonly clock: Clock;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
  /** The most milliseconds that connecting may take; 0 is no limit. */
  readonly connectTimeoutMs: number;
  /** The most milliseconds that a connected server may be silent; 0 is no limit. */
  readonly readTimeoutMs: number;
}

/**
 * Makes a request on a connection of its own, and reads the answer to its end.
 * @throws the signal's reason once it has aborted
 * @throws Error if there is no connection, no complete answer, or a limit is exceeded
 */
export async function exchange(toSend: HttpRequest, options: ExchangeOptions): Promise<HttpAnswer> {
  const { clock, signal, connectTimeoutMs, readTimeoutMs } = options;
  signal.throwIfAborted();
  const { url, method, headers, body } = toSend;
  const isSecure = url.protocol === 'https:';
  const requestOptions: RequestOptions = { method, headers: { ...headers }, agent: false };
  const request = (isSecure ? requestSecure : requestPlain)(url, requestOptions);
  const silence = new Silence(clock);
  const onActivity = (): void => silence.begin('no data', readTimeoutMs, 'http.read.timeout.milliseconds');
  silence.begin('no connection', connectTimeoutMs, 'http.connect.timeout.milliseconds');
  request.once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', onActivity));
  const answered = answerTo(request, onActivity);
  request.end(body);
  try {
    return await withAnySignal([signal, silence.tooLong], (either) => abortable(answered, either));
  } finally {
    silence.end();
    request.destroy();
  }
}

/** Measures the time in which the server sends nothing. */
class Silence {
  readonly #clock: Clock;
  readonly #tooLong = new AbortController();
  #cancel = (): void => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts when the silence has lasted too long; its reason names the limit. */
  get tooLong(): AbortSignal {
    return this.#tooLong.signal;
  }

  /** Begins to measure again. @param property the name of the property with the limit */
  begin(what: string, timeoutMs: number, property: string): void {
    this.#cancel();
    if (timeoutMs === 0) return;
    const onTimeout = (): void => this.#tooLong.abort(new Error(`${what} within ${timeoutMs} ms (${property})`));
    this.#cancel = this.#clock.after(timeoutMs, onTimeout);
  }

  end(): void {
    this.#cancel();
  }
}

function answerTo(request: ClientRequest, onActivity: () => void): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    // Stays until the request is gone, as an error without a listener would end the process.
    request.on('error', reject);
    request.once('response', (response) => {
      onActivity();
      readAnswer(response, onActivity).then(resolve, reject);
    });
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the server has changed the protocol, which nothing had asked for'));
    });
  });
}

function readAnswer(response: IncomingMessage, onActivity: () => void): Promise<HttpAnswer> {
  const kept: Buffer[] = [];
  let [length, dropped] = [0, 0];
  response.on('data', (chunk: Buffer) => {
    onActivity();
    const part = chunk.subarray(0, LONGEST_BODY - length);
    if (part.length > 0) kept.push(Buffer.from(part));
    length += part.length;
    dropped += chunk.length - part.length;
  });
  return new Promise((resolve, reject) => {
    response.on('error', reject);
    response.once('end', () => {
      const { statusCode: status = 0, headers } = response;
      // The decoder leaves out a character that is cut off at the end.
      const body = new StringDecoder('utf8').write(Buffer.concat(kept));
      resolve({ status, location: headers.location, body, dropped });
    });
  });
}
