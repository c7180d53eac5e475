import { type Type } from '@nestjs/common';
import { describeValue } from '../api/describe-value.js';
import { type JobErrorHandler } from '../api/error-handler.js';
import { type TypedJobItemExecutor } from '../api/job-executor.js';
import { type AnyJobListener, faultInListener } from '../api/job-listener.js';
import { JobOptions } from '../api/job-options.js';
import { type JobLogger } from '../api/logger.js';
import { BooleanSetting, IntegerSetting, Setting, TextSetting } from '../api/setting.js';
import { type JobShardingStrategy } from '../api/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider } from '../api/thread-pool-size.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { demandOnDigest, demandOnNamespace, demandOnServerLists } from './registry-demands.js';

/** `elasticjob.regCenter`: where the registry centre is. Names and defaults as in the manual. */
export class RegCenterSettings {
  /** `host:2181,host2:2181`. Without: jobs are coordinated inside this process only. */
  @TextSetting({ what: "servers like 'host1:2181,host2:2181'", rule: demandOnServerLists }) serverLists?: string;
  /** Node below which all jobs are kept. Required with `serverLists`. */
  @TextSetting({ what: "a name like 'orders'", rule: demandOnNamespace }) namespace?: string;
  /** First delay between attempts, in milliseconds; 0: the default, 1000. */
  @IntegerSetting({ min: 0 }) baseSleepTimeMilliseconds?: number;
  /** Longest delay between attempts, in milliseconds; 0: the default, 3000. */
  @IntegerSetting({ min: 0 }) maxSleepTimeMilliseconds?: number;
  /** How often an operation is tried again, at most 29; 0: the default, 3. */
  @IntegerSetting({ min: 0, max: 29 }) maxRetries?: number;
  /** How long a session lives without a sign of life; 0: the default, 60000. */
  @IntegerSetting({ min: 0 }) sessionTimeoutMilliseconds?: number;
  /** How long to try one server; 0: the default, 15000. */
  @IntegerSetting({ min: 0 }) connectionTimeoutMilliseconds?: number;
  /** `user:password`; nodes are then accessible with it only. Default: none. */
  @TextSetting({ what: 'of the form user:password', rule: demandOnDigest, secrecy: 'hidden' }) digest?: string;
}

/** `elasticjob.jobs.<name>`: overrides the job's settings field by field, or defines a job by itself. */
export class JobSettings extends JobOptions {
  /**
   * The provider that does the work, by its class name (in code also the class). Not together with `elasticJobType`.
   * A Java class (`org.acme.SyncOrdersJob`) means the provider that has its name without the package, and is the default of `jobClassName`.
   */
  @Setting({ kind: 'text', demand: demandOnClass }) elasticJobClass?: string | Type;
  /** The executor that does the work, by its type. Not together with `elasticJobClass`. */
  @TextSetting({ rule: (text) => (text.trim() === '' ? 'must be the type of an executor' : undefined) })
  elasticJobType?: string;
  /** Token under which the job's bootstrap is injected. Default: the job's name. */
  @TextSetting() jobBootstrapBeanName?: string;
  /** Text of the job's root node; a job that joins a Java job needs that job's class name. Default: the class name or type. */
  @TextSetting() jobClassName?: string;
  /** Whether the job is started with the application. Default: `elasticjob.autoStart`. */
  @BooleanSetting() autoStart?: boolean;
  /**
   * What `jobExecutorThreadPoolSizeProviderType` was called until Java's 3.0.4; not together with it. A job that is stored
   * because of this can be read by such peers, and not by later ones.
   */
  @TextSetting() jobExecutorServiceHandlerType?: string;
}

/** `elasticjob`: everything except the jobs and the registry centre. */
export class ModuleSettings {
  /** False: nothing is created and nothing started. Default: true. */
  @BooleanSetting() enabled?: boolean;
  /** Whether jobs are started with the application; a job's own `autoStart` comes first. Default: true. */
  @BooleanSetting() autoStart?: boolean;
  /** How long running items may go on after the application was told to stop. Default: 30000. */
  @IntegerSetting({ min: 0 }) shutdownGracePeriodMilliseconds?: number;
  /** Name of the network interface whose address identifies this server, as Java's `elasticjob.preferred.network.interface`. */
  @TextSetting() preferredNetworkInterface?: string;
  /** Start of the address, or a regular expression for all of it, as Java's `elasticjob.preferred.network.ip`. */
  @TextSetting() preferredNetworkIp?: string;
  @Setting({ kind: 'section', demand: () => undefined }) regCenter?: never;
  @Setting({ kind: 'section', demand: () => undefined }) jobs?: never;
  @Setting({ kind: 'section', demand: () => undefined }) tracing?: never;
  @Setting({ kind: 'section', demand: () => undefined }) dump?: never;
  /** Sharding strategies besides the built-in ones. */
  @Setting({ kind: 'code', demand: listOf('sharding') }) strategies?: readonly JobShardingStrategy[];
  /** Executors of jobs that have a type instead of a class. */
  @Setting({ kind: 'code', demand: listOf('process') }) executors?: readonly TypedJobItemExecutor[];
  /** Error handlers besides LOG, THROW and IGNORE. */
  @Setting({ kind: 'code', demand: listOf('handleException') }) errorHandlers?: readonly JobErrorHandler[];
  /** Providers of the number of items that run at once, besides CPU and SINGLE_THREAD. */
  @Setting({ kind: 'code', demand: listOf('getSize') })
  threadPoolSizeProviders?: readonly JobExecutorThreadPoolSizeProvider[];
  /** Job listeners besides the providers that are decorated with `@JobListener('…')`. */
  @Setting({ kind: 'code', demand: demandOnListeners }) listeners?: readonly AnyJobListener[];
  /** Where the library says what happens. Default: Nest's logger, context `ElasticJob`. */
  @Setting({ kind: 'code', demand: objectWith('debug', 'log', 'warn', 'error') }) logger?: JobLogger;
  /** A registry centre made by you; comes before `regCenter`. It is connected and closed with the application. */
  @Setting({ kind: 'code', demand: objectWith('connect', 'mirror', 'commit', 'close') })
  registryCenter?: RegistryCenter;
}

/** The options of `ElasticJobModule.forRoot()`. All may be left out, and come from a file or the environment as well. */
export interface ElasticJobModuleOptions extends Pick<
  ModuleSettings,
  | 'enabled'
  | 'autoStart'
  | 'shutdownGracePeriodMilliseconds'
  | 'preferredNetworkInterface'
  | 'preferredNetworkIp'
  | 'strategies'
  | 'executors'
  | 'errorHandlers'
  | 'threadPoolSizeProviders'
  | 'listeners'
  | 'logger'
  | 'registryCenter'
> {
  /** Where the registry centre is. */
  readonly regCenter?: RegCenterSettings;
  /** Settings of jobs by job name. */
  readonly jobs?: Readonly<Record<string, JobSettings>>;
}

/** What is wrong with an `elasticJobClass`, said as what it must be; `undefined`: nothing. */
export function demandOnClass(value: unknown): string | undefined {
  const named = typeof value === 'string' && value.trim() !== '';
  return named || typeof value === 'function' ? undefined : 'must be the class name of a provider';
}

function objectWith(...methods: readonly string[]): (value: unknown) => string | undefined {
  return (value) => {
    const missing = methods.find((method) => typeof (value as Record<string, unknown> | null)?.[method] !== 'function');
    return missing === undefined ? undefined : `must be an object with the method ${missing}()`;
  };
}

function demandOnListeners(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of job listeners';
  for (const entry of value as unknown[]) {
    const { type } = (entry ?? {}) as { readonly type?: unknown };
    if (typeof type !== 'string' || type.trim() === '') return `must be a list of job listeners that have a 'type'`;
    const fault = faultInListener(entry);
    if (fault !== undefined) return `must be a list of job listeners, but ${type} ${fault}`;
  }
  return undefined;
}

function listOf(method: string): (value: unknown) => string | undefined {
  const lacks = objectWith(method);
  const isOne = (entry: unknown): boolean => {
    if (lacks(entry) !== undefined) return false;
    const { type } = entry as { readonly type?: unknown };
    return typeof type === 'string' && type.trim() !== '';
  };
  return (value) => {
    if (!Array.isArray(value) || !value.every(isOne)) return `must be a list of objects with a 'type' and ${method}()`;
    const types = value.map(({ type }: { readonly type: string }) => type.toUpperCase());
    const twice = types.find((type, index) => types.indexOf(type) !== index);
    return twice === undefined
      ? undefined
      : `must not have the type ${describeValue(twice)} twice; case does not count`;
  };
}
