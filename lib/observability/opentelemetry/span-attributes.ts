import { type Attributes, type Span, SpanStatusCode } from '@opentelemetry/api';
import { describeCause, stackOf } from '../../api/text/describe-cause.js';
import { withoutSecrets } from '../../api/text/secrets.js';
import { type ItemOutcome, type RunInfo, type RunOutcome } from '../../api/events/run-events.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';

/** The attributes of a run. OpenTelemetry has no conventions for scheduled jobs, so the names are ElasticJob's. */
export function runAttributes({ jobName, cause, scheduledAt, instance }: RunInfo): Attributes {
  return {
    'elasticjob.job.name': jobName,
    'elasticjob.cause': cause,
    'elasticjob.instance.id': instance.jobInstanceId,
    ...(scheduledAt && { 'elasticjob.scheduled_at': scheduledAt.toISOString() }),
  };
}

/** The attributes of one attempt at an item. */
export function itemAttributes(context: ShardingContext): Attributes {
  const { jobName, shardingItem, attempt, fencingToken, scheduledAt, taskId } = context;
  return {
    'elasticjob.job.name': jobName,
    'elasticjob.task.id': taskId,
    'elasticjob.item': shardingItem,
    'elasticjob.attempt': attempt,
    'elasticjob.fencing_token': fencingToken,
    ...(scheduledAt && { 'elasticjob.scheduled_at': scheduledAt.toISOString() }),
  };
}

/** Ends the span of an item's last attempt. */
export function endItem(span: Span, outcome: ItemOutcome, at: Date): void {
  span.setAttribute('elasticjob.outcome', outcome.type);
  switch (outcome.type) {
    case 'succeeded':
      break;
    case 'failed':
    case 'aborted':
    case 'timed-out':
      noteFailure(span, outcome.cause, at);
      break;
    default:
      outcome satisfies never;
  }
  span.end(at);
}

/** Ends the span of a run. */
export function endRun(span: Span, outcome: RunOutcome, at: Date): void {
  if (outcome.type === 'completed') endCompleted(span, outcome);
  else span.setAttribute('elasticjob.outcome', outcome.type);
  if (outcome.type === 'failed') noteFailure(span, outcome.cause, at);
  span.end(at);
}

function endCompleted(span: Span, outcome: Extract<RunOutcome, { readonly type: 'completed' }>): void {
  const { succeeded, failed, aborted, timedOut } = outcome;
  const worst = failed > 0 ? 'failed' : timedOut > 0 ? 'timed-out' : aborted > 0 ? 'aborted' : 'succeeded';
  span.setAttributes({
    'elasticjob.outcome': worst,
    'elasticjob.items.succeeded': succeeded,
    'elasticjob.items.failed': failed,
    'elasticjob.items.aborted': aborted,
    'elasticjob.items.timed_out': timedOut,
  });
  if (worst === 'succeeded') return;
  // The exceptions are in the spans of the items.
  const message = `${failed} items failed, ${timedOut} timed out, ${aborted} were aborted`;
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Records the thrown value as an exception, and the failure as the status of the span. */
export function noteFailure(span: Span, cause: unknown, at: Date): void {
  const message = withoutSecrets(describeCause(cause));
  const exception =
    cause instanceof Error
      ? { name: cause.name, message: withoutSecrets(cause.message), stack: withoutSecrets(stackOf(cause) ?? '') }
      : message;
  span.recordException(exception, at);
  span.setAttribute('error.type', cause instanceof Error ? cause.name : typeof cause);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
