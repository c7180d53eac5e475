import { jobConfiguration, type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type RunningJob, type TypedJobItemExecutor } from '../../../lib/api/extensions/job-executor.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';

/** One item of a job that an executor runs, and what it logs: `log item 0: hello`. */
export interface RunItem {
  readonly ended: Promise<void>;
  readonly log: readonly string[];
  /** Aborts the item's signal with `reason`. */
  readonly abort: () => void;
  readonly reason: Error;
}

/** Item 1 of the job `report`, with changes. */
export function aContext(changes: Partial<ShardingContext> = {}): ShardingContext {
  return {
    jobName: 'report',
    taskId: 'report@-@0,1@-@READY@-@10.0.0.1@-@7',
    shardingTotalCount: 2,
    jobParameter: '',
    shardingItem: 1,
    shardingParameter: 'Beijing',
    scheduledAt: undefined,
    attempt: 1,
    signal: new AbortController().signal,
    softStop: new AbortController().signal,
    fencingToken: 1,
    ...changes,
  };
}

/** The job `report` with these properties. */
export function reportJob(props: Readonly<Record<string, string>>): JobConfiguration {
  return jobConfiguration({ jobName: 'report', shardingTotalCount: 2, props });
}

/** Lets an executor run an item. */
export function runItem(
  executor: TypedJobItemExecutor,
  props: Readonly<Record<string, string>>,
  changes: Partial<ShardingContext> = {},
): RunItem {
  const stop = new AbortController();
  const reason = new Error('the session is lost');
  const log: string[] = [];
  const note =
    (level: string) =>
    (message: string): void =>
      void log.push(`${level} item ${changes.shardingItem ?? 1}: ${message}`);
  const logger = { debug: note('debug'), log: note('log'), warn: note('warn'), error: note('error') };
  const configuration = reportJob(props);
  const job: RunningJob = { configuration, logger, noteImpairment: note('impaired') };
  const run = async (): Promise<void> =>
    executor.process(configuration, aContext({ signal: stop.signal, ...changes }), job);
  const ended = run();
  ended.catch(() => undefined);
  return { ended, log, abort: () => stop.abort(reason), reason };
}
