import 'reflect-metadata';
import { Inject } from '@nestjs/common';
import { describeValue } from '../api/describe-value.js';
import { InvalidConfigurationError } from '../api/errors.js';
import { type JobOptions } from '../api/job-options.js';
import { declareToken } from './injection-tokens.js';
import { type JobSettings } from '../settings/job-settings.js';

/** What `@ElasticJob` accepts: the job's settings, and how its bootstrap is injected and started. */
export interface ElasticJobOptions
  extends
    JobOptions,
    Pick<JobSettings, 'jobBootstrapBeanName' | 'jobClassName' | 'autoStart' | 'jobExecutorServiceHandlerType'> {}

/** What `@ElasticJob` noted of a class. */
export interface ElasticJobMetadata {
  readonly jobName: string;
  readonly options: ElasticJobOptions;
}

const METADATA = Symbol.for('nestjs-elasticjob:jobs');

/**
 * Makes a provider a job: `@ElasticJob('syncOrders', { cron: '0/5 * * * * ?', shardingTotalCount: 3 })`.
 * The class has the method `execute(context)`, is a provider of any module, and has no need of `@Injectable()`.
 * Several such decorators on one class make several jobs, which share its instance.
 * @param jobName the job's name in the registry centre
 * @param options defaults; `elasticjob.jobs.<jobName>` of the module's options, a file or the environment override them
 */
export function ElasticJob(jobName: string, options: ElasticJobOptions = {}): ClassDecorator {
  return (target) => {
    // Only TypeScript's own compiler sees this by itself.
    if (typeof target !== 'function')
      throw new InvalidConfigurationError([`@ElasticJob(${describeValue(jobName)}) must stand before a class`]);
    const names: readonly unknown[] = [jobName, (options as ElasticJobOptions | undefined)?.jobBootstrapBeanName];
    for (const name of names) if (typeof name === 'string' && name !== '') declareToken(target, name);
    // Own metadata only: a subclass that is decorated itself is another job, not one more of its parent's.
    const others = (Reflect.getOwnMetadata(METADATA, target) as readonly ElasticJobMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(METADATA, [{ jobName, options }, ...others], target);
  };
}

/**
 * Injects the bootstrap of a one-off job into a constructor: `@InjectOneOffJob('myOneOffJobBean') private readonly job: OneOffJobBootstrap`.
 * `@Inject('myOneOffJobBean')` does the same for jobs that are decorated or named in `forRoot()`'s options.
 * @param token the job's `jobBootstrapBeanName`, or its name if it has none
 * @throws InvalidConfigurationError if it is no text, as a constant is whose file has not been evaluated yet
 */
export function InjectOneOffJob(token: string): PropertyDecorator & ParameterDecorator {
  if (typeof token !== 'string' || token === '') {
    throw new InvalidConfigurationError([
      `@InjectOneOffJob(): must be given the name of a job, or its jobBootstrapBeanName, got ${describeValue(token)}`,
    ]);
  }
  const inject = Inject(token);
  return (target: object, key: string | symbol | undefined, index?: number) => {
    declareToken(typeof target === 'function' ? target : target.constructor, token);
    inject(target, key as string, index as number);
  };
}

/** The jobs that a class is decorated to be; a subclass without a decorator of its own inherits its parent's. */
export function jobsOf(type: object): readonly ElasticJobMetadata[] {
  return (Reflect.getMetadata(METADATA, type) as readonly ElasticJobMetadata[] | undefined) ?? [];
}
