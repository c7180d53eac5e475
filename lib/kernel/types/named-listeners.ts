import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type AnyJobListener, listenerProblem, LOWEST_ORDER } from '../../api/extensions/job-listener.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { describeValue } from '../../api/text/describe-value.js';
import { repeated } from '../../api/text/repeated.js';

/** A listener with the type by which jobs name it. */
export interface NamedListener {
  readonly type: string;
  readonly listener: AnyJobListener;
}

/**
 * The listeners by the types that jobs name.
 * @throws InvalidConfigurationError if one is no listener, has no type, or has the type of another one
 */
export function namedListeners(listeners: readonly AnyJobListener[]): readonly NamedListener[] {
  const faults: string[] = [];
  const named = listeners.map((listener): NamedListener => {
    const type: unknown = (listener as AnyJobListener | null | undefined)?.type;
    const name = typeof type === 'string' && type.trim() !== '' ? type : undefined;
    const fault = listenerProblem(listener);
    if (name === undefined) faults.push(`The job listener ${describeCause(listener)} has no type`);
    else if (fault !== undefined) faults.push(`The job listener ${name} ${fault}`);
    return { type: name ?? '', listener };
  });
  const [twice] = repeated(named.flatMap(({ type }) => (type === '' ? [] : [type.toUpperCase()])));
  if (twice !== undefined) faults.push(`There are two job listeners of type ${twice}; case does not count`);
  if (faults.length > 0) throw new InvalidConfigurationError(faults);
  return named;
}

/**
 * The order of a listener. As in Java, listeners with a greater order are called later.
 * @returns the order, or the problem with it
 */
export function listenerOrder({ type, listener }: NamedListener): {
  readonly order?: number;
  readonly problem?: string;
} {
  try {
    const order: unknown = listener.order?.() ?? LOWEST_ORDER;
    if (typeof order === 'number' && !Number.isNaN(order)) return { order };
    return { problem: `the order() of job listener ${type} must return a number, got ${describeValue(order)}` };
  } catch (error) {
    return { problem: `the order() of job listener ${type} has failed: ${describeCause(error)}` };
  }
}
