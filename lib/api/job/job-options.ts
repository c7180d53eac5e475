import { InvalidCronError, InvalidTimeZoneError, QuartzCron } from '../../time/cron.js';
import { toQuartz } from '../../time/crontab.js';
import { placeholderProblem } from '../settings/placeholder.js';
import { type ItemParameters, itemParametersProblem } from './sharding-item-parameters.js';
import { legible } from '../text/describe-value.js';
import { meantHint, nearest } from '../text/nearest.js';
import { type Wording, wording, type WordingValue } from '../../wording/wording.js';
import { flattenProps, type PropsOptions } from '../settings/props.js';
import {
  afterProblem,
  choiceProblem,
  cronBesideAfter,
  type DependencyChoice,
  graphNameProblem,
  graphPropertyKeyProblem,
  graphTimeoutConflict,
} from '../settings/dependency-options.js';
import { RUN_LIMITS, runLimitConflict, type RunLimitOptions, runPropertyKeyProblem } from '../settings/run-limits.js';
import { BooleanSetting, IntegerSetting, rule, Setting, TextListSetting, TextSetting } from '../settings/setting.js';

/**
 * The settings of one job as users write them: those of ElasticJob's manual (§6.2.2), with its names and defaults. All
 * but `shardingTotalCount` may be left out. An empty text counts as left out.
 */
export class JobOptions {
  /**
   * When the job fires: a Quartz cron expression such as `0/5 * * * * ?`, or crontab such as `0 2 * * *`, which is
   * rewritten as Quartz cron. Without it the job is a one-off job, unless it has `after`.
   */
  @TextSetting({ requirement: wording('cron-text') }, rule('cron', cronProblem)) cron?: string;
  /**
   * The time zone of `cron`: `GMT+08:00`, `GMT+8`, or an IANA name such as `Asia/Shanghai` (Java peers refuse IANA
   * names). Default: the time zone of the process.
   */
  @TextSetting({ requirement: wording('zone-text') }, rule('timeZone', timeZoneProblem)) timeZone?: string;
  /**
   * Number of sharding items, 1 to 100,000. The nodes of more items would not fit into one answer of a ZooKeeper server
   * with its usual settings.
   */
  @IntegerSetting({ min: 1, max: 100_000, required: true }) shardingTotalCount?: number;
  /**
   * Parameters of the sharding items, by item: `{ 0: 'Beijing', 1: 'Shanghai' }`, as a list that begins with item 0, or
   * as the text `0=Beijing,1=Shanghai`. They are stored as such a text, or, if one has a comma, an equals sign or
   * blanks at its ends, or is empty, as JSON, `{"0":"a,b"}`, which Java peers refuse. Items from `shardingTotalCount`
   * on are refused. Default: none.
   */
  @Setting(
    { kind: 'text' },
    rule('itemParameters', (given: unknown, job: JobOptions) => itemParametersProblem(given, job.shardingTotalCount)),
  )
  shardingItemParameters?: ItemParameters;
  /** Parameter of the whole job; each item is given it. Default: empty. */
  @TextSetting() jobParameter?: string;
  /**
   * If true, instances record in the registry centre which items they run, so that none runs twice at once. It costs
   * two writes per firing and instance. Default: true.
   */
  @BooleanSetting() monitorExecution?: boolean;
  /**
   * If true, other instances take over at once the items that an instance was running when it crashed. Needs
   * `monitorExecution`. Default: false.
   */
  @BooleanSetting() failover?: boolean;
  /** If true, one run makes up for the firings that an item missed while it was still running. Default: true. */
  @BooleanSetting() misfire?: boolean;
  /**
   * The greatest difference between the clocks of this machine and the registry centre, in seconds. If they differ by
   * more, the firing fails. −1: the clocks are not compared. Default: −1.
   */
  @IntegerSetting({ min: 1, also: { value: -1, meaning: wording('no-check') } }) maxTimeDiffSeconds?: number;
  /**
   * How often the instance re-checks the whole job even if nothing changed, in minutes. Below 1: never. Default: 10.
   */
  @IntegerSetting({ min: -1 }) reconcileIntervalMinutes?: number;
  /**
   * Type of the sharding strategy, which distributes the items over the instances: AVG_ALLOCATION, ODEVITY,
   * ROUND_ROBIN, SINGLE_SHARDING_BALANCE, STICKY (Node only) or one of your own. Default: AVG_ALLOCATION.
   */
  @TextSetting() jobShardingStrategyType?: string;
  /**
   * Type of the provider that limits the items running at once on an instance: CPU (twice the processors),
   * SINGLE_THREAD or one of your own. Default: CPU.
   */
  @TextSetting() jobExecutorThreadPoolSizeProviderType?: string;
  /**
   * Type of the error handler, which is given each failure: LOG, THROW, IGNORE, EMAIL, WECHAT, DINGTALK or one of your
   * own. Default: LOG.
   */
  @TextSetting() jobErrorHandlerType?: string;
  /**
   * Types of the job's listeners: providers with `@JobListener('…')`, or `listeners` of `forRoot()`. While a job has
   * any, an instance ends one firing before it begins the next. Default: none.
   */
  @TextListSetting() jobListenerTypes?: readonly string[];
  /** Purpose of the job, for people. Default: empty. */
  @TextSetting() description?: string;
  /**
   * Properties for executors and error handlers. Nested maps become dotted keys: `email: { host }` is `email.host`.
   * Default: none.
   */
  @Setting({ kind: 'text-map', secrecy: 'hidden' }, rule('props', propsProblem))
  props?: PropsOptions;
  /**
   * The jobs after which the job runs, in place of `cron`: `'importA'`, or `['importA', 'importB']`. The job runs for
   * each instant for which all of them have completed their rounds. Stored as the property `graph.after`, which Java
   * instances leave alone. Default: none.
   */
  @Setting({ kind: 'text-list' }, rule('after', (value: unknown, job: JobOptions) => afterProblem(value, job)))
  after?: string | readonly string[];
  /**
   * `all`: the items run when the upstream rounds are complete. `same`: each item runs when the upstream items of its
   * number have ended; all these jobs need the same `shardingTotalCount`. Stored as the property `graph.afterItems`.
   * Default: `all`.
   */
  @Rule('afterItems') afterItems?: 'all' | 'same';
  /**
   * `same`: the job runs for an instant when each upstream job has completed its round of that instant. `latest`: when
   * each has completed its round of that instant or a later one, for jobs that fire at different instants. Stored as
   * the property `graph.afterMatch`. Default: `same`.
   */
  @Rule('afterMatch') afterMatch?: 'same' | 'latest';
  /**
   * Effect of an upstream round that failed. `stop`: the job does not run for that instant, nor do jobs after it.
   * `run`: it runs all the same. `skip`: it does not run, and jobs after it do. Stored as the property
   * `graph.afterFailure`. Default: `stop`.
   */
  @Rule('afterFailure') afterFailure?: 'stop' | 'run' | 'skip';
  /**
   * Rounds that are completed while the job is busy. `latest`: one run makes up for all of them. `every`: each is run,
   * in order. Stored as the property `graph.afterRounds`. Default: `latest`.
   */
  @Rule('afterRounds') afterRounds?: 'latest' | 'every';
  /**
   * The name of the graph of jobs that run after each other: one job of it gives the name to all. Stored as the
   * property `graph.name`, which Java instances leave alone. Default: the name of the job that the others run after.
   */
  @TextSetting({}, rule('graph', (value: unknown, job: JobOptions) => graphNameProblem(value, job))) graph?: string;
  /**
   * How long a round of the whole graph may take, in milliseconds since its instant. Then it is stopped: nothing more
   * of it begins. To be set at the jobs that run after no other; the least time counts. Stored as the property
   * `graph.timeoutMilliseconds`. Default: no limit.
   */
  @IntegerSetting(
    { min: 1, max: 2 ** 31 - 1 },
    rule('graphTimeout', (value: number, job: JobOptions) => graphTimeoutConflict(value, job)),
  )
  graphTimeoutMilliseconds?: number;
  /**
   * How long an item may run, in milliseconds, with all its retries and the pauses between them. Then its `signal`
   * aborts, it has failed, and 5 seconds later it is free for its next firing although its code may still run. Stored
   * as the property `run.timeoutMilliseconds`, which Java instances leave alone. Default: no limit.
   */
  @RunLimit('timeoutMilliseconds') timeoutMilliseconds?: number;
  /**
   * How often an item that fails is tried again, 0 to 100, before its failure counts. Stored as the property
   * `run.maxRetries`. Default: 0.
   */
  @RunLimit('maxRetries') maxRetries?: number;
  /**
   * The pause before the first retry, in milliseconds. The pause after the n-th failure is that time multiplied by a
   * random number from 1 to 2ⁿ − 1, and takes 5 minutes at most, or this time if it is longer. Stored as the property
   * `run.retryBackoffMilliseconds`. Default: 1000.
   */
  @RunLimit('retryBackoffMilliseconds') retryBackoffMilliseconds?: number;
  /** If true, the job is disabled on this server each time it starts, until an operator enables it. Default: false. */
  @BooleanSetting() disabled?: boolean;
  /**
   * If true, these settings replace those in the registry centre at each start. Default: false, the stored ones win.
   */
  @BooleanSetting() overwrite?: boolean;
  /** A label for grouping, stored for consoles. Default: none. */
  @TextSetting() label?: string;
  /**
   * If true, items stay with their instances although instances join and leave. Items of an instance that is gone then
   * do not run until the number of items changes. Default: false.
   */
  @BooleanSetting() staticSharding?: boolean;
}

function RunLimit(option: keyof RunLimitOptions): PropertyDecorator {
  const { min, max } = RUN_LIMITS[option];
  return IntegerSetting(
    { min, max },
    rule('runLimit', (value: number, job: JobOptions) => runLimitConflict(option, value, job.props)),
  );
}

function Rule(option: DependencyChoice): PropertyDecorator {
  return Setting(
    { kind: 'text' },
    rule('dependencyRule', (value: unknown, job: JobOptions) => choiceProblem(option, value, job)),
  );
}

/** The reason why no job can fire by a cron expression; `undefined` if one can. */
export function cronProblem(text: string): Wording | undefined {
  if (text === '') return undefined;
  if (text.trim() === '') return wording('cron-blank');
  return (
    placeholderProblem(text) ??
    reasonOf(() => QuartzCron.parse(toQuartz(text))) ??
    (everFires(text) ? undefined : wording('cron-never'))
  );
}

function everFires(text: string): boolean {
  return QuartzCron.parse(toQuartz(text)).everFires;
}

/** The reason why a text is no time zone; `undefined` if it is one. */
export function timeZoneProblem(text: string): Wording | undefined {
  const reason = reasonOf(() => QuartzCron.parse('0 0 0 * * ?', { timeZone: text }));
  if (reason === undefined) return undefined;
  const meant = nearest(text.slice(0, 100), Intl.supportedValuesOf('timeZone'));
  return wording('zone-unknown', { reason, hint: meantHint(meant) });
}

/**
 * @returns the reason for which an attempt fails, or undefined. The message that is being built quotes the text
 *   already.
 */
function reasonOf(attempt: () => unknown): Wording | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidCronError) return legibly(error.because.values['reason']);
    if (error instanceof InvalidTimeZoneError) return legibly(error.because.values['hint']);
    throw error;
  }
}

/** The clause with texts that can stand on one line. */
function legibly(value: WordingValue | undefined): Wording | undefined {
  if (typeof value !== 'object') return undefined;
  const values = Object.entries(value.values).map(([name, each]) => [
    name,
    typeof each === 'string' ? legible(each) : (legibly(each) ?? each),
  ]);
  return { ...value, values: Object.fromEntries(values) as Wording['values'] };
}

function propsProblem(value: unknown, { cron }: JobOptions): Wording | undefined {
  const flat = flattenProps(value);
  if ('problem' in flat) return flat.problem;
  const keys = [...flat.flat.keys()];
  return runPropertyKeyProblem(keys) ?? graphPropertyKeyProblem(keys) ?? cronBesideAfter({ cron, props: value });
}
