import { randomUUID } from 'node:crypto';
import { dependenciesOf } from '../api/settings/dependencies.js';
import { describeCause, stackWithCauses } from '../api/text/describe-cause.js';
import { withoutSecrets } from '../api/text/secrets.js';
import {
  type FiringCause,
  type ItemOutcome,
  type RunEvent,
  type RunInfo,
  type RunObserver,
  type RunOutcome,
} from '../api/events/run-events.js';
import {
  type ExecutionSource,
  type JobExecutionEvent,
  type JobState,
  type JobStatusTraceEvent,
  type TraceEvent,
} from '../api/events/trace-events.js';

/** The options of a tracer. */
export interface RunTracerOptions {
  /** Name of this host, as the events have it. */
  readonly hostname: string;
  /** True if the runs of the job are traced. */
  readonly isTraced: (jobName: string) => boolean;
  /** Called with each event, in the order in which they happen. Must return soon, and must not throw. */
  readonly onTraceEvent: (event: TraceEvent) => void;
}

/** The state of a run that is kept until it ends. */
interface Task {
  readonly stagedAt: Date;
  taskId: string | undefined;
  items: readonly number[];
  /** The scheduled instants of items that have one, by number. */
  instants: ReadonlyMap<number, Date>;
  /** The jobs after which the job runs. */
  upstreams: readonly string[];
  /** Items that have started and not ended, by number. */
  readonly executions: Map<number, JobExecutionEvent>;
  /** The reasons why items have not succeeded, by number. */
  readonly failures: Map<number, string>;
}

/**
 * Derives the trace of Java's ElasticJob from the events of runs:
 *
 * ```
 *  staged ─▶ items-begun ──────────────▶ item-started ─▶ item-ended ─▶ run-ended
 *            TASK_STAGING, TASK_RUNNING  execution       execution     TASK_FINISHED, TASK_ERROR, TASK_FAILED or TASK_KILLED
 * ```
 * Instances of Java's ElasticJob write TASK_FINISHED and TASK_ERROR only; a run whose items did not fail but ran out of
 * time is TASK_FAILED here, and one whose items were aborted is TASK_KILLED. A firing that cannot begin now and is
 * still due is TASK_DROPPED.
 */
export class RunTracer implements RunObserver {
  readonly #options: RunTracerOptions;
  /** By the id of the run. */
  readonly #tasks = new Map<number, Task>();

  constructor(options: RunTracerOptions) {
    this.#options = options;
  }

  onRunEvent(event: RunEvent): void {
    const { run, at } = event;
    if (event.type === 'staged') {
      // Settings may change while it goes on; an event of a run whose beginning was not traced is left out.
      if (this.#options.isTraced(run.jobName)) this.#tasks.set(run.runId, newTask(at));
      return;
    }
    const task = this.#tasks.get(run.runId);
    if (task === undefined) return;
    switch (event.type) {
      case 'items-begun':
        return this.#noteBegun(run, task, event);
      case 'item-started':
        return this.#noteStarted(run, task, event.context.shardingItem, at);
      case 'item-retried':
        return;
      case 'item-ended':
        return this.#noteItemEnded(run, task, event);
      case 'run-ended':
        this.#tasks.delete(run.runId);
        return this.#noteEnded(run, task, event);
      default:
        return event satisfies never;
    }
  }

  #noteBegun(run: RunInfo, task: Task, { taskId, configuration, items, at }: EventOf<'items-begun'>): void {
    task.taskId = taskId;
    task.items = items.map(({ item }) => item);
    task.instants = new Map(items.flatMap(({ item, scheduledAt }) => (scheduledAt ? [[item, scheduledAt]] : [])));
    task.upstreams = dependenciesOf(configuration)?.after ?? [];
    this.#status(run, task, { taskId, state: 'TASK_STAGING', message: beginning(run), at: task.stagedAt });
    this.#status(run, task, { taskId, state: 'TASK_RUNNING', message: '', at });
  }

  #noteStarted(run: RunInfo, task: Task, item: number, at: Date): void {
    // An item that is tried again has started already.
    if (task.executions.has(item)) return;
    const execution = this.#executionOf(run, task, item, at);
    task.executions.set(item, execution);
    this.#options.onTraceEvent(execution);
  }

  #noteItemEnded(run: RunInfo, task: Task, { item: { item }, outcome, at }: EventOf<'item-ended'>): void {
    const execution = task.executions.get(item) ?? this.#executionOf(run, task, item, at);
    task.executions.delete(item);
    const failure = failureOf(outcome);
    const failureCause = failure === undefined ? undefined : withoutSecrets(failure);
    if (failureCause !== undefined) task.failures.set(item, failureCause);
    this.#options.onTraceEvent({
      ...execution,
      completeTime: at,
      success: failureCause === undefined,
      failureCause,
    });
  }

  #noteEnded(run: RunInfo, task: Task, { taskId, outcome, at }: EventOf<'run-ended'>): void {
    // An instance that wanted to take items over, and came too late, has not fired.
    if (outcome.type === 'nothing-to-run' && outcome.reason === 'taken-by-others') return;
    if (task.taskId === undefined)
      this.#status(run, task, { taskId, state: 'TASK_STAGING', message: beginning(run), at: task.stagedAt });
    this.#status(run, task, { taskId, ...endOf(outcome, run, task.failures), at });
  }

  #executionOf(
    { jobName, instance, cause }: RunInfo,
    { taskId = '', instants, upstreams }: Task,
    item: number,
    at: Date,
  ): JobExecutionEvent {
    const scheduledAt = instants.get(item);
    return {
      type: 'execution',
      id: randomUUID(),
      hostname: this.#options.hostname,
      ip: instance.serverIp,
      taskId,
      jobName,
      source: SOURCES[cause],
      shardingItem: item,
      startTime: at,
      completeTime: undefined,
      success: false,
      failureCause: undefined,
      cause,
      ...(scheduledAt !== undefined && { scheduledAt }),
      ...(scheduledAt !== undefined && upstreams.length > 0 && { upstreams }),
    };
  }

  #status(run: RunInfo, { items }: Task, { taskId, state, message, at }: Status): void {
    const { jobName, instance, cause } = run;
    const event: JobStatusTraceEvent = {
      type: 'status',
      id: randomUUID(),
      jobName,
      originalTaskId: '',
      taskId,
      slaveId: instance.serverIp,
      executionType: cause === 'failover' ? 'FAILOVER' : 'READY',
      shardingItems: items,
      state,
      message: withoutSecrets(message),
      creationTime: at,
    };
    this.#options.onTraceEvent(event);
  }
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

interface Status {
  readonly taskId: string;
  readonly state: JobState;
  readonly message: string;
  readonly at: Date;
}

/** Java knows no more sources. A firing that was lost with its instance is made up for, as a misfired one is. */
const SOURCES = {
  schedule: 'NORMAL_TRIGGER',
  manual: 'NORMAL_TRIGGER',
  misfire: 'MISFIRE',
  dependency: 'NORMAL_TRIGGER',
  'catch-up': 'MISFIRE',
  failover: 'FAILOVER',
} as const satisfies Record<FiringCause, ExecutionSource>;

function newTask(stagedAt: Date): Task {
  const none = { items: [], instants: new Map<number, Date>(), upstreams: [] };
  return { stagedAt, taskId: undefined, ...none, executions: new Map(), failures: new Map() };
}

/** Java's words, which its users search for. */
function beginning({ jobName }: RunInfo): string {
  return `Job '${jobName}' execute begin.`;
}

function failureOf(outcome: ItemOutcome): string | undefined {
  switch (outcome.type) {
    case 'succeeded':
      return undefined;
    case 'failed':
      return traceOf(outcome.cause);
    case 'aborted':
      return `Aborted: ${traceOf(outcome.cause)}`;
    case 'timed-out':
      return traceOf(outcome.cause);
    default:
      return outcome satisfies never;
  }
}

function traceOf(cause: unknown): string {
  return stackWithCauses(cause) ?? describeCause(cause);
}

type End = Pick<Status, 'state' | 'message'>;

function endOf(outcome: RunOutcome, run: RunInfo, failures: ReadonlyMap<number, string>): End {
  switch (outcome.type) {
    case 'completed':
      return { state: stateOf(outcome), message: textOf(failures) };
    case 'nothing-to-run':
      return { state: 'TASK_FINISHED', message: idleness(outcome, run) };
    case 'postponed':
      return {
        state: 'TASK_DROPPED',
        message: `The firing is still due, and follows: ${describeCause(outcome.cause)}`,
      };
    case 'failed':
      return { state: 'TASK_ERROR', message: failures.size > 0 ? textOf(failures) : traceOf(outcome.cause) };
    case 'stopped':
      return { state: 'TASK_KILLED', message: describeCause(outcome.cause) };
    default:
      return outcome satisfies never;
  }
}

function stateOf({ failed, timedOut, aborted }: Extract<RunOutcome, { type: 'completed' }>): JobState {
  if (failed > 0) return 'TASK_ERROR';
  if (timedOut > 0) return 'TASK_FAILED';
  return aborted > 0 ? 'TASK_KILLED' : 'TASK_FINISHED';
}

/** As Java prints a map of stack traces by item. */
function textOf(failures: ReadonlyMap<number, string>): string {
  if (failures.size === 0) return '';
  const entries = [...failures].sort(([one], [other]) => one - other).map(([item, trace]) => `${item}=${trace}`);
  return `{${entries.join(', ')}}`;
}

function idleness(outcome: Extract<RunOutcome, { type: 'nothing-to-run' }>, { jobName }: RunInfo): string {
  if (outcome.reason !== 'still-running') return `Sharding item for job '${jobName}' is empty.`;
  const fate = outcome.isMadeUpFor
    ? 'misfired job will start after previous job completed'
    : 'and misfire is off, so that the job is not run for this firing';
  return `Previous job '${jobName}' - shardingItems '[${outcome.items.join(', ')}]' is still running, ${fate}.`;
}
