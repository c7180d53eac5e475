import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { type RunObserver } from '../../../lib/api/events/run-events.js';
import { type AnyJobListener } from '../../../lib/api/extensions/job-listener.js';
import { type LogEntry } from '../../../lib/api/text/logger.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import {
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { TrueTime } from './true-time.js';
import { idOf, ipOf } from '../../support/views.js';
import { SESSION_TIMEOUT_MS } from './history.js';
import { InstanceClock } from './instance-clock.js';
import { LimitedRegistryCenter } from './limited-registry-center.js';
import { Network } from './network.js';
import { type Exemption } from './recording.js';
import { SessionClock } from './session-clock.js';
import { ownStrategies } from './strategies.js';

export const START = Date.parse('2030-01-01T00:00:00Z');
const NAMESPACE = 'elasticjob';
const KEPT_LINES = 200;

/** Instead of a session's id: that the registry itself has lost its nodes. */
export const WIPE = 'wipe';

/** The options of a world. */
export interface WorldOptions {
  readonly seed: number;
  readonly slowestMessageMs: number;
  readonly poolSize: number;
  /** The first job, and those that run beside it. */
  readonly configurations: readonly [JobConfiguration, ...JobConfiguration[]];
  /** Most operations of one commit; `undefined`: as many as ZooKeeper accepts. */
  readonly operationsACommit: number | undefined;
  /** How much later than its time a session may end at the registry; `undefined`: not at all. */
  readonly sweepLateMs: number | undefined;
  readonly execute: (machine: Machine, context: ShardingContext) => Promise<void>;
  /** Called when a timer of a machine throws. */
  readonly onUncaught: (machine: Machine, error: unknown) => void;
  /** The listeners of the first job as one machine has them. */
  readonly listeners: (machine: () => Machine) => readonly AnyJobListener[];
  /** The observers of the runs of one machine. */
  readonly observers: (machine: () => Machine) => readonly RunObserver[];
}

/** One simulated process with an instance of the job, from its start on; it is kept when it is gone. */
export interface Machine {
  readonly name: string;
  /** Number of its centre at the network. */
  readonly centre: number;
  readonly clock: InstanceClock;
  readonly registry: EmbeddedRegistryCenter;
  readonly host: JobHost;
  readonly log: string[];
  /** Why, and since when, it cannot know what it has to. */
  readonly unknowing: Map<'frozen' | 'expired', number>;
  isLeaving: boolean;
  /** Until when its logger throws; milliseconds in true time. */
  loggerFailsUntilMs: number;
}

/** A cluster of simulated processes around one embedded registry, with an operator. */
export class World {
  readonly clock = new TrueTime(START);
  readonly network: Network;
  /** Counts down the sessions. */
  readonly sessionClock: SessionClock;
  readonly server: EmbeddedRegistryServer;
  /** The nodes of the first job. */
  readonly paths: JobPaths;
  readonly operator: EmbeddedRegistryCenter;
  readonly machines = new Map<string, Machine>();
  /** When which machines could not know what they had to. */
  readonly exemptions: Exemption[] = [];
  readonly #options: WorldOptions;
  readonly #jobs: readonly JobPaths[];
  #centres = 0;
  #strategyFailsUntilMs = 0;

  constructor(options: WorldOptions) {
    const { seed, slowestMessageMs, configurations, operationsACommit, sweepLateMs = 0 } = options;
    this.#options = options;
    this.network = new Network(this.clock, seed, slowestMessageMs);
    this.sessionClock = new SessionClock(this.clock, seed, sweepLateMs);
    this.server = new EmbeddedRegistryServer({
      ...{ clock: this.sessionClock, deliver: this.network.deliver },
      ...(operationsACommit !== undefined && { limits: { operations: operationsACommit } }),
    });
    this.#jobs = configurations.map(({ jobName }) => new JobPaths(jobName));
    this.paths = this.pathsOf(configurations[0].jobName);
    this.#centres++;
    this.operator = new EmbeddedRegistryCenter({ server: this.server, clock: this.clock });
    this.operator.connect();
  }

  /** Milliseconds since the beginning, in true time. */
  get nowMs(): number {
    return this.clock.monotonic();
  }

  /** The server's tree of the job's namespace. */
  get namespace(): ReturnType<EmbeddedRegistryServer['namespace']> {
    return this.server.namespace(NAMESPACE);
  }

  /** The nodes of each job. */
  get jobs(): readonly JobPaths[] {
    return this.#jobs;
  }

  /** The nodes of the job of that name. */
  pathsOf(jobName: string): JobPaths {
    const paths = this.#jobs.find((each) => each.jobName === jobName);
    if (paths === undefined) throw new RangeError(`there is no job ${jobName}`);
    return paths;
  }

  /** Machines whose process is there, and neither stopping nor stopped. */
  get present(): readonly Machine[] {
    return this.presentFor(this.paths);
  }

  /** Machines whose process is there, where the job is neither stopping nor stopped. */
  presentFor({ jobName }: JobPaths): readonly Machine[] {
    return [...this.machines.values()].filter(
      ({ clock, isLeaving, host }) => !clock.isDead && !isLeaving && !isOver(host.jobs.get(jobName)?.phase),
    );
  }

  /** The machine of this name, if its process is there. */
  living(name: string): Machine | undefined {
    const machine = this.machines.get(name);
    return machine?.clock.isDead === false ? machine : undefined;
  }

  join(name: string, skewMs: number): void {
    const clock = new InstanceClock(this.clock, skewMs, (error) => this.#options.onUncaught(machine, error));
    const registry = this.#connected(clock);
    const log: string[] = [];
    const write = (line: string): void => {
      if (machine.loggerFailsUntilMs > this.nowMs) throw new Error('ENOSPC: no space left on device, write');
      log.push(`${(this.nowMs / 1000).toFixed(3)} ${line}`);
      if (log.length > KEPT_LINES) log.shift();
    };
    const namesJobs = this.#jobs.length > 1 && {
      write: ({ jobName = 'all jobs', message }: LogEntry) => write(`[${jobName}] ${message}`),
    };
    const { poolSize, listeners, observers } = this.#options;
    const host = new JobHost({
      registryCenter: registry,
      clock,
      logger: { debug: write, log: write, warn: write, error: write, ...namesJobs },
      instance: { jobInstanceId: idOf(name), serverIp: ipOf(name) },
      // By its own name, which otherwise depends on the machine.
      threadPoolSizeProviders: [{ type: 'CPU', getSize: () => poolSize }],
      strategies: ownStrategies(() => this.nowMs < this.#strategyFailsUntilMs),
      listeners: listeners(() => machine),
      observers: observers(() => machine),
    });
    const machine: Machine = {
      ...{ name, centre: ++this.#centres, clock, registry, host, log },
      ...{ unknowing: new Map(), isLeaving: false, loggerFailsUntilMs: 0 },
    };
    registry.session.onChange(({ phase }) => {
      if (phase === 'lost' || phase === 'closed') this.#knows(machine, 'expired');
    });
    this.machines.set(name, machine);
    const job = { execute: (context: ShardingContext) => this.#options.execute(machine, context) };
    for (const configuration of this.#options.configurations) {
      const runtime = host.add({ configuration, job, jobClassName: 'SimulatedJob', owner: 'the simulation' });
      runtime.schedule().catch((error: unknown) => write(`not started: ${String(error)}`));
    }
  }

  #connected(clock: InstanceClock): EmbeddedRegistryCenter {
    const { operationsACommit } = this.#options;
    const options: EmbeddedRegistryCenterOptions = {
      ...{ server: this.server, clock, sessionTimeoutMilliseconds: SESSION_TIMEOUT_MS },
    };
    const registry =
      operationsACommit === undefined
        ? new EmbeddedRegistryCenter(options)
        : new LimitedRegistryCenter(options, operationsACommit);
    registry.connect();
    return registry;
  }

  /** The registry loses all nodes and all sessions but the operator's, and lets machines connect again after `ms`. */
  wipe(ms: number): void {
    const machines = [...this.machines.values()].filter(({ clock }) => !clock.isDead);
    for (const machine of machines) {
      if (!machine.unknowing.has('expired')) machine.unknowing.set('expired', this.nowMs);
      machine.registry.faults.disconnect();
    }
    const { state } = this.operator.session;
    for (const id of this.server.sessions) if (!('id' in state) || id !== state.id) this.server.endSession(id);
    this.namespace.lose(WIPE);
    this.clock.after(ms, () => {
      for (const machine of machines) this.resume(machine);
    });
  }

  /** From now on the strategy UNRELIABLE throws, for so many milliseconds. */
  failStrategy(ms: number): void {
    this.#strategyFailsUntilMs = Math.max(this.#strategyFailsUntilMs, this.nowMs + ms);
  }

  /** The server ends its session, which the machine learns only from a message. */
  expire(machine: Machine): void {
    if (!machine.unknowing.has('expired')) machine.unknowing.set('expired', this.nowMs);
    machine.registry.faults.expire();
  }

  #knows({ name, unknowing }: Machine, reason: 'frozen' | 'expired'): void {
    const fromMs = unknowing.get(reason);
    if (fromMs !== undefined) this.exemptions.push({ name, fromMs, toMs: this.nowMs });
    unknowing.delete(reason);
  }

  /** Stops an instance as its process would on SIGTERM. */
  async leave(machine: Machine): Promise<void> {
    machine.isLeaving = true;
    await machine.host.stop();
    await machine.registry.close();
    machine.clock.die();
  }

  /** Ends a process without a word, as SIGKILL does. */
  kill(machine: Machine): void {
    machine.clock.die();
    for (const reason of [...machine.unknowing.keys()]) this.#knows(machine, reason);
    machine.registry.faults.dropMessages();
  }

  /** Lets its connections through again. */
  resume(machine: Machine): void {
    if (!machine.clock.isDead && !machine.clock.isFrozen) machine.registry.faults.resume();
  }

  /** Stops a process for a while, as SIGSTOP does. */
  freeze(machine: Machine, ms: number): void {
    if (!machine.unknowing.has('frozen')) machine.unknowing.set('frozen', this.nowMs);
    machine.clock.freeze();
    machine.registry.faults.dropMessages();
    this.clock.after(ms, () => {
      machine.clock.thaw();
      // Overdue timers come first: they show the process how long it has been away.
      this.clock.after(0, () => this.resume(machine));
      this.clock.after(1, () => {
        if (!machine.clock.isFrozen) this.#knows(machine, 'frozen');
      });
    });
  }
}

function isOver(phase: string | undefined): boolean {
  return phase === undefined || phase === 'stopping' || phase === 'stopped';
}
