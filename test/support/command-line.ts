import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './program.js';

/** The command line as it was built. */
export const ELASTICJOB = join(root, 'dist/esm/elasticjob.js');

/** The output of a command, and its exit code. */
export interface Printed {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

/** The variables of this process, without those that would tell the command line something. */
export function cleanEnvironment(more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^elasticjob|^node_options$|^no_color$|^force_color$|^visual$|^editor$/i.test(name),
  );
  return { ...Object.fromEntries(inherited), ...more };
}

/** Runs `elasticjob` to its end, with pipes in place of a terminal. */
export async function elasticjob(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd = root, onOutput }: { readonly cwd?: string; readonly onOutput?: () => void } = {},
): Promise<Printed> {
  const child = spawn(process.execPath, [ELASTICJOB, ...args], { env: cleanEnvironment(env), cwd });
  if (onOutput) child.stdout.once('data', onOutput);
  return ended(child);
}

/** Runs a line in bash; `elasticjob` in it is the command line. */
export async function bash(line: string, env: Readonly<Record<string, string>> = {}): Promise<Printed> {
  const script = `elasticjob() { "${process.execPath}" "${ELASTICJOB}" "$@"; }\n${line}`;
  return ended(spawn('bash', ['-c', script], { env: cleanEnvironment(env), cwd: root }));
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<Printed> {
  child.stdin.end();
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { out, err, code };
}

/** A command on a real pseudo-terminal, which `script` of util-linux provides. */
export class PseudoTerminal implements AsyncDisposable {
  /** Everything that the terminal has been sent so far. */
  output = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<unknown>;

  /** @param args of `elasticjob` */
  constructor(
    args: readonly string[],
    {
      columns = 80,
      rows = 24,
      env = {},
    }: { readonly columns?: number; readonly rows?: number; readonly env?: Readonly<Record<string, string>> } = {},
  ) {
    const words = [process.execPath, ELASTICJOB, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
    const line = `stty cols ${columns} rows ${rows}; exec ${words.join(' ')}`;
    this.#child = spawn('script', ['-qfec', line, '/dev/null'], {
      env: cleanEnvironment({ TERM: 'xterm-256color', SHELL: '/bin/sh', ...env }),
      cwd: root,
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#ended = once(this.#child, 'close');
  }

  /** The text that the terminal was sent, without colours and movements of the cursor, and with plain line ends. */
  get text(): string {
    return plainText(this.output);
  }

  /** The present content of a screen that is redrawn. */
  get screen(): string {
    return plainText(this.output.split('\u001b[H').at(-1) ?? '');
  }

  /** Types text; `\u0003` is Ctrl-C. */
  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Waits for its end; returns the exit code. */
  async end(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL');
      await this.#ended;
    }
  }
}

function plainText(text: string): string {
  return text.replace(STEERING, '').replace(/\r+\n/g, '\n');
}

const STEERING = new RegExp(String.raw`${'\u001b'}\[[\d;?]*[A-Za-z]`, 'g');
