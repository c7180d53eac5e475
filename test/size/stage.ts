import { type RunObserver } from '../../lib/api/events/run-events.js';
import { TestCluster } from '../../lib/testing/index.js';

/** How a stage differs from one of 20,000 items on instances A and B. */
export interface StageOptions {
  readonly names?: readonly string[] | undefined;
  readonly items?: number;
  readonly observers?: readonly RunObserver[];
  /** True if a job of one item runs after it. Default: false. */
  readonly hasSuccessor?: boolean | undefined;
}

/** How many items the jobs of the gate have. */
export const ITEMS = 20_000;

/** A job of many items, all of which may run at once. */
export class Stage implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly #running: (() => void)[];
  readonly #work: { isToHang: boolean };

  private constructor(cluster: TestCluster, running: (() => void)[], work: { isToHang: boolean }) {
    [this.cluster, this.#running, this.#work] = [cluster, running, work];
  }

  static async start({
    names = ['A', 'B'],
    items = ITEMS,
    observers = [],
    hasSuccessor = false,
  }: StageOptions = {}): Promise<Stage> {
    const running: (() => void)[] = [];
    const work = { isToHang: false };
    const cluster = await TestCluster.start(names, {
      job: { shardingTotalCount: items, failover: true, jobExecutorThreadPoolSizeProviderType: 'ALL' },
      ...(hasSuccessor && { otherJobs: [{ jobName: 'report', after: 'job', shardingTotalCount: 1 }] }),
      host: { threadPoolSizeProviders: [{ type: 'ALL', getSize: () => items }], observers },
      work: () => (work.isToHang ? new Promise<void>((resolve) => running.push(resolve)) : undefined),
    });
    return new Stage(cluster, running, work);
  }

  /** Starts a firing of which all items go on running. */
  async fireAndHang(): Promise<void> {
    this.#work.isToHang = true;
    await this.cluster.fire();
  }

  async endAll(): Promise<void> {
    this.#work.isToHang = false;
    this.#running.splice(0).forEach((end) => end());
    await this.cluster.settle();
  }

  /** Disables all items from that one on, as operators do. */
  async disableItemsFrom(first: number): Promise<void> {
    const { cluster } = this;
    const items = cluster.view.items.filter(({ item }) => item >= first);
    const writes = items.map(
      ({ item }) => ({ type: 'create', path: cluster.paths.item(item, 'disabled'), value: '' }) as const,
    );
    for (let from = 0; from < writes.length; from += 5_000)
      await cluster.operator.commit(writes.slice(from, from + 5_000));
    await cluster.settle();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cluster[Symbol.asyncDispose]();
  }
}
