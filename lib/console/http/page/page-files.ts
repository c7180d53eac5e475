import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A file of the page, ready to be sent. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  /** The gzipped content; `undefined` if gzip makes it no smaller. */
  readonly gzipped: Buffer | undefined;
  /** True if the name has a hash of the content, so that the file never changes. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** File types that gzip makes no smaller. */
const COMPRESSED = ['.png', '.woff2'];

/** The files of the built page. Only files that were in the folder at the first use are served. */
export class PageFiles {
  readonly #folder: string | undefined;
  #paths: ReadonlySet<string> | undefined;
  readonly #files = new Map<string, Promise<PageFile>>();

  /** @param folder of the built page; `undefined` if there is none */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** The text of `index.html`; `undefined` if the page was not built. */
  async index(): Promise<string | undefined> {
    return (await this.file('index.html'))?.content.toString('utf8');
  }

  /** The file of that path, `assets/index-3f2a.js`; `undefined` if there is none. */
  file(path: string): Promise<PageFile> | undefined {
    if (!this.#known().has(path)) return undefined;
    let file = this.#files.get(path);
    if (file === undefined) {
      file = load(join(this.#folder ?? '', path), path);
      this.#files.set(path, file);
    }
    return file;
  }

  #known(): ReadonlySet<string> {
    return (this.#paths ??= new Set(this.#folder === undefined ? [] : filesIn(this.#folder)));
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The names that Vite gives to files that never change: `console-D4x_8-qA.js`. */
const HASHED_NAME = /[-.][\w-]{8,32}\.\w+$/;

async function load(file: string, path: string): Promise<PageFile> {
  const content = readFileSync(file);
  const extension = extname(path);
  const gzipped = COMPRESSED.includes(extension) ? content : await compress(content);
  return {
    type: TYPES[extension] ?? 'application/octet-stream',
    content,
    gzipped: gzipped.length < content.length ? gzipped : undefined,
    isImmutable: path.startsWith('assets/') && HASHED_NAME.test(path),
  };
}
