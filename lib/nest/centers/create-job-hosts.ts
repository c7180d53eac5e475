import { JobHost, type JobHostOptions } from '../../kernel/job-host.js';
import { type ExtensionOptions } from '../../kernel/types/extensions.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { JobHosts } from './job-hosts.js';
import { closedByLast } from './shared-error-handlers.js';

/** Options that the hosts of all registry centres share. */
type SharedOptions = Omit<JobHostOptions, 'registryCenter' | 'registryCenterName' | keyof ExtensionOptions> & {
  readonly extensions: ExtensionOptions;
};

/**
 * Makes the hosts of an application.
 * @param centers the registry centres by name, the default one first
 * @throws InvalidConfigurationError as `JobHost`
 */
export function createJobHosts(
  centers: ReadonlyMap<string, RegistryCenter>,
  { extensions, ...shared }: SharedOptions,
): JobHosts {
  const errorHandlers = closedByLast(extensions.errorHandlers ?? [], centers.size);
  const hostOn = (registryCenter: RegistryCenter, registryCenterName: string): JobHost =>
    new JobHost({ ...shared, ...extensions, errorHandlers, registryCenter, registryCenterName });
  return new JobHosts(new Map([...centers].map(([name, center]) => [name, hostOn(center, name)])));
}
