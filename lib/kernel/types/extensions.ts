/**
 * What the type names in a job's configuration stand for. Java finds these by its service loader; here they are lists
 * given at start. An unknown name is refused with the names that are known.
 */
import { availableParallelism } from 'node:os';
import { describeValue } from '../../api/describe-value.js';
import { type JobErrorHandler } from '../../api/error-handler.js';
import { InvalidConfigurationError } from '../../api/errors.js';
import { type JobConfiguration } from '../../api/job-configuration.js';
import { type TypedJobItemExecutor } from '../../api/job-executor.js';
import { type AnyJobListener, faultInListener, LOWEST_ORDER } from '../../api/job-listener.js';
import { jobPath, keyPath } from '../../api/job-name.js';
import { type JobLogger } from '../../api/logger.js';
import { type JobShardingStrategy } from '../../api/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider } from '../../api/thread-pool-size.js';
import { type Clock } from '../../time/clock.js';
import { builtInErrorHandlers } from './error-handlers.js';
import { averageAllocation } from './strategies/average-allocation.js';
import { odevity } from './strategies/odevity.js';
import { roundRobin } from './strategies/round-robin.js';
import { singleShardingBalance } from './strategies/single-sharding-balance.js';
import { describeCause } from '../../api/describe-cause.js';

/** What users add to the built-in choices; on the same name theirs comes first. */
export interface ExtensionOptions {
  readonly strategies?: readonly JobShardingStrategy[];
  readonly executors?: readonly TypedJobItemExecutor[];
  readonly errorHandlers?: readonly JobErrorHandler[];
  readonly threadPoolSizeProviders?: readonly JobExecutorThreadPoolSizeProvider[];
  readonly listeners?: readonly AnyJobListener[];
}

/** A listener with the type by which jobs name it. */
export interface NamedListener {
  readonly type: string;
  readonly listener: AnyJobListener;
}

/** Finds what a job's configuration names. Each method throws InvalidConfigurationError on an unknown name. */
export class Extensions {
  readonly #strategies: readonly JobShardingStrategy[];
  readonly #executors: readonly TypedJobItemExecutor[];
  readonly #errorHandlers: readonly JobErrorHandler[];
  readonly #threadPoolSizeProviders: readonly JobExecutorThreadPoolSizeProvider[];
  readonly #listeners: readonly NamedListener[];

  /** @throws InvalidConfigurationError if what is given as a listener is none, or has the type of another one */
  constructor(extensions: ExtensionOptions, ground: { readonly clock: Clock; readonly logger: JobLogger }) {
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
    this.#listeners = namedListeners(extensions.listeners ?? []);
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

  /** The job's listeners in the order in which they are called: by `order()`, and as they are named. */
  listeners({ jobName, jobListenerTypes }: JobConfiguration): readonly NamedListener[] {
    const path = keyPath(jobPath(jobName), 'jobListenerTypes');
    const chosen = jobListenerTypes.map((type) => choose(this.#listeners, type, { path, what: 'job listener' }));
    return [...new Set(chosen)]
      .map((named) => ({ named, order: orderOf(named) }))
      .sort((one, other) => one.order - other.order)
      .map(({ named }) => named);
  }

  /** Refuses a configuration that names something unknown; all faults at once. */
  check(configuration: JobConfiguration): void {
    const faults = [
      () => this.strategy(configuration),
      () => this.errorHandler(configuration),
      () => this.threadPoolSizeProvider(configuration),
      ...configuration.jobListenerTypes.map(
        (type) => () => this.listeners({ ...configuration, jobListenerTypes: [type] }),
      ),
    ].flatMap((find) => {
      try {
        find();
        return [];
      } catch (error) {
        if (error instanceof InvalidConfigurationError) return error.faults;
        throw error;
      }
    });
    if (faults.length > 0) throw new InvalidConfigurationError(faults);
  }
}

const cpu: JobExecutorThreadPoolSizeProvider = { type: 'CPU', getSize: () => 2 * availableParallelism() };
const singleThread: JobExecutorThreadPoolSizeProvider = { type: 'SINGLE_THREAD', getSize: () => 1 };

function namedListeners(listeners: readonly AnyJobListener[]): readonly NamedListener[] {
  const faults: string[] = [];
  const named = listeners.map((listener): NamedListener => {
    const type: unknown = (listener as AnyJobListener | null | undefined)?.type;
    const name = typeof type === 'string' && type.trim() !== '' ? type : undefined;
    const fault = faultInListener(listener);
    if (name === undefined) faults.push(`The job listener ${describeCause(listener)} has no type`);
    else if (fault !== undefined) faults.push(`The job listener ${name} ${fault}`);
    return { type: name ?? '', listener };
  });
  const types = named.map(({ type }) => type.toUpperCase());
  const twice = types.find((type, index) => type !== '' && types.indexOf(type) !== index);
  if (twice !== undefined) faults.push(`There are two job listeners of type ${twice}; case does not count`);
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  return named;
}

/** As in Java, greater ones are called later. */
function orderOf({ type, listener }: NamedListener): number {
  const order: unknown = listener.order?.() ?? LOWEST_ORDER;
  if (typeof order === 'number' && !Number.isNaN(order)) return order;
  throw new InvalidConfigurationError([
    `The order() of job listener ${type} must return a number, got ${describeValue(order)}`,
  ]);
}

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
