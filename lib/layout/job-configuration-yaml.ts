import { InvalidConfigurationError } from '../api/errors/errors.js';
import { type JobConfiguration } from '../api/job/job-configuration.js';
import { YamlMapping } from './yaml-mapping.js';
import { yamlEntry, type YamlValue } from './yaml-writer.js';

/** The name of the thread-pool setting in the stored YAML: until Java 3.0.4, and since 3.0.5. */
export type ThreadPoolKey = (typeof THREAD_POOL_KEYS)[number];

/** Options of writing a configuration. */
export interface ToYamlOptions {
  /**
   * The Java versions that must be able to read it: up to 3.0.4, or since 3.0.5 (default). It matters only if
   * `jobExecutorThreadPoolSizeProviderType` is set, for Java refuses a configuration with any key it does not know.
   */
  readonly compatibility?: '3.0.4' | '3.0.5';
  /** Entries that are written back untouched: the `extraConfigurations` that `fromYaml` or `keptFrom` returned. */
  readonly extraConfigurations?: string | undefined;
}

/** The content of a job's `config` node. */
export interface StoredConfiguration {
  readonly configuration: JobConfiguration;
  /**
   * The spelling in which the thread-pool setting was found, to keep it when rewriting; `undefined` if it is not set.
   */
  readonly threadPoolKey: ThreadPoolKey | undefined;
  /**
   * The entry `jobExtraConfigurations` (Java's tracing settings) as it stands in the text, key and line end included.
   */
  readonly extraConfigurations: string | undefined;
  /** Keys that Java 3.0 does not have, and because of which Java refuses the whole configuration. */
  readonly unknownKeys: readonly string[];
}

/**
 * The configuration as Java ElasticJob writes it, byte for byte (SnakeYAML 2.2): keys in alphabetical order, unset and
 * empty ones left out. `props` keep the order they have; Java's own order is that of its hash table.
 * @throws InvalidConfigurationError if a text has half a surrogate pair, which cannot be stored
 */
export function toYaml(configuration: JobConfiguration, options: ToYamlOptions = {}): string {
  const { jobExecutorThreadPoolSizeProviderType: threadPool, ...others } = configuration;
  const old = options.compatibility === '3.0.4';
  const settings: Record<string, YamlValue | undefined> = {
    ...pick(others),
    [THREAD_POOL_KEYS[old ? 1 : 0]]: threadPool === '' ? undefined : threadPool,
  };
  const faults = Object.keys(settings).filter((key) => hasHalfSurrogate(settings[key]));
  if (faults.length > 0) {
    throw new InvalidConfigurationError(faults.map((key) => `${key} must not contain half a surrogate pair.`));
  }
  return [...Object.keys(settings), EXTRA_CONFIGURATIONS]
    .sort()
    .map((key) => {
      if (key === EXTRA_CONFIGURATIONS) return options.extraConfigurations ?? '';
      const value = settings[key];
      return value === undefined ? '' : yamlEntry(key, value);
    })
    .join('');
}

/**
 * Reads the value of a job's `config` node as Java reads it. Absent flags are false, absent numbers 0 (and
 * `maxTimeDiffSeconds` −1), which are not the defaults of a new job; `cron`, `timeZone`, `label` and the types count as
 * absent if they are empty, as consoles write them. Beyond Java: both spellings of the thread-pool setting, unknown
 * keys and tags, and `~` for absent are accepted.
 * @param path path of the node, for messages
 * @throws InvalidConfigurationError with a sentence for each fault, each starting with `path`
 */
export function fromYaml(text: string, path: string): StoredConfiguration {
  const yaml = new YamlMapping(text);
  const threadPoolKey = THREAD_POOL_KEYS.find((key) => !!yaml.text(key));
  const configuration = readConfiguration(yaml, threadPoolKey);
  const extraConfigurations = yaml.verbatim(EXTRA_CONFIGURATIONS);
  const faults = [...yaml.faults];
  if (faults.length === 0) faults.push(...rangeFaults(configuration));
  if (faults.length > 0) throw new InvalidConfigurationError(faults.map((fault) => `${path}: ${fault}.`));
  return { configuration, threadPoolKey, extraConfigurations, unknownKeys: yaml.unasked };
}

/**
 * The entries to keep of a stored text that is about to be replaced: those of peers that this library has no name for
 * (tracing settings, keys of later versions), and their spelling of the thread-pool setting. A text that cannot be read
 * has none.
 * @param path path of the node
 */
export function keptFrom(stored: string, path: string): ToYamlOptions {
  try {
    const { extraConfigurations: tracing, unknownKeys, threadPoolKey } = fromYaml(stored, path);
    const yaml = new YamlMapping(stored);
    const kept = [tracing, ...unknownKeys.map((key) => yaml.verbatim(key))].filter((entry) => entry !== undefined);
    const extraConfigurations = kept.length === 0 ? undefined : kept.join('');
    if (threadPoolKey === undefined) return { extraConfigurations };
    return {
      extraConfigurations,
      compatibility: threadPoolKey === 'jobExecutorServiceHandlerType' ? '3.0.4' : '3.0.5',
    };
  } catch (error) {
    // Replacing it is the way to repair it.
    if (error instanceof InvalidConfigurationError) return {};
    throw error;
  }
}

function readConfiguration(yaml: YamlMapping, threadPoolKey: ThreadPoolKey | undefined): JobConfiguration {
  const optional = {
    cron: yaml.text('cron'),
    timeZone: yaml.text('timeZone'),
    jobShardingStrategyType: yaml.text('jobShardingStrategyType'),
    jobExecutorThreadPoolSizeProviderType: threadPoolKey && yaml.text(threadPoolKey),
    jobErrorHandlerType: yaml.text('jobErrorHandlerType'),
    label: yaml.text('label'),
  };
  return {
    jobName: yaml.text('jobName') ?? '',
    shardingTotalCount: yaml.integer('shardingTotalCount') ?? 0,
    shardingItemParameters: yaml.text('shardingItemParameters') ?? '',
    jobParameter: yaml.text('jobParameter') ?? '',
    monitorExecution: yaml.flag('monitorExecution') ?? false,
    failover: yaml.flag('failover') ?? false,
    misfire: yaml.flag('misfire') ?? false,
    maxTimeDiffSeconds: yaml.integer('maxTimeDiffSeconds') ?? -1,
    reconcileIntervalMinutes: yaml.integer('reconcileIntervalMinutes') ?? 0,
    jobListenerTypes: yaml.list('jobListenerTypes'),
    description: yaml.text('description') ?? '',
    props: yaml.texts('props'),
    disabled: yaml.flag('disabled') ?? false,
    overwrite: yaml.flag('overwrite') ?? false,
    staticSharding: yaml.flag('staticSharding') ?? false,
    ...withoutEmpty(optional),
  };
}

/** As for settings given here: no registry holds more. */
const MOST_ITEMS = 100_000;

function rangeFaults({ jobName, shardingTotalCount }: JobConfiguration): readonly string[] {
  return [
    ...(jobName === '' ? ['jobName must not be empty'] : []),
    ...(shardingTotalCount < 1 || shardingTotalCount > MOST_ITEMS
      ? [`shardingTotalCount must be at least 1 and at most ${MOST_ITEMS}, got ${shardingTotalCount}`]
      : []),
  ];
}

function withoutEmpty<K extends string>(settings: Readonly<Record<K, string | undefined>>): { [key in K]?: string } {
  const entries = Object.entries<string | undefined>(settings).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  return Object.fromEntries(entries) as { [key in K]?: string };
}

/** Keys that Java knows: any other key would make every Java reader refuse the configuration. */
function pick(
  settings: Readonly<Partial<Record<string, YamlValue | undefined>>>,
): Record<string, YamlValue | undefined> {
  return Object.fromEntries(KEYS.map((key) => [key, settings[key]]));
}

function hasHalfSurrogate(value: YamlValue | undefined): boolean {
  return typeof value === 'string'
    ? /\p{Surrogate}/u.test(value)
    : typeof value === 'object' && Object.entries(value).flat().some(hasHalfSurrogate);
}

/** The present spelling and the old one. */
const THREAD_POOL_KEYS = ['jobExecutorThreadPoolSizeProviderType', 'jobExecutorServiceHandlerType'] as const;
const EXTRA_CONFIGURATIONS = 'jobExtraConfigurations';

const KEYS = [
  'cron',
  'description',
  'disabled',
  'failover',
  'jobErrorHandlerType',
  'jobListenerTypes',
  'jobName',
  'jobParameter',
  'jobShardingStrategyType',
  'label',
  'maxTimeDiffSeconds',
  'misfire',
  'monitorExecution',
  'overwrite',
  'props',
  'reconcileIntervalMinutes',
  'shardingItemParameters',
  'shardingTotalCount',
  'staticSharding',
  'timeZone',
] as const;
