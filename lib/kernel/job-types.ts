/**
 * What the type names in a job's configuration stand for. Java finds these by its service loader; here they are lists
 * given at start. An unknown name is refused with the names that are known.
 */
import { availableParallelism } from 'node:os';
import { describeValue } from '../api/describe-value.js';
import { type JobErrorHandler } from '../api/error-handler.js';
import { InvalidConfigurationError } from '../api/errors.js';
import { type JobConfiguration } from '../api/job-configuration.js';
import { type TypedJobItemExecutor } from '../api/job-executor.js';
import { jobPath, keyPath } from '../api/job-name.js';
import { type JobLogger } from '../api/logger.js';
import { type JobShardingStrategy } from '../api/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider } from '../api/thread-pool-size.js';
import { type Clock } from '../time/clock.js';
import { builtInErrorHandlers } from './error-handlers.js';
import { averageAllocation } from './strategies/average-allocation.js';
import { odevity } from './strategies/odevity.js';
import { roundRobin } from './strategies/round-robin.js';
import { singleShardingBalance } from './strategies/single-sharding-balance.js';

/** What users add to the built-in choices; on the same name theirs comes first. */
export interface JobTypeExtensions {
  readonly strategies?: readonly JobShardingStrategy[];
  readonly executors?: readonly TypedJobItemExecutor[];
  readonly errorHandlers?: readonly JobErrorHandler[];
  readonly threadPoolSizeProviders?: readonly JobExecutorThreadPoolSizeProvider[];
}

/** Finds what a job's configuration names. Each method throws InvalidConfigurationError on an unknown name. */
export class JobTypes {
  readonly #strategies: readonly JobShardingStrategy[];
  readonly #executors: readonly TypedJobItemExecutor[];
  readonly #errorHandlers: readonly JobErrorHandler[];
  readonly #threadPoolSizeProviders: readonly JobExecutorThreadPoolSizeProvider[];

  constructor(extensions: JobTypeExtensions, ground: { readonly clock: Clock; readonly logger: JobLogger }) {
    this.#strategies = [
      ...(extensions.strategies ?? []),
      averageAllocation,
      odevity,
      roundRobin,
      singleShardingBalance(ground.clock),
    ];
    this.#executors = extensions.executors ?? [];
    this.#errorHandlers = [...(extensions.errorHandlers ?? []), ...builtInErrorHandlers(ground.logger)];
    this.#threadPoolSizeProviders = [...(extensions.threadPoolSizeProviders ?? []), cpu, singleThread];
  }

  /** Default: AVG_ALLOCATION. */
  strategy({ jobName, jobShardingStrategyType }: JobConfiguration): JobShardingStrategy {
    return choose(this.#strategies, jobShardingStrategyType ?? 'AVG_ALLOCATION', {
      path: keyPath(jobPath(jobName), 'jobShardingStrategyType'),
      what: 'sharding strategy',
    });
  }

  /** Default: LOG. */
  errorHandler({ jobName, jobErrorHandlerType }: JobConfiguration): JobErrorHandler {
    return choose(this.#errorHandlers, jobErrorHandlerType ?? 'LOG', {
      path: keyPath(jobPath(jobName), 'jobErrorHandlerType'),
      what: 'error handler',
    });
  }

  /** Default: CPU. */
  threadPoolSizeProvider(configuration: JobConfiguration): JobExecutorThreadPoolSizeProvider {
    return choose(this.#threadPoolSizeProviders, configuration.jobExecutorThreadPoolSizeProviderType ?? 'CPU', {
      path: keyPath(jobPath(configuration.jobName), 'jobExecutorThreadPoolSizeProviderType'),
      what: 'thread pool size provider',
    });
  }

  /**
   * How many items of one firing may run at once, as the provider says now.
   * @throws InvalidConfigurationError if it says anything but an integer of at least 1
   */
  threadPoolSize(configuration: JobConfiguration): number {
    const provider = this.threadPoolSizeProvider(configuration);
    const size: unknown = provider.getSize();
    if (typeof size === 'number' && Number.isInteger(size) && size >= 1) return size;
    const path = keyPath(jobPath(configuration.jobName), 'jobExecutorThreadPoolSizeProviderType');
    throw new InvalidConfigurationError([
      `${path}: the provider ${provider.type} must return an integer of at least 1, got ${describeValue(size)}`,
    ]);
  }

  /** The executor of jobs that have a type instead of a class. */
  executor(jobName: string, type: string): TypedJobItemExecutor {
    return choose(this.#executors, type, {
      path: keyPath(jobPath(jobName), 'elasticJobType'),
      what: 'job type',
    });
  }

  /** Refuses a configuration that names something unknown; all faults at once. */
  check(configuration: JobConfiguration): void {
    const faults = [
      () => this.strategy(configuration),
      () => this.errorHandler(configuration),
      () => this.threadPoolSizeProvider(configuration),
    ].flatMap((find) => {
      try {
        find();
        return [];
      } catch (error) {
        if (error instanceof InvalidConfigurationError) return error.faults;
        throw error;
      }
    });
    const [listener] = configuration.jobListenerTypes;
    if (listener !== undefined) {
      faults.push(
        `${keyPath(jobPath(configuration.jobName), 'jobListenerTypes')}: unknown job listener ${describeValue(listener)}; ` +
          'job listeners are not available in this version',
      );
    }
    if (faults.length > 0) throw new InvalidConfigurationError(faults);
  }
}

const cpu: JobExecutorThreadPoolSizeProvider = { type: 'CPU', getSize: () => 2 * availableParallelism() };
const singleThread: JobExecutorThreadPoolSizeProvider = { type: 'SINGLE_THREAD', getSize: () => 1 };

function choose<T extends { readonly type: string }>(
  choices: readonly T[],
  type: string,
  { path, what }: { readonly path: string; readonly what: string },
): T {
  const choice = choices.find((candidate) => candidate.type.toUpperCase() === type.toUpperCase());
  if (choice !== undefined) return choice;
  const known = [...new Set(choices.map((candidate) => candidate.type))].join(', ');
  throw new InvalidConfigurationError([
    `${path}: unknown ${what} ${describeValue(type)}; known are: ${known === '' ? 'none' : known}`,
  ]);
}
