import { type JobConfiguration } from '../../api/job/job-configuration.js';

/** A setting that two configurations of a job have with different values. */
export interface SettingDifference {
  /** `cron`; for one of the properties `props.email.host`. */
  readonly key: string;
  /** The values in words: `'0 0 2 * * ?'`, `3`, `none`. */
  readonly one: string;
  readonly other: string;
}

/**
 * Settings that do not belong to the job itself: `overwrite` concerns only the instance that starts; `props` are
 * compared one by one.
 */
const LEFT_OUT: ReadonlySet<string> = new Set<keyof JobConfiguration>(['jobName', 'overwrite', 'props']);

/** Defaults that absent settings stand for. */
const DEFAULTS: Readonly<Partial<Record<string, string>>> = {
  jobShardingStrategyType: 'AVG_ALLOCATION',
  jobExecutorThreadPoolSizeProviderType: 'CPU',
  jobErrorHandlerType: 'LOG',
} satisfies Partial<Record<keyof JobConfiguration, string>>;

/** Longest value in a message, in characters. */
const LONGEST_VALUE = 100;

/**
 * Settings in which two configurations of a job differ, in the order of their names. A default counts like the same
 * value given.
 */
export function settingDifferences(one: JobConfiguration, other: JobConfiguration): readonly SettingDifference[] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  const settings = [...keys]
    .filter((key) => !LEFT_OUT.has(key))
    .sort()
    .map((key) => ({ key, one: valueOf(one, key), other: valueOf(other, key) }));
  return [...settings, ...propsOf(one, other)].filter((each) => each.one !== each.other).map(shortened);
}

/** `cron '0 0 2 * * ?' → '0 0 3 * * ?', failover false → true`. */
export function describeChanges(differences: readonly SettingDifference[]): string {
  return differences.map(({ key, one, other }) => `${key} ${one} → ${other}`).join(', ');
}

/** A sentence on settings of the registry centre (`one`) that differ from those of this instance (`other`). */
export function describeIgnored(differences: readonly SettingDifference[]): string {
  const [first, ...more] = differences;
  if (first === undefined) return 'the settings in the registry centre are those of this instance.';
  if (more.length === 0)
    return (
      `the registry centre has ${first.key} ${first.one}, which holds; this instance's settings say ${first.other}. ` +
      'Set overwrite: true to replace it.'
    );
  const all = differences.map(({ key, one, other }) => `${key} ${one} (here ${other})`).join(', ');
  return `the registry centre has other settings than this instance, and they hold: ${all}. Set overwrite: true to replace them.`;
}

function valueOf(configuration: JobConfiguration, key: string): string {
  return inWords((configuration as unknown as Readonly<Record<string, unknown>>)[key] ?? DEFAULTS[key]);
}

function inWords(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `'${value.join(',')}'`;
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

/** Properties may hold passwords, so the log has their names only. */
function propsOf(one: JobConfiguration, other: JobConfiguration): readonly SettingDifference[] {
  const keys = [...new Set([...Object.keys(one.props), ...Object.keys(other.props)])].sort();
  return keys
    .filter((key) => one.props[key] !== other.props[key])
    .map((key) => ({
      key: `props.${key}`,
      one: hidden(one.props[key]),
      other:
        one.props[key] === undefined || other.props[key] === undefined
          ? hidden(other.props[key])
          : 'another text that is not shown',
    }));
}

function hidden(value: string | undefined): string {
  return value === undefined ? 'none' : 'a text that is not shown';
}

function shortened({ key, one, other }: SettingDifference): SettingDifference {
  return { key, one: cut(one), other: cut(other) };
}

function cut(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`;
}
