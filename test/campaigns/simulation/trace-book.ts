import { type RunEvent, type RunObserver } from '../../../lib/api/events/run-events.js';
import { type TraceEvent } from '../../../lib/api/events/trace-events.js';
import { RunTracer } from '../../../lib/tracing/run-tracer.js';
import { type ProcessTrace, type TraceRow } from './recording.js';
import { type Machine, type World } from './world.js';

type Open<Record> = { -readonly [Key in keyof Record]: Record[Key] };
type OpenTrace = Open<ProcessTrace> & {
  readonly rows: Map<string, Open<TraceRow>>;
  readonly begun: Map<number, number>;
};

/** The events of the simulated processes' tracers, as a database would store them. */
export class TraceBook {
  readonly #jobName: string;
  readonly #world: () => World;
  readonly #traces = new Map<Machine, OpenTrace>();

  /** @param jobName the job whose events are kept */
  constructor(jobName: string, world: () => World) {
    this.#jobName = jobName;
    this.#world = world;
  }

  /** The traces of all processes, those included that have died. */
  get traces(): readonly ProcessTrace[] {
    // A process that was stopped ends with its grace period, whether its items have ended or not.
    return [...this.#traces].map(([{ clock }, trace]) => ({
      ...trace,
      diedMs: trace.diedMs ?? (clock.isDead ? this.#world().nowMs : undefined),
    }));
  }

  /** The observers of one process. Events after its death do not count. */
  observersOf(machine: () => Machine): readonly RunObserver[] {
    const living = (): OpenTrace | undefined => (machine().clock.isDead ? undefined : this.#traceOf(machine()));
    const tracer = new RunTracer({
      hostname: 'simulated',
      isTraced: (jobName) => jobName === this.#jobName,
      onTraceEvent: (event) => this.#note(living(), event),
    });
    const onRunEvent = (event: RunEvent): void => {
      if (event.run.jobName === this.#jobName) noteBegun(living(), event);
    };
    return [{ onRunEvent }, tracer];
  }

  /** The process of the machine is gone. */
  lose(machine: Machine): void {
    this.#traceOf(machine).diedMs ??= this.#world().nowMs;
  }

  #traceOf(machine: Machine): OpenTrace {
    const known = this.#traces.get(machine);
    if (known !== undefined) return known;
    const trace: OpenTrace = {
      ...{ instance: machine.name, diedMs: undefined, rows: new Map(), begun: new Map() },
      ...{ staged: 0, ended: 0 },
    };
    this.#traces.set(machine, trace);
    return trace;
  }

  #note(trace: OpenTrace | undefined, event: TraceEvent): void {
    if (trace === undefined) return;
    if (event.type === 'status') {
      if (event.state === 'TASK_STAGING') trace.staged++;
      else if (event.state !== 'TASK_RUNNING') trace.ended++;
      return;
    }
    const row: Open<TraceRow> = trace.rows.get(event.id) ?? {
      ...{ item: event.shardingItem, startMs: this.#world().nowMs, endMs: undefined },
      ...{ success: false, deliveries: 0 },
    };
    row.deliveries++;
    row.success = event.success;
    if (event.completeTime !== undefined) row.endMs = this.#world().nowMs;
    trace.rows.set(event.id, row);
  }
}

function noteBegun(trace: OpenTrace | undefined, event: RunEvent): void {
  if (trace === undefined || event.type !== 'items-begun') return;
  for (const { item } of event.items) trace.begun.set(item, (trace.begun.get(item) ?? 0) + 1);
}
