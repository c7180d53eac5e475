/**
 * Where the records of the audit are kept: in memory, or in `audit.jsonl` of the state folder, one record a line. Each line ends
 * with the SHA-256 of itself and the hash before it, so that a line that is changed or taken out breaks the chain:
 *
 * ```
 *   {"id":"…","at":…,"action":"job.trigger",…,"previous":"<hash of the line before>","hash":"…"}
 * ```
 * At 10 MiB the file is renamed to `audit.1.jsonl`, that one to `audit.2.jsonl` and so on; the ninth is removed.
 */
import { createHash } from 'node:crypto';
import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeCause } from '../../api/text/describe-cause.js';
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type AuditRecord } from '../contract/session.js';

/** Where records go. They are appended one after the other. */
export interface AuditStorage {
  append(record: AuditRecord): Promise<void>;
  /** The records from the newest to the oldest. */
  newestFirst(): AsyncIterable<AuditRecord> | Iterable<AuditRecord>;
}

const MOST_IN_MEMORY = 10_000;

/** Keeps the latest ten thousand records until the process ends. */
export class AuditMemory implements AuditStorage {
  readonly #records: AuditRecord[] = [];

  append(record: AuditRecord): Promise<void> {
    this.#records.push(record);
    if (this.#records.length > MOST_IN_MEMORY) this.#records.shift();
    return Promise.resolve();
  }

  newestFirst(): Iterable<AuditRecord> {
    return this.#records.toReversed();
  }
}

/** What the first line follows. */
const START = '0'.repeat(64);
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_FILES = 9;

/** Keeps records in files of a folder. */
export class AuditFile implements AuditStorage {
  readonly #folder: string;
  readonly #mostBytes: number;
  #last = START;
  #bytes = 0;

  private constructor(folder: string, mostBytes: number) {
    this.#folder = folder;
    this.#mostBytes = mostBytes;
  }

  /**
   * Opens the files of a folder, and checks the last line, which new records follow.
   * @param mostBytes size at which a new file is begun
   * @throws InvalidConfigurationError if they cannot be read, or the last line is damaged
   */
  static async open(folder: string, mostBytes = MOST_BYTES): Promise<AuditFile> {
    const file = new AuditFile(folder, mostBytes);
    await file.#continue();
    return file;
  }

  async append(record: AuditRecord): Promise<void> {
    const line = chained(record, this.#last);
    if (this.#bytes > 0 && this.#bytes + line.text.length > this.#mostBytes) await this.#rotate();
    await appendFile(this.#path(0), line.text, { mode: 0o600 });
    this.#bytes += Buffer.byteLength(line.text);
    this.#last = line.hash;
  }

  async *newestFirst(): AsyncIterable<AuditRecord> {
    for (let number = 0; number <= MOST_FILES; number++) {
      const text = await textOf(this.#path(number));
      for (const line of (text ?? '').split('\n').reverse()) {
        const record = line === '' ? undefined : parse(line);
        if (record !== undefined) yield withoutChain(record);
      }
    }
  }

  async #continue(): Promise<void> {
    const text = (await textOf(this.#path(0))) ?? (await textOf(this.#path(1))) ?? '';
    this.#bytes = await sizeOf(this.#path(0));
    // A crash may have cut the last line off; the next one begins on a line of its own.
    if (text !== '' && !text.endsWith('\n')) await appendFile(this.#path(0), '\n');
    const last = text.split('\n').findLast((line) => parse(line) !== undefined);
    if (last === undefined && text.trim() !== '') {
      const fault = `File '${this.#path(0)}' is damaged: it has no record of the audit. Nothing is overwritten: move it away to begin with an empty audit.`;
      throw new InvalidConfigurationError([fault]);
    }
    this.#last = last === undefined ? START : String(parse(last)?.['hash']);
  }

  async #rotate(): Promise<void> {
    await rm(this.#path(MOST_FILES), { force: true });
    // One after the other: each takes the name that the one before has left.
    for (let number = MOST_FILES - 1; number >= 0; number--)
      if ((await sizeOf(this.#path(number))) > 0) await rename(this.#path(number), this.#path(number + 1));
    this.#bytes = 0;
  }

  #path(number: number): string {
    return join(this.#folder, number === 0 ? 'audit.jsonl' : `audit.${number}.jsonl`);
  }
}

/**
 * Checks the chain of lines of an audit, the oldest first.
 * @returns the number of the first line that does not fit, from 1 on; `undefined` if all fit
 */
export function brokenLine(lines: readonly string[]): number | undefined {
  let previous: string | undefined;
  for (const [index, line] of lines.entries()) {
    const { hash, ...rest } = parse(line) ?? {};
    if (hash === undefined || hashOf(rest) !== hash) return index + 1;
    if (previous !== undefined && rest['previous'] !== previous) return index + 1;
    previous = String(hash);
  }
  return undefined;
}

function chained(record: AuditRecord, previous: string): { readonly text: string; readonly hash: string } {
  const content = { ...record, previous };
  const hash = hashOf(content);
  return { text: `${JSON.stringify({ ...content, hash })}\n`, hash };
}

function hashOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function withoutChain({ previous: _previous, hash: _hash, ...record }: Readonly<Record<string, unknown>>): AuditRecord {
  return record as unknown as AuditRecord;
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMap(value) && typeof value['hash'] === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new InvalidConfigurationError([`File '${path}' cannot be read: ${describeCause(cause)}`], { cause });
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
  return found?.size ?? 0;
}
