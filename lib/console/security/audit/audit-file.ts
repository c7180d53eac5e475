/**
 * The storages of the audit's records: memory, or files in the state folder with one record a line
 * (`audit/audit-chain.ts` explains the chain of lines):
 *
 * ```
 *   audit.jsonl      the newest records          refusals.jsonl     the same for refusals
 *   audit.1.jsonl    those before
 *   …
 * ```
 * At a size, and with a limit of days also at an age, `audit.jsonl` becomes `audit.1.jsonl`, that one `audit.2.jsonl`
 * and so on. The oldest file beyond the number of files is removed, and so is each whose newest record is older than
 * the limit of days.
 */
import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { InvalidConfigurationError } from '../../../api/errors/errors.js';
import { type AuditRecord } from '../../contract/session.js';
import { chainedLine, codeOf, NO_PREVIOUS, parseLine, recordOf } from './audit-chain.js';
import { type AuditName, auditPath, textOf } from './audit-folder.js';

/** A storage of records, which are appended one after the other. */
export interface AuditStorage {
  append(record: AuditRecord): Promise<void>;
  /** The records from the newest to the oldest. */
  newestFirst(): AsyncIterable<AuditRecord> | Iterable<AuditRecord>;
}

const MOST_IN_MEMORY = 10_000;

/** Keeps the latest records until the process ends. */
export class AuditMemory implements AuditStorage {
  readonly #records: AuditRecord[] = [];
  readonly #most: number;

  constructor(most = MOST_IN_MEMORY) {
    this.#most = most;
  }

  append(record: AuditRecord): Promise<void> {
    this.#records.push(record);
    if (this.#records.length > this.#most) this.#records.shift();
    return Promise.resolve();
  }

  newestFirst(): Iterable<AuditRecord> {
    return this.#records.toReversed();
  }
}

/** The limits of the stored records. */
export interface AuditRetention {
  /** The most files, including that of the newest records. */
  readonly files: number;
  /** The size at which a new file is begun. */
  readonly bytes: number;
  /** Days after which a file is removed, counted from its newest record. Default: never. */
  readonly days?: number | undefined;
}

/** The files of a chain, and their limits. */
export interface AuditFileOptions {
  readonly folder: string;
  readonly name: AuditName;
  readonly key: Buffer;
  readonly retention: AuditRetention;
}

const DAY_MS = 24 * 60 * 60_000;

/** Keeps records in files of a folder. */
export class AuditFile implements AuditStorage {
  readonly #options: AuditFileOptions;
  #last = NO_PREVIOUS;
  #bytes = 0;
  /** The time of the first record of the newest file. */
  #since = Infinity;
  /** The day of the last check for old files. */
  #lookedOn = -1;

  private constructor(options: AuditFileOptions) {
    this.#options = options;
  }

  /**
   * Opens the files of a folder, and checks the last line, which new records follow.
   * @throws InvalidConfigurationError if they cannot be read, or the last line is damaged
   */
  static async open(options: AuditFileOptions): Promise<AuditFile> {
    const file = new AuditFile(options);
    await file.#continue();
    return file;
  }

  async append(record: AuditRecord): Promise<void> {
    const { key, retention } = this.#options;
    await this.#removeOld(record.at);
    const line = chainedLine(record, this.#last, key);
    const bytes = Buffer.byteLength(line.text);
    const isFull = this.#bytes + bytes > retention.bytes || record.at - this.#since >= this.#longestSpan;
    if (this.#bytes > 0 && isFull) await this.#rotate();
    await appendFile(this.#path(0), line.text, { mode: 0o600 });
    this.#since = Math.min(this.#since, record.at);
    this.#bytes += bytes;
    this.#last = line.mac;
  }

  async *newestFirst(): AsyncIterable<AuditRecord> {
    for (let number = 0; number < this.#options.retention.files; number++) {
      const text = await textOf(this.#path(number));
      for (const each of (text ?? '').split('\n').reverse()) {
        const line = parseLine(each);
        if (line !== undefined) yield recordOf(line);
      }
    }
  }

  /**
   * The longest time that a file may span: the days are spread over the files, so that whole files become too old and
   * can be removed.
   */
  get #longestSpan(): number {
    const { days, files } = this.#options.retention;
    return days === undefined || files === 1 ? Infinity : (days * DAY_MS) / (files - 1);
  }

  async #continue(): Promise<void> {
    const newest = await textOf(this.#path(0));
    const text = newest ?? (await textOf(this.#path(1))) ?? '';
    this.#bytes = await sizeOf(this.#path(0));
    // A crash may have cut off the last line; the next record begins on a new line.
    if (text !== '' && !text.endsWith('\n')) await appendFile(this.#path(0), '\n');
    const lines = text.split('\n');
    const last = lines.findLast((line) => parseLine(line) !== undefined);
    if (last === undefined && text.trim() !== '') {
      const fault = `File '${this.#path(0)}' is damaged: it has no record of the audit. Nothing is overwritten: move it away to begin with an empty audit.`;
      throw new InvalidConfigurationError([fault]);
    }
    this.#last = codeOf(parseLine(last ?? '') ?? {}) ?? NO_PREVIOUS;
    if (newest !== undefined) this.#since = timeOf(lines.find((line) => parseLine(line) !== undefined)) ?? Infinity;
  }

  async #removeOld(now: number): Promise<void> {
    const { days, files } = this.#options.retention;
    const day = Math.floor(now / DAY_MS);
    if (day === this.#lookedOn) return;
    this.#lookedOn = day;
    // Former settings may have allowed more files.
    for (let number = files; (await sizeOf(this.#path(number))) > 0; number++) await rm(this.#path(number));
    if (days === undefined) return;
    for (let number = files - 1; number >= 0; number--) {
      const text = (await textOf(this.#path(number))) ?? '';
      const latest = timeOf(text.split('\n').findLast((line) => parseLine(line) !== undefined));
      if (latest === undefined || now - latest <= days * DAY_MS) continue;
      await rm(this.#path(number));
      if (number === 0) [this.#bytes, this.#since] = [0, Infinity];
    }
  }

  async #rotate(): Promise<void> {
    const { files } = this.#options.retention;
    await rm(this.#path(files - 1), { force: true });
    // One after the other, as each file takes the former name of the one before.
    for (let number = files - 2; number >= 0; number--)
      if ((await sizeOf(this.#path(number))) > 0) await rename(this.#path(number), this.#path(number + 1));
    [this.#bytes, this.#since] = [0, Infinity];
  }

  #path(number: number): string {
    const { folder, name } = this.#options;
    return auditPath(folder, name, number);
  }
}

function timeOf(line: string | undefined): number | undefined {
  const at = line === undefined ? undefined : parseLine(line)?.['at'];
  return typeof at === 'number' ? at : undefined;
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
  return found?.size ?? 0;
}
