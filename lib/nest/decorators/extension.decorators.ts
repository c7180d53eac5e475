/**
 * Decorators that make providers executors, sharding strategies, error handlers and thread pool size providers. They
 * are found as `@JobListener` is. Each accepts only classes with the required methods; for others, the compiler reports
 * a type error.
 */
import 'reflect-metadata';
import { describeValue } from '../../api/text/describe-value.js';
import { type JobErrorHandler as ErrorHandler } from '../../api/extensions/error-handler.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type ClassedJobItemExecutor, type TypedJobItemExecutor } from '../../api/extensions/job-executor.js';
import { type JobShardingStrategy as ShardingStrategy } from '../../api/extensions/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider as ThreadPoolSizeProvider } from '../../api/extensions/thread-pool-size.js';
import { type JobDecorator } from './elastic-job.decorator.js';

/** One decorator of a class, unchecked. */
export interface ExtensionMetadata {
  readonly decorator: 'JobExecutor' | 'JobShardingStrategy' | 'JobErrorHandler' | 'JobExecutorThreadPoolSizeProvider';
  /** The name, or the class of jobs that an executor runs. */
  readonly name: unknown;
}

/** A class whose objects are `T`. */
export type ClassOf<T> = abstract new (...args: never[]) => T;

const METADATA = Symbol.for('nestjs-elasticjob:extensions');

/**
 * Makes a provider the executor of jobs that have a type instead of a class: `@JobExecutor('SQL')` runs the jobs with
 * `elasticJobType: SQL`, by its method `process(configuration, context)`.
 * @param type the name, compared without regard to case; checked when the application starts
 */
export function JobExecutor(type: string): JobDecorator<Omit<TypedJobItemExecutor, 'type'>>;
/**
 * Makes a provider the executor of jobs of one kind: `@JobExecutor(ReportJob)` runs the jobs whose class extends
 * `ReportJob`, an abstract class of yours, by its method `process(job, configuration, context)`. Of several such base
 * classes of a job, the one nearest to it counts.
 */
export function JobExecutor<Job extends object>(jobClass: ClassOf<Job>): JobDecorator<ClassedExecutor<Job>>;
export function JobExecutor(name: unknown): JobDecorator<object> {
  return decorating({ decorator: 'JobExecutor', name });
}

/** The members of a provider with `@JobExecutor(SomeClass)`. */
export type ClassedExecutor<Job extends object> = Omit<ClassedJobItemExecutor<Job>, 'requirement' | 'accepts'>;

/**
 * Makes a provider a sharding strategy: jobs name it in `jobShardingStrategyType`.
 * @param name compared without regard to case; checked when the application starts
 */
export function JobShardingStrategy(name: string): JobDecorator<Omit<ShardingStrategy, 'type'>> {
  return decorating({ decorator: 'JobShardingStrategy', name });
}
export type JobShardingStrategy = ShardingStrategy;

/**
 * Makes a provider an error handler: jobs name it in `jobErrorHandlerType`.
 * @param name compared without regard to case; checked when the application starts
 */
export function JobErrorHandler(name: string): JobDecorator<Omit<ErrorHandler, 'type'>> {
  return decorating({ decorator: 'JobErrorHandler', name });
}
export type JobErrorHandler = ErrorHandler;

/**
 * Makes a provider a thread pool size provider: jobs name it in `jobExecutorThreadPoolSizeProviderType`.
 * @param name compared without regard to case; checked when the application starts
 */
export function JobExecutorThreadPoolSizeProvider(name: string): JobDecorator<Omit<ThreadPoolSizeProvider, 'type'>> {
  return decorating({ decorator: 'JobExecutorThreadPoolSizeProvider', name });
}
export type JobExecutorThreadPoolSizeProvider = ThreadPoolSizeProvider;

/** The extensions that a class is decorated as. A subclass without a decorator of its own inherits its parent's. */
export function extensionsOf(type: object): readonly ExtensionMetadata[] {
  return (Reflect.getMetadata(METADATA, type) as readonly ExtensionMetadata[] | undefined) ?? [];
}

function decorating(metadata: ExtensionMetadata): JobDecorator<object> {
  return (target: unknown) => {
    // Compilers that only strip types do not check this.
    if (typeof target !== 'function') {
      const what = `@${metadata.decorator}(${describeValue(metadata.name)})`;
      throw new InvalidConfigurationError([`${what} can only decorate a class`]);
    }
    // Own metadata only: a decorated subclass does not inherit its parent's.
    const others = (Reflect.getOwnMetadata(METADATA, target) as readonly ExtensionMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(METADATA, [metadata, ...others], target);
  };
}
