import { type RegistryCenter } from '../registry/registry-center.js';

/** The registry centre to operate on, or a function that returns it, or throws while there is none. */
export type RegistrySource = RegistryCenter | (() => RegistryCenter);

/** The registry centre that is meant now. */
export function registryFrom(source: RegistrySource): RegistryCenter {
  return typeof source === 'function' ? source() : source;
}
