/** The sources of `watch`: one job, by a mirror of its nodes; or all jobs, read again after each interval. */
import { JobPaths } from '../../layout/job-paths.js';
import { readJobView } from '../../layout/job-view.js';
import { readJob } from '../../operations/job-reading.js';
import { type JobBriefInfo, JobStatisticsAPI } from '../../operations/job-statistics-api.js';
import { shardingInfo } from '../../operations/sharding-statistics-api.js';
import { jobStatus } from '../../operations/statuses.js';
import { isOutage } from '../../api/errors/registry-errors.js';
import { sleep } from '../../async/wait.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { counted } from '../change/context.js';
import { ITEM_COLUMNS } from '../show/items.js';
import { JOB_COLUMNS } from '../show/jobs.js';
import { type Output } from '../terminal/output.js';

/** The content of a feed at one moment. */
export interface Snapshot {
  readonly title: string;
  readonly table: (output: Output) => string;
  readonly json: object;
}

/** A source of snapshots that reports changes. */
export interface Feed {
  readonly now: Snapshot;
  /** Calls `listener` when the content may have changed. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** A job and its items. @throws UnknownJobError if there is none of that name */
export async function jobFeed(registry: RegistryCenter, jobName: string): Promise<Feed> {
  await readJob(registry, jobName);
  const mirror = await registry.mirror(new JobPaths(jobName).root);
  return {
    get now() {
      const view = readJobView(mirror.nodes, jobName);
      const items = view.items.map((item) => shardingInfo(view, item));
      const status = view.exists ? jobStatus(view) : 'REMOVED';
      const instances = [...view.instances.keys()].sort();
      const counts = `${counted(items.length, 'item')}, ${counted(instances.length, 'instance')}`;
      return {
        title: `Job ${jobName}: ${status}, ${counts}`,
        table: (output: Output) => output.table({ columns: ITEM_COLUMNS, rows: items }),
        json: { jobName, status, instances, items },
      };
    },
    onChange: (listener) => mirror.onChange(listener),
    close: () => mirror.close(),
  };
}

/** All jobs of the namespace, read again after `intervalMs` milliseconds. */
export async function jobsFeed(
  registry: RegistryCenter,
  { clock, intervalMs }: { readonly clock: Clock; readonly intervalMs: number },
): Promise<Feed> {
  const statistics = new JobStatisticsAPI(registry);
  const closing = new AbortController();
  const listeners = new Set<() => void>();
  let jobs: readonly JobBriefInfo[] = await statistics.getAllJobsBriefInfo();
  const readOn = async (): Promise<void> => {
    for (;;) {
      // One reading after the other: a slow registry centre is asked less often.
      await sleep(clock, intervalMs, closing.signal);
      try {
        jobs = await statistics.getAllJobsBriefInfo();
      } catch (error) {
        // The table is then out of date, which the line about the connection says.
        if (!isOutage(error)) throw error;
      }
      for (const listener of listeners) listener();
    }
  };
  const reading = readOn();
  // The signal ends the reading. Any other failure is thrown to the next reader of `now`.
  let failure: Error | undefined;
  reading.catch((error: unknown) => {
    if (!closing.signal.aborted) failure = error as Error;
    for (const listener of listeners) listener();
  });
  return {
    get now() {
      if (failure !== undefined) throw failure;
      return {
        title: counted(jobs.length, 'job'),
        table: (output: Output) => output.table({ columns: JOB_COLUMNS, rows: jobs }),
        json: { jobs },
      };
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => closing.abort(new Error('nobody watches any more')),
  };
}
