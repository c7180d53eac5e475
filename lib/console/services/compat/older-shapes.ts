/** Jobs, items and servers in the form of the older APIs. */
import { type JobConfiguration } from '../../../api/job/job-configuration.js';
import { shardingInfo } from '../../../operations/sharding-statistics-api.js';
import { isDisabled } from '../../../operations/statuses.js';
import { jobStatus } from '../../../operations/statuses.js';
import { type LiveJob, type LiveJobs } from '../live/live-jobs.js';
import { serverJobRows, serverRows } from '../jobs/servers.js';

type Shape = Readonly<Record<string, unknown>>;

/** All jobs that have settings, by name. */
export function jobBriefs(live: LiveJobs): readonly Shape[] {
  return live.jobs
    .filter(({ view, hidden }) => hidden === undefined && (view.config !== undefined || view.configFault !== undefined))
    .sort((one, other) => (one.jobName < other.jobName ? -1 : 1))
    .map(({ jobName, view }) => ({
      ...{
        jobName,
        status: jobStatus(view),
        description: view.config?.description ?? null,
        cron: view.config?.cron ?? null,
      },
      ...{ instanceCount: view.instances.size, shardingTotalCount: view.config?.shardingTotalCount ?? 0 },
    }));
}

/** The items of a job. */
export function shardBriefs({ view }: LiveJob): readonly Shape[] {
  return view.items.map((item) => {
    const { serverIp = null, instanceId = null, status, failover } = shardingInfo(view, item);
    return { item: item.item, serverIp, instanceId, status, failover };
  });
}

/** All servers. */
export function serverBriefs(live: LiveJobs): readonly Shape[] {
  return serverRows(live)
    .filter(({ jobCount }) => jobCount > 0)
    .map(({ serverIp, jobCount, disabledJobCount }) => {
      const jobs = live.jobs.filter(({ view }) => view.servers.has(serverIp));
      const own = jobs.flatMap(({ view }) => [...view.instances.values()].filter((each) => each.serverIp === serverIp));
      const instances = [...new Set(own.map(({ jobInstanceId }) => jobInstanceId))];
      const jobNames = jobs.map(({ jobName }) => jobName).sort();
      return {
        serverIp,
        instances,
        jobNames,
        instancesNum: instances.length,
        jobsNum: jobCount,
        disabledJobsNum: disabledJobCount,
      };
    });
}

/** The jobs of a server. */
export function serverJobBriefs(live: LiveJobs, ip: string): readonly Shape[] {
  return serverJobRows(live, ip).flatMap(({ jobName, instanceCount }): readonly Shape[] => {
    const server = live.job(jobName)?.view.servers.get(ip);
    if (server === undefined) return [];
    const status = isDisabled(server) ? 'DISABLED' : 'OK';
    return [{ jobName, status, description: null, cron: null, instanceCount, shardingTotalCount: 0 }];
  });
}

/** Keys from consoles of ElasticJob that are no settings of ours, or whose stored values are kept. */
const FOREIGN = ['jobExtraConfigurations', 'jobExecutorServiceHandlerType', 'version'];

/** Converts settings of a request of ElasticJob's consoles into ours. */
export function settingsOfOlder(body: Shape): Shape {
  const threads = body['jobExecutorThreadPoolSizeProviderType'] ?? body['jobExecutorServiceHandlerType'];
  const known = Object.entries(body).filter(
    ([key, value]) => !FOREIGN.includes(key) && value !== null && value !== undefined,
  );
  return {
    ...Object.fromEntries(known),
    ...(threads !== undefined &&
      threads !== null &&
      threads !== '' && { jobExecutorThreadPoolSizeProviderType: threads }),
  };
}

/** Settings for the older APIs, with the older key too. */
export function olderSettings(configuration: Partial<JobConfiguration>): Shape {
  const type = configuration.jobExecutorThreadPoolSizeProviderType ?? null;
  return {
    ...configuration,
    jobExecutorServiceHandlerType: type,
    jobExecutorThreadPoolSizeProviderType: type,
    jobExtraConfigurations: null,
  };
}
