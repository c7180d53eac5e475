/**
 * Twice the size takes at most two and a half times the work, wherever an operation is a pure function of a view, a
 * record or a text.
 */
import { expect, test } from '@jest/globals';
import { averageAllocation } from '../../lib/kernel/types/strategies/average-allocation.js';
import { odevity } from '../../lib/kernel/types/strategies/odevity.js';
import { ownersBy } from '../../lib/kernel/types/strategies/owners.js';
import { roundRobin } from '../../lib/kernel/types/strategies/round-robin.js';
import { sticky } from '../../lib/kernel/types/strategies/sticky.js';
import { doubtsAbout } from '../../lib/api/job/doubtful-settings.js';
import { settingProblems } from '../../lib/api/settings/setting.js';
import { missingItems } from '../../lib/kernel/once/missing-items.js';
import { deadRuns, failoverRemains, shareOfCrashed } from '../../lib/kernel/view/crashes.js';
import { isMisassigned, pinnedItems } from '../../lib/kernel/view/assignment.js';
import { chooseItems, describeItems } from '../../lib/kernel/view/items.js';
import { AddressMask } from '../../lib/api/text/address-mask.js';
import { withoutSecrets } from '../../lib/api/text/secrets.js';
import { explain } from '../../lib/operations/explain/explain.js';
import { NO_PAST } from '../../lib/operations/explain/explanation.js';
import { JobPaths } from '../../lib/layout/job-paths.js';
import { type JobView } from '../../lib/layout/job-view.js';
import { readItemParameters } from '../../lib/layout/sharding-item-parameters.js';
import { parseYaml } from '../../lib/layout/yaml-document.js';
import { decodeAccepted, encodeAccepted } from '../../lib/layout/x-node/accepted-triggers.js';
import { decodeArrivals, encodeArrivals } from '../../lib/layout/x-node/arrival-record.js';
import {
  decodeBeginRecord,
  encodeBeginRecord,
  mergeBeginRecords,
  NOTHING_BEGUN,
} from '../../lib/layout/x-node/begin-record.js';
import { fromRanges, toRanges } from '../../lib/layout/x-node/item-ranges.js';
import { decodeTrigger, encodeTrigger } from '../../lib/layout/x-node/trigger.js';
import { ElasticJobSettings } from '../../lib/settings/module-settings.js';
import { nestedSettings } from '../../lib/settings/files/nested-keys.js';
import { parseProperties } from '../../lib/settings/files/properties-text.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { actionsOf } from '../support/plans.js';
import { aConfiguration, anItem, aView, idOf } from '../support/views.js';
import { processorMsOf } from './processor-time.js';

/**
 * Small and large: five times twice the size, as chance, and what the processor keeps at hand, weigh less than in a
 * single one.
 */
const [SMALL, LARGE] = [1_250, 40_000];
const MOST_GROWTH = 2.5 ** 5;

/** An operation is repeated until that takes as long, in milliseconds: less cannot be told from chance. */
const MEASURABLE_MS = 10;

/**
 * How often both sizes are measured, in turn, at least and at most. The least time of each counts: all others have the
 * work of others in them, such as a collection of garbage.
 */
const TRIES = { least: 5, most: 30 };

const INSTANT = 1_800_000_000_000;

/** Makes an operation of a size, with all it needs, which is not measured. */
type OfSize = (size: number) => () => unknown;

/** Every second item, so that no two of them are one range. */
const everySecond = (size: number): readonly number[] => Array.from({ length: size }, (_, index) => 2 * index);

const lines = (size: number, line: (index: number) => string): string =>
  Array.from({ length: size }, (_, index) => line(index)).join('\n');

/** A job with failover on A, B and C, in which `changes` says how each item differs from one that is idle. */
function viewOf(size: number, changes: Parameters<typeof anItem>[1] = {}, more: Partial<JobView> = {}): JobView {
  const owners = ['A', 'B', 'C'].map(idOf);
  const items = Array.from({ length: size }, (_, item) =>
    anItem(item, { owner: owners[item % owners.length], ...changes }),
  );
  return aView(['A', 'B', 'C'], {
    config: aConfiguration({ shardingTotalCount: size, failover: true }),
    items,
    lastBegun: new Map(items.map(({ item }) => [item, INSTANT])),
    ...more,
  });
}

const dead = { running: true, runningOn: idOf('X') };
const begun = (size: number) => ({
  ...NOTHING_BEGUN,
  instants: new Map(everySecond(size).map((item) => [item, INSTANT + (item % 50)])),
  manual: new Map(everySecond(size).map((item) => [item + 1, item % 3 === 0 ? `p${item % 30}` : undefined])),
  returned: new Map(everySecond(size).map((item) => [item + 1, INSTANT])),
});
const round = { stage: 'completed', key: `${INSTANT}/ONCE`, instant: INSTANT } as const;

const OPERATIONS: Readonly<Record<string, OfSize>> = {
  'writing lists of items': (size) => () => toRanges(everySecond(size)),
  'reading lists of items': (size) => {
    const text = toRanges(everySecond(size));
    return () => fromRanges(text);
  },
  'describing items': (size) => () => describeItems(everySecond(size)),
  'writing what was begun': (size) => {
    const record = begun(size);
    return () => encodeBeginRecord(record);
  },
  'reading what was begun': (size) => {
    const text = encodeBeginRecord(begun(size));
    return () => mergeBeginRecords([decodeBeginRecord(text), decodeBeginRecord(text)]);
  },
  'writing and reading a trigger': (size) => () =>
    decodeTrigger(encodeTrigger({ jobParameter: 'x', items: everySecond(size), isForAll: false })),
  'writing and reading accepted triggers': (size) => {
    const waiting = [1, 2, 3].map((from) => ({
      jobParameter: `p${from}`,
      isForAll: false,
      items: new Set(everySecond(size)),
    }));
    return () => decodeAccepted(encodeAccepted({ waiting, dropped: new Set(everySecond(size)) }));
  },
  'writing and reading arrivals': (size) => {
    const items = new Set(everySecond(size));
    return () =>
      decodeArrivals(
        encodeArrivals({
          rounds: new Map([[round.key, { started: new Set(), completed: items }]]),
          dropped: new Map([[INSTANT, items]]),
        }),
      );
  },
  'reading parameters of items': (size) => {
    const text = Array.from({ length: size }, (_, item) => `${item}=p${item}`).join(',');
    return () => readItemParameters(text);
  },
  'choosing the items of a firing': (size) => {
    const view = viewOf(size);
    return () => chooseItems(view, idOf('A'), { cause: 'schedule', instant: INSTANT + 1 } as never, new Set());
  },
  'finding runs that have died': (size) => {
    const view = viewOf(size, dead);
    return () => deadRuns(view, idOf('A'), () => false);
  },
  'sharing crashed items': (size) => {
    const view = viewOf(size, {}, { crashedItems: Array.from({ length: size }, (_, item) => item) });
    return () => shareOfCrashed(view, idOf('A'), new Set());
  },
  'finding what failover has left': (size) => {
    const view = viewOf(size, { failoveringBy: idOf('X') }, { config: aConfiguration({ failover: false }) });
    return () => failoverRemains(view);
  },
  'judging an assignment': (size) => {
    const view = viewOf(size, { running: true });
    return () => [isMisassigned(view), pinnedItems(view, size)];
  },
  'finding what a barrier lacks': (size) => {
    const half = everySecond(size / 2);
    const record = { started: new Set<number>(), completed: new Set(half) };
    const guarantee = { ...aView([]).guarantee, arrivals: new Map([[idOf('A'), new Map([[round.key, record]])]]) };
    const view = viewOf(size, {}, { guarantee, lastBegun: new Map() });
    const options = { mayBeMadeUpFor: () => false, isRead: () => true, hasArrivedByTakeover: () => false };
    return () => missingItems(view, round, options);
  },
  'planning while all is idle': (size) => {
    const view = viewOf(size);
    return () => actionsOf('A', view);
  },
  'planning while all items run': (size) => {
    const view = viewOf(size, { running: true, runningOn: idOf('A') });
    return () => actionsOf('A', view, { busy: new Set(Array.from({ length: size }, (_, item) => item)) });
  },
  'planning after a crash': (size) => {
    const view = viewOf(size, dead);
    return () => actionsOf('A', view);
  },
  'explaining a job': (size) => {
    const view = viewOf(size, { disabled: true });
    const question = { paths: new JobPaths('bill'), fullPath: (path: string) => path, past: NO_PAST, faults: [] };
    return () => explain({ view, ...question, item: undefined, instant: undefined, now: INSTANT });
  },
  'hiding secrets': (size) => {
    const text = lines(size, (index) => `email.password: secret${index} http://a:b@10.0.${index % 250}.1/?token=x`);
    return () => withoutSecrets(text);
  },
  'hiding addresses': (size) => {
    const text = lines(size, (index) => `10.${(index >> 16) % 250}.${(index >> 8) % 250}.${index % 250}@-@1-fe80::1`);
    return () => new AddressMask().apply(text);
  },
  'reading YAML': (size) => {
    const text = lines(size, (index) => `key${index}: [value, 'x', "y"]`);
    return () => parseYaml(text);
  },
  'reading properties': (size) => {
    const text = lines(size, (index) => `elasticjob.jobs.job${index}.cron = \\\n  0 0 2 * * ?`);
    return () => parseProperties(text);
  },
  'nesting keys': (size) => {
    const entries = Array.from({ length: size }, (_, index) => [`jobs.job${index}.cron`, 'x'] as const);
    return () => nestedSettings(entries, (path) => raise(path));
  },
  'finding listeners that are named twice': (size) => {
    const jobListenerTypes = Array.from({ length: size }, (_, index) => `listener${index}`);
    const [configuration, clock] = [aConfiguration({ jobListenerTypes }), new ManualClock()];
    return () => doubtsAbout(configuration, clock);
  },
  'finding strategies of one type': (size) => {
    const strategies = Array.from({ length: size }, (_, index) => ({
      type: `T${index}`,
      sharding: () => new Map(),
    }));
    const settings = Object.assign(new ElasticJobSettings(), { strategies });
    return () => settingProblems(settings);
  },
  ...Object.fromEntries(
    [averageAllocation, odevity, roundRobin, sticky].map((strategy): [string, OfSize] => [
      `assigning by ${strategy.type}`,
      (size) => {
        const instances = ['C', 'B', 'A'].map((name) => ({ jobInstanceId: idOf(name), serverIp: '10.0.0.1' }));
        const owners = new Map(Array.from({ length: size }, (_, item) => [item, idOf('A')] as const));
        return () => ownersBy(strategy, { instances, jobName: 'bill', shardingTotalCount: size, owners });
      },
    ]),
  ),
};

test.each(Object.entries(OPERATIONS))('%s', async (_name, ofSize) => {
  expect(await growthOf(ofSize)).toBeLessThanOrEqual(MOST_GROWTH);
});

test('what grows as the square is noticed', async () => {
  const pairs: OfSize = (size) => () => {
    let sum = 0;
    for (let one = 0; one < size; one++) for (let other = 0; other < size / 100; other++) sum += one ^ other;
    return sum;
  };

  expect(await growthOf(pairs)).toBeGreaterThan(2 * MOST_GROWTH);
});

/** How many times as long the large size takes; the first result that is good enough will do. */
async function growthOf(ofSize: OfSize): Promise<number> {
  const [small, large] = [ofSize(SMALL), ofSize(LARGE)];
  const [ofSmall, ofLarge] = [await measurableRepeats(small), await measurableRepeats(large)];
  let [leastSmall, leastLarge] = [Infinity, Infinity];
  for (let tries = 1; tries <= TRIES.most; tries++) {
    leastSmall = Math.min(leastSmall, (await msOf(small, ofSmall)) / ofSmall);
    leastLarge = Math.min(leastLarge, (await msOf(large, ofLarge)) / ofLarge);
    if (tries >= TRIES.least && leastLarge <= MOST_GROWTH * leastSmall) break;
  }
  return leastLarge / leastSmall;
}

async function measurableRepeats(task: () => unknown): Promise<number> {
  let repeats = 1;
  while ((await msOf(task, repeats)) < MEASURABLE_MS) repeats *= 2;
  return repeats;
}

function msOf(task: () => unknown, repeats: number): Promise<number> {
  return processorMsOf(() => {
    for (let index = 0; index < repeats; index++) task();
  });
}

function raise(path: string): never {
  throw new Error(path);
}
