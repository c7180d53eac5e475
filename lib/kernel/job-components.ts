import { type JobConfiguration } from '../api/job/job-configuration.js';
import { type Mailbox } from '../async/mailbox.js';
import { isPresenceOnly, isRoutine, JobViewReader } from '../layout/job-view.js';
import { ControlLane } from './lanes/control-lane.js';
import { type CronTimer } from './lanes/cron-timer.js';
import { JobListeners } from './run/job-listeners.js';
import { RunObservers } from './run/run-observers.js';
import { WorkLane } from './lanes/work-lane.js';
import { Barrier } from './once/barrier.js';
import { type Extensions } from './types/extensions.js';
import { FailureReports } from './types/failure-reports.js';
import { instantLostInHandover, type MissedInstant } from './view/assignment.js';
import { ItemsHere } from './view/items-here.js';
import { type JobContext } from './job/job-context.js';
import { type JobDefinition } from './job/job-definition.js';
import { type JobLog } from './job/job-log.js';
import { JobWatch } from './view/job-watch.js';
import { Assignment } from './writes/assignment.js';
import { Housekeeping } from './writes/housekeeping.js';
import { ItemMarks } from './marks/item-marks.js';
import { Leadership } from './writes/leadership.js';
import { RestoredNodes } from './writes/restored-nodes.js';
import { Registration } from './writes/registration.js';
import { Takeover } from './marks/takeover.js';

/** How long, beside two session timeouts, an item may take to change its owner, in milliseconds. */
const HANDOVER_MS = 5_000;

/** Everything of a job that works on its tree, once that is being watched. */
export interface JobComponents extends JobContext {
  readonly marks: ItemMarks;
  readonly registration: Registration;
  readonly leadership: Leadership;
  readonly barrier: Barrier;
  readonly failures: FailureReports;
  readonly observers: RunObservers;
  readonly work: WorkLane;
  readonly control: ControlLane;
}

/** What `assembleJob` needs: the context of the job, but for what it makes itself. */
export interface JobComponentsDeps extends Omit<JobContext, 'watch' | 'requestReconcile' | 'logger'> {
  readonly logger: JobLog;
  readonly definition: JobDefinition;
  readonly extensions: Extensions;
  readonly mailbox: Mailbox;
  readonly timer: CronTimer;
  /** The configuration that holds. */
  readonly configuration: () => JobConfiguration;
  /** The node of this instance was removed. */
  readonly onRemoved: () => void;
}

/**
 * Begins to watch the job's tree, and puts together all that works on it.
 * @throws RegistryUnavailableError if the tree cannot be read now
 */
export async function assembleJob(deps: JobComponentsDeps): Promise<JobComponents> {
  const { registry, paths, clock, logger, timer, extensions, definition } = deps;
  const mirror = await registry.mirror(paths.root, { presenceOnly: isPresenceOnly, isRoutine });
  const watch = new JobWatch(mirror, new JobViewReader(paths.jobName), clock);
  const context: JobContext = { ...deps, watch, requestReconcile: () => control.requestReconcile() };
  const missedInstant: MissedInstant = (item, lastBegun) =>
    watch.isOnRecordSince(item, lastBegun) ? timer.missedInstant(lastBegun, catchUpWindowMs(context)) : undefined;

  const items = new ItemsHere();
  const marks = new ItemMarks({ ...context, items });
  const takeover = new Takeover({ ...context, marks, items });
  const registration = new Registration({ ...context, marks });
  const assignment = new Assignment({
    ...context,
    types: extensions,
    latestInstant: () => timer.latest(watch.view.config ?? {}),
  });
  const isStanding = (): boolean => registration.session !== undefined;
  const leadership = new Leadership({ ...context, assignment, isStanding });
  const barrier = new Barrier(context, (view, item) => instantLostInHandover(view, item, missedInstant));
  const failures = new FailureReports({ extensions, clock, logger });
  const observers = new RunObservers(extensions.observers, logger);
  const work = new WorkLane({
    ...context,
    ...{ items, marks, takeover, failures, extensions, observers },
    configuration: deps.configuration,
    noteProgress: () => control.noteProgress(),
    executor: extensions.executorOf(paths.jobName, definition.job),
    interceptors: extensions.interceptors,
    listeners: new JobListeners({ ...context, types: extensions, barrier, marks }),
  });
  const housekeeping = new Housekeeping(context);
  const restoredNodes = new RestoredNodes(context);
  const control: ControlLane = new ControlLane({
    ...context,
    ...{
      registration,
      marks,
      housekeeping,
      assignment,
      leadership,
      restoredNodes,
      work,
      items,
      observers,
      missedInstant,
      timer,
    },
    mailbox: deps.mailbox,
    configuration: deps.configuration,
    onRemoved: deps.onRemoved,
  });
  return { ...context, marks, registration, leadership, barrier, failures, observers, work, control };
}

/**
 * How long after its instant a firing is recovered when its item has changed its owner. It has to cover the longest
 * handover, that after a crash. Past it, operators who switch a job on again do not expect last night's run.
 */
function catchUpWindowMs({ registry }: JobContext): number {
  return 2 * registry.session.timeoutMs + HANDOVER_MS;
}
