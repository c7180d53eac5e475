import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { createGzip, type Gzip } from 'node:zlib';
import { Injectable, type NestMiddleware } from '@nestjs/common';

/** Shorter answers fit into one packet without compression. */
const LEAST_BYTES = 1_400;

/**
 * The types of texts that are compressed; not events, which must be sent at once, and not the page's files, which are
 * compressed only once.
 */
const TEXTS = /^(?:application\/(?:[\w.-]+\+)?json|text\/(?:csv|plain|yaml)|application\/yaml)\b/;

/** Compresses answers of the console by gzip, if the client accepts that: lists of jobs shrink to a twentieth. */
@Injectable()
export class AnswerCompression implements NestMiddleware {
  use(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    if (request.method !== 'HEAD' && acceptsGzip(request)) compress(response);
    next();
  }
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/.test(accepted);
}

type Body = string | Uint8Array;
type Callback = () => void;

/** Decides when the head of the answer is known, and compresses all data that is written from then on. */
function compress(response: ServerResponse): void {
  const own = {
    writeHead: response.writeHead.bind(response),
    write: response.write.bind(response) as (...chunk: readonly unknown[]) => boolean,
    end: response.end.bind(response) as (...chunk: readonly unknown[]) => ServerResponse,
  };
  let gzip: Gzip | undefined;
  let isDecided = false;

  /** @param size of the whole body, if it is known */
  const decide = (size?: number): void => {
    if (isDecided) return;
    isDecided = true;
    if (!isWorthIt(response, size)) return;
    response.removeHeader('content-length');
    response.setHeader('content-encoding', 'gzip');
    const vary = response.getHeader('vary');
    response.setHeader('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`);
    gzip = createGzip({ level: 4 });
    gzip.on('data', (chunk: Buffer) => {
      if (!own.write(chunk)) gzip?.pause();
    });
    gzip.on('end', () => own.end());
    gzip.on('drain', () => response.emit('drain'));
    response.on('drain', () => gzip?.resume());
    response.once('close', () => gzip?.destroy());
  };

  response.writeHead = (status: number, ...rest: readonly unknown[]): ServerResponse => {
    const headers = rest.find((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
    for (const [name, value] of Object.entries((headers ?? {}) as OutgoingHttpHeaders))
      if (value !== undefined) response.setHeader(name, value);
    response.statusCode = status;
    decide();
    return headers === undefined ? own.writeHead(status, ...(rest as [])) : own.writeHead(status);
  };

  response.write = ((chunk: Body, encoding?: BufferEncoding | Callback, callback?: Callback): boolean => {
    decide();
    if (gzip === undefined) return own.write(chunk, encoding, callback);
    return gzip.write(bytesOf(chunk, encoding));
  }) as ServerResponse['write'];

  response.end = ((
    chunk?: Body | Callback,
    encoding?: BufferEncoding | Callback,
    callback?: Callback,
  ): ServerResponse => {
    const body = typeof chunk === 'function' ? undefined : chunk;
    if (!response.headersSent) decide(body === undefined ? 0 : Buffer.byteLength(body));
    if (gzip === undefined) return own.end(chunk, encoding, callback);
    if (body === undefined) gzip.end();
    else gzip.end(bytesOf(body, encoding));
    return response;
  }) as ServerResponse['end'];
}

function bytesOf(chunk: Body, encoding: unknown): Body {
  return typeof chunk === 'string'
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8')
    : chunk;
}

function isWorthIt(response: ServerResponse, size: number | undefined): boolean {
  const length = response.getHeader('content-length') ?? size;
  return (
    (length === undefined || Number(length) >= LEAST_BYTES) &&
    response.statusCode !== 204 &&
    response.statusCode !== 304 &&
    !response.hasHeader('content-encoding') &&
    TEXTS.test(String(response.getHeader('content-type') ?? ''))
  );
}
