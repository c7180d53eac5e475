import { type JobFailure } from '../../../lib/api/extensions/error-handler.js';
import { jobConfiguration, type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { type JobHostOptions } from '../../../lib/kernel/job-host.js';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { type JobView, readJobView } from '../../../lib/layout/job-view.js';
import { type EmbeddedNamespace, type WatchedCommit } from '../../../lib/registry/embedded/embedded-namespace.js';
import { type SessionState } from '../../../lib/registry/registry-center.js';
import { type Member } from '../../../lib/testing/member.js';
import { TestCluster } from '../../../lib/testing/test-cluster.js';
import { Chronicle } from './chronicle.js';
import { tellCommit } from './commit-words.js';
import { type OnceTimeouts, scenarioListeners } from './listeners.js';
import { Network } from './network.js';
import { WatchedWork } from './runs-watched.js';

/** The operator's session at the server; what it does are the scenario's own commands, which need no telling. */
export const OPERATOR = 'operator';

/** How the cluster of a scenario is made. */
export interface StageOptions {
  readonly jobs: readonly JobConfiguration[];
  readonly sessionTimeoutMs: number;
  readonly graceMs: number;
  /** Of the listener that is called once in the cluster. */
  readonly timeouts: OnceTimeouts;
}

/** A cluster on which a scenario is played, with all that is needed to tell everything that happens. */
export class Stage implements AsyncDisposable {
  readonly chronicle: Chronicle;
  readonly work: WatchedWork;
  readonly network: Network;
  readonly complaints: string[] = [];
  readonly jobs: readonly JobConfiguration[];
  readonly cluster: TestCluster;
  /** Warnings and errors that the instances logged and that are not shown yet. */
  readonly log: string[] = [];
  /** Names of instances that are not ours, by their id and by that of their session. */
  readonly strangers = new Map<string, string>();
  /** Sessions of theirs that are over. */
  readonly lost = new Set<string>();
  /** Name of the first instance by the ip of its server. */
  readonly servers = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #phases = new Map<string, string>();
  /** Instances that were registered at some time, by job and id. */
  readonly #joined = new Set<string>();

  private constructor(
    cluster: TestCluster,
    parts: { chronicle: Chronicle; work: WatchedWork; network: Network; options: StageOptions },
  ) {
    this.cluster = cluster;
    this.chronicle = parts.chronicle;
    this.work = parts.work;
    this.network = parts.network;
    this.jobs = parts.options.jobs;
  }

  static async open(options: StageOptions): Promise<Stage> {
    const network = new Network();
    const [first] = options.jobs;
    if (first === undefined) throw new Error('A scenario begins with a job');
    network.newcomer = OPERATOR;
    const clusterOptions = {
      job: { ...first, cron: first.cron ?? '' },
      work: (name, context) => stage.#execute(name, context),
      sessionTimeoutMs: options.sessionTimeoutMs,
      host: (name) => stage.#hostOf(name, options),
      deliver: () => network.deliver,
    } satisfies Parameters<typeof TestCluster.start>[1];
    const cluster = await TestCluster.start([], clusterOptions);
    const chronicle = new Chronicle(cluster.clock);
    chronicle.namesJobs = options.jobs.length > 1;
    const work: WatchedWork = new WatchedWork({
      chronicle,
      clock: cluster.clock,
      isMarked: (name, context) => stage.#isMarked(name, context),
      isPartial: (name, { jobName, shardingItem }) =>
        stage.#isNamed(new JobPaths(jobName).item(shardingItem, 'failover'), name),
      complain: (complaint) => stage.complain(complaint),
    });
    const stage: Stage = new Stage(cluster, { chronicle, work, network, options });
    stage.registry.watch('/', (commit) => stage.#onCommit(commit));
    return stage;
  }

  get registry(): EmbeddedNamespace {
    return this.cluster.server.namespace('elasticjob');
  }

  /** Paths of the job of that name, or of the only one. */
  pathsOf(jobName?: string): JobPaths {
    return new JobPaths(jobName ?? this.cluster.paths.jobName);
  }

  viewOf(jobName?: string): JobView {
    const { root, jobName: name } = this.pathsOf(jobName);
    return readJobView(this.registry.subtree(root), name);
  }

  /** Says that something happened that must not happen; the scenario fails. */
  complain(complaint: string): void {
    this.complaints.push(complaint);
    this.chronicle.say(`‼ ${complaint}`);
  }

  /** `A`, or `A#2` for the second process of that name. */
  nameOf(id: string): string {
    const [, process, name] = /@-@(\d+)-(\w+)$/.exec(id) ?? [];
    if (name === undefined || process === undefined) return this.strangers.get(id) ?? id;
    return process === '1' ? name : `${name}#${process}`;
  }

  serverOf(ip: string): string {
    const name = this.servers.get(ip);
    return name === undefined ? `server ${ip}` : `${name}'s server`;
  }

  /** Starts an instance with all jobs. */
  async join(name: string, changes: Partial<JobConfiguration>, onServerOf?: string): Promise<void> {
    this.network.newcomer = name;
    const joining = this.cluster.join(name, changes, onServerOf);
    const member = this.cluster.member(name);
    const called = this.nameOf(member.instance.jobInstanceId);
    if (!this.servers.has(member.instance.serverIp)) this.servers.set(member.instance.serverIp, name);
    member.registry.session.onChange((state) => this.#onSession(member, called, state));
    for (const job of this.jobs.slice(1)) this.#start(member, { ...job, ...changes });
    member.started.catch((error: unknown) => this.chronicle.say(`${called} could not start: ${String(error)}`));
    await joining;
    await this.settle();
  }

  #start(member: Member, configuration: JobConfiguration): void {
    const job = { execute: (context: Parameters<WatchedWork['execute']>[2]) => this.#execute(member.name, context) };
    const options = { host: member.host, jobClassName: 'TestJob' };
    const started =
      configuration.cron === undefined
        ? new OneOffJobBootstrap(member.registry, job, configuration, options).start()
        : new ScheduleJobBootstrap(member.registry, job, configuration, options).schedule();
    started.catch((error: unknown) => this.chronicle.say(`${member.name} could not start: ${String(error)}`));
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await this.cluster.settle();
    this.#tellPhases();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }

  /** Forgets an instance whose process is dead. */
  lose(name: string): void {
    const member = this.cluster.member(name);
    this.work.lose(member);
    this.cluster.kill(name);
  }

  /** Cuts the connection both ways, or only what the instance sends or receives. */
  cut(name: string, direction = 'both'): void {
    if (direction !== 'both' && direction !== 'sending' && direction !== 'receiving')
      throw new Error(`'${direction}' is no direction; there are sending, receiving and both`);
    this.cluster.cut(name, { direction });
  }

  /** Stops the process for a while, as SIGSTOP does. */
  freeze(name: string): void {
    this.work.freeze(this.cluster.member(name));
    this.cluster.freeze(name);
  }

  async thaw(name: string): Promise<void> {
    this.work.thaw(this.cluster.member(name));
    await this.cluster.thaw(name);
  }

  /** Makes something happen at the instance's n-th write from now on; see `Network.appoint`. */
  atWrite(name: string, write: number, onWrite: (what: string) => (() => void) | undefined): void {
    this.network.appoint({ name, write, onWrite: (what) => onWrite(this.readable(what)) });
  }

  /** The path of a node below the job's root, in which `{A}` is the id of instance A and `{server A}` its ip. */
  absolute(path: string): string {
    const [, jobName, relative = path] = /^(\w+):(.*)$/.exec(path) ?? [];
    return `${this.pathsOf(jobName).root}/${this.filled(relative)}`;
  }

  /** The text with ids in the place of `{A}`. */
  filled(text: string): string {
    return text
      .replace(/\{server (\w+)\}/g, (_, name: string) => this.cluster.ipOf(name))
      .replace(/\{(\w+)\}/g, (_, name: string) => this.cluster.idOf(name));
  }

  /** The text with names in the place of ids, paths below the job's root. */
  readable(text: string): string {
    const withNames = text.replace(/[\w.]+@-@\w+(-\w+)?/g, (id) => this.nameOf(id));
    return this.jobs.length > 1 ? withNames : withNames.replace(`${this.pathsOf().root}/`, '');
  }

  #execute(name: string, context: Parameters<WatchedWork['execute']>[2]): Promise<void> {
    const member = this.cluster.member(name);
    return this.work.execute(member, this.nameOf(member.instance.jobInstanceId), context);
  }

  #hostOf(name: string, { graceMs, timeouts }: StageOptions): Partial<JobHostOptions> {
    const member = (): Member => this.cluster.member(name);
    const called = (): string => this.nameOf(member().instance.jobInstanceId);
    const listeners = {
      tell: (job: string, what: string, items: readonly number[]) =>
        this.chronicle.note({ job, before: `${called()} ${what}`, items: [...items].sort((a, b) => a - b), after: '' }),
      work: (what: string, signal: AbortSignal) => this.work.listen(member(), called(), what, signal),
    };
    const told = ({ configuration: { jobName }, cause }: JobFailure): void =>
      this.chronicle.note({
        job: jobName,
        before: `${name}'s error handler was told: ${this.readable(messageOf(cause))}`,
        items: [],
        after: '',
      });
    const write = (line: string): void => void this.log.push(this.readable(`${name}: ${line}`));
    const silent = (): void => undefined;
    return {
      logger: { debug: silent, log: silent, warn: write, error: write },
      shutdownGracePeriodMilliseconds: graceMs,
      listeners: scenarioListeners(listeners, timeouts),
      errorHandlers: [{ type: 'TRANSCRIPT', handleException: told }],
    };
  }

  #onSession(member: Member, called: string, state: SessionState): void {
    if (this.cluster.members.get(member.name) !== member) return;
    const former = this.#phases.get(`session of ${called}`);
    this.#phases.set(`session of ${called}`, state.phase === 'connected' ? `connected ${state.id}` : state.phase);
    if (state.phase === 'connected') {
      const isKnown = this.#names.has(state.id);
      this.#names.set(state.id, called);
      if (former !== undefined)
        this.chronicle.say(`${called} is connected again${isKnown ? '' : ' with a new session'}`);
    } else if (state.phase === 'suspended')
      this.chronicle.say(`${called} is suspended: it hears nothing from the registry centre`);
    else if (state.phase === 'lost') this.chronicle.say(`${called} considers its session lost`);
  }

  #onCommit({ session, changes }: WatchedCommit): void {
    if (session === OPERATOR) return;
    const by = this.#names.get(session) ?? this.strangers.get(session) ?? `session ${session}`;
    const isEndOfSession =
      !this.cluster.server.sessions.includes(session) && (!this.strangers.has(session) || this.lost.has(session));
    for (const { jobName } of this.jobs) {
      const { root } = this.pathsOf(jobName);
      const own = changes.filter(({ path }) => path === root || path.startsWith(`${root}/`));
      if (own.length === 0) continue;
      const owners = this.viewOf(jobName).items.map(({ owner }) =>
        owner === undefined ? 'nobody' : this.nameOf(owner),
      );
      const told = tellCommit({
        job: jobName,
        root,
        by,
        isEndOfSession,
        changes: own,
        owners,
        nameOf: (id) => this.nameOf(id),
        isKnown: (id) => this.#joined.has(`${jobName} ${id}`),
        readable: (text) => this.readable(text),
        serverOf: (ip) => this.serverOf(ip),
      });
      for (const entry of told) {
        this.chronicle.note(entry);
        if ('stage' in entry && entry.stage === 'unmarked') this.work.unmarked(entry.instance, entry.job, entry.item);
      }
      for (const id of this.viewOf(jobName).instances.keys()) this.#joined.add(`${jobName} ${id}`);
    }
  }

  /** That a job has ended on an instance is in no node. */
  #tellPhases(): void {
    for (const [name, { host }] of this.cluster.members)
      for (const [job, { phase }] of host.jobs) {
        const key = `${job} on ${name}`;
        const former = this.#phases.get(key);
        this.#phases.set(key, phase);
        if (former !== phase && (phase === 'stopped' || phase === 'stopping'))
          this.chronicle.note({
            job,
            before: `${name}'s job ${phase === 'stopped' ? 'has ended' : 'is ending'}`,
            items: [],
            after: '',
          });
      }
  }

  #isMarked(name: string, { jobName, shardingItem }: { jobName: string; shardingItem: number }): boolean | undefined {
    if (this.viewOf(jobName).config?.monitorExecution !== true) return undefined;
    return this.#isNamed(new JobPaths(jobName).item(shardingItem, 'running'), name);
  }

  #isNamed(path: string, name: string): boolean {
    const value = this.registry.get(path)?.value;
    return value !== undefined && this.nameOf(value) === name;
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A configuration for scenarios: fires every five seconds and writes errors into the transcript by default. */
export function scenarioJob(jobName: string, settings: Partial<JobConfiguration>): JobConfiguration {
  const defaults = { cron: '0/5 * * * * ?', timeZone: 'GMT', shardingTotalCount: 2, jobErrorHandlerType: 'TRANSCRIPT' };
  return jobConfiguration({ ...defaults, ...settings, jobName });
}
