import { describeValue, isMap } from '../api/text/describe-value.js';
import { repeated } from '../api/text/repeated.js';
import { type JobErrorHandler } from '../api/extensions/error-handler.js';
import { type ClassedJobItemExecutor, type TypedJobItemExecutor } from '../api/extensions/job-executor.js';
import { type AnyJobListener, listenerProblem } from '../api/extensions/job-listener.js';
import { type JobLogger } from '../api/text/logger.js';
import { type ItemInterceptor, type RunObserver } from '../api/events/run-events.js';
import { BooleanSetting, IntegerSetting, rule, SectionSetting, Setting, TextSetting } from '../api/settings/setting.js';
import { type JobShardingStrategy } from '../api/extensions/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider } from '../api/extensions/thread-pool-size.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type DumpSettings } from './dump-settings.js';
import { type JobSettings } from './job-settings.js';
import { type RegCenterSettings } from './reg-center-settings.js';
import { type TracingSettings } from './tracing-settings.js';

const CODE = { kind: 'code' } as const;

/** `elasticjob`: everything except the jobs and the registry centres. */
export class ModuleSettings {
  /** If false, nothing is created and nothing started. Default: true. */
  @BooleanSetting() enabled?: boolean;
  /** If true, jobs are started with the application; a job's own `autoStart` comes first. Default: true. */
  @BooleanSetting() autoStart?: boolean;
  /**
   * If true, the application refuses to boot when one of its jobs cannot be started because of its stored settings, the
   * registry centre or its executor. Otherwise that job alone does not run until it is mended. Default: false.
   */
  @BooleanSetting() failOnJobError?: boolean;
  /** The longest time that running items may go on at shutdown, in milliseconds. Default: 20000. */
  @IntegerSetting({ min: 0 }) shutdownGracePeriodMilliseconds?: number;
  /**
   * Name of the network interface whose address identifies this server; Java: `elasticjob.preferred.network.interface`.
   */
  @TextSetting() preferredNetworkInterface?: string;
  /** Start of the address, or a regular expression for all of it; Java: `elasticjob.preferred.network.ip`. */
  @TextSetting() preferredNetworkIp?: string;
  /** Sharding strategies besides the built-in ones. */
  @Setting(CODE, rule('extension', listOf('sharding'))) strategies?: readonly JobShardingStrategy[];
  /** Executors of jobs that have a type instead of a class, besides SCRIPT and HTTP. */
  @Setting(CODE, rule('extension', listOf('process'))) executors?: readonly TypedJobItemExecutor[];
  /** Executors of job objects of other kinds than `SimpleJob` and `DataflowJob`. */
  @Setting(CODE, rule('extension', classedExecutorsProblem))
  classedExecutors?: readonly ClassedJobItemExecutor[];
  /** Error handlers besides LOG, THROW, IGNORE, EMAIL, WECHAT and DINGTALK. */
  @Setting(CODE, rule('extension', listOf('handleException'))) errorHandlers?: readonly JobErrorHandler[];
  /** Providers of the number of items that run at once, besides CPU and SINGLE_THREAD. */
  @Setting(CODE, rule('extension', listOf('getSize')))
  threadPoolSizeProviders?: readonly JobExecutorThreadPoolSizeProvider[];
  /** Job listeners besides the providers that are decorated with `@JobListener('…')`. */
  @Setting(CODE, rule('extension', listenersProblem)) listeners?: readonly AnyJobListener[];
  /** Observe the runs of all jobs. */
  @Setting(CODE, rule('extension', listOfObjectsWith('onRunEvent'))) observers?: readonly RunObserver[];
  /** Wrap the call of the job's code for each item, the first one outermost. */
  @Setting(CODE, rule('extension', listOfObjectsWith('around'))) interceptors?: readonly ItemInterceptor[];
  /**
   * If true, Nest's logger is given objects with the fields of an entry (`message`, `event`, `job`, `instance`, `item`
   * …) instead of texts: for loggers that write JSON. Has no effect on a `logger` of your own. Default: false.
   */
  @BooleanSetting() structuredLog?: boolean;
  /**
   * The logger of the library; `false`: it logs nothing. Default: Nest's logger with the context `ElasticJob:` and the
   * job's name, or `ElasticJob`.
   */
  @Setting(CODE, rule('extension', loggerProblem)) logger?: JobLogger | false;
  /**
   * Names of one-off jobs or of their bootstraps that `@Inject('…')` and `app.get('…')` shall find, although only the
   * environment or the factory of `forRootAsync()` defines them. `@InjectOneOffJob('…')`, decorated jobs, `jobs` and
   * files of `elasticJobConfig()` need no such list. The application does not start if it has no such one-off job.
   * Default: none.
   */
  @Setting(CODE, rule('extension', oneOffJobsProblem)) oneOffJobs?: readonly string[];
  /**
   * A registry centre of your own making; comes before `regCenter` of a file or the environment, and excludes it in
   * code. It is connected and closed with the application.
   */
  @Setting(CODE, rule('extension', (value) => isRegistryCenter(value)))
  registryCenter?: RegistryCenter;
  /**
   * Registry centres of your own making, by name; each comes before the entry of `regCenters` with its name, as
   * `registryCenter` before `regCenter`.
   */
  @Setting(CODE, rule('extension', registryCentersProblem))
  registryCenters?: Readonly<Record<string, RegistryCenter>>;
}

/** `elasticjob`: everything, as it is checked. */
export class ElasticJobSettings extends ModuleSettings {
  /** The address of the registry centre, and the connection to it. */
  @SectionSetting() regCenter?: RegCenterSettings;
  /** Further registry centres by name. */
  @SectionSetting() regCenters?: ReadonlyMap<string, RegCenterSettings>;
  /** The jobs by name. */
  @SectionSetting() jobs?: ReadonlyMap<string, JobSettings>;
  /** The recording of runs in a database. */
  @SectionSetting() tracing?: TracingSettings;
  /** The port on which this process shows what the registry centre has of a job. */
  @SectionSetting() dump?: DumpSettings;
}

/** @returns the problem with a list of job listeners, or undefined */
export function listenersProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list of job listeners';
  for (const entry of value as unknown[]) {
    const { type } = (entry ?? {}) as { readonly type?: unknown };
    if (typeof type !== 'string' || type.trim() === '') return `must be a list of job listeners that have a 'type'`;
    const problem = listenerProblem(entry);
    if (problem !== undefined) return `must be a list of job listeners, but ${type} ${problem}`;
  }
  return undefined;
}

/** @returns the problem with a list of executors of job objects, or undefined */
export function classedExecutorsProblem(value: unknown): string | undefined {
  const isList = listOfObjectsWith('accepts', 'process')(value) === undefined;
  const hasRequirements =
    isList &&
    (value as readonly Partial<ClassedJobItemExecutor>[]).every((each) => typeof each.requirement === 'string');
  return hasRequirements
    ? undefined
    : "must be a list of objects with accepts(), process() and a text 'requirement', which names what accepts() looks for";
}

function objectWith(...methods: readonly string[]): (value: unknown) => string | undefined {
  return (value) => {
    const missing = methods.filter(
      (method) => typeof (value as Record<string, unknown> | null)?.[method] !== 'function',
    );
    if (missing.length === 0) return undefined;
    const all = methods.map((method) => `${method}()`).join(', ');
    const lacks =
      missing.length === methods.length ? '' : `; ${missing.map((method) => `${method}()`).join(', ')} is missing`;
    return `must be an object with the methods ${all}${lacks}`;
  };
}

const isRegistryCenter = objectWith('connect', 'mirror', 'commit', 'close');

/** @returns the problem with registry centres by name, or undefined */
export function registryCentersProblem(value: unknown): string | undefined {
  if (!isMap(value)) return 'must be registry centres by name, such as { reports: new EmbeddedRegistryCenter() }';
  const [name, first] = Object.entries(value).find(([, each]) => each !== undefined && isRegistryCenter(each)) ?? [];
  return name === undefined
    ? undefined
    : `must be registry centres by name, but '${name}' ${isRegistryCenter(first) ?? ''}`;
}

const isLogger = objectWith('debug', 'log', 'warn', 'error');

function loggerProblem(value: unknown): string | undefined {
  return value === false ? undefined : isLogger(value)?.replace('must be', 'must be false (nothing is logged) or');
}

/** @returns the problem with the names of one-off jobs that shall be injected, or undefined */
export function oneOffJobsProblem(value: unknown): string | undefined {
  const isListOfNames = Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
  return isListOfNames ? undefined : "must be a list of names of one-off jobs, such as ['monthlyReport']";
}

function listOfObjectsWith(...methods: readonly string[]): (value: unknown) => string | undefined {
  const problemOf = objectWith(...methods);
  const requirement = `must be a list of objects with ${methods.map((method) => `${method}()`).join(' and ')}`;
  return (value) =>
    Array.isArray(value) && value.every((entry) => problemOf(entry) === undefined) ? undefined : requirement;
}

function listOf(method: string): (value: unknown) => string | undefined {
  const problemOf = objectWith(method);
  const isOne = (entry: unknown): boolean => {
    if (problemOf(entry) !== undefined) return false;
    const { type } = entry as { readonly type?: unknown };
    return typeof type === 'string' && type.trim() !== '';
  };
  return (value) => {
    if (!Array.isArray(value) || !value.every(isOne)) return `must be a list of objects with a 'type' and ${method}()`;
    const [twice] = repeated(value.map(({ type }: { readonly type: string }) => type.toUpperCase()));
    return twice === undefined
      ? undefined
      : `must not have the type ${describeValue(twice)} twice; case does not count`;
  };
}
