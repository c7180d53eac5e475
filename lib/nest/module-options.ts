import { type JobSettings } from '../settings/job-settings.js';
import { type ModuleSettings } from '../settings/module-settings.js';
import { type RegCenterSettings } from '../settings/reg-center-settings.js';

/** The options of `ElasticJobModule.forRoot()`. All may be left out, and may come from a file or the environment as well. */
export interface ElasticJobModuleOptions extends Pick<
  ModuleSettings,
  | 'enabled'
  | 'autoStart'
  | 'shutdownGracePeriodMilliseconds'
  | 'preferredNetworkInterface'
  | 'preferredNetworkIp'
  | 'strategies'
  | 'executors'
  | 'classedExecutors'
  | 'errorHandlers'
  | 'threadPoolSizeProviders'
  | 'listeners'
  | 'observers'
  | 'interceptors'
  | 'structuredLog'
  | 'logger'
  | 'registryCenter'
> {
  /** Where the registry centre is. Default: inside this process. */
  readonly regCenter?: RegCenterSettings;
  /** Settings of jobs by job name. */
  readonly jobs?: Readonly<Record<string, JobSettings>>;
}
