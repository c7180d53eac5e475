import { type ItemInterceptor } from '../../api/events/run-events.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type JobInstance } from '../../api/extensions/sharding-strategy.js';
import { Deadlines } from '../../async/deadlines.js';
import { type Mailbox } from '../../async/mailbox.js';
import { type NamedTimers } from '../../async/named-timers.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { isPresenceOnly, isRoutine, JobViewReader } from '../../layout/job-view.js';
import { type Clock } from '../../time/clock.js';
import { ControlLane } from '../lanes/control-lane.js';
import { type CronTimer } from '../lanes/cron-timer.js';
import { Upstreams } from '../lanes/upstreams.js';
import { type DoubtLog } from '../types/doubt-log.js';
import { JobListeners } from '../run/job-listeners.js';
import { RunObservers } from '../run/run-observers.js';
import { SettingFaults } from '../types/setting-faults.js';
import { WorkLane } from '../lanes/work-lane.js';
import { Barrier } from '../once/barrier.js';
import { type Extensions } from '../types/extensions.js';
import { type ItemExecutor } from '../types/item-executor.js';
import { FailureReports } from '../types/failure-reports.js';
import { HeldItems } from '../view/held-items.js';
import { type JobContext, type JobTimer } from '../job/job-context.js';
import { type JobDefinition } from '../job/job-definition.js';
import { type JobLog } from '../job/job-log.js';
import { JobWatch } from '../view/job-watch.js';
import { Assignment } from '../writes/assignment.js';
import { FaultReport } from '../log/fault-report.js';
import { Housekeeping } from '../writes/housekeeping.js';
import { EndRecords } from '../marks/end-records.js';
import { ItemMarks } from '../marks/item-marks.js';
import { Leadership } from '../writes/leadership.js';
import { Registration } from '../writes/registration.js';
import { Takeover } from '../marks/takeover.js';

/** How long, beside two session timeouts, an item may take to change its owner, in milliseconds. */
const HANDOVER_MS = 5_000;

/** Dependencies of `assembleJob`: the context of the job, except the parts that it makes itself. */
export interface JobComponentsDeps extends Omit<JobContext, 'watch' | 'held' | 'requestReconcile' | 'logger'> {
  readonly logger: JobLog;
  readonly definition: JobDefinition;
  readonly extensions: Extensions;
  readonly mailbox: Mailbox;
  readonly timer: CronTimer;
  readonly doubts: DoubtLog;
  /** To be called when the node of this instance was removed. */
  readonly onRemoved: () => void;
}

/**
 * All parts that work on a job's tree, made once that is being watched. Each part is given this one object, and uses
 * those of its members that it declares.
 */
export class JobComponents implements JobContext {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  readonly me: string;
  readonly instance: JobInstance;
  readonly clock: Clock;
  readonly timers: NamedTimers<JobTimer>;
  readonly timer: CronTimer;
  readonly mailbox: Mailbox;
  readonly logger: JobLog;
  readonly extensions: Extensions;
  readonly watch: JobWatch;
  readonly executor: ItemExecutor;
  readonly definition: JobDefinition;
  readonly doubts: DoubtLog;
  readonly onRemoved: () => void;
  readonly deadlines: Deadlines<JobTimer>;
  readonly held: HeldItems;
  readonly observers: RunObservers;
  readonly settingFaults: SettingFaults;
  readonly ends: EndRecords;
  readonly upstreams: Upstreams;
  readonly marks: ItemMarks;
  readonly registration: Registration;
  readonly assignment: Assignment;
  readonly leadership: Leadership;
  readonly barrier: Barrier;
  readonly housekeeping: Housekeeping;
  readonly faultReport: FaultReport;
  readonly work: WorkLane;
  readonly control: ControlLane;
  readonly failures: FailureReports;
  readonly takeover: Takeover;
  readonly listeners: JobListeners;

  constructor(deps: JobComponentsDeps, watch: JobWatch) {
    const { extensions, definition } = deps;
    this.registry = deps.registry;
    this.paths = deps.paths;
    this.me = deps.me;
    this.instance = deps.instance;
    this.clock = deps.clock;
    this.timers = deps.timers;
    this.timer = deps.timer;
    this.mailbox = deps.mailbox;
    this.logger = deps.logger;
    this.extensions = extensions;
    this.watch = watch;
    this.executor = extensions.executorOf(deps.paths.jobName, definition.job);
    this.definition = definition;
    this.doubts = deps.doubts;
    this.onRemoved = deps.onRemoved;
    this.deadlines = new Deadlines(deps.timers, this.requestReconcile);
    this.held = new HeldItems();
    this.observers = new RunObservers(extensions.observers, deps.logger);
    this.settingFaults = new SettingFaults(this);
    this.ends = new EndRecords(this);
    this.upstreams = new Upstreams(this);
    this.marks = new ItemMarks(this);
    this.registration = new Registration(this);
    this.assignment = new Assignment(this);
    this.leadership = new Leadership(this);
    this.barrier = new Barrier(this);
    this.housekeeping = new Housekeeping(this);
    this.faultReport = new FaultReport(this);
    this.failures = new FailureReports(this);
    this.takeover = new Takeover(this);
    this.listeners = new JobListeners(this);
    this.work = new WorkLane(this);
    this.control = new ControlLane(this);
  }

  readonly requestReconcile = (): void => this.control.requestReconcile();

  get types(): Extensions {
    return this.extensions;
  }

  get interceptors(): readonly ItemInterceptor[] {
    return this.extensions.interceptors;
  }

  /** The configuration in force: the registry's, or the local one while that cannot be read. */
  configuration(): JobConfiguration {
    return this.watch.view.config ?? this.definition.configuration;
  }

  noteProgress(): void {
    this.control.noteProgress();
  }

  isStanding(): boolean {
    return this.registration.session !== undefined;
  }

  latestInstant(): number | undefined {
    return this.upstreams.latest ?? this.timer.latest(this.watch.view.config ?? {});
  }

  /** As `MissedInstant` of the rules. */
  missedInstant(item: number, lastBegun: number): number | undefined {
    if (!this.watch.isHistoryCompleteSince(item, lastBegun)) return undefined;
    return this.timer.missedInstant(lastBegun, catchUpWindowMs(this.registry));
  }

  /** As `MayHaveMissed`. */
  mayHaveMissed(instant: number, lastBegun: number): boolean {
    return this.timer.mayPeerHaveMissed(instant, lastBegun, catchUpWindowMs(this.registry));
  }
}

/**
 * Begins to watch the job's tree, and puts together all that works on it.
 * @throws RegistryUnavailableError if the tree cannot be read now
 */
export async function assembleJob(deps: JobComponentsDeps): Promise<JobComponents> {
  const { registry, paths, clock } = deps;
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly, isRoutine });
  return new JobComponents(deps, new JobWatch(mirror, new JobViewReader(paths), clock));
}

/**
 * How long after its instant a firing is recovered when its item has changed its owner. This has to cover the longest
 * handover, that after a crash. When operators switch a job on again, they do not expect last night's run, so it is no
 * longer.
 */
function catchUpWindowMs(registry: RegistryCenter): number {
  return 2 * registry.session.timeoutMs + HANDOVER_MS;
}
