import { expect, test } from '@jest/globals';
import { type JobConfigurationBuilder, JobConfiguration } from '../../../lib/api/job/job-configuration.js';

test.each<[string, (builder: JobConfigurationBuilder) => JobConfigurationBuilder, object]>([
  ['cron', (builder) => builder.cron('0/5 * * * * ?'), { cron: '0/5 * * * * ?' }],
  ['timeZone', (builder) => builder.timeZone('GMT+08:00'), { timeZone: 'GMT+08:00' }],
  ['shardingItemParameters', (builder) => builder.shardingItemParameters('0=a'), { shardingItemParameters: '0=a' }],
  ['jobParameter', (builder) => builder.jobParameter('p'), { jobParameter: 'p' }],
  ['monitorExecution', (builder) => builder.monitorExecution(false), { monitorExecution: false }],
  ['failover', (builder) => builder.failover(true), { failover: true }],
  ['misfire', (builder) => builder.misfire(false), { misfire: false }],
  ['maxTimeDiffSeconds', (builder) => builder.maxTimeDiffSeconds(7), { maxTimeDiffSeconds: 7 }],
  ['reconcileIntervalMinutes', (builder) => builder.reconcileIntervalMinutes(3), { reconcileIntervalMinutes: 3 }],
  [
    'jobShardingStrategyType',
    (builder) => builder.jobShardingStrategyType('ODEVITY'),
    { jobShardingStrategyType: 'ODEVITY' },
  ],
  [
    'jobExecutorThreadPoolSizeProviderType',
    (builder) => builder.jobExecutorThreadPoolSizeProviderType('SINGLE_THREAD'),
    { jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' },
  ],
  ['jobErrorHandlerType', (builder) => builder.jobErrorHandlerType('IGNORE'), { jobErrorHandlerType: 'IGNORE' }],
  ['jobListenerTypes', (builder) => builder.jobListenerTypes('A', 'B'), { jobListenerTypes: ['A', 'B'] }],
  ['description', (builder) => builder.description('bills'), { description: 'bills' }],
  ['props', (builder) => builder.setProperty('a.b', 'c').setProperty('d', 'e'), { props: { 'a.b': 'c', d: 'e' } }],
  ['timeoutMilliseconds', (builder) => builder.timeoutMilliseconds(5), { props: { 'run.timeoutMilliseconds': '5' } }],
  ['maxRetries', (builder) => builder.maxRetries(0), { props: { 'run.maxRetries': '0' } }],
  [
    'retryBackoffMilliseconds',
    (builder) => builder.retryBackoffMilliseconds(7),
    { props: { 'run.retryBackoffMilliseconds': '7' } },
  ],
  ['after', (builder) => builder.after('a').after('b', 'c'), { props: { 'graph.after': 'b,c' } }],
  ['afterItems', (builder) => builder.afterItems('same'), { props: { 'graph.afterItems': 'same' } }],
  ['afterMatch', (builder) => builder.afterMatch('latest'), { props: { 'graph.afterMatch': 'latest' } }],
  ['afterFailure', (builder) => builder.afterFailure('run'), { props: { 'graph.afterFailure': 'run' } }],
  ['graph', (builder) => builder.graph('nightly'), { props: { 'graph.name': 'nightly' } }],
  [
    'graphTimeoutMilliseconds',
    (builder) => builder.graphTimeoutMilliseconds(60_000),
    { props: { 'graph.timeoutMilliseconds': '60000' } },
  ],
  ['afterRounds', (builder) => builder.afterRounds('every'), { props: { 'graph.afterRounds': 'every' } }],
  [
    'the last value of a property',
    (builder) => builder.setProperty('a', '1').setProperty('a', '2'),
    { props: { a: '2' } },
  ],
  ['disabled', (builder) => builder.disabled(true), { disabled: true }],
  ['overwrite', (builder) => builder.overwrite(true), { overwrite: true }],
  ['label', (builder) => builder.label('billing'), { label: 'billing' }],
  ['staticSharding', (builder) => builder.staticSharding(true), { staticSharding: true }],
])('the builder sets %s and nothing else', (_, set, expected) => {
  const untouched = JobConfiguration.newBuilder('job', 3).build();

  const built = set(JobConfiguration.newBuilder('job', 3)).build();

  expect(built).toEqual({ ...untouched, ...expected });
});
