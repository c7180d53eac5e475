import 'reflect-metadata';
import { describeValue } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type AnyJobListener } from '../../api/extensions/job-listener.js';

const METADATA = Symbol.for('nestjs-elasticjob:listener');

/** A decorator of classes whose instances are job listeners. */
export type ListenerDecorator = (target: abstract new (...dependencies: never[]) => AnyJobListener) => void;

/**
 * Makes a provider a job listener: `@JobListener('AUDIT')`. Jobs refer to it in their `jobListenerTypes`. The class is
 * an `ElasticJobListener` or an `AbstractDistributeOnceElasticJobListener` and a provider of any module; it needs no
 * `@Injectable()`. One instance serves all jobs that name it.
 * @param type the listener's name, compared without regard to case; checked when the application starts
 * @throws InvalidConfigurationError if it decorates anything but a class
 */
export function JobListener(type: string): ListenerDecorator {
  return (target) => {
    // Compilers that only strip types do not check this.
    if (typeof (target as unknown) !== 'function')
      throw new InvalidConfigurationError([`@JobListener(${describeValue(type)}) can only decorate a class`]);
    Reflect.defineMetadata(METADATA, type, target);
  };
}

/**
 * The listener that a class is decorated as, by its unchecked type. A subclass without a decorator of its own inherits
 * its parent's.
 */
export function listenerTypeOf(type: object): { readonly type: unknown } | undefined {
  return Reflect.hasMetadata(METADATA, type) ? { type: Reflect.getMetadata(METADATA, type) } : undefined;
}
