import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RegCenterSettings } from '../../../lib/settings/reg-center-settings.js';
import { Program } from '../../support/program.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { type LogEvent, type ProcessLife } from './history.js';
import { monotonicMs } from './monotonic.js';
import { type RegistryUnderFaults } from './registry/registry-under-faults.js';

/** How instances are started. */
export interface FleetOptions {
  /** Where the processes' logs go. */
  readonly folder: string;
  readonly registry: Pick<RegistryUnderFaults, 'servers' | 'settings'>;
  /** Settings of the registry centre that are the same for all, besides where it is. */
  readonly regCenter: RegCenterSettings;
  /** For the processes, beside what is each one's own. */
  readonly env: Readonly<Record<string, string>>;
}

/** Generous, for a machine that has much else to do. */
const START_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 60_000;

/** All instances, each hosting all jobs. */
export class Fleet implements AsyncDisposable {
  private constructor(readonly instances: readonly Instance[]) {}

  /** Starts instances A, B, C … and waits until their applications have booted. */
  static async start(count: number, options: FleetOptions): Promise<Fleet> {
    const names = Array.from({ length: count }, (_, index) => String.fromCharCode(65 + index));
    const fleet = new Fleet(await Promise.all(names.map((name) => Instance.open(name, options))));
    try {
      await Promise.all(fleet.instances.map((instance) => instance.start()));
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
    return fleet;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance[Symbol.asyncDispose]()));
  }
}

/** One instance: a process after the other, behind proxies of its own, one for each server of the registry centre. */
export class Instance implements AsyncDisposable {
  readonly lives: Life[] = [];
  /** True while a fault of its process, or of its network, goes on. */
  readonly busy = { process: false, network: false };

  private constructor(
    readonly name: string,
    readonly proxies: readonly TcpProxy[],
    private readonly options: FleetOptions,
  ) {}

  static async open(name: string, options: FleetOptions): Promise<Instance> {
    const proxies = await Promise.all(options.registry.servers.map((server) => TcpProxy.start(server, 'other')));
    return new Instance(name, proxies, options);
  }

  /** The present process, or the last one. */
  get life(): Life {
    const life = this.lives.at(-1);
    if (life === undefined) throw new Error(`Instance ${this.name} was never started`);
    return life;
  }

  /** Starts its next process and waits until its application has booted. */
  async start(): Promise<void> {
    const name = `${this.name}#${this.lives.length + 1}`;
    const { registry, regCenter, folder, env } = this.options;
    const own = registry.settings(this.proxies.map(({ address }) => address));
    const life = new Life(name, join(folder, `${name}.log`), {
      ...env,
      INSTANCE: name,
      REG_CENTER: JSON.stringify({ ...regCenter, ...own }),
    });
    this.lives.push(life);
    await until(() => life.isReady || life.hasExited, `process ${name} to be ready`, START_LIMIT_MS);
    if (life.hasExited) throw new Error(`Process ${name} ended at its start:\n${life.output}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const life of this.lives) await life.end('SIGKILL');
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }
}

/** However this process ends, no other one of its making stays. */
const living = new Set<Program>();
process.once('exit', () => {
  for (const program of living) program.signal('SIGKILL');
});

/** One process of an instance. */
export class Life {
  readonly #program: Program;
  readonly #bornAt = monotonicMs();
  #diedAt: number | undefined;
  /** True if the campaign has ended it on purpose. */
  isToEnd = false;

  constructor(
    readonly name: string,
    readonly log: string,
    env: Record<string, string>,
  ) {
    this.#program = new Program('test/zookeeper/processes/instance.mjs', { env: { ...env, RUN_LOG: log } });
    living.add(this.#program);
    void this.#program.end().then(() => {
      this.#diedAt = monotonicMs();
      living.delete(this.#program);
    });
  }

  get isReady(): boolean {
    return this.#program.output.includes('ready\n');
  }

  get hasExited(): boolean {
    return this.#program.hasExited;
  }

  get output(): string {
    return this.#program.output;
  }

  get record(): ProcessLife {
    return { name: this.name, pid: this.#program.pid, bornAt: this.#bornAt, diedAt: this.#diedAt };
  }

  signal(signal: NodeJS.Signals): void {
    this.#program.signal(signal);
  }

  /**
   * Ends the process by a signal and waits for it.
   * @throws if it does not end in time, or not by that signal
   */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.hasExited) return;
    this.isToEnd = true;
    const ended = this.#program.end(signal);
    await until(() => this.hasExited, `process ${this.name} to end by ${signal}`, STOP_LIMIT_MS);
    const by = await ended;
    if (by !== signal) throw new Error(`Process ${this.name} was sent ${signal} and ended by ${by}:\n${this.output}`);
  }

  /** The events that it wrote. */
  get events(): readonly LogEvent[] {
    return readLog(this.name, this.log);
  }
}

/** The events in the log of a process; none if it was killed before it could write. */
export function readLog(process: string, file: string): readonly LogEvent[] {
  return existsSync(file) ? parseLog(process, readFileSync(file, 'utf8')) : [];
}

/** The lines of a process's log. A line that was being written when the process died counts for nothing. */
function parseLog(process: string, text: string): readonly LogEvent[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => ({ ...(JSON.parse(line) as LogEvent), process }));
}
