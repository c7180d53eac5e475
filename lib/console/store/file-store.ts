/**
 * The console's documents as files of a folder that only the process's user may read:
 *
 * ```
 *   <folder>            0700
 *   ├ users.json        0600, { "version": 1, "value": … }
 *   └ users.json.new    only while it is being written; it is renamed over users.json once it is on disk
 * ```
 */
import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeCause } from '../../api/text/describe-cause.js';
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { ConsoleStore } from './console-store.js';

const VERSION = 1;

/** Keeps the console's documents in a folder. */
export class FileConsoleStore extends ConsoleStore {
  override readonly description: string;
  override readonly isPersistent = true;
  readonly folder: string;

  /** @param folder absolute, or relative to the working directory of the process; it is created if it does not exist */
  constructor(folder: string) {
    super();
    this.folder = resolve(folder);
    this.description = `the folder '${this.folder}'`;
  }

  /** Creates the folder. @throws InvalidConfigurationError if it cannot be created, or others may read it */
  async open(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const { mode } = await stat(this.folder);
      // Windows has no such modes.
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) await chmod(this.folder, 0o700);
    } catch (cause) {
      const fault = `console.stateFolder: '${this.folder}' must be a folder that this process may make and write: ${describeCause(cause)}`;
      throw new InvalidConfigurationError([fault], { cause });
    }
  }

  /** @throws InvalidConfigurationError if the file exists and cannot be read, or is of a later version */
  override async read(name: string): Promise<unknown> {
    const file = join(this.folder, `${name}.json`);
    const text = await this.#textOf(file);
    if (text === undefined) return undefined;
    const content = parse(text);
    if (isMap(content) && content['version'] === VERSION && 'value' in content) return content['value'];
    const version = isMap(content) ? content['version'] : undefined;
    const problem =
      typeof version === 'number' && version !== VERSION
        ? `is of version ${version}, and this console reads version ${VERSION}`
        : 'is damaged';
    throw new InvalidConfigurationError([
      `File '${file}' ${problem}. Nothing is overwritten: restore it from a backup, or move it away to begin without it.`,
    ]);
  }

  override async write(name: string, value: unknown): Promise<void> {
    const file = join(this.folder, `${name}.json`);
    const handle = await open(`${file}.new`, 'w', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify({ version: VERSION, value }, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${file}.new`, file);
  }

  async #textOf(file: string): Promise<string | undefined> {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new InvalidConfigurationError([`File '${file}' cannot be read: ${describeCause(cause)}`], { cause });
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
