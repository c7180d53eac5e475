import {
  AbstractDistributeOnceElasticJobListener,
  type AnyJobListener,
  type ElasticJobListener,
} from '../../../lib/api/extensions/job-listener.js';
import { type ShardingContexts } from '../../../lib/api/job/sharding-contexts.js';

/** The actions of a scenario's listeners when they are called. */
export interface ListenerPorts {
  /** Records the call. */
  readonly tell: (job: string, what: string, items: readonly number[]) => void;
  /**
   * Resolves when a call that is held is released, or aborted; at once if it is not held. Throws if the call is to
   * fail.
   */
  readonly work: (what: string, signal: AbortSignal) => Promise<void>;
}

/** How long the listener that is called once in the cluster waits; milliseconds. */
export interface OnceTimeouts {
  readonly startedMs: number;
  readonly completedMs: number;
}

/** `FIRST` and `SECOND` are called on every instance, in this order; `ONCE` once in the cluster. */
export function scenarioListeners(ports: ListenerPorts, timeouts: OnceTimeouts): readonly AnyJobListener[] {
  return [new Everywhere('SECOND', 2, ports), new Everywhere('FIRST', 1, ports), new Once(ports, timeouts)];
}

class Everywhere implements ElasticJobListener {
  constructor(
    readonly type: string,
    readonly place: number,
    readonly ports: ListenerPorts,
  ) {}

  order(): number {
    return this.place;
  }

  async beforeJobExecuted({ jobName, shardingItemParameters, signal }: ShardingContexts): Promise<void> {
    this.ports.tell(jobName, `called ${this.type} before`, [...shardingItemParameters.keys()]);
    await this.ports.work(`${this.type}-before`, signal);
  }

  async afterJobExecuted({ jobName, shardingItemParameters, signal }: ShardingContexts): Promise<void> {
    this.ports.tell(jobName, `called ${this.type} after`, [...shardingItemParameters.keys()]);
    await this.ports.work(`${this.type}-after`, signal);
  }
}

class Once extends AbstractDistributeOnceElasticJobListener {
  override readonly type = 'ONCE';

  constructor(
    readonly ports: ListenerPorts,
    { startedMs, completedMs }: OnceTimeouts,
  ) {
    super(startedMs, completedMs);
  }

  async doBeforeJobExecutedAtLastStarted({ jobName, signal }: ShardingContexts): Promise<void> {
    this.ports.tell(jobName, 'CALLED ONCE FOR ALL: before', []);
    await this.ports.work('started', signal);
  }

  async doAfterJobExecutedAtLastCompleted({ jobName, signal }: ShardingContexts): Promise<void> {
    this.ports.tell(jobName, 'CALLED ONCE FOR ALL: after', []);
    await this.ports.work('completed', signal);
  }
}
