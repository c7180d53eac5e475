import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A program of this project in a process of its own, as users run it. Killed at the latest when it is disposed of. */
export class Program implements AsyncDisposable {
  /** Every whole line printed so far, errors among the rest: a line may come in pieces. At the end, everything. */
  output = '';
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  /**
   * @param script absolute, or relative to the project's folder
   * @param options `args` are those of Node, `words` those of the script
   */
  constructor(
    script: string,
    {
      env = {},
      cwd = root,
      args = [],
      words = [],
    }: { env?: Record<string, string>; cwd?: string; args?: readonly string[]; words?: readonly string[] } = {},
  ) {
    const inherited = Object.entries(process.env).filter(([name]) => !/^elasticjob|^node_options$/i.test(name));
    this.#child = spawn(process.execPath, [...args, join(root, script), ...words], {
      cwd,
      env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      let rest = '';
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const end = text.lastIndexOf('\n') + 1;
        if (end > 0) this.output += rest + text.slice(0, end);
        rest = (end > 0 ? '' : rest) + text.slice(end);
      });
      stream?.on('end', () => (this.output += rest));
    }
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Number of the process. */
  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** Sends a signal without waiting for what it does. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end, after a signal if one is given; returns the exit code or the signal that ended it. */
  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    if (signal !== undefined) this.#child.kill(signal);
    await this.#exited;
    return this.#child.exitCode ?? this.#child.signalCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasExited) await this.end('SIGKILL');
  }
}
