/**
 * The page: its files, and `index.html` for every other path, so that links into the page work. It is no controller, as
 * the routers of Express and Fastify write "all paths below" in different ways, while middleware is the same in both.
 */
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type ElasticJobConsoleOptions } from '../../options/console-options.js';
import { CONSOLE_OPTIONS } from '../../options/console-tokens.js';
import { type ConsoleRequest } from '../../security/callers/caller.js';
import { securityHeaders } from '../../security/requests/security-headers.js';
import { TrustedProxies } from '../../security/callers/trusted-proxies.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { problemOf } from '../problems.js';
import { mountOf } from '../mount-path.js';
import { type PageFile, PageFiles } from './page-files.js';

/** Paths that do not belong to the page. */
const OTHERS = /^(api|healthz|readyz|metrics)(\/|$)/;

/** A request of Express or middie. */
interface PageRequest extends IncomingMessage {
  /** The requested path, with the prefix that `url` lacks. */
  readonly originalUrl?: string;
}

interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

/** Serves the page. */
@Injectable()
export class PageMiddleware implements NestMiddleware<PageRequest, ServerResponse> {
  constructor(
    @Inject(PageFiles) private readonly files: PageFiles,
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
    @Inject(TrustedProxies) private readonly proxies: TrustedProxies,
  ) {}

  use(request: PageRequest, response: ServerResponse, next: (error?: unknown) => void): void {
    const { path = '/elasticjob', publicUrl } = this.options;
    const [url = '/'] = (request.originalUrl ?? request.url ?? '/').split('?');
    const { base, below } = mountOf(url, path);
    if (!['GET', 'HEAD'].includes(request.method ?? '') || OTHERS.test(below)) return next();
    const publicBase = publicUrl === undefined ? base : new URL(publicUrl).pathname;
    const common = securityHeaders(this.proxies.originOf(request as unknown as ConsoleRequest));
    this.#answer(request, { below, base: publicBase }).then(
      (sent) => send(request, response, { ...sent, headers: { ...common, ...sent.headers } }),
      next,
    );
  }

  async #answer(request: PageRequest, place: { readonly below: string; readonly base: string }): Promise<Sent> {
    const file = place.below === 'index.html' ? undefined : await this.files.file(place.below);
    if (file !== undefined) return sentFile(file, /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')));
    if (!isPage(place.below, request.headers.accept))
      return sentProblem(new ConsoleProblem(404, 'not-found', 'There is nothing here.'));
    const html = await this.files.index();
    if (html === undefined) return sentProblem(new ConsoleProblem(404, 'no-page', MISSING));
    const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
    return { status: 200, headers, content: Buffer.from(withBase(html, place.base)) };
  }
}

/**
 * True if the page is served at a path without a file. A missing script or image is a 404. Names of jobs have dots too,
 * but only browsers follow links to them. At its own address the page is served to all clients, whatever they accept.
 */
function isPage(below: string, accept = '*/*'): boolean {
  if (below === '') return true;
  if (below.startsWith('assets/')) return false;
  const isFile = /\.\w+$/.test(below);
  return accept.includes('text/html') || (accept.includes('*/*') && !isFile);
}

const MISSING =
  'The page of the console is not here: the package has no folder dist/console-ui. Install nestjs-elasticjob from npm, or run npm run build in its repository; keep it external if you bundle the application.';

function sentFile({ type, content, gzipped, isImmutable }: PageFile, acceptsGzip: boolean): Sent {
  const isGzipped = acceptsGzip && gzipped !== undefined;
  const headers = {
    'content-type': type,
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(gzipped !== undefined && { vary: 'accept-encoding' }),
    ...(isGzipped && { 'content-encoding': 'gzip' }),
  };
  return { status: 200, headers, content: isGzipped ? gzipped : content };
}

function sentProblem(error: ConsoleProblem): Sent {
  const { problem } = problemOf(error, randomUUID());
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
  return { status: problem.status, headers, content: Buffer.from(JSON.stringify(problem)) };
}

function send(request: PageRequest, response: ServerResponse, { status, headers, content }: Sent): void {
  response.writeHead(status, { ...headers, 'content-length': content.length });
  response.end(request.method === 'HEAD' ? undefined : content);
}

function withBase(html: string, base: string): string {
  const href = `${base.replace(/\/$/, '')}/`.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return html.replace(/<base\b[^>]*>/i, '').replace(/<head\b[^>]*>/i, (head) => `${head}<base href="${href}">`);
}
