import { toQuartz } from '../time/crontab.js';
import { describeValue, isMap } from './describe-value.js';
import { InvalidConfigurationError } from './errors.js';
import { jobNameProblem, jobPath, keyPath } from './job-name.js';
import { JobOptions } from './job-options.js';
import { suggestion } from './nearest.js';
import { flattenProps, type PropsOptions } from './props.js';
import { problemsIn, settingsOf } from './setting.js';

/** All settings of one job, with Java's names and defaults (manual §6.2.2). What is unset is absent. */
export interface JobConfiguration {
  readonly jobName: string;
  /** Number of sharding items, at least 1. */
  readonly shardingTotalCount: number;
  /** Quartz cron expression. Absent for a one-off job. */
  readonly cron?: string;
  /** `GMT+08:00`, `GMT+8`, or an IANA name (Java peers refuse those). Default: the time zone of the process. */
  readonly timeZone?: string;
  /** `0=Beijing,1=Shanghai`; default: empty. */
  readonly shardingItemParameters: string;
  readonly jobParameter: string;
  readonly monitorExecution: boolean;
  readonly failover: boolean;
  readonly misfire: boolean;
  readonly maxTimeDiffSeconds: number;
  readonly reconcileIntervalMinutes: number;
  readonly jobShardingStrategyType?: string;
  readonly jobExecutorThreadPoolSizeProviderType?: string;
  readonly jobErrorHandlerType?: string;
  readonly jobListenerTypes: readonly string[];
  readonly description: string;
  readonly props: Readonly<Record<string, string>>;
  readonly disabled: boolean;
  readonly overwrite: boolean;
  readonly label?: string;
  readonly staticSharding: boolean;
}

/** Builds a job's configuration as in Java: `JobConfiguration.newBuilder('myJob', 3).cron('0/5 * * * * ?').build()`. */
export const JobConfiguration = {
  newBuilder: (jobName: string, shardingTotalCount: number): JobConfigurationBuilder =>
    new JobConfigurationBuilder(jobName, shardingTotalCount),
} as const;

/**
 * A job's configuration from the settings given, with the defaults filled in and crontab rewritten as Quartz cron.
 * @throws InvalidConfigurationError naming everything that is wrong
 */
export function jobConfiguration(options: JobOptions & { readonly jobName: string }): JobConfiguration {
  if (!isMap(options)) {
    throw new InvalidConfigurationError([
      `A job's configuration must be a map of settings, such as JobConfiguration.newBuilder(…)…build() returns, got ${describeValue(options)}`,
    ]);
  }
  const { jobName, ...given } = options;
  const known = settingsOf(JobOptions);
  const unknown = Object.keys(given).filter((key) => !known.has(key));
  const path = jobPath(jobName);
  const settings = Object.assign(
    new JobOptions(),
    Object.fromEntries(Object.entries(given).filter(([key]) => known.has(key))),
  );
  const problems = [
    ...unknown.map((key) => `${keyPath(path, key)}: unknown key${suggestion(key, known.keys())}`),
    ...problemsInJob(jobName, settings),
  ];
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return withDefaults(jobName, settings);
}

/**
 * Everything that is wrong with a job's name and settings, one line each.
 * @param origin what to say of where a setting came from; default: nothing
 */
export function problemsInJob(
  jobName: unknown,
  options: JobOptions,
  origin?: (setting: string) => string,
): readonly string[] {
  const path = jobPath(jobName);
  const problem = jobNameProblem(jobName);
  const name = problem === undefined ? [] : [`${path}: the job's name ${problem}, got ${describeValue(jobName)}`];
  return [...name, ...problemsIn(options, path, origin)];
}

/** The configuration that settings without faults stand for. */
export function withDefaults(jobName: string, options: JobOptions): JobConfiguration {
  const { cron, timeZone, label, jobShardingStrategyType, jobExecutorThreadPoolSizeProviderType, jobErrorHandlerType } =
    options;
  const props = flattenProps(options.props ?? {});
  return {
    jobName,
    shardingTotalCount: options.shardingTotalCount ?? 0,
    ...(isSet(cron) && { cron: toQuartz(cron) }),
    ...(isSet(timeZone) && { timeZone }),
    shardingItemParameters: options.shardingItemParameters ?? '',
    jobParameter: options.jobParameter ?? '',
    monitorExecution: options.monitorExecution ?? true,
    failover: options.failover ?? false,
    misfire: options.misfire ?? true,
    maxTimeDiffSeconds: options.maxTimeDiffSeconds ?? -1,
    reconcileIntervalMinutes: options.reconcileIntervalMinutes ?? 10,
    ...(isSet(jobShardingStrategyType) && { jobShardingStrategyType }),
    ...(isSet(jobExecutorThreadPoolSizeProviderType) && { jobExecutorThreadPoolSizeProviderType }),
    ...(isSet(jobErrorHandlerType) && { jobErrorHandlerType }),
    jobListenerTypes: [...(options.jobListenerTypes ?? [])],
    description: options.description ?? '',
    props: 'flat' in props ? Object.fromEntries(props.flat) : {},
    disabled: options.disabled ?? false,
    overwrite: options.overwrite ?? false,
    ...(isSet(label) && { label }),
    staticSharding: options.staticSharding ?? false,
  };
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Collects the settings of one job; `build()` checks them. Each method returns the builder itself. */
export class JobConfigurationBuilder {
  readonly #options: { -readonly [Key in keyof JobOptions]: JobOptions[Key] } = {};
  readonly #props: Record<string, PropsOptions[string]> = {};
  readonly #jobName: string;

  constructor(jobName: string, shardingTotalCount: number) {
    this.#jobName = jobName;
    this.#options.shardingTotalCount = shardingTotalCount;
  }

  cron(cron: string): this {
    return this.#with({ cron });
  }

  timeZone(timeZone: string): this {
    return this.#with({ timeZone });
  }

  shardingItemParameters(shardingItemParameters: string): this {
    return this.#with({ shardingItemParameters });
  }

  jobParameter(jobParameter: string): this {
    return this.#with({ jobParameter });
  }

  monitorExecution(monitorExecution: boolean): this {
    return this.#with({ monitorExecution });
  }

  failover(failover: boolean): this {
    return this.#with({ failover });
  }

  misfire(misfire: boolean): this {
    return this.#with({ misfire });
  }

  maxTimeDiffSeconds(maxTimeDiffSeconds: number): this {
    return this.#with({ maxTimeDiffSeconds });
  }

  reconcileIntervalMinutes(reconcileIntervalMinutes: number): this {
    return this.#with({ reconcileIntervalMinutes });
  }

  jobShardingStrategyType(jobShardingStrategyType: string): this {
    return this.#with({ jobShardingStrategyType });
  }

  jobExecutorThreadPoolSizeProviderType(jobExecutorThreadPoolSizeProviderType: string): this {
    return this.#with({ jobExecutorThreadPoolSizeProviderType });
  }

  jobErrorHandlerType(jobErrorHandlerType: string): this {
    return this.#with({ jobErrorHandlerType });
  }

  description(description: string): this {
    return this.#with({ description });
  }

  disabled(disabled: boolean): this {
    return this.#with({ disabled });
  }

  overwrite(overwrite: boolean): this {
    return this.#with({ overwrite });
  }

  label(label: string): this {
    return this.#with({ label });
  }

  staticSharding(staticSharding: boolean): this {
    return this.#with({ staticSharding });
  }

  jobListenerTypes(...jobListenerTypes: readonly string[]): this {
    return this.#with({ jobListenerTypes });
  }

  /** Sets one of the job's properties. */
  setProperty(key: string, value: string): this {
    Object.defineProperty(this.#props, key, { value, enumerable: true, configurable: true, writable: true });
    return this;
  }

  /**
   * The configuration, with defaults for all that was not set.
   * @throws InvalidConfigurationError naming everything that is wrong
   */
  build(): JobConfiguration {
    return jobConfiguration({ ...this.#options, props: this.#props, jobName: this.#jobName });
  }

  #with(settings: JobOptions): this {
    Object.assign(this.#options, settings);
    return this;
  }
}
