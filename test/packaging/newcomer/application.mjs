/** Programs that the newcomer's run starts. */
import { spawn } from 'node:child_process';

const RUN_DEADLINE_MS = 240_000;
const STOP_DEADLINE_MS = 20_000;

/** Runs a program to its end. @throws with everything it printed if it fails, or does not end in four minutes */
export async function run(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: RUN_DEADLINE_MS });
  const output = collected(child);
  const { code, signal } = await ended(child);
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${signal ?? code}:\n${output()}`);
}

/** The newcomer's application as a process. */
export class Application {
  #child;
  #end;
  #output;

  constructor(program, cwd, env) {
    this.#child = spawn(process.execPath, [program], { cwd, env: { ...process.env, ...env, PORT: '0' } });
    this.#output = collected(this.#child);
    this.#end = ended(this.#child);
  }

  /** Resolves when the program has printed all texts. @throws if it has not in time, or ends before */
  async says(texts, timeoutMs) {
    const missing = () => texts.filter((text) => !this.#output().includes(text));
    const deadline = performance.now() + timeoutMs;
    let hasEnded = false;
    void this.#end.then(() => (hasEnded = true));
    while (missing().length > 0) {
      if (hasEnded || performance.now() > deadline)
        throw new Error(`The application has not printed ${missing().join(', ')}:\n${this.#output()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Stops the program as a deployment does. @throws if it does not end in time, or has logged a warning or an error */
  async stop() {
    this.#child.kill('SIGTERM');
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_DEADLINE_MS);
    const { signal } = await this.#end;
    clearTimeout(kill);
    if (signal === 'SIGKILL') throw new Error(`The application did not end in time:\n${this.#output()}`);
    if (/\b(?:WARN|ERROR)\b/.test(this.#output())) throw new Error(`The application complains:\n${this.#output()}`);
  }

  /** Ends the program if it still runs. */
  async kill() {
    this.#child.kill('SIGKILL');
    await this.#end;
  }
}

function collected(child) {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return () => output;
}

function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}
