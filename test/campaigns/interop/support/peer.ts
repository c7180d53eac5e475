import { type PeerProcess } from './peer-process.js';

/** A job's settings by the names of `JobConfiguration.newBuilder()`'s methods. */
export interface JobSettings {
  readonly jobName: string;
  readonly shardingTotalCount: number;
  /** A one-off job, if it is left out. */
  readonly cron?: string | undefined;
  /** DATAFLOW: the job of that kind of the peers' programs; otherwise a type of ElasticJob's. Default: a simple job. */
  readonly type?: 'SCRIPT' | 'HTTP' | 'DATAFLOW';
  readonly [option: string]: unknown;
}

/** An instance of a cluster. */
export class Peer {
  constructor(
    readonly name: string,
    readonly ip: string,
    /** File of its runs. */
    readonly log: string,
    readonly process: PeerProcess,
    private readonly job: string,
  ) {}

  /** Its id in the registry centre, up to what Node appends. */
  get id(): string {
    return `${this.ip}@-@${this.process.pid}`;
  }

  /** The same instance as it takes part in another job. */
  in(job: string): Peer {
    return new Peer(this.name, this.ip, this.log, this.process, job);
  }

  /** Takes part in a job. */
  async begin(job: JobSettings): Promise<void> {
    await this.process.ask('start', job);
  }

  /** Runs a one-off job once, everywhere. */
  async execute(): Promise<void> {
    await this.process.ask('execute', this.job);
  }

  /** Lets runs of the item not end, until they are released. */
  async block(item: number | '*' = '*'): Promise<void> {
    await this.process.ask('block', this.job, `${item}`);
  }

  async release(item: number | '*' = '*'): Promise<void> {
    await this.process.ask('release', this.job, `${item}`);
  }

  /** Lets runs of the item fail, or not any more. */
  async fail(item: number | '*' = '*', isToFail = true): Promise<void> {
    await this.process.ask('throw', this.job, `${item}`, isToFail);
  }

  /** Lets runs of the item last so long. */
  async last(durationMs: number, item: number | '*' = '*'): Promise<void> {
    await this.process.ask('last', this.job, `${item}`, durationMs);
  }

  /** Ends its part in the job, as `shutdown()` of its bootstrap does. */
  async stop(): Promise<void> {
    await this.process.ask('stop', this.job);
  }

  /** Ends its process and its session in good order. */
  async close(): Promise<void> {
    // A process that ends does not answer.
    await this.process.ask('close').catch(() => undefined);
    await this.process.exited();
  }

  async kill(): Promise<void> {
    await this.process.kill();
  }

  /** Stops it in its tracks, as a long pause of its machine does. */
  freeze(): void {
    this.process.signal('SIGSTOP');
  }

  thaw(): void {
    this.process.signal('SIGCONT');
  }
}
