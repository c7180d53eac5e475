import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type Command } from './scenario-file.js';

type Reader = (text: string) => Partial<JobConfiguration>;

const READERS: Readonly<Record<string, Reader>> = {
  shards: (text) => ({ shardingTotalCount: Number(text) }),
  cron: (text) => ({ cron: text }),
  failover: (text) => ({ failover: text === 'true' }),
  misfire: (text) => ({ misfire: text === 'true' }),
  monitor: (text) => ({ monitorExecution: text === 'true' }),
  static: (text) => ({ staticSharding: text === 'true' }),
  disabled: (text) => ({ disabled: text === 'true' }),
  overwrite: (text) => ({ overwrite: text === 'true' }),
  reconcile: (text) => ({ reconcileIntervalMinutes: Number(text) }),
  maxTimeDiff: (text) => ({ maxTimeDiffSeconds: Number(text) }),
  strategy: (text) => ({ jobShardingStrategyType: text }),
  parameters: (text) => ({ shardingItemParameters: text }),
  parameter: (text) => ({ jobParameter: text }),
  listeners: (text) => ({ jobListenerTypes: text.split(',') }),
};

/** Settings of a job as commands write them: `shards=3 misfire=false`; a flag alone, such as `failover`, is true. */
export function jobSettings(
  { words, settings, line }: Command,
  besides: readonly string[] = [],
): Partial<JobConfiguration> {
  const given = [...words.map((word) => [word, 'true'] as const), ...settings];
  return Object.assign(
    {},
    ...given.filter(([key]) => !besides.includes(key)).map(([key, value]) => read(key, value, line)),
  ) as Partial<JobConfiguration>;
}

function read(key: string, value: string, line: string): Partial<JobConfiguration> {
  const reader = READERS[key];
  if (reader === undefined) throw new Error(`'${key}' is no setting, in: ${line}`);
  return reader(value);
}

/** `0,2@B` as texts. */
export function list(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(',');
}
