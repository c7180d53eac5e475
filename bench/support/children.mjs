// Processes of a benchmark's candidates: each is a module that calls `serve()`, and its parent asks.
import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that runs `module` and answers questions. `settings` are what `serve()` hands to the module. */
export class Child {
  #process;

  static async start(module, settings) {
    const child = new Child();
    child.#process = fork(module, { env: { ...process.env, BENCH: JSON.stringify(settings) } });
    child.ready = await child.#answer();
    return child;
  }

  /** The answer to a question, which names one of the functions that the module serves. */
  ask(question, ...details) {
    const answer = this.#answer();
    this.#process.send({ question, details });
    return answer;
  }

  /** Ends the process in good order: its function `stop` first. */
  async stop() {
    const exited = once(this.#process, 'exit');
    await this.ask('stop');
    this.#process.disconnect();
    await exited;
  }

  /** Ends the process as a crash does. */
  async kill() {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  async #answer() {
    const left = new AbortController();
    const gone = once(this.#process, 'exit', { signal: left.signal }).then(([code, signal]) => {
      throw new Error(`A benchmark's process ended by itself (${signal ?? `exit code ${code}`}).`);
    });
    try {
      const [{ answer, problem }] = await Promise.race([once(this.#process, 'message'), gone]);
      if (problem !== undefined) throw new Error(problem);
      return answer;
    } finally {
      gone.catch(() => undefined);
      left.abort();
    }
  }
}

/**
 * In a child: `begin` makes the functions that the parent may ask, by name, from the settings. Its `ready` is sent at
 * once.
 */
export async function serve(begin) {
  const reply = async (work) => {
    try {
      process.send({ answer: await work() });
    } catch (error) {
      process.send({ problem: error.stack });
    }
  };
  let functions;
  await reply(async () => {
    functions = await begin(JSON.parse(process.env.BENCH));
    return functions.ready;
  });
  process.on('message', ({ question, details }) => void reply(() => functions[question]?.(...details)));
}

/** Milliseconds of the processor's time that this process has used so far. */
export function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
