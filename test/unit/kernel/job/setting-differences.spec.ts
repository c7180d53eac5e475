import { describe, expect, test } from '@jest/globals';
import {
  describeChanges,
  describeIgnored,
  settingDifferences,
} from '../../../../lib/kernel/job/setting-differences.js';
import { TestCluster } from '../../../../lib/testing/index.js';
import { aConfiguration } from '../../../support/views.js';

const between = (one: Parameters<typeof aConfiguration>[0], other: Parameters<typeof aConfiguration>[0]): string =>
  describeChanges(settingDifferences(aConfiguration(one), aConfiguration(other)));

describe('settings that differ', () => {
  test.each([
    [{ cron: '0 0 2 * * ?' }, { cron: '0 0 3 * * ?' }, "cron '0 0 2 * * ?' → '0 0 3 * * ?'"],
    [{ failover: false }, { failover: true }, 'failover false → true'],
    [{}, { timeZone: 'GMT+8' }, "timeZone none → 'GMT+8'"],
    [{ jobListenerTypes: ['a'] }, { jobListenerTypes: ['a', 'b'] }, "jobListenerTypes 'a' → 'a,b'"],
    [{}, { jobListenerTypes: [] }, ''],
    [{ overwrite: true }, { overwrite: false }, ''],
    [{}, { jobErrorHandlerType: 'LOG', jobShardingStrategyType: 'AVG_ALLOCATION' }, ''],
    [{}, { jobExecutorThreadPoolSizeProviderType: 'CPU' }, ''],
    [{}, { jobErrorHandlerType: 'THROW' }, "jobErrorHandlerType 'LOG' → 'THROW'"],
    [{ props: { a: '1', b: '2' } }, { props: { b: '2', a: '1' } }, ''],
    [
      { props: { pin: '1234', old: 'x' } },
      { props: { pin: '5678', young: 'y' } },
      'props.old a text that is not shown → none, props.pin a text that is not shown → another text that is not shown, ' +
        'props.young none → a text that is not shown',
    ],
    [{ jobParameter: '' }, { jobParameter: 'x'.repeat(200) }, `jobParameter none → '${'x'.repeat(99)}…`],
  ] as const)('%j and %j', (one, other, words) => {
    expect(between(one, other)).toBe(words);
  });

  test('of which none holds are named with overwrite, which makes them hold', () => {
    const several = settingDifferences(aConfiguration({ misfire: false }), aConfiguration({ failover: true }));

    expect(describeIgnored(several)).toBe(
      'the registry centre has other settings than this instance, and they hold: failover false (here true), ' +
        'misfire false (here true). Set overwrite: true to replace them.',
    );
  });
});

describe('an instance that starts with other settings than the stored ones', () => {
  const job = { cron: '*/3 * * * * ?' };

  test('warns that its own do not hold', async () => {
    await using cluster = await TestCluster.start(['A'], { job });
    await cluster.join('B', { cron: '*/2 * * * * ?' });

    expect(cluster.log.filter((line) => line.includes('overwrite'))).toEqual([
      "B: Job 'job': the registry centre has cron '*/3 * * * * ?', which holds; this instance's settings say '*/2 * * * * ?'. " +
        'Set overwrite: true to replace it.',
    ]);
  });

  test('says what it replaces if it overwrites, and its peers say what was changed', async () => {
    await using cluster = await TestCluster.start(['A'], { job });
    await cluster.join('B', { cron: '*/2 * * * * ?', overwrite: true });

    expect(cluster.log.filter((line) => /(its|stored) settings/.test(line))).toEqual([
      "B: Job 'job': its stored settings are replaced, because overwrite is true: cron '*/3 * * * * ?' → '*/2 * * * * ?'.",
      "A: Job 'job': its settings were changed: cron '*/3 * * * * ?' → '*/2 * * * * ?'.",
    ]);
  });

  test('says nothing if they are the same', async () => {
    await using cluster = await TestCluster.start(['A'], { job });
    await cluster.join('B');
    await cluster.join('C', { overwrite: true, jobErrorHandlerType: 'LOG' });

    expect(cluster.log.filter((line) => /(its|stored) settings/.test(line))).toEqual([]);
  });
});
