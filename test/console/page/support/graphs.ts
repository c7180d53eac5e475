import {
  type GraphDetail,
  type GraphNodeState,
  type GraphRoundRow,
  type GraphRow,
} from '../../../../lib/console/contract/graphs.js';
import { HOSTILE, NOW } from './fixtures.js';

/** A nightly graph: two imports, a report after both, and a mail and hostile names after the report. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  'settle-invoices': [],
  'import-orders': [],
  'build-report': ['settle-invoices', 'import-orders'],
  'refresh-search-index': ['import-orders'],
  'mail-report': ['build-report'],
  [HOSTILE]: ['build-report', 'refresh-search-index'],
};
const LEVELS: Readonly<Record<string, number>> = {
  'build-report': 1,
  'refresh-search-index': 1,
  'mail-report': 2,
  [HOSTILE]: 2,
};
const names = Object.keys(AFTER);
const MINUTE = 60_000;
const TIMES: Readonly<Record<string, number>> = {
  'settle-invoices': 4,
  'import-orders': 2,
  'build-report': 7,
  'refresh-search-index': 3,
  'mail-report': 8,
  [HOSTILE]: 9,
};

export const graph = (isPaused: boolean): GraphDetail => ({
  name: 'nightly',
  timeoutMs: 60 * MINUTE,
  ...(isPaused && { pausedSince: NOW - 5 * MINUTE }),
  nodes: names.map((jobName) => ({
    ...{ jobName, exists: jobName !== 'mail-report', level: LEVELS[jobName] ?? 0 },
    ...(AFTER[jobName]?.length === 0 && { cron: '0 0 2 * * ?' }),
    ...{ shardingTotalCount: 4, instanceCount: 3 },
    problems:
      jobName === HOSTILE ? [{ message: "It runs after 'b<i>', which it waits for, as there is no such job." }] : [],
  })),
  edges: names.flatMap((to) =>
    (AFTER[to] ?? []).map((from) => ({ from, to, items: to === 'refresh-search-index' ? ('same' as const) : 'all' })),
  ),
});

const round = (
  instant: number,
  states: readonly GraphNodeState[],
  more: Partial<GraphRoundRow> = {},
): GraphRoundRow => {
  const isRunning = states.includes('running') || states.includes('waiting');
  return {
    ...{ instant, scheduledAt: instant, cause: 'schedule' },
    state: isRunning ? 'running' : states.includes('failed') ? 'failed' : 'succeeded',
    ...(!isRunning && { endedAt: instant + 9 * MINUTE }),
    nodes: names.map((jobName, index) => {
      const state = states[index] ?? 'waiting';
      const isOver = state === 'succeeded' || state === 'failed';
      return {
        ...{ jobName, state, takesPart: true, isCarried: false },
        ...(state !== 'waiting' && { since: instant + (TIMES[jobName] ?? 0) * MINUTE }),
        waitingFor: state === 'waiting' ? (AFTER[jobName] ?? []) : [],
        items: { total: 4, ended: isOver ? 4 : 1 },
        failedItems: state === 'failed' ? [2] : [],
      };
    }),
    ...more,
  };
};

const all = (state: GraphNodeState): readonly GraphNodeState[] => names.map(() => state);

/** The rounds of the graph, the newest first: one that runs, one that has failed, and one that has succeeded. */
export const rounds = (): readonly GraphRoundRow[] => [
  round(NOW - 6 * MINUTE + 123, ['succeeded', 'succeeded', 'running', 'succeeded', 'waiting', 'waiting'], {
    cause: 'manual',
  }),
  round(NOW - 86_400_000, ['succeeded', 'succeeded', 'failed', 'succeeded', 'stopped', 'stopped']),
  round(NOW - 2 * 86_400_000, all('succeeded')),
];

export const graphs = (isPaused: boolean): readonly GraphRow[] => [
  {
    ...{ name: 'nightly', jobs: names, roots: ['settle-invoices', 'import-orders'], isPaused, problemCount: 1 },
    lastRound: { ...rounds()[0]! },
  },
  {
    name: 'weekly',
    jobs: ['archive-events', 'warm-caches'],
    roots: ['archive-events'],
    isPaused: false,
    problemCount: 0,
  },
];
