import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { type ReadStream, type WriteStream } from 'node:tty';
import { systemClock } from '../../time/clock.js';
import { type LaunchedProcess, onLauncherGone } from './launcher.js';
import { type Terminal, type TextStream } from './terminal.js';

/**
 * The keys that end a command: Ctrl-C, which a terminal in raw mode passes on as a key, and q, as in `less` and `top`.
 */
const END_KEYS: ReadonlySet<string> = new Set(['\u0003', 'q', 'Q']);

/** The terminal, or the pipes, of this process. */
export class ProcessTerminal implements Terminal {
  readonly out: TextStream;
  readonly err: TextStream;
  // Noted at once, as the launcher may end before the command begins its work.
  readonly #launched = launchedProcess(process.ppid);
  readonly #stdin: ReadStream;
  readonly #stdout: WriteStream;
  readonly #stderr: WriteStream;
  readonly #closed = new Set<() => void>();

  constructor({ stdin, stdout, stderr }: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.out = streamOf(stdout, () => this.#closed.forEach((listener) => listener()));
    this.err = streamOf(stderr, () => undefined);
  }

  get isInteractive(): boolean {
    return this.#stdin.isTTY && this.#stderr.isTTY;
  }

  ask(question: string): Promise<string | undefined> {
    return this.#line(question, this.#stderr);
  }

  askSecret(question: string): Promise<string | undefined> {
    if (!this.isInteractive) return this.#line('', undefined);
    this.err.write(question);
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    return this.#line('', nowhere).finally(() => this.err.write('\n'));
  }

  #line(question: string, output: NodeJS.WritableStream | undefined): Promise<string | undefined> {
    return new Promise((resolve) => {
      const lines = createInterface({ input: this.#stdin, ...(output && { output, terminal: true }) });
      let answer: string | undefined;
      lines.once('close', () => {
        if (answer === undefined && output === this.#stderr) this.err.write('\n');
        resolve(answer);
      });
      lines.once('SIGINT', () => lines.close());
      lines.once('line', (line) => {
        answer = line;
        lines.close();
      });
      lines.setPrompt(question);
      if (output !== undefined) lines.prompt();
    });
  }

  onEnd(listener: () => void): () => void {
    const onKey = (key: Buffer): void => {
      if (END_KEYS.has(key.toString())) listener();
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, listener);
    this.#closed.add(listener);
    const stopLooking = onLauncherGone(this.#launched, systemClock, listener);
    const hasKeys = this.#stdin.isTTY && this.#stdout.isTTY;
    if (hasKeys) this.#stdin.setRawMode(true).on('data', onKey).resume();
    return () => {
      for (const signal of signals) process.off(signal, listener);
      this.#closed.delete(listener);
      stopLooking();
      if (hasKeys) this.#stdin.setRawMode(false).off('data', onKey).pause();
    };
  }

  onResize(listener: () => void): () => void {
    this.#stdout.on('resize', listener);
    return () => void this.#stdout.off('resize', listener);
  }
}

function streamOf(stream: WriteStream, onClosed: () => void): TextStream {
  let isClosed = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader, such as `| head -1`, has ended. Other faults of the stream cannot be reported on it either.
    isClosed = true;
    if (error.code !== 'EPIPE') process.exitCode ??= 70;
    onClosed();
  });
  return {
    write: (chunk) => void (isClosed || stream.write(chunk)),
    get isTerminal() {
      return stream.isTTY;
    },
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
    },
  };
}

function launchedProcess(launcher: number): LaunchedProcess {
  return {
    launcher,
    env: process.env,
    get ppid() {
      return process.ppid;
    },
  };
}
