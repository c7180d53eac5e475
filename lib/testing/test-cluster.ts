/**
 * A cluster for tests: several instances in one process, with one embedded registry and one clock that only the test
 * moves. So a test can kill an instance and let an hour pass within milliseconds. The commands and properties without
 * the name of a job concern its first one.
 *
 * ```
 *  TestCluster ─ ManualClock
 *    ├─ Member A: JobHost ─ EmbeddedRegistryCenter ─┐
 *    ├─ Member B: JobHost ─ EmbeddedRegistryCenter ─┼─ EmbeddedRegistryServer
 *    └─ RunBook: all runs of all items                ┘
 * ```
 *
 * The instances are real: the cluster replaces nothing of the library except the clock and the registry centre. Each
 * instance has an id and a server of its own. Commands use the names that the test gives to instances.
 */
import { type RunObserver } from '../api/events/run-events.js';
import { type ElasticJob } from '../api/job/job.js';
import { knownNames } from '../api/text/nearest.js';
import { describeValue, isMap } from '../api/text/describe-value.js';
import { jobConfiguration, type JobConfiguration } from '../api/job/job-configuration.js';
import { toYaml } from '../layout/job-configuration-yaml.js';
import { JobPaths } from '../layout/job-paths.js';
import { type JobView, readJobView } from '../layout/job-view.js';
import { deliverSoon } from '../registry/embedded/delivery.js';
import { type LostWrite, type MessageDirection } from '../registry/embedded/embedded-connection.js';
import { EmbeddedRegistryCenter } from '../registry/embedded/embedded-registry-center.js';
import { type EmbeddedNamespace } from '../registry/embedded/embedded-namespace.js';
import { EmbeddedRegistryServer } from '../registry/embedded/embedded-registry-server.js';
import { QuartzCron } from '../time/cron.js';
import { type CommitReading, eventsOf } from './commit-events.js';
import { type ClusterEvent, type ClusterHappening, tellEvent } from './events.js';
import { type Duration, milliseconds } from './durations.js';
import { InstanceNames } from './instance-names.js';
import { LivelockGuard } from './livelock-guard.js';
import { ManualClock, settle } from './manual-clock.js';
import { Member } from './member.js';
import { atText, type Run, RunBook, type TestRound } from './runs.js';
import {
  DEFAULT_JOB_NAME,
  type OtherTestJob,
  requireKeys,
  requireNames,
  requireOptions,
  type TestClusterOptions,
  type TestJob,
} from './test-cluster-options.js';

/** Several instances in one process, of one job or of several. */
export class TestCluster implements AsyncDisposable {
  /** Starts at 2030-01-01T00:00:00Z. So `0/5 * * * * ?` fires for the first time five seconds later. */
  readonly clock = new ManualClock();
  readonly server: EmbeddedRegistryServer;
  /** The instances by name that have joined, without those that the test has let leave or has killed. */
  readonly members = new Map<string, Member>();
  readonly paths: JobPaths;
  /** The test's own connection to the registry, as an operator has it. */
  readonly operator: EmbeddedRegistryCenter;
  /** The log of all instances. Each line begins with the instance's name. */
  readonly log: string[] = [];
  /** All events since the start or the last `forget()`, in order. */
  readonly events: ClusterEvent[] = [];
  readonly #options: TestClusterOptions;
  readonly #configuration: JobConfiguration;
  readonly #others: readonly JobConfiguration[];
  readonly #book: RunBook;
  /** The runs of each job by its name, those of the first one included. */
  readonly #books: ReadonlyMap<string, RunBook>;
  readonly #leaving = new Map<string, Member>();
  #isDisposed = false;
  readonly #names = new InstanceNames();
  readonly #guard = new LivelockGuard(this.clock, () => this.#mostItems);
  #mostItems = 0;

  private constructor(options: TestClusterOptions) {
    this.#options = options;
    const deliver = this.#guard.delivery(options.deliver?.(this.clock) ?? deliverSoon);
    const { limits = {} } = options;
    this.server = new EmbeddedRegistryServer({ clock: this.clock, deliver, limits });
    this.#configuration = jobConfiguration({ ...DEFAULT_JOB, ...options.job });
    this.#others = (options.otherJobs ?? []).map(otherJob);
    this.#mostItems = [this.#configuration, ...this.#others].reduce((sum, job) => sum + job.shardingTotalCount, 0);
    this.paths = new JobPaths(this.#configuration.jobName);
    this.operator = new EmbeddedRegistryCenter({ server: this.server, clock: this.clock });
    this.#book = new RunBook(this.paths.jobName, this.clock, (happening) => this.#note(happening));
    this.#books = new Map([
      [this.paths.jobName, this.#book],
      ...this.#others.map(({ jobName }) => [jobName, new RunBook(jobName, this.clock, () => undefined)] as const),
    ]);
    const reading: CommitReading = {
      paths: this.paths,
      nameOf: (id) => this.nameOf(id),
      owners: () => this.owners,
      hasEnded: (session) => session !== OPERATOR && !this.server.sessions.includes(session),
    };
    this.#registry.watch(this.paths.root, (commit) => eventsOf(commit, reading).forEach((each) => this.#note(each)));
  }

  /**
   * Starts instances with these names, one after the other. Each is registered before the next one starts.
   * @throws RangeError if the names are no list of texts, or there is no option of a given name
   */
  static async start(names: readonly string[], options: TestClusterOptions = {}): Promise<TestCluster> {
    requireNames(names);
    requireOptions(options);
    const cluster = new TestCluster(options);
    cluster.operator.connect();
    await cluster.settle();
    for (const name of names) await cluster.join(name);
    return cluster;
  }

  /** The job as the registry has it. */
  get view(): JobView {
    return readJobView(this.#registry.subtree(this.paths.root), this.paths.jobName);
  }

  /** All nodes of the job: their values by their paths. */
  get tree(): ReadonlyMap<string, string> {
    return new Map([...this.#registry.subtree(this.paths.root)].map(([path, { value }]) => [path, value]));
  }

  /** The name of the leader. `undefined` if there is none. */
  get leader(): string | undefined {
    const { leader } = this.view;
    return leader === undefined ? undefined : this.nameOf(leader);
  }

  /** Items by the name of their owner, in ascending order. Unowned items are under `nobody`. */
  get owners(): Record<string, number[]> {
    const owners: Record<string, number[]> = {};
    for (const { item, owner } of this.view.items) (owners[this.nameOf(owner)] ??= []).push(item);
    return owners;
  }

  /** All runs since the start or the last `forget()`, in the order in which they began. */
  get runs(): readonly Run[] {
    return this.#book.runs;
  }

  /**
   * All runs of a job of the cluster since the start or the last `forget()`, in the order in which they began.
   * @throws RangeError if the cluster has no job of that name
   */
  runsOf(jobName: string): readonly Run[] {
    return this.#bookOf(jobName).runs;
  }

  /**
   * The rounds of a job that are complete and on record, in the order of their instants: at most the last hundred. Only
   * jobs that belong to a graph have rounds.
   * @throws RangeError if the cluster has no job of that name
   */
  roundsOf(jobName: string): readonly TestRound[] {
    return this.viewOf(jobName).graph.rounds.rounds.map(({ instant, outcome, failed }) => {
      const scheduledAt = new Date(instant);
      return { scheduledAt, at: atText(scheduledAt), outcome, failed };
    });
  }

  /** A job of the cluster as the registry has it. @throws RangeError if the cluster has no job of that name */
  viewOf(jobName: string): JobView {
    this.#bookOf(jobName);
    return readJobView(this.#registry.subtree(new JobPaths(jobName).root), jobName);
  }

  #bookOf(jobName: string): RunBook {
    const book = this.#books.get(jobName);
    if (book !== undefined) return book;
    throw new RangeError(`The test's cluster has no job '${jobName}'${knownNames(jobName, [...this.#books.keys()])}`);
  }

  /** The items that each instance has begun since the start or the last `forget()`, in ascending order. */
  get ran(): Record<string, number[]> {
    const ran: Record<string, number[]> = {};
    for (const { instance, item } of this.runs) (ran[instance] ??= []).push(item);
    for (const items of Object.values(ran)) items.sort((a, b) => a - b);
    return ran;
  }

  /** The `events` in words. Each line begins with the time since the start. */
  get story(): readonly string[] {
    return this.events.map(tellEvent);
  }

  /** Clears `runs` and `events`. */
  forget(): void {
    for (const { runs } of this.#books.values()) runs.length = 0;
    this.events.length = 0;
  }

  /** The instance of that name that is up, or is just leaving. @throws RangeError if there is none */
  member(name: string): Member {
    const member = this.members.get(name) ?? this.#leaving.get(name);
    if (member === undefined)
      throw new RangeError(`No instance '${name}' is up; up are: ${[...this.members.keys()].join(', ')}`);
    return member;
  }

  /**
   * The name of the present or former instance with an id as the registry has it, such as `A` for `10.0.0.65@-@1-A`.
   * For ids of another form, it is the id itself. For `undefined`, it is `nobody`.
   */
  nameOf(id: string | undefined): string {
    return this.#names.nameOf(id);
  }

  /** The id in the registry of the latest instance of that name. @throws RangeError if none has ever joined */
  idOf(name: string): string {
    return this.#names.idOf(name);
  }

  /** The ip of the server that instances of that name run on. @throws RangeError if none has ever joined */
  ipOf(name: string): string {
    return this.#names.ipOf(name);
  }

  /**
   * Starts an instance. If an instance of that name has left or was killed, it starts again as a new process on the
   * same server.
   * @param job the settings of the job that are different on this instance
   * @param onServerOf name of the instance whose server it shares. Default: a server of its own
   * @throws RangeError if the name is no text, or an instance of that name is up
   */
  async join(name: string, job: TestJob = {}, onServerOf?: string): Promise<Member> {
    requireNames([name]);
    if (this.members.has(name) || this.#leaving.has(name)) throw new RangeError(`Instance '${name}' is up already`);
    const { server } = this;
    const { sessionTimeoutMs = 6_000, host = {}, work = () => undefined } = this.#options;
    const { createJob = (): ElasticJob => ({ execute: (context) => work(name, context) }) } = this.#options;
    const member = new Member({
      name,
      instance: this.#names.register(name, onServerOf),
      configuration: jobConfiguration({ ...this.#configuration, ...job }),
      server,
      clock: this.#guard.clock,
      sessionTimeoutMs,
      job: createJob(name, this.paths.jobName),
      others: this.#others.map((configuration) => ({ configuration, job: createJob(name, configuration.jobName) })),
      observer: this.#observer(name),
      write: (line) => this.log.push(`${name}: ${line}`),
      host: typeof host === 'function' ? host(name) : host,
    });
    this.members.set(name, member);
    this.#followSession(member);
    await this.settle();
    return member;
  }

  #observer(name: string): RunObserver {
    const observers = [...this.#books.values()].map((book) => book.observer(name));
    return {
      onRunEvent: (event) => {
        for (const observer of observers) void observer.onRunEvent(event);
      },
    };
  }

  /**
   * Stops an instance as its process does on SIGTERM. Does not wait for the items that it is running: the instance has
   * left when the test has let enough time pass for them, or the grace period. That is the host's
   * `shutdownGracePeriodMilliseconds`, by default 20 seconds of the cluster's clock, which only the test moves.
   */
  async leave(name: string): Promise<void> {
    const member = this.member(name);
    this.members.delete(name);
    this.#leaving.set(name, member);
    void member.leave().finally(() => this.#leaving.delete(name));
    await this.settle();
  }

  /**
   * Ends an instance as SIGKILL does: it does not withdraw. The registry ends its session after the session timeout.
   */
  kill(name: string): void {
    this.#bury(this.member(name));
  }

  /**
   * Kills an instance at its `number`th write from now on; 1 is the next one. With `outcome: 'applied'`, the registry
   * still carries out that write, with `not-applied` it does not.
   */
  killAtWrite(name: string, number: number, outcome: LostWrite): void {
    const member = this.member(name);
    if (!Number.isInteger(number) || number < 1)
      throw new RangeError(`Writes are counted from 1, the next one, got ${describeValue(number)}`);
    requireOneOf('outcome', outcome, ['applied', 'not-applied']);
    member.registry.faults.dieAtWrite(number, outcome, () => this.#bury(member));
  }

  /**
   * Cuts an instance off from the registry. Neither side notices at once: the instance notices by its own clock, and
   * the registry ends the session after the session timeout. A cut may have one direction only. With `receiving`, the
   * registry still carries out the requests of the instance, but the instance gets no answers and no changes. With
   * `sending`, the instance gets changes, but none of its requests reaches the registry.
   */
  cut(name: string, options: { readonly direction?: MessageDirection } = {}): void {
    requireKeys("cut() of a test's cluster", options, ['direction']);
    const { direction = 'both' } = options;
    requireOneOf('direction', direction, ['both', 'sending', 'receiving']);
    this.member(name).registry.faults.dropMessages(direction);
  }

  /** Ends a cut. The instance comes back with its session, or with a new one if its session has ended. */
  async heal(name: string): Promise<void> {
    this.member(name).registry.faults.resume();
    await this.settle();
  }

  /** Stops the process of an instance, as SIGSTOP does. It notices nothing, not even that time passes. */
  freeze(name: string): void {
    this.member(name).freeze();
  }

  /** Lets a frozen instance go on. First its overdue timers fire, then it receives the messages of the registry. */
  async thaw(name: string): Promise<void> {
    this.member(name).thaw();
    await this.settle();
  }

  /** Sets the wall clock of an instance ahead of the cluster's, or behind it, as `-2s` does. `0` sets it right. */
  skew(name: string, by: Duration): void {
    this.member(name).skew(milliseconds(by));
  }

  /** Ends the session of an instance in the registry. */
  async expire(name: string): Promise<void> {
    this.member(name).registry.faults.expire();
    await this.settle();
  }

  /** Disables the server of an instance, as an operator does. */
  async disable(name: string): Promise<void> {
    this.#registry.put(OPERATOR, this.paths.server(this.ipOf(name)), 'DISABLED');
    await this.settle();
  }

  /** Enables the server of an instance. */
  async enable(name: string): Promise<void> {
    this.#registry.put(OPERATOR, this.paths.server(this.ipOf(name)), 'ENABLED');
    await this.settle();
  }

  /** Disables an item, as an operator does. @throws RangeError if the job has no such item */
  async disableItem(item: number): Promise<void> {
    this.#requireItem(item);
    this.#registry.put(OPERATOR, this.paths.item(item, 'disabled'), '');
    await this.settle();
  }

  /** Enables an item. @throws RangeError if the job has no such item */
  async enableItem(item: number): Promise<void> {
    this.#requireItem(item);
    this.#registry.remove(OPERATOR, this.paths.item(item, 'disabled'));
    await this.settle();
  }

  /** Changes settings of the job in the registry, as an operator does. */
  async reconfigure(changes: TestJob): Promise<void> {
    if (!isMap(changes) || Object.keys(changes).length === 0)
      throw new RangeError(
        `Needs the settings that change, such as { shardingTotalCount: 4 }, got ${describeValue(changes)}`,
      );
    const changed = jobConfiguration({ ...this.#settings, ...changes });
    this.#mostItems = Math.max(this.#mostItems, changed.shardingTotalCount);
    this.#registry.put(OPERATOR, this.paths.config, toYaml(changed));
    await this.settle();
  }

  /**
   * Triggers the job on all instances, as an operator does. Each runs its items once, now.
   * @throws RangeError with arguments
   */
  async trigger(...none: readonly never[]): Promise<void> {
    if (none.length > 0)
      throw new RangeError(
        "trigger() of a test's cluster triggers all items on all instances, and takes no arguments; for other triggers, use " +
          'new JobOperateAPI(cluster.operator, { clock: cluster.clock })',
      );
    for (const id of this.#registry.children(this.paths.instances))
      this.#registry.create(OPERATOR, this.paths.trigger(id), '');
    await this.settle();
  }

  /**
   * Lets time pass until the next instant of the job's cron expression, and lets all code run that is due then.
   * @throws RangeError if it never fires again
   */
  async fire(): Promise<void> {
    const { cron, timeZone = 'GMT' } = this.#settings;
    const next = cron && QuartzCron.parse(cron, { timeZone }).next(new Date(this.clock.now()));
    if (!next) throw new RangeError(`Job '${this.paths.jobName}' has no cron expression that fires again`);
    await this.advance(next.getTime() - this.clock.now());
  }

  #requireItem(item: number): void {
    const { shardingTotalCount } = this.#settings;
    if (Number.isInteger(item) && item >= 0 && item < shardingTotalCount) return;
    throw new RangeError(
      `Job '${this.paths.jobName}' has items 0 to ${shardingTotalCount - 1}, got ${describeValue(item)}`,
    );
  }

  /** Lets time pass, and lets all code run that becomes due on the way. */
  async advance(duration: Duration): Promise<void> {
    if (this.#isDisposed) throw new RangeError("The test's cluster is disposed of, and runs nothing any more");
    await this.clock.advance(milliseconds(duration));
    await this.settle();
  }

  /** Lets all code run that waits for no time to pass. @throws Error, as other commands do, if the code never ends */
  async settle(): Promise<void> {
    await settle();
    this.#guard.throwIfLivelocked();
  }

  /** Kills all instances at once, also those that run items. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#guard.end();
    for (const name of [...this.members.keys(), ...this.#leaving.keys()]) this.kill(name);
    this.server.close();
    await settle();
  }

  #followSession({ name, registry }: Member): void {
    const types = { suspended: 'suspended', lost: 'session-lost', connected: 'connected' } as const;
    let isFirst = true;
    registry.session.onChange(({ phase }) => {
      if (!isFirst && phase in types) this.#note({ type: types[phase as keyof typeof types], instance: name });
      isFirst = false;
    });
  }

  #note(event: ClusterHappening): void {
    this.events.push({ ...event, atMs: this.clock.monotonic() });
  }

  #bury(member: Member): void {
    this.#note({ type: 'killed', instance: member.name });
    this.members.delete(member.name);
    this.#leaving.delete(member.name);
    member.kill();
    for (const book of this.#books.values()) book.lose(member.name);
  }

  /** The stored settings, if they can be used; read from their node alone, since the job may have many items. */
  get #settings(): JobConfiguration {
    const { paths } = this;
    const node = this.#registry.get(paths.config);
    const stored = node && readJobView(new Map([[paths.config, node]]), paths.jobName).config;
    return stored ?? this.#configuration;
  }

  get #registry(): EmbeddedNamespace {
    return this.server.namespace(NAMESPACE);
  }
}

const NAMESPACE = 'elasticjob';

/** The session that carries out the commands of an operator. */
const OPERATOR = 'operator';

const DEFAULT_JOB = jobConfiguration({
  jobName: DEFAULT_JOB_NAME,
  cron: '0/5 * * * * ?',
  timeZone: 'GMT',
  shardingTotalCount: 2,
});

function otherJob(job: OtherTestJob): JobConfiguration {
  const isScheduled = job.cron !== undefined && job.cron !== '';
  return jobConfiguration({ shardingTotalCount: 2, ...(isScheduled && { timeZone: 'GMT' }), ...job });
}

function requireOneOf(name: string, value: string, known: readonly string[]): void {
  if (!known.includes(value))
    throw new RangeError(`${name} must be one of ${known.join(', ')}, got ${describeValue(value)}`);
}
