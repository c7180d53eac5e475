import { type JobSpec } from './history.js';

const everySecond = { cron: '* * * * * ?', periodMs: 1_000 };
const everyTwoSeconds = { cron: '0/2 * * * * ?', periodMs: 2_000 };
const everyFiveSeconds = { cron: '0/5 * * * * ?', periodMs: 5_000 };
const rescued = { failover: true, misfire: true, monitorExecution: true };

/** Two roots, a report of both and a mail after it; and an index that follows one root item by item. */
const GRAPH: readonly JobSpec[] = [
  { name: 'importA', ...everyFiveSeconds, ...rescued, items: 3, steps: [4, 12, 8], stepMs: 100 },
  { name: 'importB', ...everyFiveSeconds, ...rescued, items: 2, steps: [6, 3], stepMs: 100 },
  { name: 'report', ...everyFiveSeconds, ...rescued, after: ['importA', 'importB'], items: 2, steps: [5], stepMs: 100 },
  { name: 'mail', ...everyFiveSeconds, ...rescued, after: ['report'], items: 1, steps: [3], stepMs: 100 },
  {
    ...{ name: 'index', ...everyFiveSeconds, ...rescued, after: ['importA'], afterItems: 'same' },
    ...{ items: 3, steps: [6, 2, 4], stepMs: 100 },
  },
];

/** The jobs of every instance: short and long items, one and many, those that outlast their period, each policy. */
export const JOBS: readonly JobSpec[] = [
  { name: 'quick', ...everySecond, ...rescued, items: 6, steps: [2], stepMs: 50 },
  { name: 'twelve', ...everyTwoSeconds, ...rescued, items: 12, steps: [3, 6, 9], stepMs: 100 },
  { name: 'long', ...everyFiveSeconds, ...rescued, items: 4, steps: [30, 20], stepMs: 100 },
  { name: 'single', ...everyFiveSeconds, ...rescued, items: 1, steps: [20], stepMs: 100 },
  { name: 'overrun', ...everyTwoSeconds, ...rescued, items: 3, steps: [32, 4, 4], stepMs: 100 },
  { name: 'dropping', ...everyTwoSeconds, ...rescued, misfire: false, items: 3, steps: [4, 27, 4], stepMs: 100 },
  { name: 'unrescued', ...everySecond, ...rescued, failover: false, items: 5, steps: [3], stepMs: 100 },
  {
    name: 'unmonitored',
    ...everySecond,
    failover: false,
    misfire: false,
    monitorExecution: false,
    items: 4,
    steps: [1],
    stepMs: 20,
  },
  ...GRAPH,
];

/** The settings of jobs as the processes are given them. */
export function settingsOf(jobs: readonly JobSpec[]): string {
  return JSON.stringify(
    Object.fromEntries(
      jobs.map(({ name, cron, after, afterItems, items, failover, misfire, monitorExecution, steps, stepMs }) => [
        name,
        {
          ...(after === undefined ? { cron } : { after, afterItems: afterItems ?? 'all', afterRounds: 'every' }),
          shardingTotalCount: items,
          failover,
          misfire,
          monitorExecution,
          overwrite: true,
          work: { steps, stepMs },
        },
      ]),
    ),
  );
}
