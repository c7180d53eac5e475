import { type ElasticJobListener } from '../../lib/api/extensions/job-listener.js';
import { type JobOptions } from '../../lib/api/job/job-options.js';
import { type JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { JobListener } from '../../lib/nest/decorators/job-listener.decorator.js';
import { javaStarter } from './fixtures.js';
import { fromYaml } from '../../lib/layout/job-configuration-yaml.js';

/** A job that keeps the contexts it was given, and throws `failure` if that is set. */
export class SyncOrdersJob {
  readonly contexts: ShardingContext[] = [];
  failure: Error | undefined;
  execute(context: ShardingContext): void {
    this.contexts.push(context);
    if (this.failure !== undefined) throw this.failure;
  }
}

/** One more job, which keeps the items that it was given. */
export class MonthlyReportJob {
  readonly items: number[] = [];
  execute({ shardingItem }: ShardingContext): void {
    this.items.push(shardingItem);
  }
}

/** A listener for jobs that name one. */
@JobListener('STOPWATCH')
export class Stopwatch implements ElasticJobListener {
  beforeJobExecuted(): void {}
  afterJobExecuted(): void {}
}

/** For each setting of a job that Java has, too, a value that is not its default, and that can be stored. */
export const SAMPLES = {
  cron: '0 0 3 * * ? 2099',
  timeZone: 'GMT+08:00',
  shardingTotalCount: 5,
  shardingItemParameters: '0=Beijing,1=Shanghai',
  jobParameter: 'all',
  monitorExecution: false,
  failover: true,
  misfire: false,
  maxTimeDiffSeconds: 5,
  reconcileIntervalMinutes: 7,
  jobShardingStrategyType: 'ODEVITY',
  jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
  jobErrorHandlerType: 'IGNORE',
  jobListenerTypes: ['STOPWATCH'],
  description: 'orders of the day',
  props: { a: 'b' },
  disabled: true,
  overwrite: true,
  label: 'nightly',
  staticSharding: true,
} as const satisfies JobOptions;

/** A setting of a job that is stored. */
export type SampleName = keyof typeof SAMPLES;

/** True if it names such a setting. */
export function isSample(name: string): name is SampleName {
  return Object.hasOwn(SAMPLES, name);
}

/** The configuration that Java's starter stores for a job without settings. */
export const starterDefaults: JobConfiguration = fromYaml(
  javaStarter['/printer/config'] ?? '',
  '/printer/config',
).configuration;
