/**
 * Clusters whose job has a listener that is called once in the cluster, and the story of its calls and runs in words.
 */
import {
  AbstractDistributeOnceElasticJobListener,
  type ElasticJobListener,
} from '../../lib/api/extensions/job-listener.js';
import { type JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { type ShardingContexts } from '../../lib/api/job/sharding-contexts.js';
import { TestCluster, type TestClusterOptions } from '../../lib/testing/index.js';

/** Minute and second of an instant of 2030-01-01T00. */
export const at = (instant: Date | undefined): string => instant?.toISOString().slice(14, 19) ?? 'manual';

export type Phase = 'before' | 'after';

/** The events in order: `before 00:05`, `0 begins 00:05`, `0 ends 00:05`, `after 00:05`. */
export class Story {
  readonly lines: string[] = [];
  readonly contexts: ShardingContexts[] = [];
  readonly #held = new Map<string, () => void>();
  readonly #holding = new Set<string>();

  /** The run of the item for that instant (`0 00:05`), or the call (`after 00:05`), goes on until it is released. */
  hold(run: string): void {
    this.#holding.add(run);
  }

  release(run: string): void {
    this.#holding.delete(run);
    this.#held.get(run)?.();
  }

  async run({ shardingItem, scheduledAt }: Pick<ShardingContext, 'shardingItem' | 'scheduledAt'>): Promise<void> {
    const run = `${shardingItem} ${at(scheduledAt)}`;
    this.lines.push(`${shardingItem} begins ${at(scheduledAt)}`);
    await this.#pass(run);
    this.lines.push(`${shardingItem} ends ${at(scheduledAt)}`);
  }

  async note(phase: Phase, contexts: ShardingContexts): Promise<void> {
    const call = `${phase} ${at(contexts.scheduledAt)}`;
    this.contexts.push(contexts);
    this.lines.push(call);
    await this.#pass(call);
  }

  async #pass(what: string): Promise<void> {
    if (this.#holding.has(what)) await new Promise<void>((resolve) => this.#held.set(what, resolve));
  }

  take(): readonly string[] {
    return this.lines.splice(0);
  }
}

class Once extends AbstractDistributeOnceElasticJobListener {
  override readonly type = 'ONCE';

  constructor(
    readonly story: Story,
    readonly given: Given,
  ) {
    super(given.startedTimeoutMs ?? 60_000, given.completedTimeoutMs ?? 0);
  }

  override order(): number {
    return 5;
  }

  doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): Promise<void> {
    return this.#note('before', contexts);
  }

  doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): Promise<void> {
    return this.#note('after', contexts);
  }

  async #note(phase: Phase, contexts: ShardingContexts): Promise<void> {
    await this.story.note(phase, contexts);
    if (this.given.fails?.(phase, contexts) === true) throw new Error(`${phase} ${at(contexts.scheduledAt)} fails`);
  }
}

/** The special properties of the cluster. */
export interface Given {
  readonly job?: Partial<JobConfiguration>;
  readonly startedTimeoutMs?: number;
  readonly completedTimeoutMs?: number;
  readonly others?: readonly ElasticJobListener[];
  readonly deliver?: TestClusterOptions['deliver'];
  readonly sessionTimeoutMs?: number;
  /** True if the call fails. */
  readonly fails?: (phase: Phase, contexts: ShardingContexts) => boolean;
}

/** Starts instances whose job has the listener `ONCE`. */
export function start(names: readonly string[], story: Story, given: Given = {}): Promise<TestCluster> {
  const { job, deliver, sessionTimeoutMs, others = [] } = given;
  return TestCluster.start(names, {
    ...(deliver !== undefined && { deliver }),
    ...(sessionTimeoutMs !== undefined && { sessionTimeoutMs }),
    job: { jobListenerTypes: ['ONCE', ...others.map(({ type }) => type ?? '')], ...job },
    host: () => ({ listeners: [new Once(story, given), ...others] }),
    work: (_, context) => story.run(context),
  });
}

/** The instance that owns the item. */
export const ownerOf = (cluster: TestCluster, item: number): string => cluster.nameOf(cluster.view.items[item]?.owner);

/** The items that were begun for an instant. */
export const begun = (cluster: TestCluster, instant: string): readonly number[] =>
  cluster.runs.filter(({ scheduledAt }) => at(scheduledAt) === instant).map(({ item }) => item);
