import { InvalidConfigurationError } from '../api/errors/errors.js';
import { withMethods } from '../api/settings/call-options.js';
import { describeValue } from '../api/text/describe-value.js';
import { type RegistryCenter } from '../registry/registry-center.js';

/** The registry centre to operate on, or a function that returns it, or throws while there is none. */
export type RegistrySource = RegistryCenter | (() => RegistryCenter);

const isRegistryCenter = withMethods('mirror', 'children', 'commit');

/**
 * @throws InvalidConfigurationError unless it is a registry centre or a function.
 * @param call the start of the message
 */
export function checkedSource(call: string, given: RegistrySource): RegistrySource {
  if (typeof given === 'function' || isRegistryCenter(given) === undefined) return given;
  throw new InvalidConfigurationError([
    `${call}: needs a connected registry centre, or a function that returns one, got ${describeValue(given, 'hidden')}`,
  ]);
}

/** The registry centre to operate on now. */
export function registryFrom(source: RegistrySource): RegistryCenter {
  return typeof source === 'function' ? source() : source;
}
