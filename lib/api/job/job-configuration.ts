import { toQuartz } from '../../time/crontab.js';
import { inEnglish, type Wording, wording } from '../../wording/wording.js';
import { describeValue, isMap, withValue } from '../text/describe-value.js';
import { InvalidConfigurationError } from '../errors/errors.js';
import { jobNameProblem, jobPath, keyPath } from './job-name.js';
import { JobOptions } from './job-options.js';
import { type ItemParameters, itemParametersText } from './sharding-item-parameters.js';
import { flattenProps } from '../settings/props.js';
import { dependencyProps } from '../settings/dependency-options.js';
import { runLimitProps } from '../settings/run-limits.js';
import { type SettingProblem, settingProblems, settingsOf, unknownKey } from '../settings/setting.js';

/**
 * All settings of one job, checked and with defaults: those of ElasticJob's manual (§6.2.2; the types of strategies are
 * listed in §6.2.8). Optional settings that are not set are absent.
 */
export interface JobConfiguration {
  /** The job's name. It names the job's node in the registry centre, so instances with the same name share the job. */
  readonly jobName: string;
  /** Number of sharding items, 1 to 100,000. Required. */
  readonly shardingTotalCount: number;
  /**
   * When the job fires, as a Quartz cron expression such as `0/5 * * * * ?`. Absent for a one-off job, and for a job
   * that runs after others.
   */
  readonly cron?: string;
  /**
   * The time zone of `cron`: `GMT+08:00`, `GMT+8`, or an IANA name (Java peers refuse those). Default: that of the
   * process.
   */
  readonly timeZone?: string;
  /**
   * Parameters of the sharding items as they are stored: `0=Beijing,1=Shanghai`, or JSON. Default: empty, no item has a
   * parameter.
   */
  readonly shardingItemParameters: string;
  /** Parameter of the whole job; each item is given it. Default: empty. */
  readonly jobParameter: string;
  /**
   * If true, instances record in the registry centre which items they run, so that none runs twice at once. Default:
   * true.
   */
  readonly monitorExecution: boolean;
  /**
   * If true, other instances take over at once the items that an instance was running when it crashed. Needs
   * `monitorExecution`. Default: false.
   */
  readonly failover: boolean;
  /** If true, one run makes up for the firings that an item missed while it was still running. Default: true. */
  readonly misfire: boolean;
  /**
   * The greatest difference between the clocks of this machine and the registry centre, in seconds; −1: not compared.
   * Default: −1.
   */
  readonly maxTimeDiffSeconds: number;
  /**
   * How often the instance re-checks the whole job even if nothing changed, in minutes. Below 1: never. Default: 10.
   */
  readonly reconcileIntervalMinutes: number;
  /** Type of the sharding strategy, which distributes the items over the instances. Default: AVG_ALLOCATION. */
  readonly jobShardingStrategyType?: string;
  /** Type of the provider that limits the items running at once on an instance. Default: CPU, twice the processors. */
  readonly jobExecutorThreadPoolSizeProviderType?: string;
  /** Type of the error handler, which is given each failure. Default: LOG. */
  readonly jobErrorHandlerType?: string;
  /** Types of the job's listeners (manual §6.2.3). Default: none. */
  readonly jobListenerTypes: readonly string[];
  /** Purpose of the job, for people. Default: empty. */
  readonly description: string;
  /**
   * Properties for executors, error handlers and runs, by dotted key: `email.host` (manual §6.2.10), `run.maxRetries`.
   * Default: none.
   */
  readonly props: Readonly<Record<string, string>>;
  /** If true, the job is disabled on this server each time it starts, until an operator enables it. Default: false. */
  readonly disabled: boolean;
  /**
   * If true, these settings replace those in the registry centre at each start. Default: false, the stored ones win.
   */
  readonly overwrite: boolean;
  /** A label for grouping, stored for consoles. A field of Java's that the manual does not list. Default: none. */
  readonly label?: string;
  /**
   * If true, items stay with their instances although instances join and leave. Not in the manual either. Default:
   * false.
   */
  readonly staticSharding: boolean;
}

/** Builds a job's configuration as in Java: `JobConfiguration.newBuilder('myJob', 3).cron('0/5 * * * * ?').build()`. */
export const JobConfiguration = {
  /** @param shardingTotalCount number of sharding items, 1 to 100,000 */
  newBuilder: (jobName: string, shardingTotalCount: number): JobConfigurationBuilder =>
    new JobConfigurationBuilder(jobName, shardingTotalCount),
} as const;

/**
 * A job's configuration from the given settings, with defaults for all others. Crontab is rewritten as Quartz cron.
 * @throws InvalidConfigurationError naming everything that is wrong
 */
export function jobConfiguration(options: JobOptions & { readonly jobName: string }): JobConfiguration {
  if (!isMap(options)) {
    throw new InvalidConfigurationError([
      `A job's configuration must be a plain object of settings, such as JobConfiguration.newBuilder(…)…build() returns, got ${describeValue(options)}`,
    ]);
  }
  const { jobName, settings, problems } = checkedJob(options);
  const path = jobPath(jobName);
  if (problems.length > 0)
    throw new InvalidConfigurationError(
      problems.map(({ place, problem }) => `${place.reduce(keyPath, path)}: ${problem}`),
    );
  return withDefaults(jobName, settings);
}

/** The known settings among the given ones, and all problems with them. */
export function checkedJob({ jobName, ...given }: JobOptions & { readonly jobName: string }): {
  readonly jobName: string;
  readonly settings: JobOptions;
  readonly problems: readonly SettingProblem[];
} {
  const known = settingsOf(JobOptions);
  const unknown = Object.keys(given).filter((key) => !known.has(key));
  const settings = Object.assign(
    new JobOptions(),
    Object.fromEntries(Object.entries(given).filter(([key]) => known.has(key))),
  );
  const problems = [
    ...unknown.map((key) => worded([key], unknownKey(key, [...known.keys()]))),
    ...nameProblems(jobName),
    ...settingProblems(settings),
  ];
  return { jobName, settings, problems };
}

/**
 * Checks a job's name, wherever it stands.
 * @returns the problem, as a line; an empty list if there is none
 */
export function problemsInJobName(jobName: unknown): readonly string[] {
  return nameProblems(jobName).map(({ problem }) => `${jobPath(jobName)}: ${problem}`);
}

function nameProblems(jobName: unknown): readonly SettingProblem[] {
  const problem = jobNameProblem(jobName);
  return problem === undefined ? [] : [worded([], withValue(wording('job-name', { problem }), jobName))];
}

function worded(place: readonly string[], problem: Wording): SettingProblem {
  return { place, problem: inEnglish(problem), wording: problem };
}

/** The configuration for settings without problems, with the defaults filled in. It is frozen. */
export function withDefaults(jobName: string, options: JobOptions): JobConfiguration {
  const { cron, timeZone, label, jobShardingStrategyType, jobExecutorThreadPoolSizeProviderType, jobErrorHandlerType } =
    options;
  const { jobListenerTypes = NO_TYPES, props = NO_PROPS } = options;
  return Object.freeze({
    jobName,
    shardingTotalCount: options.shardingTotalCount ?? 0,
    ...(isSet(cron) && { cron: toQuartz(cron) }),
    ...(isSet(timeZone) && { timeZone }),
    shardingItemParameters: itemParametersText(options.shardingItemParameters ?? ''),
    jobParameter: options.jobParameter ?? '',
    monitorExecution: options.monitorExecution ?? true,
    failover: options.failover ?? false,
    misfire: options.misfire ?? true,
    maxTimeDiffSeconds: options.maxTimeDiffSeconds ?? -1,
    reconcileIntervalMinutes: options.reconcileIntervalMinutes ?? 10,
    ...(isSet(jobShardingStrategyType) && { jobShardingStrategyType }),
    ...(isSet(jobExecutorThreadPoolSizeProviderType) && { jobExecutorThreadPoolSizeProviderType }),
    ...(isSet(jobErrorHandlerType) && { jobErrorHandlerType }),
    jobListenerTypes: jobListenerTypes.length === 0 ? NO_TYPES : Object.freeze([...jobListenerTypes]),
    description: options.description ?? '',
    props: allProps(props, options),
    disabled: options.disabled ?? false,
    overwrite: options.overwrite ?? false,
    ...(isSet(label) && { label }),
    staticSharding: options.staticSharding ?? false,
  });
}

// One of each for all jobs: most have no listeners and no properties.
const NO_TYPES: readonly string[] = Object.freeze([]);
const NO_PROPS: Readonly<Record<string, string>> = Object.freeze({});

function allProps(given: Required<JobOptions>['props'], options: JobOptions): Readonly<Record<string, string>> {
  const flattened = flattenProps(given);
  const props = {
    ...('flat' in flattened && Object.fromEntries(flattened.flat)),
    ...runLimitProps(options),
    ...dependencyProps(options),
  };
  return Object.keys(props).length === 0 ? NO_PROPS : Object.freeze(props);
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/**
 * Collects the settings of one job; `build()` checks them all together. Each method returns the builder itself.
 * `JobConfiguration` explains the settings.
 */
export class JobConfigurationBuilder {
  readonly #options: { -readonly [Key in keyof JobOptions]: JobOptions[Key] } = {};
  readonly #props = new Map<string, string>();
  readonly #problems: string[] = [];
  readonly #jobName: string;

  /** @param shardingTotalCount number of sharding items, 1 to 100,000 */
  constructor(jobName: string, shardingTotalCount: number) {
    this.#jobName = jobName;
    this.#options.shardingTotalCount = shardingTotalCount;
  }

  /**
   * Sets when the job fires: Quartz cron such as `0/5 * * * * ?`, or crontab such as `0 2 * * *`. Without it, and
   * without `after()`, the job is a one-off job.
   */
  cron(cron: string): this {
    return this.#with({ cron });
  }

  /**
   * Sets the time zone of the cron expression: `GMT+08:00`, or an IANA name, which Java peers refuse. Default: that of
   * the process.
   */
  timeZone(timeZone: string): this {
    return this.#with({ timeZone });
  }

  /**
   * Sets the parameters of the sharding items: `0=Beijing,1=Shanghai`, or `{ 0: 'Beijing', 1: 'a,b' }`, or a list.
   * Default: none.
   */
  shardingItemParameters(shardingItemParameters: ItemParameters): this {
    return this.#with({ shardingItemParameters });
  }

  /** Sets the parameter of the whole job. Default: empty. */
  jobParameter(jobParameter: string): this {
    return this.#with({ jobParameter });
  }

  /** Sets whether instances record which items they run, so that none runs twice at once. Default: true. */
  monitorExecution(monitorExecution: boolean): this {
    return this.#with({ monitorExecution });
  }

  /**
   * Sets whether other instances take over at once the items that an instance was running when it crashed. Default:
   * false.
   */
  failover(failover: boolean): this {
    return this.#with({ failover });
  }

  /** Sets whether one run makes up for the firings that an item missed while it was still running. Default: true. */
  misfire(misfire: boolean): this {
    return this.#with({ misfire });
  }

  /**
   * Sets the greatest difference between the clocks of this machine and the registry centre, in seconds; −1: not
   * compared. Default: −1.
   */
  maxTimeDiffSeconds(maxTimeDiffSeconds: number): this {
    return this.#with({ maxTimeDiffSeconds });
  }

  /**
   * Sets how often the instance re-checks the whole job even if nothing changed, in minutes. Below 1: never. Default:
   * 10.
   */
  reconcileIntervalMinutes(reconcileIntervalMinutes: number): this {
    return this.#with({ reconcileIntervalMinutes });
  }

  /**
   * Sets the type of the sharding strategy: AVG_ALLOCATION (default), ODEVITY, ROUND_ROBIN, SINGLE_SHARDING_BALANCE,
   * STICKY or one of your own.
   */
  jobShardingStrategyType(jobShardingStrategyType: string): this {
    return this.#with({ jobShardingStrategyType });
  }

  /**
   * Sets the type of the provider that limits the items running at once: CPU (default), SINGLE_THREAD or one of your
   * own.
   */
  jobExecutorThreadPoolSizeProviderType(jobExecutorThreadPoolSizeProviderType: string): this {
    return this.#with({ jobExecutorThreadPoolSizeProviderType });
  }

  /** Sets the type of the error handler: LOG (default), THROW, IGNORE, EMAIL, WECHAT, DINGTALK or one of your own. */
  jobErrorHandlerType(jobErrorHandlerType: string): this {
    return this.#with({ jobErrorHandlerType });
  }

  /** Sets how long an item may run, in milliseconds, with all its retries. Default: no limit. */
  timeoutMilliseconds(timeoutMilliseconds: number): this {
    return this.#with({ timeoutMilliseconds });
  }

  /** Sets how often an item that fails is tried again, 0 to 100. Default: 0. */
  maxRetries(maxRetries: number): this {
    return this.#with({ maxRetries });
  }

  /** Sets the pause before the first retry, in milliseconds; later ones grow at random. Default: 1000. */
  retryBackoffMilliseconds(retryBackoffMilliseconds: number): this {
    return this.#with({ retryBackoffMilliseconds });
  }

  /**
   * Sets the jobs after which the job runs, in place of `cron()`: `after('importA', 'importB')`; replaces those of an
   * earlier call. Default: none.
   */
  after(...jobNames: readonly string[]): this {
    return this.#with({ after: jobNames });
  }

  /**
   * Sets whether an item runs when the upstream rounds are complete (`all`), or when the upstream items of its number
   * have ended (`same`). Default: `all`.
   */
  afterItems(afterItems: 'all' | 'same'): this {
    return this.#with({ afterItems });
  }

  /**
   * Sets whether each upstream job must have completed its round of the same instant (`same`), or of that instant or a
   * later one (`latest`). Default: `same`.
   */
  afterMatch(afterMatch: 'same' | 'latest'): this {
    return this.#with({ afterMatch });
  }

  /**
   * Sets the effect of an upstream round that failed: no run here and after this job (`stop`), a run all the same
   * (`run`), or no run here only (`skip`). Default: `stop`.
   */
  afterFailure(afterFailure: 'stop' | 'run' | 'skip'): this {
    return this.#with({ afterFailure });
  }

  /**
   * Sets whether one run makes up for all rounds that came while the job was busy (`latest`), or each is run in order
   * (`every`). Default: `latest`.
   */
  afterRounds(afterRounds: 'latest' | 'every'): this {
    return this.#with({ afterRounds });
  }

  /**
   * Names the graph of jobs that run after each other; stored as the property `graph.name`.
   * @returns the builder
   */
  graph(graph: string): this {
    return this.#with({ graph });
  }

  /**
   * Sets how long a round of the whole graph may take, in milliseconds; stored as the property
   * `graph.timeoutMilliseconds`.
   * @returns the builder
   */
  graphTimeoutMilliseconds(graphTimeoutMilliseconds: number): this {
    return this.#with({ graphTimeoutMilliseconds });
  }

  /** Sets the job's purpose, for people. Default: empty. */
  description(description: string): this {
    return this.#with({ description });
  }

  /**
   * Sets whether the job is disabled on this server each time it starts, until an operator enables it. Default: false.
   */
  disabled(disabled: boolean): this {
    return this.#with({ disabled });
  }

  /**
   * Sets whether these settings replace those in the registry centre at each start. Default: false, the stored ones
   * win.
   */
  overwrite(overwrite: boolean): this {
    return this.#with({ overwrite });
  }

  /** Sets a label for grouping, stored for consoles. Default: none. */
  label(label: string): this {
    return this.#with({ label });
  }

  /** Sets whether items stay with their instances although instances join and leave. Default: false. */
  staticSharding(staticSharding: boolean): this {
    return this.#with({ staticSharding });
  }

  /** Sets the types of the job's listeners; replaces those of an earlier call. Default: none. */
  jobListenerTypes(...jobListenerTypes: readonly string[]): this {
    return this.#with({ jobListenerTypes });
  }

  /** Sets one of the job's properties, by its dotted key: `email.host`. */
  setProperty(key: string, value: string): this {
    if (typeof (key as unknown) !== 'string' || typeof (value as unknown) !== 'string') {
      const got = `${describeValue(key)} and ${describeValue(value, 'hidden')}`;
      this.#problems.push(`${keyPath(jobPath(this.#jobName), 'props')}: setProperty() needs two texts, got ${got}`);
      return this;
    }
    this.#props.set(key, value);
    return this;
  }

  /**
   * The configuration, with defaults for all that was not set.
   * @throws InvalidConfigurationError naming everything that is wrong
   */
  build(): JobConfiguration {
    if (this.#problems.length > 0) throw new InvalidConfigurationError(this.#problems);
    return jobConfiguration({ ...this.#options, props: Object.fromEntries(this.#props), jobName: this.#jobName });
  }

  #with(settings: JobOptions): this {
    Object.assign(this.#options, settings);
    return this;
  }
}
