import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** How long a command may take: the slowest waits for an election or for items to end. */
const ANSWER_LIMIT_MS = 30_000;

type Environment = Readonly<Record<string, string>>;

/**
 * A process that answers each line of its input by a line `> {"ok": …}` or `> {"error": …}`. It ends when this process
 * does.
 */
export class PeerProcess implements AsyncDisposable {
  /** Everything it printed, but for its answers. */
  output = '';
  /** When it ended; milliseconds since 1970. */
  diedAt: number | undefined;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #waiting: ((answer: string) => void)[] = [];

  private constructor(command: string, args: readonly string[], env: Environment) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    this.#exited = once(this.#child, 'close').then(() => (this.diedAt = Date.now()));
    // A command that is written while the process dies is answered by its end.
    this.#child.stdin!.on('error', () => undefined);
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      if (line.startsWith('> ')) this.#waiting.shift()?.(line.slice(2));
      else this.output += `${line}\n`;
    });
  }

  /**
   * Starts a process and waits until it is ready.
   * @param env what its environment has besides that of this process
   */
  static async start(command: string, args: readonly string[], env: Environment = {}): Promise<PeerProcess> {
    const process = new PeerProcess(command, args, env);
    try {
      await process.#answer('its start');
      return process;
    } catch (error) {
      await process[Symbol.asyncDispose]();
      throw error;
    }
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a command and resolves with what it returned; rejects if it failed, or if there is no answer within 30 s. */
  ask(...command: readonly unknown[]): Promise<unknown> {
    const answer = this.#answer(JSON.stringify(command).slice(0, 200));
    this.#child.stdin!.write(`${JSON.stringify(command)}\n`);
    return answer;
  }

  /** Sends a signal without waiting for what it does. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Waits for its end. */
  async exited(): Promise<void> {
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** Java prints the stacks of all its threads on SIGQUIT, by which a Node process would end. */
  #tellWhatItDoes(then: () => void): void {
    if (!this.#child.spawnfile.endsWith('java')) return then();
    this.signal('SIGQUIT');
    setTimeout(then, 1_000);
  }

  async #answer(to: string): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#tellWhatItDoes(() => reject(new Error(`No answer to ${to} in ${ANSWER_LIMIT_MS} ms.\n${this.output}`)));
      }, ANSWER_LIMIT_MS);
    });
    const gone = this.#exited.then((): never => {
      throw new Error(`The process ended before it answered ${to}.\n${this.output}`);
    });
    try {
      const text = await Promise.race([new Promise<string>((resolve) => this.#waiting.push(resolve)), gone, late]);
      const answer = JSON.parse(text) as { readonly ok?: unknown; readonly error?: string };
      if (answer.error !== undefined) throw new Error(`To ${to}: ${answer.error}`);
      return answer.ok;
    } finally {
      clearTimeout(timer);
    }
  }
}
