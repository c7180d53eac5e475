/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
import { expect, test } from '@jest/globals';
import { until } from '../support/until.js';
import { Processes, type RecordedRun } from './processes.js';
import { newNamespace, type RegistryKind, type RegistryServer } from './registry-kind.js';

/** Longer than the session of a killed process, so that its items are taken over within the next round or two. */
const PERIOD = '0/3 * * * * ?';

const item = { failover: true, work: { steps: [1], stepMs: 300 } };

/** Two roots, a report of both, a mail after it; and an index that follows one root item by item. */
const JOBS = {
  importA: { cron: PERIOD, shardingTotalCount: 2, ...item },
  importB: { cron: PERIOD, shardingTotalCount: 1, ...item },
  report: { after: ['importA', 'importB'], afterRounds: 'every', shardingTotalCount: 2, ...item },
  mail: { after: 'report', afterRounds: 'every', shardingTotalCount: 1, ...item },
  index: { after: 'importA', afterItems: 'same', afterRounds: 'every', shardingTotalCount: 2, ...item },
} as const;

type JobName = keyof typeof JOBS;

const UPSTREAMS: Readonly<Partial<Record<JobName, readonly JobName[]>>> = {
  report: ['importA', 'importB'],
  mail: ['report'],
  index: ['importA'],
};

/** The moments of a round at which an instance is killed. */
type Moment = {
  readonly what: string;
  /** The instance to kill; `undefined`: the moment has not come. */
  readonly victim: (runs: readonly RecordedRun[]) => string | undefined;
};

function victimIn(runs: readonly RecordedRun[], isIt: (run: RecordedRun) => boolean): string | undefined {
  return runs.find(isIt)?.instance;
}

/** The last run of a job in a round whose runs have all ended; `undefined` if there is none yet. */
function lastEnd(runs: readonly RecordedRun[], job: JobName): RecordedRun | undefined {
  const ofJob = runs.filter((run) => run.job === job);
  const instant = Math.max(...ofJob.map(({ scheduledAt }) => scheduledAt));
  const round = ofJob.filter(({ scheduledAt, endedAt }) => scheduledAt === instant && endedAt !== undefined);
  if (round.length < JOBS[job].shardingTotalCount) return undefined;
  return round.reduce((last, run) => ((run.endedAt ?? 0) > (last.endedAt ?? 0) ? run : last));
}

const MOMENTS: readonly Moment[] = [
  {
    what: 'while an upstream item runs',
    victim: (runs) => victimIn(runs, ({ job, endedAt }) => job === 'importA' && endedAt === undefined),
  },
  { what: 'when the last upstream item has just ended', victim: (runs) => lastEnd(runs, 'importA')?.instance },
  {
    what: 'when the upstream round is complete and the successor has not begun',
    victim: (runs) => {
      const last = lastEnd(runs, 'importA');
      // An ended item is unmarked within a tenth of a second.
      return last?.endedAt !== undefined && Date.now() - last.endedAt >= 110 ? last.instance : undefined;
    },
  },
  {
    what: 'while the successor runs',
    victim: (runs) => victimIn(runs, ({ job, endedAt }) => job === 'report' && endedAt === undefined),
  },
  {
    what: 'while an item runs that follows one of its number',
    victim: (runs) => victimIn(runs, ({ job, endedAt }) => job === 'index' && endedAt === undefined),
  },
];

/** Runs of successors that began too early, too often, or not at all, between the first and the last round judged. */
function misdeeds(runs: readonly RecordedRun[], killed: string, upTo: number): readonly string[] {
  return Object.entries(UPSTREAMS).flatMap(([name, upstreams]) => {
    const job = name as JobName;
    const first = Math.min(...runs.filter((run) => run.job === job).map(({ scheduledAt }) => scheduledAt));
    const instants = new Set(runs.map(({ scheduledAt }) => scheduledAt).filter((at) => at >= first && at <= upTo));
    return [...instants].flatMap((instant) => {
      const ofInstant = runs.filter(({ scheduledAt }) => scheduledAt === instant);
      return Array.from({ length: JOBS[job].shardingTotalCount }, (_, number) =>
        faultsOf(ofInstant, { job, upstreams, number, killed }),
      ).flat();
    });
  });
}

interface Judged {
  readonly job: JobName;
  readonly upstreams: readonly JobName[];
  readonly number: number;
  readonly killed: string;
}

function faultsOf(runs: readonly RecordedRun[], { job, upstreams, number, killed }: Judged): readonly string[] {
  const own = runs.filter((run) => run.job === job && run.item === number);
  const [begun] = own;
  const isSame = 'afterItems' in JOBS[job];
  const before = runs.filter((run) => upstreams.some((each) => each === run.job) && (!isSame || run.item === number));
  const what = `item ${number} of ${job} for ${new Date(runs[0]?.scheduledAt ?? 0).toISOString()}`;
  // An upstream item whose firings its owner's death has lost, several in a row, makes no round of that instant.
  const wanted = isSame ? 1 : upstreams.reduce((sum, each) => sum + JOBS[each].shardingTotalCount, 0);
  const isDue = new Set(before.map((run) => `${run.job}/${run.item}`)).size === wanted;
  if (begun === undefined) return isDue ? [`${what} has not run`] : [];
  // What a killed instance ran runs once more.
  const lost = own.filter(({ instance, endedAt }) => instance === killed && endedAt === undefined).length;
  const late = before.filter(
    ({ endedAt, instance, startedAt }) =>
      startedAt > begun.startedAt || (endedAt === undefined ? instance !== killed : endedAt > begun.startedAt),
  );
  return [
    ...(own.length > 1 + lost ? [`${what} has run ${own.length} times`] : []),
    ...late.map((run) => `${what} began before item ${run.item} of ${run.job} had ended`),
  ];
}

function surroundings(server: RegistryServer): Record<string, string> {
  const settings = server.regCenter({ namespace: newNamespace(), sessionTimeoutMilliseconds: 4_000 });
  return { REG_CENTER: JSON.stringify(settings), JOBS: JSON.stringify(JOBS) };
}

/** A graph of jobs on several processes, one of which is killed at each state of a round. */
export function graphs(kind: RegistryKind): void {
  const server = kind.shared();

  test.each(MOMENTS)('run each round once and in order if an instance is killed $what', async ({ victim }) => {
    await using instances = new Processes(surroundings(server));
    for (const name of ['A', 'B', 'C']) await instances.start(name);
    await until(() => instances.runs.some(({ job }) => job === 'mail'), 'a first round to come to its end');
    const from = Date.now();
    const since = (): readonly RecordedRun[] => instances.runs.filter(({ scheduledAt }) => scheduledAt >= from);

    await until(() => victim(since()) !== undefined, 'the moment to kill an instance');
    const killed = victim(since()) ?? 'A';
    await instances.end(killed, 'SIGKILL');
    const killedAt = Date.now();
    const later = (): number | undefined =>
      instances.runs.find(
        ({ job, scheduledAt, endedAt }) => job === 'mail' && scheduledAt > killedAt + 6_000 && endedAt !== undefined,
      )?.scheduledAt;
    await until(() => later() !== undefined, 'the graph to go on');

    expect(misdeeds(instances.runs, killed, later() ?? 0)).toEqual([]);
  });
}
