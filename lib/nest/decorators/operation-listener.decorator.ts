import 'reflect-metadata';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type OperationListener as Listener } from '../../api/events/operation-record.js';
import { type JobDecorator } from './elastic-job.decorator.js';

const METADATA = Symbol.for('nestjs-elasticjob:operation-listener');

/**
 * Makes a provider a listener of operations: its method `onOperation(record)` is called with the record of each
 * operation that this application carries out on jobs. It needs no `@Injectable()`.
 * @throws InvalidConfigurationError if it decorates anything but a class
 */
export function OperationListener(): JobDecorator<Listener> {
  return (target: unknown) => {
    // Compilers that only strip types do not check this.
    if (typeof target !== 'function')
      throw new InvalidConfigurationError(['@OperationListener() can only decorate a class']);
    Reflect.defineMetadata(METADATA, true, target);
  };
}
export type OperationListener = Listener;

/** True if a class or its base class is decorated with `@OperationListener()`. */
export function isOperationListener(type: object): boolean {
  return Reflect.hasMetadata(METADATA, type);
}
