import { type JobConfigurationDto } from '../../../../contract/jobs.js';
import { type TextKey } from '../../../i18n/text-key.js';

type Setting = keyof JobConfigurationDto;

/** Limits of runs, which are stored as properties so that Java instances ignore them. */
type Limit = 'timeoutMilliseconds' | 'maxRetries' | 'retryBackoffMilliseconds';

/** The jobs after which a job runs, and the rules by which it follows them; stored as properties, too. */
type Dependency = 'after' | 'graph' | 'graphTimeoutMilliseconds' | keyof typeof RULES;

/** The values of each rule by which a job follows others; the first one is the default, which is not stored. */
const RULES = {
  afterItems: ['all', 'same'],
  afterMatch: ['same', 'latest'],
  afterFailure: ['stop', 'run', 'skip'],
  afterRounds: ['latest', 'every'],
} as const;

/** The properties of a job. */
export type Props = Readonly<Record<string, string>>;

/** A setting in the form: its texts are `setting.<name>` and `setting.<name>.hint`. */
export interface Field {
  readonly name: Setting | Limit | Dependency;
  readonly kind: 'text' | 'long' | 'number' | 'flag' | 'list' | 'choice' | 'props';
  /** The property that stores it, if it is no setting of Java's. */
  readonly property?: string;
  readonly isWide?: boolean;
  /** The values of a `choice`, with the texts `setting.<name>.<value>`; the first one is the default. */
  readonly values?: readonly string[];
}

const field = (name: Setting, kind: Field['kind'] = 'text'): Field => ({
  name,
  kind,
  isWide: kind === 'long' || kind === 'props',
});

const limit = (name: Limit): Field => ({ name, kind: 'number', property: `run.${name}` });

const rule = (name: keyof typeof RULES): Field => ({
  name,
  kind: 'choice',
  property: `graph.${name}`,
  values: RULES[name],
});

export const GROUPS: readonly { readonly title: TextKey; readonly fields: readonly Field[] }[] = [
  {
    title: 'config.when',
    fields: [field('cron'), field('timeZone'), field('misfire', 'flag'), field('disabled', 'flag')],
  },
  {
    title: 'config.after',
    fields: [
      { name: 'after', kind: 'text', property: 'graph.after', isWide: true },
      rule('afterItems'),
      rule('afterMatch'),
      rule('afterFailure'),
      rule('afterRounds'),
      { name: 'graph', kind: 'text', property: 'graph.name' },
      { name: 'graphTimeoutMilliseconds', kind: 'number', property: 'graph.timeoutMilliseconds' },
    ],
  },
  {
    title: 'config.what',
    fields: [
      field('shardingTotalCount', 'number'),
      field('jobShardingStrategyType'),
      field('shardingItemParameters', 'long'),
      field('jobParameter'),
      field('staticSharding', 'flag'),
    ],
  },
  {
    title: 'config.safety',
    fields: [
      field('failover', 'flag'),
      field('monitorExecution', 'flag'),
      field('reconcileIntervalMinutes', 'number'),
      field('maxTimeDiffSeconds', 'number'),
      limit('timeoutMilliseconds'),
      limit('maxRetries'),
      limit('retryBackoffMilliseconds'),
      field('jobErrorHandlerType'),
      field('jobExecutorThreadPoolSizeProviderType'),
    ],
  },
  {
    title: 'config.more',
    fields: [
      field('description'),
      field('label'),
      field('jobListenerTypes', 'list'),
      field('overwrite', 'flag'),
      field('props', 'props'),
    ],
  },
];

/** A value as text of the form; a list becomes names with commas. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The value of a text of the form; `undefined` removes the setting. */
export function valueOf({ kind }: Field, text: string): unknown {
  if (kind === 'number') return text.trim() === '' ? undefined : Number(text);
  if (kind === 'list')
    return text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  return text === '' ? undefined : text;
}

/** The value of a field in the settings. */
export function shownIn(draft: JobConfigurationDto, { name, property }: Field): unknown {
  return property === undefined ? draft[name as Setting] : draft.props?.[property];
}

/** The value of a choice: the stored one, or the default. */
export function choiceIn(draft: JobConfigurationDto, field: Field): string {
  return textOf(shownIn(draft, field)) || (field.values?.[0] ?? '');
}

/** The values that a choice offers, with the stored one although it may be unknown. */
export function valuesIn(draft: JobConfigurationDto, field: Field): readonly string[] {
  return [...new Set([...(field.values ?? []), choiceIn(draft, field)])];
}

/** The value to store for a choice; `undefined` for the default. */
export function chosen({ values }: Field, value: string): string | undefined {
  return value === values?.[0] ? undefined : value;
}

/** The setting that a field changes, and its new value. */
export function changeOf(draft: JobConfigurationDto, { name, property }: Field, value: unknown): [Setting, unknown] {
  if (property === undefined) return [name as Setting, value];
  const others = Object.fromEntries(Object.entries(draft.props ?? {}).filter(([key]) => key !== property));
  return ['props', value === undefined ? others : { ...draft.props, [property]: `${value as number}` }];
}

/** The properties that have their own fields. */
const OWN_FIELDS = GROUPS.flatMap(({ fields }) => fields.flatMap(({ property }) => property ?? []));

/** One property while it is edited. */
export interface PropRow {
  readonly name: string;
  readonly value: string;
}

/** The rows for properties. */
export function rowsOf(props: Props = {}): PropRow[] {
  return Object.entries(props).map(([name, value]) => ({ name, value }));
}

/** The properties of rows, without rows that have no name or a repeated one. */
export function propsOf(rows: readonly PropRow[]): Props {
  return Object.fromEntries(
    rows
      .filter(({ name }, index) => name !== '' && rows.findIndex((row) => row.name === name) === index)
      .map(({ name, value }) => [name, value]),
  );
}

/** The names that several rows have. */
export function repeatedNames(rows: readonly PropRow[]): readonly string[] {
  const names = rows.map(({ name }) => name).filter((name) => name !== '');
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Splits properties into those that are edited as rows and those that have their own fields. */
export function partsOf(props: Props = {}): { readonly rows: Props; readonly fields: Props } {
  const entries = Object.entries(props);
  const part = (isField: boolean): Props =>
    Object.fromEntries(entries.filter(([name]) => OWN_FIELDS.includes(name) === isField));
  return { rows: part(false), fields: part(true) };
}
