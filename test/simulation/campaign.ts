import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Fault } from './oracle.js';

/** Seeds that a process is given at a time. */
const PORTION = 25;

/** Which histories to play. */
export interface Plan {
  readonly firstSeed: number;
  readonly histories: number;
  readonly processes: number;
  /** Ends the campaign early. */
  readonly mostFailures: number;
  /** Called now and then. */
  readonly onProgress: (played: number, failures: number) => void;
}

/** A history in which something was wrong. */
export interface Failure {
  readonly seed: number;
  readonly faults: readonly Fault[];
}

/** What came of a campaign. */
export interface Outcome {
  readonly played: number;
  readonly seconds: number;
  readonly failures: readonly Failure[];
}

/** What a worker is asked for, and what it answers. */
export interface Portion {
  readonly firstSeed: number;
  readonly histories: number;
}
export interface Answer {
  readonly failures: readonly Failure[];
}

/** Plays many histories in several processes. A process that dies is a failure of the campaign itself. */
export async function campaign({ firstSeed, histories, processes, mostFailures, onProgress }: Plan): Promise<Outcome> {
  const began = performance.now();
  const failures: Failure[] = [];
  let [handedOut, played] = [0, 0];
  const next = (): Portion | undefined => {
    const left = Math.min(PORTION, histories - handedOut);
    if (left <= 0 || failures.length >= mostFailures) return undefined;
    handedOut += left;
    return { firstSeed: firstSeed + handedOut - left, histories: left };
  };
  const work = async (worker: ChildProcess): Promise<void> => {
    for (let portion = next(); portion !== undefined; portion = next()) {
      // Serial on purpose: a process plays one history at a time.
      const answer = await ask(worker, portion);
      failures.push(...answer.failures);
      played += portion.histories;
      onProgress(played, failures.length);
    }
    worker.disconnect();
  };
  const workers = Array.from({ length: processes }, start);
  try {
    await Promise.all(workers.map(work));
  } finally {
    for (const worker of workers) worker.kill();
  }
  failures.sort((one, other) => one.seed - other.seed);
  return { played, seconds: (performance.now() - began) / 1_000, failures };
}

function start(): ChildProcess {
  const loader = new URL('../../.config/typescript.mjs', import.meta.url).href;
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
    execArgv: ['--import', loader, '--max-semi-space-size=32', '--disable-warning=MaxListenersExceededWarning'],
  });
}

function ask(worker: ChildProcess, portion: Portion): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null): void =>
      reject(
        new Error(`The process that played the histories from seed ${portion.firstSeed} on ended: ${signal ?? code}`),
      );
    worker.once('exit', onExit);
    worker.once('message', (answer) => {
      worker.off('exit', onExit);
      resolve(answer as Answer);
    });
    worker.send(portion);
  });
}
