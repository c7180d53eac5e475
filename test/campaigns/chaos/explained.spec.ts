/**
 * Each policy by which the checker of a campaign excuses an instant without a run has its answer in `explain`, from
 * what a bystander saw in the registry centre at that moment:
 *
 * | Excuse | Answer |
 * |---|---|
 * | `collapsed: running`, `misfire off: running` | still running since …, made up for or dropped |
 * | `…: owner gone`, `owner dead` | the owner is gone, or no instance lives |
 * | `…: being assigned` | the items wait to be assigned |
 * | `changed hands, several missing` | it has changed hands |
 * | `begun, not started` | it was begun on an instance that is gone |
 * | `…: owner frozen`, `owner cut off`, `owner disconnected`, `no registry` | cannot be known: no instance has begun it, and what could say why is in a log |
 * | `not monitored: …` | nothing is recorded |
 */
import { describe, expect, test } from '@jest/globals';
import { JobPaths } from '../../../lib/layout/job-paths.js';
import { type JobView } from '../../../lib/layout/job-view.js';
import {
  mergeBeginRecords,
  NOTHING_BEGUN,
  lastInstants,
  withBegun,
  type BeginRecord,
} from '../../../lib/layout/x-node/begin-record.js';
import { explain } from '../../../lib/operations/explain/explain.js';
import { type Cause, type Explanation, NO_PAST } from '../../../lib/operations/explain/explanation.js';
import { aConfiguration, anItem, aView } from '../../support/views.js';
import { check } from './checker/checker.js';
import { processOf } from './checker/item-timeline.js';
import { readRuns, type Run } from './checker/runs.js';
import { type History, type Moment } from './history.js';
import { seconds, Story } from './story.js';

/** The answer to an operator who asks in a campaign, at `t`, why item 0 of its one job did not run for `instant`. */
function explainIn(history: History, instant: number, t: number): Explanation {
  return explain({
    view: viewAt(history, t),
    paths: new JobPaths('job'),
    fullPath: (path) => path,
    faults: [],
    ...{ item: 0, instant: instant + history.wallOffset, now: t + history.wallOffset, past: NO_PAST },
  });
}

function viewAt(history: History, t: number): JobView {
  const [job] = history.jobs;
  const moment = history.moments.findLast((each) => each.t <= t)!;
  const runs = readRuns(history).filter(({ start }) => start <= t);
  const running = runs.findLast(({ end }) => end > t);
  const records = recordsOf(history, runs);
  const begun = mergeBeginRecords(records.values());
  const ids = moment.living;
  return aView([], {
    config: aConfiguration({
      ...{ jobName: job!.name, shardingTotalCount: job!.items, cron: `0/${job!.periodMs / 1_000} * * * * ?` },
      ...{ timeZone: 'GMT', misfire: job!.misfire, failover: job!.failover, monitorExecution: job!.monitorExecution },
    }),
    instances: new Map(
      ids.map((id) => [id, { jobInstanceId: id, serverIp: '10.0.0.1', session: 's', readable: true }]),
    ),
    servers: new Map([['10.0.0.1', 'ENABLED']]),
    ...{ live: new Set(ids), leader: ids[0], leaderSession: 's', reshardingNeeded: moment.isResharding },
    items: moment.owners.map((owner, item) => ({
      ...anItem(item, { owner: owner === '' ? undefined : owner }),
      ...markOf(moment, item, running === undefined ? undefined : idOf(history, running.process)),
    })),
    ...{
      beginRecords: job!.monitorExecution ? records : new Map(),
      lastBegun: job!.monitorExecution ? lastInstants(begun) : new Map(),
    },
  });
}

function markOf({ marked }: Moment, item: number, runner: string | undefined) {
  return { running: marked.includes(item) || runner !== undefined, runningOn: runner };
}

function recordsOf(history: History, runs: readonly Run[]): ReadonlyMap<string, BeginRecord> {
  const records = new Map<string, BeginRecord>();
  for (const { process, item, scheduledAt } of runs) {
    const id = idOf(history, process);
    records.set(id, withBegun(records.get(id) ?? NOTHING_BEGUN, [item], { instant: scheduledAt }, new Map()));
  }
  return records;
}

function idOf({ moments, processes }: History, process: string): string {
  const ids = moments.flatMap(({ living, owners }) => [...living, ...owners]);
  return ids.find((id) => processOf(id, processes) === process)!;
}

const handover = (): Story =>
  new Story({ periodMs: 2_000 })
    .lives('A', -60_000, 3_000)
    .registry(3_000, { living: ['B'] })
    .registry(6_500, { owner: 'B', living: ['B'] })
    .runs('A', [2_000])
    .runs('B', [8_000]);

const troubled = (): Story =>
  new Story({ periodMs: 2_000 }).runs('A', [2_000, 8_000]).run({ by: 'A', for: 6_000, at: 6_400, ends: 6_500 });

interface Case {
  readonly excuse: string;
  readonly story: Story;
  readonly instant: number;
  readonly askedAt: number;
  readonly answer: Cause['type'];
}

const busy = (job = {}): Story =>
  new Story(job).runs('A', seconds(1, 3)).run({ by: 'A', for: 4_000, at: 4_005, ends: 6_500 });

const CASES: readonly Case[] = [
  {
    excuse: 'collapsed: running',
    story: busy().run({ by: 'A', for: 6_000, at: 6_510, ends: 6_600 }).runs('A', seconds(7, 9)),
    instant: 5_000,
    askedAt: 5_400,
    answer: 'still-running',
  },
  {
    excuse: 'misfire off: running',
    story: busy({ misfire: false }).runs('A', seconds(7, 9)),
    instant: 5_000,
    askedAt: 5_400,
    answer: 'misfire-off',
  },
  { excuse: 'collapsed: owner gone', story: handover(), instant: 4_000, askedAt: 4_400, answer: 'owner-gone' },
  {
    excuse: 'changed hands, several missing',
    story: handover(),
    instant: 6_000,
    askedAt: 6_700,
    answer: 'changed-hands',
  },
  {
    excuse: 'collapsed: being assigned',
    story: troubled().registry(3_500, { isResharding: true }).registry(6_100, {}),
    ...{ instant: 4_000, askedAt: 4_400, answer: 'being-assigned' },
  },
  {
    excuse: 'collapsed: owner frozen',
    story: troubled().stalls('A', 3_500, 6_100),
    instant: 4_000,
    askedAt: 4_400,
    answer: 'not-begun',
  },
  {
    excuse: 'collapsed: owner cut off',
    story: troubled().fault('cut sending', 'A', 3_500, 5_600),
    instant: 4_000,
    askedAt: 4_400,
    answer: 'not-begun',
  },
  {
    excuse: 'collapsed: no registry',
    story: troubled().outage(3_500, 5_600),
    instant: 4_000,
    askedAt: 4_400,
    answer: 'not-begun',
  },
  {
    excuse: 'not monitored: moved',
    story: new Story({ monitorExecution: false, failover: false })
      .registry(3_990, { owner: 'B' })
      .runs('A', seconds(1, 3))
      .runs('B', seconds(5, 9)),
    ...{ instant: 4_000, askedAt: 4_400, answer: 'not-recorded' },
  },
];

describe('An instant that the checker excuses', () => {
  test.each(CASES)('by $excuse has its answer', ({ excuse, story, instant, askedAt, answer }) => {
    const history = story.told();
    const { reason, others, unknown } = explainIn(history, instant, askedAt);

    expect(check(history).figures.excused).toHaveProperty([excuse]);
    expect(check(history).findings).toEqual([]);
    expect([reason, ...others].map(({ type }) => type)).toContain(answer);
    expect(reason.type === 'not-begun').toBe(answer === 'not-begun');
    if (answer === 'not-begun') expect(unknown.join()).toContain('frozen, cut off or without a session');
  });

  test('as begun and not started is told to have been begun on an instance that is gone', () => {
    // A wrote its record at 4 s, and died before the item started; B goes on.
    const history = new Story({ failover: false })
      .runs('A', seconds(1, 3))
      .run({ by: 'A', for: 4_000, at: 4_001 })
      .lives('A', -60_000, 4_002)
      .registry(5_000, { living: ['B'] })
      .told();

    expect(explainIn(history, 4_000, 5_500).reason).toMatchObject({ type: 'begun', state: 'gone' });
  });
});
