import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Fault } from './oracle.js';

/** Seeds that a process is given at a time. */
const PORTION = 25;

/** A history takes some hundredths of a second. */
const LONGEST_MS = 60_000;

/** Which histories to play. */
export interface Plan {
  readonly firstSeed: number;
  readonly histories: number;
  readonly processes: number;
  /** Ends the campaign early. */
  readonly mostFailures: number;
  /** Called after each history. */
  readonly onPlayed: (played: number) => void;
  /** Called when something was wrong with one. */
  readonly onFailure: (failure: Failure) => void;
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

/** What a worker is asked for. */
export interface Portion {
  readonly firstSeed: number;
  readonly histories: number;
}

/** What it answers for each history. */
export type Answer = Failure;

/** Plays many histories in several processes, and ends a process whose history does not come to an end. */
export async function campaign({ firstSeed, histories, processes, mostFailures, ...hear }: Plan): Promise<Outcome> {
  const began = performance.now();
  const failures: Failure[] = [];
  let [handedOut, played] = [0, 0];
  const next = (): Portion | undefined => {
    const left = Math.min(PORTION, histories - handedOut);
    if (left <= 0 || failures.length >= mostFailures) return undefined;
    handedOut += left;
    return { firstSeed: firstSeed + handedOut - left, histories: left };
  };
  const note = (failure: Failure): void => {
    played++;
    if (failure.faults.length > 0) {
      failures.push(failure);
      hear.onFailure(failure);
    }
    hear.onPlayed(played);
  };
  const work = async (): Promise<void> => {
    let worker = start();
    try {
      for (let portion = next(); portion !== undefined; portion = next()) {
        for (let from = portion.firstSeed; from < portion.firstSeed + portion.histories;) {
          // Serial on purpose: a process plays one history at a time.
          const count = await playIn(
            worker,
            { firstSeed: from, histories: portion.firstSeed + portion.histories - from },
            note,
          );
          from += count;
          if (from === portion.firstSeed + portion.histories) continue;
          note({ seed: from++, faults: [{ rule: 'endless', text: `it has not ended after ${LONGEST_MS} ms` }] });
          worker.kill('SIGKILL');
          worker = start();
        }
      }
    } finally {
      worker.kill();
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  failures.sort((one, other) => one.seed - other.seed);
  return { played, seconds: (performance.now() - began) / 1_000, failures };
}

function start(): ChildProcess {
  const loader = new URL('../../.config/typescript.mjs', import.meta.url).href;
  const execArgv = ['--import', loader, '--max-semi-space-size=32', '--disable-warning=MaxListenersExceededWarning'];
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), { execArgv });
}

/** Has the process play histories; returns how many it has answered, fewer than asked for if one takes too long. */
function playIn(worker: ChildProcess, portion: Portion, note: (failure: Failure) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    const end = (settle: () => void): void => {
      clearTimeout(watchdog);
      worker.off('exit', onExit).off('message', onMessage);
      settle();
    };
    const watchdog = setTimeout(() => end(() => resolve(answered)), LONGEST_MS);
    const onExit = (code: number | null, signal: string | null): void =>
      end(() =>
        reject(new Error(`The process that played seed ${portion.firstSeed + answered} ended: ${signal ?? code}`)),
      );
    const onMessage = (answer: unknown): void => {
      note(answer as Answer);
      watchdog.refresh();
      if (++answered === portion.histories) end(() => resolve(answered));
    };
    worker.on('exit', onExit).on('message', onMessage);
    worker.send(portion);
  });
}
