import { All, Controller, Get, Inject, Req, Res, StreamableFile } from '@nestjs/common';
import { type ElasticJobConsoleOptions } from '../../options/console-options.js';
import { CONSOLE_OPTIONS } from '../../options/console-tokens.js';
import { type ConsoleRequest } from '../../security/caller.js';
import { Permit } from '../../security/permit.decorator.js';
import { headerOf } from '../../security/trusted-proxies.js';
import { ConsoleProblem } from '../console-problem.js';
import { ResponseHeaders } from '../response-headers.js';
import { basePath, pathBelow } from './base-path.js';
import { PageFiles } from './page-files.js';

/** The page: its files, and `index.html` for every other path, so that links into the page work. */
@Controller()
export class PageController {
  constructor(
    @Inject(PageFiles) private readonly files: PageFiles,
    @Inject(ResponseHeaders) private readonly headers: ResponseHeaders,
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
  ) {}

  /** Nothing of the API is a path of the page. */
  @All('api/*path')
  @Permit('public')
  unknownRoute(@Req() request: ConsoleRequest): never {
    throw new ConsoleProblem(404, 'unknown-route', `There is no route ${request.method} ${pathOf(request)}.`);
  }

  @Get()
  @Permit('public')
  first(@Req() request: ConsoleRequest, @Res({ passthrough: true }) response: unknown): Promise<StreamableFile> {
    return this.#index(request, response);
  }

  @Get('*path')
  @Permit('public')
  async any(@Req() request: ConsoleRequest, @Res({ passthrough: true }) response: unknown): Promise<StreamableFile> {
    const path = pathBelow(request);
    const file = path === 'index.html' ? undefined : await this.files.file(path);
    if (file === undefined) return this.#index(request, response);
    const isGzipped = file.gzipped !== undefined && /\bgzip\b/.test(headerOf(request, 'accept-encoding') ?? '');
    this.headers.set(response, {
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(file.gzipped !== undefined && { vary: 'accept-encoding' }),
      ...(isGzipped && { 'content-encoding': 'gzip' }),
    });
    return new StreamableFile(isGzipped ? (file.gzipped ?? file.content) : file.content, { type: file.type });
  }

  async #index(request: ConsoleRequest, response: unknown): Promise<StreamableFile> {
    if (!(headerOf(request, 'accept') ?? '').includes('text/html'))
      throw new ConsoleProblem(404, 'not-found', `There is nothing at ${pathOf(request)}.`);
    const html = await this.files.index();
    if (html === undefined) throw new ConsoleProblem(404, 'no-page', MISSING);
    const { publicUrl } = this.options;
    const base = publicUrl === undefined ? basePath(request) : new URL(publicUrl).pathname;
    this.headers.set(response, { 'cache-control': 'no-cache' });
    return new StreamableFile(Buffer.from(withBase(html, base)), { type: 'text/html; charset=utf-8' });
  }
}

const MISSING =
  'The page of the console is not in this package: dist/console-ui is missing. Install nestjs-elasticjob from npm, or run `npm run build`; a bundle must keep nestjs-elasticjob external.';

function withBase(html: string, base: string): string {
  const href = `${base.replace(/\/$/, '')}/`.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const without = html.replace(/<base\b[^>]*>/i, '');
  return without.replace(/<head\b[^>]*>/i, (head) => `${head}<base href="${href}">`);
}

function pathOf(request: ConsoleRequest): string {
  return (request.originalUrl ?? request.url).split('?')[0] ?? '';
}
