import { describe, expect, test } from '@jest/globals';
import { javaConfigurations, javaReadings, javaTrees } from '../../unit/layout/fixtures.js';
import { JAVA_VERSIONS } from './support/java.js';
import { IS_RECORDING } from './support/golden-records.js';
import { JavaAnswers } from './support/java-answers.js';
import { javaTreesOf } from './support/java-trees.js';
import {
  type Answer,
  RECORDED_RELEASE,
  recordConfigurations,
  recordReadings,
  recordTrees,
} from './support/layout-records.js';
import { JAVA } from './support/sides.js';

/**
 * The fixtures have the words of 3.0.5. 3.0.4 has a class in another package, and knows one setting by another name.
 */
const IN_WORDS_OF: Readonly<Record<string, (text: string) => string>> = {
  '3.0.4': (text) =>
    text
      .replaceAll('kernel.internal.config.JobConfigurationPOJO', 'infra.pojo.JobConfigurationPOJO')
      .replace(/(?<![^\n])jobExecutorThreadPoolSizeProviderType:[^\n]*\n(?:(?: [^\n]*)?\n)*/, ''),
};

/** A refusal without the expression that was null, which is another one in each release. */
const withoutCode = (cause: string): string => cause.replace(/^(NullPointerException): Cannot invoke .*/s, '$1');

/**
 * As it is on record; for 3.0.4 without the setting that is called otherwise there, which would also break lines
 * elsewhere.
 */
const onRecord = (version: string) => {
  if (version !== '3.0.4') return javaConfigurations;
  const without = <T extends object>(configuration: T): T => ({
    ...configuration,
    jobExecutorThreadPoolSizeProviderType: undefined,
  });
  return javaConfigurations.map(({ configuration, yaml, read = configuration }) => ({
    configuration: without(configuration),
    yaml,
    read: without(read),
  }));
};

describe.each(JAVA_VERSIONS)('the texts on record in test/unit/layout/fixtures are those of Java %s:', (version) => {
  const inItsWords = IN_WORDS_OF[version] ?? ((text: string) => text);
  const isToRecord = IS_RECORDING && version === RECORDED_RELEASE;

  test(`how it stores ${javaConfigurations.length} configurations, and what it reads of that`, async () => {
    const records = onRecord(version);
    const texts = records.map(({ yaml }) => inItsWords(yaml));
    await using java = await JavaAnswers.open(version);

    const configurations = records.map(({ configuration }) => configuration);
    const written = (await java.ask('write', configurations)) as readonly string[];
    if (isToRecord) {
      const stored = (await java.ask('parse', written)) as readonly Answer[];
      return recordConfigurations(configurations, written, stored);
    }
    const answers = (await java.ask('parse', texts)) as readonly Answer[];

    expect(written).toEqual(texts);
    expect(answers.map(({ configuration }) => configuration)).toEqual(
      // The one setting of Java's that Node keeps apart.
      records.map(({ configuration, read = configuration }) => ({ ...read, jobExtraConfigurations: [] })),
    );
  });

  test(`what it reads of ${javaReadings.length} documents, or why it refuses them`, async () => {
    await using java = await JavaAnswers.open(version);

    const texts = javaReadings.map(({ yaml }) => inItsWords(yaml));
    const answers = (await java.ask('parse', texts)) as readonly Answer[];
    if (isToRecord) {
      const [plain] = (await java.ask('parse', ['jobName: j\nshardingTotalCount: 1'])) as readonly Answer[];
      return recordReadings(texts, answers, plain!);
    }

    const others = javaReadings.flatMap(({ yaml, reads, refused }, index) => {
      const { configuration, cause } = answers[index]!;
      const isSame =
        refused === undefined
          ? JSON.stringify({ ...configuration, ...reads }) === JSON.stringify(configuration)
          : cause !== undefined && withoutCode(cause).startsWith(withoutCode(inItsWords(refused)));
      return isSame ? [] : [{ yaml, reads, refused, configuration, cause }];
    });
    expect(others).toEqual([]);
  });
});

// 3.0.4 makes some of these nodes in another order; golden/ has what it leaves.
for (const side of JAVA.filter(({ version }) => version === RECORDED_RELEASE)) {
  test(`the nodes on record in test/unit/layout/fixtures are those that ${side.name} leaves`, async () => {
    const configurations = javaTrees.configurations.map((each) => ({ ...each }));
    const nodes = await javaTreesOf(side, configurations);

    if (IS_RECORDING) return recordTrees(configurations, nodes);
    expect(nodes).toEqual(javaTrees.nodes);
  });
}
