import { describe, expect, test } from '@jest/globals';
import { AbstractDistributeOnceElasticJobListener, type ElasticJobListener } from '../../lib/api/job-listener.js';
import { type JobConfiguration } from '../../lib/api/job-configuration.js';
import { type ShardingContext } from '../../lib/api/sharding-context.js';
import { type ShardingContexts } from '../../lib/api/sharding-contexts.js';
import { TestCluster } from '../../lib/testing/index.js';

/** Minute and second of an instant of 2030-01-01T00. */
const at = (instant: Date | undefined): string => instant?.toISOString().slice(14, 19) ?? 'manual';

/** What happened, in order: `before 00:05`, `0 begins 00:05`, `0 ends 00:05`, `after 00:05`. */
class Story {
  readonly lines: string[] = [];
  readonly contexts: ShardingContexts[] = [];
  readonly #held = new Map<string, () => void>();
  readonly #holding = new Set<string>();

  /** The run of the item for that instant goes on until it is released. */
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
    if (this.#holding.has(run)) await new Promise<void>((resolve) => this.#held.set(run, resolve));
    this.lines.push(`${shardingItem} ends ${at(scheduledAt)}`);
  }

  note(phase: 'before' | 'after', contexts: ShardingContexts): void {
    this.contexts.push(contexts);
    this.lines.push(`${phase} ${at(contexts.scheduledAt)}`);
  }

  take(): readonly string[] {
    return this.lines.splice(0);
  }
}

class Once extends AbstractDistributeOnceElasticJobListener {
  override readonly type = 'ONCE';

  constructor(
    readonly story: Story,
    startedTimeoutMs: number,
    completedTimeoutMs: number,
  ) {
    super(startedTimeoutMs, completedTimeoutMs);
  }

  override order(): number {
    return 5;
  }

  doBeforeJobExecutedAtLastStarted(contexts: ShardingContexts): void {
    this.story.note('before', contexts);
  }

  doAfterJobExecutedAtLastCompleted(contexts: ShardingContexts): void {
    this.story.note('after', contexts);
  }
}

interface Given {
  readonly job?: Partial<JobConfiguration>;
  readonly startedTimeoutMs?: number;
  readonly completedTimeoutMs?: number;
  readonly others?: readonly ElasticJobListener[];
}

function start(
  names: readonly string[],
  story: Story,
  { job, startedTimeoutMs = 60_000, completedTimeoutMs = 0, others = [] }: Given = {},
): Promise<TestCluster> {
  return TestCluster.start(names, {
    job: { jobListenerTypes: ['ONCE', ...others.map(({ type }) => type ?? '')], ...job },
    host: () => ({ listeners: [new Once(story, startedTimeoutMs, completedTimeoutMs), ...others] }),
    work: (_, context) => story.run(context),
  });
}

/** The instance that owns the item. */
const ownerOf = (cluster: TestCluster, item: number): string => cluster.nameOf(cluster.view.items[item]?.owner);

describe('an instance that takes over items of several firings', () => {
  /** 0 dies in the firing of 00:05, 1 in that of 00:10; then A comes. */
  async function takenOver(story: Story, given: Given = {}): Promise<TestCluster> {
    const cluster = await start(['B', 'C'], story, {
      ...given,
      completedTimeoutMs: 2_000,
      startedTimeoutMs: 1_000,
      job: { failover: true, ...given.job },
    });
    const [first, second] = [ownerOf(cluster, 0), ownerOf(cluster, 1)];
    story.hold('0 00:05');
    story.hold('1 00:10');
    await cluster.fire();
    await cluster.fire();
    await cluster.advance('1s');
    cluster.kill(first);
    cluster.kill(second);
    await cluster.advance('8s');
    story.contexts.length = 0;
    story.take();
    story.release('0 00:05');
    story.release('1 00:10');
    await cluster.join('A');
    return cluster;
  }

  const itemsOf = ({ scheduledAt, shardingItemParameters, taskId }: ShardingContexts): string =>
    `${at(scheduledAt)} [${[...shardingItemParameters.keys()].join(',')}] ${taskId.replace(/@-@READY.*$/, '')}`;

  test('makes the last call of each, with its own instant and items', async () => {
    const story = new Story();
    await using cluster = await takenOver(story);
    await cluster.settle();

    const after = story.contexts.slice(0, 2).map(itemsOf);

    expect(after).toEqual(['00:05 [0] job@-@0', '00:10 [1] job@-@1']);
  });

  test('calls the listeners of every instance once for all items, without an instant', async () => {
    const story = new Story();
    const calls: string[] = [];
    const every = {
      type: 'EVERY',
      beforeJobExecuted: (contexts: ShardingContexts) => void calls.push(`before ${itemsOf(contexts)}`),
      afterJobExecuted: (contexts: ShardingContexts) => void calls.push(`after ${itemsOf(contexts)}`),
    };
    await using cluster = await takenOver(story, { others: [every] });
    await cluster.settle();

    expect(calls).toEqual(expect.arrayContaining(['before manual [0,1] job@-@0,1', 'after manual [0,1] job@-@0,1']));
    expect(calls.filter((call) => call.includes('[0,1]') && call.includes('manual'))).toHaveLength(2);
  });
});
