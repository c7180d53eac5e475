import { type JobConfigurationDto } from '../../../contract/jobs.js';
import { type TextKey } from '../../i18n/i18n.js';

type Setting = keyof JobConfigurationDto;

/** A setting in the form: its texts are `setting.<name>` and `setting.<name>.hint`. */
export interface Field {
  readonly name: Setting;
  readonly kind: 'text' | 'long' | 'number' | 'flag' | 'list' | 'props';
  readonly isWide?: boolean;
}

const field = (name: Setting, kind: Field['kind'] = 'text'): Field => ({
  name,
  kind,
  isWide: kind === 'long' || kind === 'props',
});

export const GROUPS: readonly { readonly title: TextKey; readonly fields: readonly Field[] }[] = [
  {
    title: 'config.when',
    fields: [field('cron'), field('timeZone'), field('misfire', 'flag'), field('disabled', 'flag')],
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

/** Texts of the form: one setting a line for `props`, names with commas for lists. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, each]) => `${key}=${String(each)}`)
      .join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The value that a text of the form stands for; `undefined` removes the setting. */
export function valueOf({ kind }: Field, text: string): unknown {
  if (kind === 'number') return text.trim() === '' ? undefined : Number(text);
  if (kind === 'list')
    return text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  if (kind === 'props') return propsOf(text);
  return text === '' ? undefined : text;
}

function propsOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}
