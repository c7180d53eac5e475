import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Kind } from './kind.js';
import { type Fault } from './oracle.js';

/** Seeds that a process is given at a time. */
const PORTION = 25;

/**
 * A history leaves much garbage and little else: collecting it takes half as long in a young generation of this size.
 */
const ROOMY = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** There is a process for each core: threads that compile and collect garbage beside it only cost more in total. */
const ALONE = '--single-threaded';

/** Histories fail requests by the thousand on purpose, and nothing prints where. `--play SEED` keeps the stacks. */
const NO_STACKS = '--stack-trace-limit=0';

/** Warnings that histories cause on purpose. */
const QUIET = ['MaxListenersExceededWarning', 'ElasticJobWarning'].map((type) => `--disable-warning=${type}`);

/** A history takes some hundredths of a second. */
const LONGEST_MS = 60_000;

/** The histories to play. */
export interface Plan {
  readonly kind: Kind;
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
export type Failure = Pick<Answer, 'seed' | 'faults'>;

/** The result of a campaign. */
export interface Outcome {
  readonly played: number;
  readonly seconds: number;
  readonly failures: readonly Failure[];
  /** How many histories had which feature. */
  readonly features: ReadonlyMap<string, number>;
}

/** The portion of a worker. */
export interface Portion {
  readonly kind: Kind;
  readonly firstSeed: number;
  readonly histories: number;
}

/** Its answer for each history. */
export interface Answer {
  readonly seed: number;
  readonly features: readonly string[];
  readonly faults: readonly Fault[];
}

/** Plays many histories in several processes, and ends a process whose history does not come to an end. */
export async function campaign(plan: Plan): Promise<Outcome> {
  const { kind, firstSeed, histories, processes, mostFailures } = plan;
  const began = performance.now();
  const failures: Failure[] = [];
  let [handedOut, played] = [0, 0];
  const next = (): Portion | undefined => {
    const left = Math.min(PORTION, histories - handedOut);
    if (left <= 0 || failures.length >= mostFailures) return undefined;
    handedOut += left;
    return { kind, firstSeed: firstSeed + handedOut - left, histories: left };
  };
  const features = new Map<string, number>();
  const note = (answer: Answer): void => {
    played++;
    for (const feature of answer.features) features.set(feature, (features.get(feature) ?? 0) + 1);
    if (answer.faults.length > 0) {
      failures.push(answer);
      plan.onFailure(answer);
    }
    plan.onPlayed(played);
  };
  const work = async (): Promise<void> => {
    let worker = start();
    try {
      for (let portion = next(); portion !== undefined; portion = next()) {
        for (let from = portion.firstSeed; from < portion.firstSeed + portion.histories;) {
          // Serial on purpose: a process plays one history at a time.
          const count = await playIn(
            worker,
            { ...portion, firstSeed: from, histories: portion.firstSeed + portion.histories - from },
            note,
          );
          from += count;
          if (from === portion.firstSeed + portion.histories) continue;
          const fault = { rule: 'endless', text: `it has not ended after ${LONGEST_MS} ms` };
          note({ seed: from++, features: [], faults: [fault] });
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
  return { played, seconds: (performance.now() - began) / 1_000, failures, features };
}

function start(): ChildProcess {
  const loader = new URL('../../../.config/typescript.mjs', import.meta.url).href;
  const execArgv = ['--import', loader, ...ROOMY, ALONE, NO_STACKS, ...QUIET];
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), { execArgv });
}

/** Has the process play histories; returns how many it has answered, fewer than asked for if one takes too long. */
function playIn(worker: ChildProcess, portion: Portion, note: (answer: Answer) => void): Promise<number> {
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
