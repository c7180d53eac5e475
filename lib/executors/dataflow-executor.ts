import { inEnglish } from '../wording/wording.js';
import { describeValue, legible } from '../api/text/describe-value.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { type ClassedJobItemExecutor, type PropertyProblem } from '../api/extensions/job-executor.js';
import { type DataflowJob, isDataflowJob } from '../api/job/job.js';
import { nextTurn } from '../time/event-loop.js';
import { unknownKeyDoubts, unknownKeys } from '../api/settings/known-properties.js';
import { refuseIdleWorker } from './idle-worker.js';
import { refuseIdleMethods } from './job-methods.js';
import { refuseResult } from './worker/worker-thread.cjs';

/** The property that makes a job fetch and process until there are no data: `true`, or `false` by default. */
const STREAMING = 'streaming.process';

/**
 * Runs jobs that fetch data and then process them: once for each firing, or as a stream with `streaming.process`.
 *
 * A stream ends between two batches: when a fetch returns nothing, when `context.softStop` asks for it (the leader
 * waits to assign the items again, or the job is being stopped), when the property is turned off, and when
 * `context.signal` aborts. Fetched data are always processed, as they may have been taken from a queue.
 */
export const dataflowExecutor: ClassedJobItemExecutor<DataflowJob> = {
  requirement: 'methods fetchData(context) and processData(context, data)',
  accepts: isDataflowJob,
  validate: (configuration, job) => {
    refuseIdleWorker(configuration, job, 'the methods fetchData(context) and processData(context, data)');
    refuseIdleMethods(configuration, [
      // eslint-disable-next-line @typescript-eslint/unbound-method -- only its signature counts
      { name: 'fetchData', work: job.fetchData, parameters: ['context'] },
      // eslint-disable-next-line @typescript-eslint/unbound-method -- only its signature counts
      { name: 'processData', work: job.processData, parameters: ['context', 'data'] },
    ]);
    return streamingProblems(configuration.props[STREAMING]);
  },
  doubts: ({ props }) => unknownKeyDoubts(props, [STREAMING], 'dataflow jobs').map(inEnglish),
  async process(job, configuration, context, running) {
    const { signal, softStop } = context;
    const mayStream = isStreaming(configuration);
    for (;;) {
      const data = listOf(await job.fetchData(context), configuration);
      if (data.length === 0) return;
      refuseResult('processData()', await job.processData(context, data));
      // Otherwise a stream that gets its data at once would block timers and sockets of the process.
      await nextTurn();
      if (!mayStream || !isStreaming(running.configuration)) return;
      signal.throwIfAborted();
      if (softStop.aborted) return;
    }
  },
};

/** The warning about a job of another kind that has the property for streaming. */
export function idleStreamingDoubts({ props }: JobConfiguration): readonly string[] {
  const keys = [...(STREAMING in props ? [STREAMING] : []), ...unknownKeys(Object.keys(props), [STREAMING])];
  return keys.map(
    (key) =>
      `the property '${legible(key)}' has no effect: only dataflow jobs stream, which have fetchData and processData`,
  );
}

function listOf(data: unknown, { jobName }: JobConfiguration): readonly unknown[] {
  if (data === null || data === undefined) return [];
  refuseResult('fetchData()', data);
  if (Array.isArray(data)) return data as readonly unknown[];
  throw new TypeError(
    `fetchData() of job '${jobName}' must return a list, null or undefined, got ${describeValue(data)}`,
  );
}

function isStreaming({ props }: JobConfiguration): boolean {
  return props[STREAMING]?.toLowerCase() === 'true';
}

function streamingProblems(value: string | undefined): readonly PropertyProblem[] {
  if (value === undefined || ['true', 'false', ''].includes(value.toLowerCase())) return [];
  return [{ property: STREAMING, problem: `must be true or false, got ${describeValue(value)}` }];
}
