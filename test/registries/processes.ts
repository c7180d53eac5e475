import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../support/program.js';
import { until } from '../support/until.js';

/** A line of the processes' common log. */
interface Entry {
  readonly instance: string;
  readonly at: number;
  readonly event: 'ready' | 'start' | 'end' | 'aborted';
  /** Number of the run in its process. */
  readonly run?: number;
  readonly job?: string;
  readonly item?: number;
  readonly scheduledAt?: number;
  readonly fencingToken?: number;
}

/** A run of an item. */
export interface RecordedRun {
  readonly instance: string;
  readonly job: string;
  readonly item: number;
  readonly scheduledAt: number;
  readonly startedAt: number;
  /** `undefined` if it has not ended, or its process was killed before. */
  readonly endedAt: number | undefined;
  readonly fencingToken: number;
}

/** Several processes that run the same jobs on one registry centre, and the log they all write. */
export class Processes implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'processes-'));
  readonly #env: Record<string, string>;
  readonly #programs = new Map<string, Program>();

  constructor(env: Record<string, string>) {
    this.#env = { ...env, RUN_LOG: join(this.#folder, 'runs.log') };
  }

  /** Starts a process and waits until its application has booted. */
  async start(instance: string, env: Record<string, string> = {}): Promise<void> {
    const program = new Program('test/zookeeper/processes/instance.mjs', {
      env: { ...this.#env, ...env, INSTANCE: instance },
    });
    this.#programs.set(instance, program);
    await until(
      () => this.#entries.some((entry) => entry.event === 'ready' && entry.instance === instance) || program.hasExited,
      `process ${instance} to be ready`,
    ).catch((cause: unknown) => {
      throw new Error(program.output, { cause });
    });
    if (program.hasExited) throw new Error(`Process ${instance} ended at its start: ${program.output}`);
  }

  /** Sends a signal and waits for the process's end; returns how it ended. */
  async end(instance: string, signal: NodeJS.Signals): Promise<number | string | null> {
    const program = this.#programs.get(instance);
    if (program === undefined) throw new Error(`There is no process ${instance}`);
    return program.end(signal);
  }

  /** Sends a signal without waiting for what it does. */
  signal(instance: string, signal: NodeJS.Signals): void {
    this.#programs.get(instance)?.signal(signal);
  }

  output(instance: string): string {
    return this.#programs.get(instance)?.output ?? '';
  }

  get #entries(): readonly Entry[] {
    try {
      const lines = readFileSync(String(this.#env['RUN_LOG']), 'utf8').split('\n');
      // A process may be writing the last line at this moment.
      return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** All runs that have started, in the order in which they did. */
  get runs(): readonly RecordedRun[] {
    const entries = this.#entries;
    const keyOf = ({ instance, run }: Entry): string => `${instance} ${run}`;
    const ends = new Map(entries.flatMap((entry) => (entry.event === 'end' ? [[keyOf(entry), entry.at]] : [])));
    return entries
      .filter(({ event }) => event === 'start')
      .map((entry) => {
        const { instance, job = '', item = -1, scheduledAt = 0, at, fencingToken = 0 } = entry;
        return { instance, job, item, scheduledAt, startedAt: at, endedAt: ends.get(keyOf(entry)), fencingToken };
      });
  }

  /** Instances that ran anything for the given instant or a later one, with the items they ran for each. */
  sharesSince(instant: number): ReadonlyMap<number, ReadonlyMap<string, readonly number[]>> {
    const shares = new Map<number, Map<string, number[]>>();
    for (const { scheduledAt, instance, item } of this.runs) {
      if (scheduledAt < instant) continue;
      const firing = shares.get(scheduledAt) ?? new Map<string, number[]>();
      shares.set(scheduledAt, firing);
      firing.set(instance, [...(firing.get(instance) ?? []), item]);
    }
    return shares;
  }

  /**
   * Waits until a firing that is scheduled after now has been run by exactly these instances, all items of it.
   * @returns the instant of that firing
   */
  async untilSpreadOver(instances: readonly string[], total: number): Promise<number> {
    const since = Date.now();
    const isSpread = (firing: ReadonlyMap<string, readonly number[]>): boolean =>
      [...firing.keys()].sort().join() === [...instances].sort().join() && [...firing.values()].flat().length === total;
    const found = (): number | undefined => [...this.sharesSince(since)].find(([, firing]) => isSpread(firing))?.[0];
    await until(() => found() !== undefined, `all ${total} items to run on ${instances.join(', ')}`).catch(
      (cause: unknown) => {
        const ran = JSON.stringify([...this.sharesSince(since)].map(([at, firing]) => [at, ...firing]));
        throw new Error(`Ran: ${ran}`, { cause });
      },
    );
    return found()!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#programs.values()].map((program) => program[Symbol.asyncDispose]()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
