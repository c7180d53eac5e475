import fc from 'fast-check';
import { InvalidConfigurationError } from '../../../../lib/api/errors/errors.js';
import { type JobConfiguration, jobConfiguration } from '../../../../lib/api/job/job-configuration.js';

/** Words that a writer of YAML has to look at twice, among others. */
const WORDS = [
  'lorem', 'ipsum', 'consectetur', 'a', 'it’s', "it's", '"q"', 'x:', ': y', '#z', ' # c', '- ', '? ', '--- ', '{a}', '[b]', '&c',
  '*d', '!e', '|', '>', '%f', '@g', '`h', 'true', 'no', 'null', '~', '017', '0x1F', '1e3', '12:30:45', '2020-01-01', '.inf',
  '<<', '=', '\\', '日本', 'é', '😀', '\u00a0', '\ufeff', '\t', '\r', '\n', '\n\n', ' ', '  ', 'C:\\p', '${x}',
]; // prettier-ignore

const TYPES = ['', 'AVG_ALLOCATION', 'ODEVITY', 'ROUND_ROBIN', 'SINGLE_SHARDING_BALANCE', 'com.acme.Own'];
const HANDLERS = ['', 'LOG', 'THROW', 'IGNORE', 'EMAIL', 'WECHAT', 'DINGTALK', 'own'];

const words = (separator: string, maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...WORDS), { maxLength }).map((picked) => picked.join(separator));

const text = fc.oneof(words(' ', 40), words('', 6), words('\n', 5), fc.string({ unit: 'grapheme', maxLength: 30 }));

const filled = text.filter((value) => value.trim() !== '');

const options = fc.record(
  {
    jobName: fc.oneof(words('', 4), words(' ', 8)).map((value) => `job ${value.replaceAll(/[\s\p{C}😀/]/gu, '_')}`),
    shardingTotalCount: fc.integer({ min: 1, max: 1_000 }),
    cron: fc.constantFrom('0/5 * * * * ?', '* * * * * ?', '0 0 12 ? * MON-FRI', '0 15 10 L-2 * ? 2099', ''),
    timeZone: fc.constantFrom('GMT+08:00', 'GMT-03:30', ''),
    shardingItemParameters: text.map((value) => `0=${value.replaceAll(/[,=]/g, ';')}.`),
    jobParameter: text,
    monitorExecution: fc.boolean(),
    failover: fc.boolean(),
    misfire: fc.boolean(),
    maxTimeDiffSeconds: fc.constantFrom(-1, 1, 3_600),
    reconcileIntervalMinutes: fc.integer({ min: -1, max: 1_000 }),
    jobShardingStrategyType: fc.oneof(fc.constantFrom(...TYPES), text),
    jobExecutorThreadPoolSizeProviderType: fc.constantFrom('', 'CPU', 'SINGLE_THREAD', 'own: pool'),
    jobErrorHandlerType: fc.oneof(fc.constantFrom(...HANDLERS), text),
    jobListenerTypes: fc.array(filled, { maxLength: 4 }),
    description: text,
    props: fc.dictionary(filled, text, { maxKeys: 6 }),
    disabled: fc.boolean(),
    overwrite: fc.boolean(),
    label: text,
    staticSharding: fc.boolean(),
  },
  { requiredKeys: ['jobName', 'shardingTotalCount'] },
);

/** Configurations that a Node job may have; always the same. */
export function randomConfigurations(count: number): readonly JobConfiguration[] {
  return fc
    .sample(options, { numRuns: 2 * count, seed: 4 })
    .flatMap(accepted)
    .slice(0, count);
}

function accepted(given: Parameters<typeof jobConfiguration>[0]): readonly JobConfiguration[] {
  try {
    return [jobConfiguration(given)];
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return [];
    throw error;
  }
}
