import { type DumpSettings } from '../../settings/dump-settings.js';
import { type JobSettings } from '../../settings/job-settings.js';
import { type ModuleSettings } from '../../settings/module-settings.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { type TracingSettings } from '../../settings/tracing-settings.js';

/**
 * The options of `ElasticJobModule.forRoot()`. All may be left out, and may come from a file or the environment as
 * well.
 */
export interface ElasticJobModuleOptions extends Pick<
  ModuleSettings,
  | 'enabled'
  | 'autoStart'
  | 'failOnJobError'
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
  | 'oneOffJobs'
  | 'registryCenter'
  | 'registryCenters'
> {
  /** The address of the registry centre. Default: jobs are coordinated inside this process. */
  readonly regCenter?: RegCenterSettings;
  /** Further registry centres by name, for jobs whose `registryCenter` names them. Default: none. */
  readonly regCenters?: Readonly<Record<string, RegCenterSettings>>;
  /** The recording of runs in a database. Default: runs are not recorded. */
  readonly tracing?: TracingSettings;
  /** The port on which this process shows what the registry centre has of a job. Default: none is opened. */
  readonly dump?: DumpSettings;
  /** Settings of jobs by job name. */
  readonly jobs?: Readonly<Record<string, JobSettings>>;
}
