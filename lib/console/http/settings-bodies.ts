/**
 * Reads the bodies of requests that store the settings of a job. Express takes bodies of 100 kB by default, and the
 * parameters of a few thousand items are longer. The application's limits for other requests do not change.
 */
import { type IncomingMessage } from 'node:http';
import { type HttpAdapterHost } from '@nestjs/core';
import { hasSettings } from '../security/requests/text-limits.js';

/** The longest body, in bytes: a node of ZooKeeper has up to 1 MB, which JSON may double. */
const LONGEST_BODY = 2_097_152;

/** A request before a parser has read it. */
interface UnreadRequest extends IncomingMessage {
  url: string;
  body?: unknown;
}

type Next = (error?: unknown) => void;

/**
 * Adds the parser on Express, before its own one. Fastify accepts 1 MiB by itself.
 * @param path the path of the console, below the prefix of the application
 */
export function readSettingsBodies(adapter: HttpAdapterHost['httpAdapter'], path = '/elasticjob'): void {
  if (adapter.getType() !== 'express') return;
  const api = `${path.replace(/\/$/, '')}/api/`;
  adapter.use((request: UnreadRequest, _response: unknown, next: Next) => {
    const { method = '', url } = request;
    const isSettings = (method === 'PUT' || method === 'POST') && url.includes(api) && hasSettings({ url });
    if (!isSettings || !isPlainJson(request)) return next();
    readJson(request).then((body) => {
      request.body = body;
      // The mark by which Express' parsers see that the body has been read.
      Object.assign(request, { _body: true });
      next();
    }, next);
  });
}

function isPlainJson({ headers }: IncomingMessage): boolean {
  return (
    /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined
  );
}

function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request
      .on('data', (chunk: Buffer) => {
        length += chunk.length;
        // The rest is read and dropped, so that the client gets the answer.
        if (length <= LONGEST_BODY) chunks.push(chunk);
        else chunks.length = 0;
      })
      .once('error', reject)
      .once('end', () => {
        if (length > LONGEST_BODY) return reject(Object.assign(new Error('too large'), { statusCode: 413 }));
        try {
          resolve(length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8')));
        } catch (error) {
          reject(Object.assign(error as Error, { statusCode: 400 }));
        }
      });
  });
}
