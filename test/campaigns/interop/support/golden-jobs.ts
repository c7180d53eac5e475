import { type JobSettings } from './peer.js';

/** A job whose tree is recorded, and the first release of Java that can run it. */
export interface GoldenJob {
  readonly settings: JobSettings;
  readonly since?: string;
}

/** Never while a test runs: what has to fire is triggered. */
export const NEVER = '0 0 0 1 1 ? 2099';
const LOREM =
  'Lorem ipsum dolor sit amet, consetetur sadipscing elitr, sed diam nonumy eirmod tempor invidunt ut labore et dolore magna aliquyam erat';

const job = (jobName: string, settings: Partial<JobSettings> = {}, since?: string): GoldenJob => ({
  settings: { jobName, shardingTotalCount: 2, cron: NEVER, ...settings },
  ...(since !== undefined && { since }),
});

/** One for each thing that may be set, and for each way in which a text may have to be written. */
export const GOLDEN_JOBS: readonly GoldenJob[] = [
  job('all-defaults'),
  {
    settings: { jobName: 'one-off', shardingTotalCount: 3 },
  },
  job('all-options', {
    shardingTotalCount: 4,
    timeZone: 'GMT+08:00',
    shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou,3=Shenzhen',
    jobParameter: 'all',
    monitorExecution: true,
    failover: true,
    misfire: false,
    maxTimeDiffSeconds: 3600,
    reconcileIntervalMinutes: 7,
    jobShardingStrategyType: 'ODEVITY',
    jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD',
    jobErrorHandlerType: 'IGNORE',
    jobListenerTypes: ['EACH_INSTANCE', 'ONCE'],
    description: 'Everything is set.',
    props: { 'a.key': 'a value' },
    disabled: false,
    overwrite: true,
    label: 'blue',
    staticSharding: true,
  }),
  job('unicode-工作-ünï', {
    shardingItemParameters: '0=北京,1=São Paulo',
    jobParameter: '作业参数 🦫 ñandú',
    description: 'Über das Öl\u00a0– „Anführung“ и кириллица',
    label: 'été',
  }),
  job('long-texts', {
    description: `${LOREM}. ${LOREM}.`,
    jobParameter: `key: ${LOREM} # ${LOREM}`,
    shardingItemParameters: `0=${LOREM.replaceAll(',', ';')},1=${LOREM.replaceAll(/[ ,]/g, '_')}`,
    props: { long: `${LOREM} ${LOREM}`, [`a.${LOREM.replaceAll(/[ ,]+/g, '.')}`]: 'the key is long' },
  }),
  job('several-lines', {
    description: 'first line\nsecond line',
    jobParameter: '\n  indented\n\nafter a blank line\n',
    label: 'tab\there',
    props: { script: '#!/bin/sh\necho "done"\n\n', trailing: 'space \nbefore the break' },
  }),
  job('texts-that-look-like-others', {
    description: '- item',
    jobParameter: '0x1F',
    label: 'true',
    props: { a: 'null', b: '12:30', c: '2020-01-01', d: "it's", e: '', f: ' ', g: 'off', h: '1e3', i: '@at', j: '[x]' },
  }),
  job('props-with-odd-keys', {
    props: {
      'script.command.line': 'echo',
      'a b': 'space',
      'with: colon': 'x',
      '#hash': 'y',
      "quote'd": 'z',
      true: 'flag',
      '5': 'number',
      键: '值',
      '-': 'dash',
      'line\nbreak': 'key',
    },
  }),
  job('strategy-average', { shardingTotalCount: 3, jobShardingStrategyType: 'AVG_ALLOCATION' }),
  job('strategy-odevity', { shardingTotalCount: 3, jobShardingStrategyType: 'ODEVITY' }),
  job('strategy-round-robin', { shardingTotalCount: 3, jobShardingStrategyType: 'ROUND_ROBIN' }),
  job('strategy-single', { shardingTotalCount: 1, jobShardingStrategyType: 'SINGLE_SHARDING_BALANCE' }, '3.0.5'),
  job('errors-logged', { jobErrorHandlerType: 'LOG' }),
  job('errors-ignored', { jobErrorHandlerType: 'IGNORE' }),
  job('errors-thrown', { jobErrorHandlerType: 'THROW' }),
  job('listener-each', { jobListenerTypes: ['EACH_INSTANCE'] }),
  job('listener-once', { jobListenerTypes: ['ONCE'] }),
  job('thread-pool', { jobExecutorThreadPoolSizeProviderType: 'CPU' }),
  job('failover', { failover: true }),
  job('unmonitored', { monitorExecution: false, misfire: false, reconcileIntervalMinutes: 0 }),
  job('time-checked', { maxTimeDiffSeconds: 3600 }),
  job('reconciled', { reconcileIntervalMinutes: 1 }),
  job('disabled', { disabled: true }),
  job('static', { staticSharding: true }),
  job('time-zone', { timeZone: 'GMT-05:30' }),
];

/**
 * Jobs that two instances share: the second one has item 0, for its address is the greater one; the first one has item
 * 1.
 */
export const SHARED_JOBS: readonly JobSettings[] = [
  { jobName: 'triggered', shardingTotalCount: 2 },
  job('item-disabled').settings,
  job('server-disabled').settings,
  job('meeting', { jobListenerTypes: ['ONCE'] }).settings,
  job('cut-off').settings,
  job('rescued', { failover: true }).settings,
  job('rescued-later', { failover: true }).settings,
];

/** Two that fire twice, at the next second but one and at the one after that, and then not before the next day. */
export function jobsThatFireSoon(): { readonly jobs: readonly JobSettings[]; readonly lastInstant: Date } {
  const first = new Date(Date.now() + 2_000);
  if (first.getSeconds() > 57) first.setSeconds(60);
  first.setMilliseconds(0);
  const second = first.getSeconds();
  const cron = `${second},${second + 1} ${first.getMinutes()} ${first.getHours()} * * ?`;
  const jobs = [job('misfired', { cron }).settings, job('missed', { cron, misfire: false }).settings];
  return { jobs, lastInstant: new Date(first.getTime() + 1_000) };
}
