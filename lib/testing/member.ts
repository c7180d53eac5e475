import { type JobConfiguration } from '../api/job/job-configuration.js';
import { isScheduled } from '../api/settings/dependencies.js';
import { type RunObserver } from '../api/events/run-events.js';
import { type ElasticJob } from '../api/job/job.js';
import { type JobInstance } from '../api/extensions/sharding-strategy.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../kernel/job-bootstrap.js';
import { JobHost, type JobHostOptions } from '../kernel/job-host.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { type EmbeddedRegistryServer } from '../registry/embedded/embedded-registry-server.js';
import { type Clock } from '../time/clock.js';
import { MemberClock } from './member-clock.js';

/** Everything that makes an instance of a test's cluster. */
export interface MemberOptions {
  readonly name: string;
  readonly instance: JobInstance;
  readonly configuration: JobConfiguration;
  readonly server: EmbeddedRegistryServer;
  readonly clock: Clock;
  readonly sessionTimeoutMs: number;
  /** The job object, or the type of a job without class. */
  readonly job: ElasticJob | string;
  /** Further jobs of the instance. Default: none. */
  readonly others?: readonly MemberJob[];
  readonly observer: RunObserver;
  /** Receives each line of the instance's log. */
  readonly write: (line: string) => void;
  readonly host: Partial<JobHostOptions>;
}

/** A further job of an instance. */
export type MemberJob = Pick<MemberOptions, 'configuration' | 'job'>;

/** An instance of a test's cluster that is up. */
export class Member {
  readonly name: string;
  readonly instance: JobInstance;
  /** Its own connection to the registry. Its `faults` break the connection. */
  readonly registry: EmbeddedRegistryCenter;
  readonly host: JobHost;
  /** That of its first job. */
  readonly bootstrap: ScheduleJobBootstrap | OneOffJobBootstrap;
  /** Resolves when its jobs are registered. Rejects if one of them cannot be registered. */
  readonly started: Promise<void>;
  /** The lines of its log. */
  readonly log: string[] = [];
  readonly #clock: MemberClock;

  constructor({ name, instance, configuration, write, ...options }: MemberOptions) {
    this.name = name;
    this.instance = instance;
    this.#clock = new MemberClock(options.clock);
    const { server, sessionTimeoutMs } = options;
    const clock = this.#clock;
    this.registry = new EmbeddedRegistryCenter({ server, clock, sessionTimeoutMilliseconds: sessionTimeoutMs });
    this.registry.connect();
    const note = (line: string): void => {
      this.log.push(line);
      write(line);
    };
    const logger = { debug: note, log: note, warn: note, error: note };
    const observers = [options.observer, ...(options.host.observers ?? [])];
    this.host = new JobHost({ registryCenter: this.registry, clock, logger, instance, ...options.host, observers });
    const { job, others = [] } = options;
    const first = this.#start({ configuration, job });
    this.bootstrap = first.bootstrap;
    const starts = [first, ...others.map((other) => this.#start(other))];
    this.started = Promise.all(starts.map(({ started }) => started)).then(() => undefined);
    // A test that needs the reason of a failed start awaits `started`. For all others, the log has it.
    this.started.catch(() => undefined);
  }

  #start({ configuration, job }: MemberJob): StartedJob {
    const options = { host: this.host, jobClassName: 'TestJob' };
    if (isScheduled(configuration)) {
      const bootstrap = new ScheduleJobBootstrap(this.registry, job, configuration, options);
      return { bootstrap, started: bootstrap.schedule() };
    }
    const bootstrap = new OneOffJobBootstrap(this.registry, job, configuration, options);
    return { bootstrap, started: bootstrap.start() };
  }

  /** Stops the instance as its process does on SIGTERM. */
  async leave(): Promise<void> {
    await this.host.stop();
    await this.registry.close();
    this.#clock.end();
  }

  /** Ends the instance as SIGKILL does: it does not withdraw. */
  kill(): void {
    this.host.stopFirings();
    this.#clock.end();
    this.registry.faults.dropMessages();
  }

  /** Stops the process of the instance, as SIGSTOP does. */
  freeze(): void {
    this.registry.faults.dropMessages();
    this.#clock.freeze();
  }

  /** Lets the process of the instance go on, as SIGCONT does. */
  thaw(): void {
    this.#clock.thaw();
    this.registry.faults.resume();
  }

  /** Sets the instance's wall clock ahead of the cluster's by `ms` milliseconds, or behind it if `ms` is negative. */
  skew(ms: number): void {
    this.#clock.skew(ms);
  }
}

interface StartedJob {
  readonly bootstrap: Member['bootstrap'];
  readonly started: Promise<void>;
}
