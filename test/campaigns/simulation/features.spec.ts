import { describe, expect, test } from '@jest/globals';
import { type Feature, FEATURES } from './features.js';
import { type History } from './history.js';
import { OWN_STRATEGIES } from './strategies.js';
import { historyOf, plainHistoryOf } from './storyteller.js';

const CAMPAIGN = 20_000;
const histories = Array.from({ length: CAMPAIGN }, (_, index) => historyOf(index + 1));

const withFeature = (feature: Feature): readonly History[] =>
  histories.filter(({ features }) => features?.includes(feature));
const has = ({ steps }: History, type: History['steps'][number]['type']): boolean =>
  steps.some((step) => step.type === type);

/** The event that each feature must cause. */
const SHOWS: Readonly<Record<Feature, (history: History) => boolean>> = {
  'monitoring switched': ({ steps }) =>
    steps.some((step) => step.type === 'reconfigure' && step.change.monitorExecution !== undefined),
  'registry wiped': (history) => has(history, 'wipe'),
  'large job': ({ job, operationsACommit }) => job.shardingTotalCount >= 1_000 && (operationsACommit ?? 0) < 1_000,
  'own strategy': ({ job }) => (OWN_STRATEGIES as readonly string[]).includes(job.jobShardingStrategyType),
  'stop while choosing': (history) => has(history, 'leave') && has(history, 'join'),
  'once-listener': ({ onceListener }) => onceListener !== undefined,
  'pool of one': ({ poolSize }) => poolSize === 1,
  'trigger and lost session': (history) =>
    has(history, 'trigger') && (has(history, 'expire') || has(history, 'suspend') || has(history, 'cut')),
  'run outlives its session': (history) => has(history, 'suspend') && history.job.failover,
  'items dropped and back': ({ steps }) =>
    steps.filter((step) => step.type === 'reconfigure' && step.change.shardingTotalCount !== undefined).length >= 2,
  'stop beside a slow item': (history) => has(history, 'leave'),
  'poisonous errors': ({ behaviours }) => behaviours.includes('poisonous'),
  'failing logger': (history) => has(history, 'fail-logger') && history.behaviours.includes('failing'),
  'run limits': ({ job }) => Object.keys(job.props ?? {}).some((key) => key.startsWith('run.')),
  'items triggered': ({ steps }) => steps.some((step) => step.type === 'trigger' && step.item !== undefined),
  'late sweep': ({ sweepLateMs }) => sweepLateMs !== undefined,
  'changes heard late': (history) => has(history, 'hear-late'),
  'mirrors read again': ({ steps }) => steps.some((step) => step.type === 'suspend' && step.ms <= 40),
  'leases prolonged': (history) => has(history, 'prolong-sessions'),
  'sticky strategy': ({ job }) => job.jobShardingStrategyType === 'STICKY',
};

describe('features of histories', () => {
  test.each(FEATURES.filter((feature) => feature !== 'large job'))(
    '“%s” comes in at least one of a hundred histories',
    (feature) => {
      expect(withFeature(feature).length).toBeGreaterThan(CAMPAIGN / 100);
    },
  );

  test('large jobs are rare, as each takes as long as many others', () => {
    const { length } = withFeature('large job');

    expect(length).toBeGreaterThanOrEqual(8);
    expect(length).toBeLessThan(CAMPAIGN / 500);
  });

  test.each(FEATURES)('“%s” is in each history that is said to have it', (feature) => {
    // A second feature may take the place of what the first one has set.
    const alone = withFeature(feature).filter(({ features }) => features?.length === 1);

    expect(alone.filter((history) => !SHOWS[feature](history))).toEqual([]);
  });

  test('more than two fifths of the histories have none, and stay what they were before there were features', () => {
    const plain = histories.filter(({ features }) => features === undefined);

    expect(plain.length).toBeGreaterThan(0.4 * CAMPAIGN);
    expect(plain.length).toBeLessThan(0.5 * CAMPAIGN);
    for (const history of plain.slice(0, 500)) expect(history).toEqual(plainHistoryOf(history.seed));
  });

  test('keep steps in the order of their moments, none before the beginning', () => {
    for (const { steps } of histories) {
      const moments = steps.map(({ atMs }) => atMs);
      expect(moments).toEqual([...moments].sort((one, other) => one - other));
      expect(moments.every((atMs) => Number.isInteger(atMs) && atMs >= 0)).toBe(true);
    }
  });
});
