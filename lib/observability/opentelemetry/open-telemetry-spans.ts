/**
 * Spans of runs:
 *
 * ```
 *  run syncOrders            ├───────────────────────────────┤   from staged to run-ended; no span if there was nothing to run
 *    item syncOrders (0)        ├──────────┤                     the job's code runs in the context of this span
 *    item syncOrders (1)        ├──failed──┤
 *    item syncOrders (1)                     ├── attempt 2 ──┤   links to attempt 1
 * ```
 * Each run is a trace of its own. A run that makes up for a firing or takes items over links to the job's previous run
 * in this process.
 */
import { checkOptions, type OptionRules, withMethods } from '../../api/settings/call-options.js';
import { context as contexts, type Link, type Span, type SpanContext, trace, type Tracer } from '@opentelemetry/api';
import { type ItemInterceptor, type RunEvent, type RunObserver } from '../../api/events/run-events.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { endItem, endRun, itemAttributes, noteFailure, runAttributes } from './span-attributes.js';

/** Options of `openTelemetrySpans()`. */
export interface OpenTelemetrySpansOptions {
  /** The tracer that makes the spans. Default: the tracer `nestjs-elasticjob` of the global tracer provider. */
  readonly tracer?: Tracer;
}

const RULES: OptionRules<OpenTelemetrySpansOptions> = { tracer: withMethods('startSpan') };

/** The spans of a run that goes on. */
interface RunSpans {
  readonly span: Span;
  /** The present attempts, by item. */
  readonly items: Map<number, Span>;
  /** The attempts that have failed last, by item. */
  readonly failed: Map<number, SpanContext>;
}

/**
 * Spans of runs and items, by OpenTelemetry. It is an observer and an interceptor, and belongs into both lists:
 * `const spans = openTelemetrySpans()`, `ElasticJobModule.forRoot({ observers: [spans], interceptors: [spans] })`.
 * @throws InvalidConfigurationError if an option is unknown or of a wrong kind
 */
export function openTelemetrySpans(options: OpenTelemetrySpansOptions = {}): RunObserver & ItemInterceptor {
  checkOptions('openTelemetrySpans()', options, RULES);
  return new RunSpanRecorder(options.tracer ?? trace.getTracer('nestjs-elasticjob'));
}

class RunSpanRecorder implements RunObserver, ItemInterceptor {
  readonly #tracer: Tracer;
  /** The times at which runs were staged, of runs that have not begun items yet. */
  readonly #staged = new Map<string, Date>();
  /** By Java's task id, which is unique: no two runs of a job have the same item at one time. */
  readonly #runs = new Map<string, RunSpans>();
  /** The task ids of these runs. */
  readonly #runIds = new Map<string, string>();
  /** The latest run of each job. */
  readonly #latest = new Map<string, SpanContext>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  onRunEvent(event: RunEvent): void {
    switch (event.type) {
      case 'staged':
        this.#staged.set(keyOf(event), event.at);
        return;
      case 'items-begun':
        return this.#begin(event);
      case 'item-started':
        return this.#startItem(event.context, event.at);
      case 'item-retried':
        return this.#retry(event);
      case 'item-ended':
        return this.#endItem(event);
      case 'run-ended':
        return this.#end(event);
      default:
        return event satisfies never;
    }
  }

  around(context: ShardingContext, next: () => Promise<void>): Promise<void> {
    if (context.attempt > 1) this.#startItem(context);
    const span = this.#runs.get(context.taskId)?.items.get(context.shardingItem);
    return span === undefined ? next() : contexts.with(trace.setSpan(contexts.active(), span), next);
  }

  #begin(event: EventOf<'items-begun'>): void {
    const { taskId, run } = event;
    const span = this.#startRun(event, { 'elasticjob.task.id': taskId, 'elasticjob.item.count': event.items.length });
    this.#runs.set(taskId, { span, items: new Map(), failed: new Map() });
    this.#runIds.set(keyOf(event), taskId);
    this.#latest.set(run.jobName, span.spanContext());
  }

  #startRun(event: RunEvent, attributes: Record<string, string | number>): Span {
    const { run, at } = event;
    const startTime = this.#staged.get(keyOf(event)) ?? at;
    this.#staged.delete(keyOf(event));
    const former = RECOVERING.has(run.cause) ? this.#latest.get(run.jobName) : undefined;
    const links: Link[] = former === undefined ? [] : [{ context: former }];
    const all = { ...runAttributes(run), ...attributes };
    return this.#tracer.startSpan(`run ${run.jobName}`, { root: true, startTime, links, attributes: all });
  }

  #startItem(context: ShardingContext, startTime?: Date): void {
    const run = this.#runs.get(context.taskId);
    if (run === undefined) return;
    const failed = run.failed.get(context.shardingItem);
    const span = this.#tracer.startSpan(
      `item ${context.jobName}`,
      {
        ...(startTime !== undefined && { startTime }),
        links: failed === undefined ? [] : [{ context: failed }],
        attributes: itemAttributes(context),
      },
      trace.setSpan(contexts.active(), run.span),
    );
    run.items.set(context.shardingItem, span);
  }

  #retry(event: EventOf<'item-retried'>): void {
    const { item } = event.item;
    const run = this.#runOf(event);
    const span = run?.items.get(item);
    if (run === undefined || span === undefined) return;
    run.items.delete(item);
    run.failed.set(item, span.spanContext());
    span.setAttribute('elasticjob.outcome', 'retried');
    noteFailure(span, event.cause, event.at);
    span.end(event.at);
  }

  #endItem(event: EventOf<'item-ended'>): void {
    const { item } = event.item;
    const run = this.#runOf(event);
    const span = run?.items.get(item);
    if (run === undefined) return;
    run.items.delete(item);
    run.failed.delete(item);
    // An item that did not start, or that ends in the pause after an attempt, has no span of its own.
    if (span !== undefined) endItem(span, event.outcome, event.at);
    else
      run.span.addEvent(
        'item ended outside an attempt',
        { 'elasticjob.item': item, 'elasticjob.outcome': event.outcome.type },
        event.at,
      );
  }

  #end(event: EventOf<'run-ended'>): void {
    const { outcome, at } = event;
    const run = this.#runOf(event);
    // An instance that has nothing to run has no span: with many instances and few items, most have nothing.
    const span = run?.span ?? (outcome.type === 'failed' ? this.#startRun(event, {}) : undefined);
    this.#staged.delete(keyOf(event));
    this.#runs.delete(this.#runIds.get(keyOf(event)) ?? '');
    this.#runIds.delete(keyOf(event));
    if (span !== undefined) endRun(span, outcome, at);
  }

  #runOf(event: RunEvent): RunSpans | undefined {
    return this.#runs.get(this.#runIds.get(keyOf(event)) ?? '');
  }
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

const RECOVERING = new Set(['misfire', 'catch-up', 'failover']);

/** The number of a run is unique only within its host. */
const keyOf = ({ run }: RunEvent): string => `${run.runId}/${run.instance.jobInstanceId}`;
