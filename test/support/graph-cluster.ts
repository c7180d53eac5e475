import { jobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type RunEvent, type RunObserver } from '../../lib/api/events/run-events.js';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { Deferred } from '../../lib/async/deferred.js';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { type JobView, readJobView } from '../../lib/layout/job-view.js';
import { deliverSoon } from '../../lib/registry/embedded/delivery.js';
import { type LostWrite } from '../../lib/registry/embedded/embedded-connection.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../lib/registry/embedded/embedded-registry-server.js';
import { ManualClock, settle } from '../../lib/testing/manual-clock.js';
import { Member } from '../../lib/testing/member.js';
import { type TestJob } from '../../lib/testing/test-cluster-options.js';
import { idOf, ipOf } from './views.js';

/** Settings of one job of a graph, with its name. */
export type GraphJob = TestJob & { readonly jobName: string };

/** One run of an item, in the order in which runs began. */
export interface GraphRun {
  readonly instance: string;
  readonly job: string;
  readonly item: number;
  /** `HH:mm:ss` of the scheduled instant, or `manual`. */
  readonly at: string;
  readonly cause: string;
  outcome: string;
}

/** Several instances with several jobs each, on one registry, under a clock that the test moves. */
export class GraphCluster implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly server = new EmbeddedRegistryServer({ clock: this.clock, deliver: deliverSoon });
  readonly runs: GraphRun[] = [];
  readonly log: string[] = [];
  readonly #members = new Map<string, Member>();
  readonly #held = new Map<string, Deferred>();
  readonly #failing = new Set<string>();
  readonly #skews = new Map<string, number>();
  #observers: readonly RunObserver[] = [];
  #onStaged: ((instance: string, job: string) => void) | undefined;
  #processes = 0;
  #operator: EmbeddedRegistryCenter | undefined;

  /** Starts instances, each with all these jobs. */
  static async start(
    names: readonly string[],
    jobs: readonly GraphJob[],
    observers: readonly RunObserver[] = [],
  ): Promise<GraphCluster> {
    const cluster = new GraphCluster();
    cluster.#observers = observers;
    for (const name of names) await cluster.join(name, jobs);
    return cluster;
  }

  /** Starts an instance with these jobs; a second one of the same name is a new process. */
  async join(name: string, jobs: readonly GraphJob[]): Promise<Member> {
    const [first, ...others] = jobs.map((job) =>
      jobConfiguration({ timeZone: 'GMT', shardingTotalCount: 2, failover: true, ...job }),
    );
    if (first === undefined) throw new RangeError('An instance needs a job');
    const process = ++this.#processes;
    const member = new Member({
      name,
      instance: { jobInstanceId: `${idOf(name)}-${process}`, serverIp: ipOf(name) },
      configuration: first,
      server: this.server,
      clock: this.clock,
      sessionTimeoutMs: 6_000,
      job: this.#job(name, first.jobName),
      others: others.map((configuration) => ({ configuration, job: this.#job(name, configuration.jobName) })),
      observer: { onRunEvent: (event) => this.#note(name, event) },
      write: (line) => this.log.push(`${name}: ${line}`),
      host: { observers: this.#observers },
    });
    member.skew(this.#skews.get(name) ?? 0);
    this.#members.set(name, member);
    member.started.catch((error: unknown) => this.log.push(`${name}: ${String(error)}`));
    await settle();
    return member;
  }

  #job(instance: string, job: string): { execute(context: ShardingContext): Promise<void> } {
    return {
      execute: async ({ shardingItem }) => {
        await this.#held.get(`${job} ${shardingItem}@${instance}`)?.promise;
        await this.#held.get(`${job} ${shardingItem}`)?.promise;
        if (this.#failing.has(`${job} ${shardingItem}`)) throw new Error(`${job} ${shardingItem} fails`);
      },
    };
  }

  #note(instance: string, event: RunEvent): void {
    if (event.type === 'staged') this.#onStaged?.(instance, event.run.jobName);
    if (event.type === 'item-started') {
      const { shardingItem: item, scheduledAt } = event.context;
      const at = scheduledAt?.toISOString().slice(11, 19) ?? 'manual';
      const { jobName: job, cause } = event.run;
      this.runs.push({ instance, job, item, at, cause, outcome: 'running' });
    }
    if (event.type !== 'item-ended') return;
    const { item, outcome } = event;
    const run = this.runs.findLast(
      (each) => each.instance === instance && each.job === event.run.jobName && each.item === item.item,
    );
    if (run !== undefined) run.outcome = outcome.type;
  }

  /** A connection of its own, as an operator has it. */
  async operator(): Promise<EmbeddedRegistryCenter> {
    if (this.#operator === undefined) {
      this.#operator = new EmbeddedRegistryCenter({ server: this.server, clock: this.clock });
      this.#operator.connect();
      await settle();
    }
    return this.#operator;
  }

  /** Sets the clock of an instance that is to join ahead of the cluster's, or behind it if `ms` is negative. */
  skew(name: string, ms: number): void {
    this.#skews.set(name, ms);
  }

  /** Calls `task` once, when the next run of the job on that instance is about to choose its items. */
  whenStaged(instance: string, job: string, task: () => void): void {
    this.#onStaged = (staged, stagedJob) => {
      if (staged !== instance || stagedJob !== job) return;
      this.#onStaged = undefined;
      task();
    };
  }

  /** The runs of a job, each as `item instant`, sorted. */
  ran(job: string): readonly string[] {
    return this.runs
      .filter((run) => run.job === job)
      .map(({ item, at }) => `${item} ${at}`)
      .sort();
  }

  /** The job as the registry has it. */
  view(job: string): JobView {
    return readJobView(this.server.namespace('elasticjob').subtree(`/${job}`), job);
  }

  /** The nodes of a job that only jobs of a graph have: their values by their paths below the job. */
  graphNodes(job: string): Readonly<Record<string, string>> {
    const nodes = [...this.server.namespace('elasticjob').subtree(`/${job}`)];
    const isOfGraph = (path: string): boolean => /^\/[^/]+\/x-node\/(?:graph|ended)\//.test(path);
    return Object.fromEntries(nodes.filter(([path]) => isOfGraph(path)).map(([path, { value }]) => [path, value]));
  }

  /** The completed rounds of a job that are on record: `00:00:05 succeeded`. */
  rounds(job: string): readonly string[] {
    return this.view(job).graph.rounds.rounds.map(
      ({ instant, outcome, failed }) =>
        `${new Date(instant).toISOString().slice(11, 19)} ${outcome}${failed.length === 0 ? '' : ` ${failed.join(',')}`}`,
    );
  }

  /** Holds the item `report 0`, or `report 0@A` on one instance, until it is released. */
  hold(...items: readonly string[]): void {
    for (const item of items) this.#held.set(item, new Deferred());
  }

  async release(...items: readonly string[]): Promise<void> {
    for (const item of items) {
      this.#held.get(item)?.resolve();
      this.#held.delete(item);
    }
    // Ended items are unmarked together, within a tenth of a second.
    await this.advance(100);
  }

  /** Lets the items fail from now on. */
  fail(...items: readonly string[]): void {
    for (const item of items) this.#failing.add(item);
  }

  /** Lets no item fail any more. */
  mend(): void {
    this.#failing.clear();
  }

  member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new RangeError(`No instance ${name} is up`);
    return member;
  }

  /** Triggers a job from an instance, as its application does. */
  async trigger(name: string, job: string): Promise<void> {
    const runtime = this.member(name).host?.jobs.get(job);
    if (runtime === undefined) throw new RangeError(`${name} has no job ${job}`);
    await runtime.trigger();
  }

  /** The health of a job on an instance. */
  health(name: string, job: string): unknown {
    return this.member(name).host?.jobs.get(job)?.health;
  }

  kill(name: string): void {
    const member = this.member(name);
    this.#members.delete(name);
    member.kill();
  }

  /** Kills an instance at its `number`th write from now on. */
  killAtWrite(name: string, number: number, outcome: LostWrite): void {
    const member = this.member(name);
    member.registry.faults.dieAtWrite(number, outcome, () => {
      this.#members.delete(name);
      member.kill();
    });
  }

  /** Kills an instance right after the commit that removes its mark of that item. */
  killWhenUnmarked(name: string, job: string, item: number): void {
    const path = new JobPaths(job).item(item, 'running');
    const unwatch = this.server.namespace('elasticjob').watch(path, ({ changes }) => {
      if (!changes.some(({ after }) => after === undefined)) return;
      unwatch();
      this.kill(name);
    });
  }

  get up(): readonly string[] {
    return [...this.#members.keys()];
  }

  async leave(name: string): Promise<void> {
    const member = this.member(name);
    this.#members.delete(name);
    void member.leave();
    await settle();
  }

  /** Changes the stored settings of a job, as an operator does. */
  async reconfigure(job: string, changes: TestJob): Promise<void> {
    const { config } = this.view(job);
    const changed = jobConfiguration({ ...config, ...changes, jobName: job });
    this.server.namespace('elasticjob').put('operator', new JobPaths(job).config, toYaml(changed));
    await settle();
  }

  /** Marks an item as running on an instance that is up, as a former owner that still runs it does. */
  markRunning(job: string, item: number, on: string): void {
    const path = new JobPaths(job).item(item, 'running');
    this.server.namespace('elasticjob').put('operator', path, this.member(on).instance.jobInstanceId);
  }

  /** Removes the mark of a running item. */
  async unmark(job: string, item: number): Promise<void> {
    this.server.namespace('elasticjob').remove('operator', new JobPaths(job).item(item, 'running'));
    await settle();
  }

  async disableItem(job: string, item: number): Promise<void> {
    this.server.namespace('elasticjob').put('operator', new JobPaths(job).item(item, 'disabled'), '');
    await settle();
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.up) this.kill(name);
    for (const held of this.#held.values()) held.resolve();
    void this.#operator?.close();
    this.server.close();
    await settle();
  }
}
