import { describe, expect, test } from '@jest/globals';

import { InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { fromYaml, toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { javaConfigurations, javaReadings, javaTrees } from './fixtures.js';

const path = '/bill/config';

/** Java's values of absent settings of a stored configuration. */
const absent = {
  shardingItemParameters: '',
  jobParameter: '',
  monitorExecution: false,
  failover: false,
  misfire: false,
  maxTimeDiffSeconds: -1,
  reconcileIntervalMinutes: 0,
  jobListenerTypes: [],
  description: '',
  props: {},
  disabled: false,
  overwrite: false,
  staticSharding: false,
};

const minimal: JobConfiguration = { ...absent, jobName: 'bill', shardingTotalCount: 3 };

function read(text: string): JobConfiguration {
  return fromYaml(text, path).configuration;
}

function faultsOf(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return error.faults;
  }
  return [];
}

describe('a configuration written for Java', () => {
  test.each(javaTrees.configurations.map((configuration) => [configuration.jobName, configuration] as const))(
    'is what Java 3.0.5 itself has stored for %p',
    (jobName, configuration) => {
      expect(toYaml(configuration)).toBe(javaTrees.nodes[`/${jobName}/config`]!.data);
      expect(read(toYaml(configuration))).toEqual(configuration);
    },
  );

  test(`has the very bytes of Java 3.0.5 for ${javaConfigurations.length} random configurations`, () => {
    expect(javaConfigurations.length).toBeGreaterThanOrEqual(300);

    expect(javaConfigurations.map(({ configuration }) => toYaml(configuration))).toEqual(
      javaConfigurations.map(({ yaml }) => yaml),
    );
  });

  test('has the spelling of the thread-pool setting that the oldest reader knows', () => {
    const configuration = { ...minimal, jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' };

    expect(toYaml(configuration)).toContain('\njobExecutorThreadPoolSizeProviderType: SINGLE_THREAD\njobName');
    expect(toYaml(configuration, { compatibility: '3.0.5' })).toBe(toYaml(configuration));
    expect(toYaml(configuration, { compatibility: '3.0.4' })).toContain(
      '\njobExecutorServiceHandlerType: SINGLE_THREAD\njobName',
    );
  });

  test('is readable by every version of Java if the thread pool is not set', () => {
    expect(toYaml({ ...minimal, jobExecutorThreadPoolSizeProviderType: '' })).not.toContain('jobExecutor');
    expect(toYaml(minimal, { compatibility: '3.0.4' })).toBe(toYaml(minimal));
  });

  test('never has a key that Java does not know', () => {
    expect(toYaml({ ...minimal, retries: 3 } as JobConfiguration)).toBe(toYaml(minimal));
  });

  test('cannot hold half a surrogate pair', () => {
    expect(() => toYaml({ ...minimal, props: { a: 'x\ud83d' }, label: '\udc00' })).toThrow(
      expect.objectContaining({
        faults: ['label must not contain half a surrogate pair.', 'props must not contain half a surrogate pair.'],
      }),
    );
  });
});

const hasSeparator = (yaml: string): boolean => /[\u0085\u2028\u2029]/.test(yaml);

/** The configuration with one blank for each run of blanks and line ends in its texts and keys. */
function withoutBreaks(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/[ \n\u0085\u2028\u2029]+/g, ' ');
  if (Array.isArray(value)) return value.map(withoutBreaks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map((entry) => entry.map(withoutBreaks) as [string, unknown]));
}

describe('a stored configuration', () => {
  test(`is read as Java 3.0.5 reads it, but for line separators, for ${javaConfigurations.length} random configurations`, () => {
    for (const { configuration, yaml, read: expected = configuration } of javaConfigurations) {
      if (hasSeparator(yaml)) expect(withoutBreaks(read(yaml))).toEqual(withoutBreaks(expected));
      else expect(read(yaml)).toEqual(expected);
    }
  });

  const readings = javaReadings.flatMap(({ yaml, reads }) => (reads ? [[yaml, reads] as const] : []));

  test.each(readings.filter(([yaml]) => !hasSeparator(yaml)))('%j is read as Java 3.0.5 reads it', (yaml, reads) => {
    expect(read(yaml)).toEqual({ ...absent, jobName: 'j', shardingTotalCount: 3, ...reads });
  });

  test.each(readings.filter(([yaml]) => hasSeparator(yaml)))(
    '%j is read with a line feed or a blank where Java 3.0.5 reads a line separator',
    (yaml, reads) => {
      expect(withoutBreaks(read(yaml))).toEqual(
        withoutBreaks({ ...absent, jobName: 'j', shardingTotalCount: 3, ...reads }),
      );
    },
  );

  test.each(javaReadings.flatMap(({ yaml, refused }) => (refused ? [[yaml, refused] as const] : [])))(
    '%j is refused, as Java refuses it with %p',
    (yaml) => {
      expect(faultsOf(yaml)).not.toHaveLength(0);
    },
  );

  test('may use empty texts for what is not set, as consoles write it', () => {
    const types = ['jobShardingStrategyType', 'jobExecutorServiceHandlerType', 'jobErrorHandlerType', 'label', 'cron'];

    expect(read(toYaml(minimal) + types.map((type) => `${type}: ''\n`).join(''))).toEqual(minimal);
  });

  test('may use ~ for what is not set, though Java refuses that for flags, numbers, lists and mappings', () => {
    const keys = ['jobListenerTypes', 'props', 'misfire', 'maxTimeDiffSeconds', 'cron', 'jobExtraConfigurations'];

    expect(
      fromYaml(`jobName: bill\nshardingTotalCount: 3\n${keys.map((key) => `${key}: ~\n`).join('')}`, path),
    ).toEqual({
      configuration: minimal,
      threadPoolKey: undefined,
      extraConfigurations: undefined,
      unknownKeys: [],
    });
  });

  test.each(['jobExecutorServiceHandlerType', 'jobExecutorThreadPoolSizeProviderType'] as const)(
    'may say %s',
    (threadPoolKey) => {
      const stored = fromYaml(`${toYaml(minimal)}${threadPoolKey}: CPU\n`, path);

      expect(stored.threadPoolKey).toBe(threadPoolKey);
      expect(stored.configuration.jobExecutorThreadPoolSizeProviderType).toBe('CPU');
    },
  );

  test('may have a hundred thousand items', () => {
    expect(read('jobName: bill\nshardingTotalCount: 100000').shardingTotalCount).toBe(100_000);
  });

  test('keeps fractions in props as they are written, where Java would write them anew', () => {
    expect(read(`${toYaml(minimal)}props: {a: 1.50, b: 1e3, c: 0x10, d: yes, e: '0x10', f: !!str 017}`).props).toEqual({
      a: '1.50',
      b: '1e3',
      c: '16',
      d: 'true',
      e: '0x10',
      f: '017',
    });
  });

  test('may have a prop with the name of an object’s own members', () => {
    const props = Object.fromEntries([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);

    expect(Object.entries(read(toYaml({ ...minimal, props })).props)).toEqual(Object.entries(props));
  });

  test('is used even if it has keys that are unknown, and they are named', () => {
    expect(fromYaml(`${toYaml(minimal)}dagName: x\nfoo: {bar: 1}\n`, path)).toMatchObject({
      configuration: minimal,
      unknownKeys: ['dagName', 'foo'],
    });
  });

  test('is refused with one sentence for each fault, naming path, key and value', () => {
    const yaml =
      'jobName: bill\nshardingTotalCount: many\nmisfire: perhaps\njobListenerTypes: A\nprops: {a: [1]}\nlabel: {b: c}\n';

    expect(faultsOf(yaml)).toEqual([
      '/bill/config: label must be text, got "{b: c}".',
      '/bill/config: shardingTotalCount must be an integer, got "many".',
      '/bill/config: misfire must be true or false, got "perhaps".',
      '/bill/config: jobListenerTypes must be a list of texts, got "A".',
      '/bill/config: props.a must be a text, got "[1]".',
    ]);
  });

  test.each([
    ['', 'the document is empty'],
    ['# nothing\n', 'the document is empty'],
    ['TRIGGER', 'the document is not a mapping'],
    ['- a', 'the document is not a mapping'],
    ['a: b: c', 'Nested mappings are not allowed in compact mappings at line 1, column 4'],
    ['jobName: bill', 'shardingTotalCount must be at least 1 and at most 100000, got 0'],
    ['jobName: a\nshardingTotalCount: 100001', 'shardingTotalCount must be at least 1 and at most 100000, got 100001'],
    ['shardingTotalCount: 1', 'jobName must not be empty'],
    ['jobName: a\nshardingTotalCount: 1\n<<: {misfire: true}', 'merge keys (<<) are not supported'],
  ])('%j is refused because %s', (yaml, fault) => {
    expect(faultsOf(yaml)).toEqual([`/bill/config: ${fault}.`]);
  });
});

describe('what Java stores for its tracing', () => {
  const tracing = `jobExtraConfigurations:
- !!org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration
  tracingStorageConfiguration: !!org.apache.shardingsphere.elasticjob.tracing.rdb.yaml.YamlDataSourceConfiguration
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    props: {jdbcUrl: 'jdbc:mysql://db/ej', username: u, maximumPoolSize: 10}
  type: RDB
`;
  const yaml = toYaml(minimal, { extraConfigurations: tracing });

  test('stands at its alphabetical place, and the rest is read as if it were not there', () => {
    expect(yaml).toContain(`failover: false\n${tracing}jobName: bill\n`);
    expect(fromYaml(yaml, path)).toMatchObject({ configuration: minimal, unknownKeys: [] });
  });

  test('survives a change of the configuration untouched', () => {
    const { configuration, extraConfigurations } = fromYaml(yaml, path);

    expect(toYaml({ ...configuration, shardingTotalCount: 9 }, { extraConfigurations })).toBe(
      yaml.replace('shardingTotalCount: 3', 'shardingTotalCount: 9'),
    );
  });

  test.each([
    ['at the end', `jobName: bill\nshardingTotalCount: 3\n${tracing}`],
    ['at the end without a line end', `jobName: bill\nshardingTotalCount: 3\n${tracing.trimEnd()}`],
    ['in an indented document', `${tracing}jobName: bill\nshardingTotalCount: 3\n`.replace(/^(?=.)/gm, '  ')],
  ])('is found %s', (_, text) => {
    expect(fromYaml(text, path).extraConfigurations).toBe(tracing);
  });

  test('survives in a document of JSON too', () => {
    const text =
      '{"jobName": "bill", "jobExtraConfigurations": [\n{"type": "RDB",\n"x": [1]}\n], "shardingTotalCount": 3}';
    const rewritten = toYaml(minimal, { extraConfigurations: fromYaml(text, path).extraConfigurations });

    expect(rewritten).toContain('jobExtraConfigurations: [\n  {"type": "RDB",\n  "x": [1]}\n  ]\n');
    expect(read(rewritten)).toEqual(minimal);
  });

  test.each(['[]', '{}', '~', ''])('is absent if the key has %p', (value) => {
    expect(fromYaml(`${toYaml(minimal)}jobExtraConfigurations: ${value}\n`, path).extraConfigurations).toBeUndefined();
  });
});
