import { describe, expect, test } from '@jest/globals';
import { check } from './checker/checker.js';
import { type History, type JobSpec, type LogEvent } from './history.js';

const usual = { cron: '* * * * * ?', periodMs: 1_000, steps: [1], stepMs: 100 };
const policies = { failover: true, misfire: true, monitorExecution: true };
const ROOT: JobSpec = { name: 'root', ...usual, ...policies, items: 2 };
const REPORT: JobSpec = { name: 'report', ...usual, ...policies, items: 1, after: ['root'] };
const INDEX: JobSpec = { name: 'index', ...usual, ...policies, items: 2, after: ['root'], afterItems: 'same' };

interface Told {
  readonly job: string;
  readonly item?: number;
  readonly at: number;
  readonly ends?: number;
}

/** Kinds of the findings about rounds, of a process that made these runs for the first second. */
function found(successor: JobSpec, told: readonly Told[], changes: Partial<History> = {}): readonly string[] {
  const history: History = {
    ...{ registry: 'zookeeper', jobs: [ROOT, successor], faults: [], outages: [], moments: [] },
    processes: [{ name: 'A#1', pid: 1, bornAt: -60_000, diedAt: undefined }],
    events: [{ process: 'A#1', t: -50_000, event: 'ready' }, ...eventsOf(told)],
    ...{ from: 500, to: 60_000, wallOffset: 0, sessionMs: 3_000 },
    ...changes,
  };
  return check(history)
    .findings.map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('round'));
}

const ROUND: readonly Told[] = [
  { job: 'root', item: 0, at: 1_010, ends: 1_100 },
  { job: 'root', item: 1, at: 1_020, ends: 1_500 },
];

describe('the checker, of jobs that run after others', () => {
  test('has nothing against a job that runs when all upstream items have ended', () => {
    expect(found(REPORT, [...ROUND, { job: 'report', at: 1_600, ends: 1_700 }])).toEqual([]);
  });

  test('finds one that runs while an upstream item is running, or before it is run again', () => {
    expect(found(REPORT, [...ROUND, { job: 'report', at: 1_400, ends: 1_700 }])).toEqual(['round early']);
    expect(found(REPORT, [ROUND[0]!, { job: 'report', at: 1_400, ends: 1_450 }, { ...ROUND[1]!, at: 1_460 }])).toEqual([
      'round early',
    ]);
  });

  test('finds a round that was not run, unless it came at the very end or an upstream item has not ended', () => {
    expect(found(REPORT, ROUND)).toEqual(['round missed']);
    expect(found(REPORT, ROUND, { to: 10_000 })).toEqual([]);
    expect(found(REPORT, [ROUND[0]!, { job: 'root', item: 1, at: 1_020 }])).toEqual([]);
  });

  test('excuses an upstream run that goes on in a process that was stopped', () => {
    const stalled: LogEvent = { process: 'A#1', t: 1_450, event: 'stall', from: 1_030 };
    const runs = [...ROUND, { job: 'report', at: 1_400, ends: 1_700 }];

    expect(found(REPORT, runs)).toEqual(['round early']);
    expect(found(REPORT, runs, { events: [...eventsOf(runs), stalled] })).toEqual([]);
  });

  test('asks only for the upstream item of its number, item by item', () => {
    const index: readonly Told[] = [
      { job: 'index', item: 0, at: 1_200, ends: 1_300 },
      { job: 'index', item: 1, at: 1_600, ends: 1_700 },
    ];
    expect(found(INDEX, [...ROUND, ...index])).toEqual([]);
    expect(found(INDEX, [...ROUND, index[0]!])).toEqual(['round missed']);
    expect(found(INDEX, [...ROUND, index[0]!, { ...index[1]!, at: 1_400 }])).toEqual(['round early']);
  });
});

function eventsOf(told: readonly Told[]): readonly LogEvent[] {
  return told.flatMap(({ job, item = 0, at, ends }, run): LogEvent[] => [
    { process: 'A#1', t: at, event: 'start', run, job, item, scheduledAt: 1_000, fencingToken: at },
    ...(ends === undefined ? [] : [{ process: 'A#1', t: ends, event: 'end', run } as const]),
  ]);
}
