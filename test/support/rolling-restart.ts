import { jobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type LogEntry } from '../../lib/api/text/logger.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { type JobInstance } from '../../lib/api/extensions/sharding-strategy.js';
import { type RegistryCenter } from '../../lib/registry/registry-center.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import { ipOf } from './views.js';

/** A process of a cluster with many jobs, and the entries of its log. */
export interface BusyProcess {
  readonly name: string;
  /** Its instance's id. */
  readonly instance: string;
  /** From `log` upwards. */
  readonly entries: readonly LogEntry[];
  /** Resolves when all jobs are registered. */
  readonly started: Promise<unknown>;
  /** Stops the jobs and closes the registry centre. */
  stop(): Promise<void>;
}

/** What a busy process is made from. */
export interface BusyProcessOptions {
  readonly registryCenter: RegistryCenter;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** How many jobs it has; every second one has a cron expression that does not fire during a test. */
  readonly jobs: number;
}

let processes = 0;

/** Starts a process called `name` with many jobs of two items. */
export function busyProcess(
  name: string,
  { registryCenter, clock = systemClock, jobs }: BusyProcessOptions,
): BusyProcess {
  const entries: LogEntry[] = [];
  const quiet = (): void => undefined;
  const write = (entry: LogEntry): void => {
    if (entry.level !== 'debug') entries.push(entry);
  };
  const instance: JobInstance = { jobInstanceId: `${ipOf(name)}@-@${++processes}-${name}`, serverIp: ipOf(name) };
  const logger = { debug: quiet, log: quiet, warn: quiet, error: quiet, write };
  const host = new JobHost({ registryCenter, clock, instance, logger });
  registryCenter.connect();
  const job = { execute: quiet };
  const starts = Array.from({ length: jobs }, (_, number) => {
    const jobName = `job-${number}`;
    const isScheduled = number % 2 === 0;
    const configuration = jobConfiguration({
      jobName,
      shardingTotalCount: 2,
      ...(isScheduled && { cron: '0 0 0 1 1 ?' }),
    });
    return isScheduled
      ? new ScheduleJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'Busy' }).schedule()
      : new OneOffJobBootstrap(registryCenter, job, configuration, { host, jobClassName: 'Busy' }).start();
  });
  return {
    name,
    instance: instance.jobInstanceId,
    entries,
    started: Promise.all(starts),
    async stop() {
      await host.stop();
      await registryCenter.close();
    },
  };
}
