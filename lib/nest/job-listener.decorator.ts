import 'reflect-metadata';
import { describeValue } from '../api/describe-value.js';
import { InvalidConfigurationError } from '../api/errors.js';

const METADATA = Symbol.for('nestjs-elasticjob:listener');

/**
 * Makes a provider a job listener: `@JobListener('AUDIT')`, named so in the `jobListenerTypes` of jobs. The class is an
 * `ElasticJobListener` or an `AbstractDistributeOnceElasticJobListener`, is a provider of any module, and has no need of
 * `@Injectable()`. One instance serves all jobs that name it.
 * @param type compared without regard to case
 */
export function JobListener(type: string): ClassDecorator {
  return (target) => {
    // Only TypeScript's own compiler sees this by itself.
    if (typeof target !== 'function')
      throw new InvalidConfigurationError([`@JobListener(${describeValue(type)}) must stand before a class`]);
    Reflect.defineMetadata(METADATA, type, target);
  };
}

/** The type of listener that a class is decorated to be; a subclass without a decorator of its own inherits its parent's. */
export function listenerTypeOf(type: object): { readonly type: unknown } | undefined {
  return Reflect.hasMetadata(METADATA, type) ? { type: Reflect.getMetadata(METADATA, type) } : undefined;
}
