import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LiveEvent } from '../../../../lib/console/contract/live.js';
import * as fixtures from './fixtures.js';
import { answer, type Knowledge } from './routes.js';

const MOUNTED_AT = '/ops/console';
const PAGE = fileURLToPath(new URL('../../../../dist/console-ui/', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/** The built page below a path, with the server's policy, and an API that answers from fixtures. */
export class FakeConsole {
  readonly known: Knowledge = {
    ...{ role: 'admin', isSetupNeeded: false, isEmpty: false, isGraphPaused: false, version: 7, requests: [] },
    ...{ jobs: fixtures.jobs(), shards: fixtures.shards(24), instances: fixtures.instances() },
  };
  readonly #streams = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  isStreaming = true;

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${MOUNTED_AT}`;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  send(event: LiveEvent): void {
    const { type, ...data } = event;
    for (const stream of this.#streams) stream.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Ends all streams, as a restart of the server does. */
  cut(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = url.pathname.slice(MOUNTED_AT.length + 1);
    if (!path.startsWith('api/v1/')) return this.#page(path, response);
    if (path.endsWith('/events')) return this.#stream(response);
    const body = await bodyOf(request);
    const route = path.slice('api/v1/'.length);
    this.known.requests.push({ method: request.method ?? '', path: route, body, headers: request.headers });
    const { status = 200, body: content } = answer(this.known, request.method ?? 'GET', route, url.searchParams, body);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(status === 204 ? undefined : JSON.stringify(content));
  }

  #stream(response: ServerResponse): void {
    if (!this.isStreaming) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 300\n\n');
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  #page(path: string, response: ServerResponse): void {
    const headers = { 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' };
    const type = path.startsWith('assets/') || path === 'icon.svg' ? TYPES[extname(path)] : undefined;
    if (type !== undefined)
      return void response.writeHead(200, { ...headers, 'content-type': type }).end(readFileSync(join(PAGE, path)));
    const index = readFileSync(join(PAGE, 'index.html'), 'utf8').replace(/<base[^>]*>/, `<base href="${MOUNTED_AT}/">`);
    response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end(index);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
}
