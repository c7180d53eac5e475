/**
 * A cluster for tests: several instances of one job in one process, on one embedded registry and one clock that stands
 * still until it is told to move. So a test can let an instance die and an hour pass, and takes milliseconds.
 *
 * ```
 *  TestCluster ─ ManualClock
 *    ├─ Member A: JobHost ─ EmbeddedRegistryCenter ─┐
 *    ├─ Member B: JobHost ─ EmbeddedRegistryCenter ─┼─ EmbeddedRegistryServer
 *    └─ RunBook: what every item did                ┘
 * ```
 *
 * The instances are the real thing: nothing of the library is replaced but the clock and the registry centre. Each has
 * an id and a server of its own; commands name it as the test does.
 */
import { jobConfiguration, type JobConfiguration } from '../api/job-configuration.js';
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
import { type Run, RunBook } from './runs.js';
import { type TestClusterOptions } from './test-cluster-options.js';

/** Several instances of one job in one process. */
export class TestCluster implements AsyncDisposable {
  /** Starts at 2030-01-01T00:00:00Z, so that `0/5 * * * * ?` fires first five seconds later. */
  readonly clock = new ManualClock();
  readonly server: EmbeddedRegistryServer;
  /** The instances that have joined and were neither told to leave nor killed, by name. */
  readonly members = new Map<string, Member>();
  readonly paths: JobPaths;
  /** A registry centre of the test's own, as an operator has it. */
  readonly operator: EmbeddedRegistryCenter;
  /** What all instances logged, each line with the instance's name before it. */
  readonly log: string[] = [];
  /** What has happened since the start or the last `forget()`, in order. */
  readonly events: ClusterEvent[] = [];
  readonly #options: TestClusterOptions;
  readonly #configuration: JobConfiguration;
  readonly #book: RunBook;
  readonly #leaving = new Map<string, Member>();
  readonly #names = new InstanceNames();
  readonly #guard = new LivelockGuard(this.clock);

  private constructor(options: TestClusterOptions) {
    this.#options = options;
    const deliver = this.#guard.delivery(options.deliver?.(this.clock) ?? deliverSoon);
    this.server = new EmbeddedRegistryServer({ clock: this.clock, deliver });
    this.#configuration = { ...DEFAULT_JOB, ...options.job };
    this.paths = new JobPaths(this.#configuration.jobName);
    this.operator = new EmbeddedRegistryCenter({ server: this.server, clock: this.clock });
    this.#book = new RunBook(this.clock, options.work ?? (() => undefined), (event) => this.#note(event));
    const reading: CommitReading = {
      paths: this.paths,
      nameOf: (id) => this.nameOf(id),
      owners: () => this.owners,
      hasEnded: (session) => session !== OPERATOR && !this.server.sessions.includes(session),
    };
    this.#registry.watch(this.paths.root, (commit) => eventsOf(commit, reading).forEach((each) => this.#note(each)));
  }

  /** Starts instances of the given names one after the other, each registered before the next one comes. */
  static async start(names: readonly string[], options: TestClusterOptions = {}): Promise<TestCluster> {
    const cluster = new TestCluster(options);
    cluster.operator.connect();
    await cluster.settle();
    for (const name of names) await cluster.join(name);
    return cluster;
  }

  /** The job as it is in the registry. */
  get view(): JobView {
    return readJobView(this.#registry.subtree(this.paths.root), this.paths.jobName);
  }

  /** Paths of all nodes of the job, with their values. */
  get tree(): ReadonlyMap<string, string> {
    return new Map([...this.#registry.subtree(this.paths.root)].map(([path, { value }]) => [path, value]));
  }

  /** Name of the leader; `undefined` if there is none. */
  get leader(): string | undefined {
    const { leader } = this.view;
    return leader === undefined ? undefined : this.nameOf(leader);
  }

  /** Items by the name of their owner, in ascending order; those without owner under `nobody`. */
  get owners(): Record<string, number[]> {
    const owners: Record<string, number[]> = {};
    for (const { item, owner } of this.view.items) (owners[this.nameOf(owner)] ??= []).push(item);
    return owners;
  }

  /** All runs since the last `forget()`, in the order in which they began in the cluster. */
  get runs(): readonly Run[] {
    return this.#book.runs;
  }

  /** Items that each instance ran since the last `forget()`, in ascending order. */
  get ran(): Record<string, number[]> {
    const ran: Record<string, number[]> = {};
    for (const { instance, item } of this.runs) (ran[instance] ??= []).push(item);
    for (const items of Object.values(ran)) items.sort((a, b) => a - b);
    return ran;
  }

  /** What has happened, in words; each line begins with the time since the start. */
  get story(): readonly string[] {
    return this.events.map(tellEvent);
  }

  /** Forgets the runs and events so far. */
  forget(): void {
    this.#book.runs.length = 0;
    this.events.length = 0;
  }

  /** An instance that has joined and has neither left nor been killed. @throws RangeError if there is none of that name */
  member(name: string): Member {
    const member = this.members.get(name) ?? this.#leaving.get(name);
    if (member === undefined)
      throw new RangeError(`No instance '${name}' is up; up are: ${[...this.members.keys()].join(', ')}`);
    return member;
  }

  /**
   * Name of the instance, present or former, of an id as it is in the registry: what its id ends with, as `A` of
   * `10.0.0.65@-@1-A`. For ids of another kind the id itself, and `nobody` for none.
   */
  nameOf(id: string | undefined): string {
    return this.#names.nameOf(id);
  }

  /** Id in the registry of the latest instance of that name. @throws RangeError if none has ever joined */
  idOf(name: string): string {
    return this.#names.idOf(name);
  }

  /** Ip of the server that instances of that name run on. @throws RangeError if none has ever joined */
  ipOf(name: string): string {
    return this.#names.ipOf(name);
  }

  /**
   * Starts an instance, or one of a name that has left or was killed once more, as a new process on the same server.
   * @param job settings in which the job is defined differently there
   * @param onServerOf name of an instance whose server it shares; default: a server of its own
   */
  async join(name: string, job: Partial<JobConfiguration> = {}, onServerOf?: string): Promise<Member> {
    if (this.members.has(name) || this.#leaving.has(name)) throw new RangeError(`Instance '${name}' is up already`);
    const { server } = this;
    const { sessionTimeoutMs = 6_000, host = {} } = this.#options;
    const member = new Member({
      name,
      instance: this.#names.register(name, onServerOf),
      configuration: { ...this.#configuration, ...job },
      server,
      clock: this.#guard.clock,
      sessionTimeoutMs,
      execute: (context) => this.#book.execute(name, context),
      write: (line) => this.log.push(`${name}: ${line}`),
      host: typeof host === 'function' ? host(name) : host,
    });
    this.members.set(name, member);
    this.#followSession(member);
    await this.settle();
    return member;
  }

  /**
   * Stops an instance as its process would on SIGTERM. Does not wait for items it is running: it has left once time has
   * passed for them, or the grace period.
   */
  async leave(name: string): Promise<void> {
    const member = this.member(name);
    this.members.delete(name);
    this.#leaving.set(name, member);
    void member.leave().finally(() => this.#leaving.delete(name));
    await this.settle();
  }

  /** Ends an instance without a word, as SIGKILL does; its session ends by itself after its time. */
  kill(name: string): void {
    this.#bury(this.member(name));
  }

  /**
   * Kills an instance at the `number`th write from now on that reaches the registry, 1 being the next one, whether that
   * is still carried out (`applied`) or not.
   */
  killAtWrite(name: string, number: number, outcome: LostWrite): void {
    const member = this.member(name);
    member.registry.faults.dieAtWrite(number, outcome, () => this.#bury(member));
  }

  /**
   * Cuts an instance off from the registry. Neither of them is told: the instance notices by its own clock, the registry
   * ends the session when its time has passed. One way only: with `receiving` what it asks for is still done, but it
   * gets no answers and no news; with `sending` it gets news, but nothing it asks for is done.
   */
  cut(name: string, { direction = 'both' }: { readonly direction?: MessageDirection } = {}): void {
    this.member(name).registry.faults.dropMessages(direction);
  }

  /** Ends a cut: the instance comes back with its session, or with a new one if that has ended. */
  async heal(name: string): Promise<void> {
    this.member(name).registry.faults.resume();
    await this.settle();
  }

  /** Stops the process of an instance, as SIGSTOP does: it notices nothing, not even that time passes. */
  freeze(name: string): void {
    this.member(name).freeze();
  }

  /** Lets a frozen instance go on: first what was due meanwhile, then what it hears of the registry. */
  async thaw(name: string): Promise<void> {
    this.member(name).thaw();
    await this.settle();
  }

  /** Sets the wall clock of an instance ahead of the cluster's by so much, or behind it: `-2s`. `0` sets it right. */
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

  /** Disables an item, as an operator does. */
  async disableItem(item: number): Promise<void> {
    this.#registry.put(OPERATOR, this.paths.item(item, 'disabled'), '');
    await this.settle();
  }

  /** Enables an item. */
  async enableItem(item: number): Promise<void> {
    this.#registry.remove(OPERATOR, this.paths.item(item, 'disabled'));
    await this.settle();
  }

  /** Changes settings of the job in the registry, as an operator does. */
  async reconfigure(changes: Partial<JobConfiguration>): Promise<void> {
    const changed = jobConfiguration({ ...(this.view.config ?? this.#configuration), ...changes });
    this.#registry.put(OPERATOR, this.paths.config, toYaml(changed));
    await this.settle();
  }

  /** Lets the job run once now on all instances, as an operator does. */
  async trigger(): Promise<void> {
    for (const id of this.view.instances.keys()) this.#registry.create(OPERATOR, this.paths.trigger(id), '');
    await this.settle();
  }

  /**
   * Lets the time pass until the next instant of the job's cron, and what happens then happen.
   * @throws RangeError if it has none
   */
  async fire(): Promise<void> {
    const { cron, timeZone = 'GMT' } = this.view.config ?? this.#configuration;
    const next = cron && QuartzCron.parse(cron, { timeZone }).next(new Date(this.clock.now()));
    if (!next) throw new RangeError(`Job '${this.paths.jobName}' has no cron expression that fires again`);
    await this.advance(next.getTime() - this.clock.now());
  }

  /** Lets time pass, and all that happens on the way happen. */
  async advance(duration: Duration): Promise<void> {
    await this.clock.advance(milliseconds(duration));
    await this.settle();
  }

  /** Lets everything happen that needs no time. @throws Error, as other commands do, if there is no end to it */
  async settle(): Promise<void> {
    await settle();
    this.#guard.throwIfLivelocked();
  }

  /** Ends all instances at once, whatever they are doing. */
  async [Symbol.asyncDispose](): Promise<void> {
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
    this.#book.lose(member.name);
  }

  get #registry(): EmbeddedNamespace {
    return this.server.namespace(NAMESPACE);
  }
}

const NAMESPACE = 'elasticjob';

/** The session by which the commands of an operator are carried out. */
const OPERATOR = 'operator';

const DEFAULT_JOB = jobConfiguration({
  jobName: 'job',
  cron: '0/5 * * * * ?',
  timeZone: 'GMT',
  shardingTotalCount: 2,
});
