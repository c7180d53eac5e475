import 'reflect-metadata';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type TracingListener as Listener } from '../../api/events/trace-events.js';
import { type JobDecorator } from './elastic-job.decorator.js';

const METADATA = Symbol.for('nestjs-elasticjob:tracing-listener');

/**
 * Makes a provider a tracing listener: its method `onTraceEvent(event)` is called with each trace event of the jobs of
 * this process, whether `elasticjob.tracing.type` is set or not. It needs no `@Injectable()`.
 * @throws InvalidConfigurationError if it decorates anything but a class
 */
export function TracingListener(): JobDecorator<Listener> {
  return (target: unknown) => {
    // Compilers that only strip types do not check this.
    if (typeof target !== 'function')
      throw new InvalidConfigurationError(['@TracingListener() can only decorate a class']);
    Reflect.defineMetadata(METADATA, true, target);
  };
}
export type TracingListener = Listener;

/** True if a class or its base class is decorated with `@TracingListener()`. */
export function isTracingListener(type: object): boolean {
  return Reflect.hasMetadata(METADATA, type);
}
