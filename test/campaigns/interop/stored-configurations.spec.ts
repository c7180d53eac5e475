import { describe, expect, test } from '@jest/globals';
import { type JobConfiguration, jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { fromYaml, toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { GOLDEN_JOBS } from './support/golden-jobs.js';
import { JAVA_VERSIONS } from './support/java.js';
import { JavaAnswers } from './support/java-answers.js';
import { randomConfigurations } from './support/random-configurations.js';
import { withSortedProps } from './support/sorted-props.js';

const configurations: readonly JobConfiguration[] = [
  ...GOLDEN_JOBS.map(({ settings }) => jobConfiguration(settings as Parameters<typeof jobConfiguration>[0])),
  ...randomConfigurations(400),
];

/** Java's answer about a stored text. */
interface Answer {
  /** How it would store what it has read; `undefined` if it could not. */
  readonly again?: string;
  readonly refused?: string;
}

const TRACING = {
  '3.0.4': 'org.apache.shardingsphere.elasticjob.tracing.yaml.YamlTracingConfiguration',
  '3.0.5': 'org.apache.shardingsphere.elasticjob.kernel.tracing.yaml.YamlTracingConfiguration',
} as const;

describe.each(JAVA_VERSIONS)('stored configurations beside Java %s', (version) => {
  const compatibility = version === '3.0.4' ? '3.0.4' : '3.0.5';

  test(`Java reads ${configurations.length} that Node has written, writes the same, and Node reads that`, async () => {
    expect(configurations.length).toBeGreaterThan(400);
    const texts = configurations.map((configuration) => toYaml(configuration, { compatibility }));
    await using java = await JavaAnswers.open(version);

    const answers = (await java.ask('parse', texts)) as readonly Answer[];

    const others = texts.flatMap((text, index) => {
      const { again, refused } = answers[index]!;
      return again !== undefined && withSortedProps(again) === withSortedProps(text) ? [] : [{ text, again, refused }];
    });
    expect(others).toEqual([]);
    expect(answers.map(({ again }) => fromYaml(again!, '/job/config').configuration)).toEqual(configurations);
  });

  test('Node keeps the tracing that Java has set up, under the name of its class there', async () => {
    const tracing = `jobExtraConfigurations:
- !!${TRACING[compatibility]}
  tracingStorageConfiguration: !!org.apache.shardingsphere.elasticjob.tracing.rdb.yaml.YamlDataSourceConfiguration
    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
    props:
      jdbcUrl: jdbc:h2:mem:tracing
  type: RDB
`;
    const configuration = configurations[0]!;
    await using java = await JavaAnswers.open(version);
    const { again: stored } = (await java.ask('parse', toYaml(configuration) + tracing)) as { readonly again: string };

    const read = fromYaml(stored, '/job/config');

    expect(stored).toContain(tracing);
    expect(read).toMatchObject({ configuration, extraConfigurations: tracing, unknownKeys: [] });
    const { extraConfigurations } = read;
    expect(toYaml(read.configuration, { extraConfigurations })).toBe(stored);
  });

  test('a text with a thread pool is refused by Java if Node was not told that such peers are to read it', async () => {
    const configuration = { ...configurations[0]!, jobExecutorThreadPoolSizeProviderType: 'CPU' };
    const other = compatibility === '3.0.4' ? '3.0.5' : '3.0.4';
    const texts = [compatibility, other].map((each) => toYaml(configuration, { compatibility: each as '3.0.4' }));
    await using java = await JavaAnswers.open(version);

    const [same, foreign] = (await java.ask('parse', texts)) as readonly Answer[];

    expect(same!.again).toBe(texts[0]);
    expect(foreign!.refused).toMatch(/Unable to find property 'jobExecutor/);
    expect(texts.map((text) => fromYaml(text, '/job/config').configuration)).toEqual([configuration, configuration]);
  });
});
