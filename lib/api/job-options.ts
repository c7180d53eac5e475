import { QuartzCron } from '../time/cron.js';
import { toQuartz } from '../time/crontab.js';
import { itemParametersProblem } from './sharding-item-parameters.js';
import { legible } from './describe-value.js';
import { nearest } from './nearest.js';
import { flattenProps, type PropsOptions } from './props.js';
import { BooleanSetting, IntegerSetting, Setting, TextListSetting, TextSetting } from './setting.js';

const CRON = "a cron expression such as '0/5 * * * * ?'";
const ZONE = "a time zone such as 'GMT+08:00' or 'Asia/Shanghai'";

/**
 * The settings of one job as users write them: those of the manual §6.2.2, with its names and defaults. All but
 * `shardingTotalCount` may be left out. An empty text counts as left out.
 */
export class JobOptions {
  /** Quartz cron expression, such as `0/5 * * * * ?`; or crontab, such as `0 2 * * *`, which is rewritten as Quartz cron. Without: a one-off job. */
  @TextSetting({ what: CRON, rule: cronProblem }) cron?: string;
  /** `GMT+08:00`, `GMT+8`, or an IANA name such as `Asia/Shanghai` (Java peers refuse IANA names). Default: the time zone of the process. */
  @TextSetting({ what: ZONE, rule: timeZoneProblem }) timeZone?: string;
  /** Number of sharding items, 1 to 100,000. More would not fit into one answer of a ZooKeeper server with its usual settings. */
  @IntegerSetting({ min: 1, max: 100_000, required: true }) shardingTotalCount?: number;
  /** Parameters of the sharding items: `0=Beijing,1=Shanghai`. Items from shardingTotalCount on are refused. */
  @TextSetting({
    what: "a text like '0=Beijing,1=Shanghai'",
    rule: (text, owner) => itemParametersProblem(text, (owner as JobOptions).shardingTotalCount),
  })
  shardingItemParameters?: string;
  /** Parameter of the whole job. */
  @TextSetting() jobParameter?: string;
  /** Whether the registry centre is told which items run, so that none runs twice at once. Default: true. */
  @BooleanSetting() monitorExecution?: boolean;
  /** Whether items of a crashed instance are taken over at once; needs `monitorExecution`. Default: false. */
  @BooleanSetting() failover?: boolean;
  /** Whether a firing missed because the job was still running is made up for afterwards. Default: true. */
  @BooleanSetting() misfire?: boolean;
  /** Greatest difference in seconds between the clocks of this machine and the registry centre; −1: not checked. Default: −1. */
  @IntegerSetting({ min: 1, also: { value: -1, meaning: 'no check' } }) maxTimeDiffSeconds?: number;
  /** Minutes between two looks for inconsistencies without a cause; less than 1: none. Default: 10. */
  @IntegerSetting({ min: -1 }) reconcileIntervalMinutes?: number;
  /** Type of the sharding strategy: AVG_ALLOCATION, ODEVITY, ROUND_ROBIN, SINGLE_SHARDING_BALANCE or one of yours. Default: AVG_ALLOCATION. */
  @TextSetting() jobShardingStrategyType?: string;
  /** Type of the provider of the number of items that run at once: CPU (twice the processors), SINGLE_THREAD or one of yours. Default: CPU. */
  @TextSetting() jobExecutorThreadPoolSizeProviderType?: string;
  /** Type of the error handler: LOG, THROW, IGNORE or one of yours. Default: LOG. */
  @TextSetting() jobErrorHandlerType?: string;
  /** Types of the job's listeners: providers with `@JobListener('…')`, or `listeners` of `forRoot()`. While a job has any, one firing ends before the next begins. */
  @TextListSetting() jobListenerTypes?: readonly string[];
  /** What the job does, for people. */
  @TextSetting() description?: string;
  /** Properties for executors and error handlers. Nested maps become dotted keys: `email: { host }` is `email.host`. */
  @Setting({ kind: 'text-map', secrecy: 'hidden', problem: propsProblem })
  props?: PropsOptions;
  /** Whether the job's servers join disabled when the job is started. Default: false. */
  @BooleanSetting() disabled?: boolean;
  /** Whether these settings replace those in the registry centre at each start. Default: false, the registry's come first. */
  @BooleanSetting() overwrite?: boolean;
  /** A label for grouping, kept for consoles. */
  @TextSetting() label?: string;
  /** Whether items stay where they are once assigned, though instances come and go. Default: false. */
  @BooleanSetting() staticSharding?: boolean;
}

function cronProblem(text: string): string | undefined {
  if (text === '') return undefined;
  const problem = complaint(() => QuartzCron.parse(toQuartz(text)), CRON);
  if (problem !== undefined) return problem;
  return QuartzCron.parse(toQuartz(text)).everFires
    ? undefined
    : `must be ${CRON}; there is no instant at which this one fires`;
}

function timeZoneProblem(text: string): string | undefined {
  if (text === '') return undefined;
  const problem = complaint(() => QuartzCron.parse('0 0 0 * * ?', { timeZone: text }), ZONE);
  if (problem === undefined) return undefined;
  const meant = nearest(text.slice(0, 100), Intl.supportedValuesOf('timeZone'));
  return meant === undefined ? problem : `${problem}; perhaps '${meant}' is meant`;
}

function complaint(attempt: () => unknown, what: string): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Expression and verdict stand around it already; what is left is the reason.
    const reason = message.replace(/^.*?(?:cannot be used|is not known): /s, '').replace(/\.$/, '');
    return `must be ${what}; ${legible(reason)}`;
  }
}

function propsProblem(value: unknown): string | undefined {
  const flat = flattenProps(value);
  return 'problem' in flat ? flat.problem : undefined;
}
