import { availableInstances, awaitsTakeover, isGone, type ItemView, type JobView } from '../../layout/job-view.js';
import { isAssigned, staysAsAssigned } from '../../kernel/view/assignment.js';
import { deadRuns } from '../../kernel/view/crashes.js';
import { describeItems, failsOver, numbersOf } from '../../kernel/view/items.js';
import { type WantedNode } from '../changes/node-changes.js';
import { type Check, type JobCase, type Symptom, symptom } from './finding.js';

/** True if living instances should have assigned the items by now. */
function ownersAreDue(view: JobView): boolean {
  return view.config !== undefined && availableInstances(view).length > 0 && isAssigned(view);
}

const unowned: Check = (job) => {
  const { view } = job;
  if (!ownersAreDue(view)) return [];
  const total = view.config?.shardingTotalCount ?? 0;
  const owned = new Set(numbersOf(view.items.filter(({ owner }) => owner !== undefined)));
  const without = Array.from({ length: total }, (_, item) => item).filter((item) => !owned.has(item));
  if (without.length === 0) return [];
  return [toAssign(job, { type: 'unowned-items', items: without, sentence: `no owner` })];
};

const deadOwners: Check = (job) => {
  const { view } = job;
  if (!ownersAreDue(view)) return [];
  const total = view.config?.shardingTotalCount ?? 0;
  const orphans = view.items.filter(({ item, owner }) => item < total && owner !== undefined && isGone(view, owner));
  if (orphans.length === 0) return [];
  const owners = [...new Set(orphans.flatMap(({ owner }) => owner ?? []))];
  const named = owners.slice(0, 5);
  const sentence = `an owner that is gone: ${named.join(', ')}`;
  return [toAssign(job, { type: 'dead-owner', items: numbersOf(orphans), sentence, owners: named })];
};

/** Any instance may ask for an assignment; the leader makes it. */
function toAssign(
  job: JobCase,
  {
    type,
    items,
    sentence,
    owners = [],
  }: {
    readonly type: 'unowned-items' | 'dead-owner';
    readonly items: readonly number[];
    readonly sentence: string;
    readonly owners?: readonly string[];
  },
): Symptom {
  const { view, paths, fullPath } = job;
  const isStatic = staysAsAssigned(view);
  return symptom(job, {
    type,
    code: isStatic ? `${type}.static` : type,
    values: { items: describeItems(items), owners: owners.join(', ') },
    severity: 'critical',
    subject: itemsInWords(items),
    sentence: `${capital(itemsInWords(items))} ${items.length === 1 ? 'has' : 'have'} ${sentence}.`,
    consequence: `No instance runs ${items.length === 1 ? 'it' : 'them'}.`,
    cure: isStatic
      ? `staticSharding keeps them so: set it to false in ${fullPath(paths.config)} until they are assigned again.`
      : "The leader assigns them within moments; if this lasts, ask it to, and look at the leader's log.",
    fix: isStatic ? undefined : `Creates ${fullPath(paths.resharding)}, upon which the leader assigns all items again.`,
    changes: isStatic ? [] : [{ path: paths.resharding, value: '' }],
  });
}

const staleRuns: Check = (job) => {
  const { view, paths, nodes, fullPath } = job;
  const dead = deadRuns(view, '', () => false).map(({ item }) => item);
  const runs = dead.filter((item) => item.running && item.runningOn !== undefined && isGone(view, item.runningOn));
  const failover = failsOver(view);
  // With failover, the mark of a taker that died waits for the next one.
  const takeovers = (failover ? dead : view.items).filter(
    (item) => isDead(view, item.takenOverBy) || isDead(view, item.failoveringBy),
  );
  const keeper = failover
    ? 'With failover, an instance that is idle reports and takes over the runs; start or restart one.'
    : `Instances of this library remove such marks; if none lives, delete them below ${fullPath(paths.sharding)}.`;
  // With failover, only the marks record which run has to be repeated.
  const isSafe = !failover && view.config !== undefined;
  const removal = (items: readonly ItemView[], ...marks: readonly ('running' | 'failover' | 'failovering')[]) =>
    isSafe
      ? items.flatMap(({ item }) => marks.map((mark) => paths.item(item, mark))).filter((path) => nodes.has(path))
      : [];
  return [
    ...stale(
      job,
      {
        ...{ type: 'stale-running', code: failover ? 'stale-running.failover' : 'stale-running' },
        ...{ items: runs, paths: removal(runs, 'running') },
      },
      {
        sentence: 'the mark of a run whose instance is gone',
        consequence: 'As long as the mark stands, no instance begins the item.',
        cure: keeper,
      },
    ),
    ...stale(
      job,
      {
        ...{ type: 'stale-failover', code: failover ? 'stale-failover.failover' : 'stale-failover' },
        ...{ items: takeovers, paths: removal(takeovers, 'failover', 'failovering') },
      },
      {
        sentence: 'the mark of a takeover whose instance is gone',
        consequence: 'As long as the mark stands, the owner does not begin the item.',
        cure: keeper,
      },
    ),
  ];
};

const isDead = (view: JobView, id: string | undefined): boolean => id !== undefined && isGone(view, id);

const staleCrashes: Check = (job) => {
  const { view, paths } = job;
  if (view.crashedItems.length === 0) return [];
  const items = view.items.filter(({ item }) => awaitsTakeover(view, item));
  const isUnwanted = view.config !== undefined && !failsOver(view);
  if (!isUnwanted && availableInstances(view).length > 0 && !items.every(({ disabled }) => disabled)) {
    // A busy instance accepts a trigger only after its running items have ended.
    return [];
  }
  const changes = isUnwanted ? view.crashedItems.map((item) => paths.crashedItem(item)) : [];
  return stale(
    job,
    {
      ...{ type: 'stale-crash', code: isUnwanted ? 'stale-crash.failover-off' : 'stale-crash.no-instance' },
      ...{ items: view.crashedItems.map((item) => ({ item })), paths: changes },
    },
    {
      sentence: isUnwanted ? 'a report of a crash although failover is off' : 'a crashed run to be taken over',
      consequence: isUnwanted
        ? 'Instances that switch failover on again would run it for an instant long past.'
        : 'No instance is enabled that could run it again.',
      cure: isUnwanted ? 'Remove the reports.' : 'Start an instance, or enable a server.',
    },
  );
};

const staleMisfires: Check = (job) => {
  const { view, paths } = job;
  const isOff = view.config?.misfire === false;
  const items = view.items.filter(({ misfired, running }) => misfired && !running && isOff);
  return stale(
    job,
    {
      ...{ type: 'stale-misfire', code: 'stale-misfire', items },
      paths: items.map(({ item }) => paths.item(item, 'misfire')),
    },
    {
      sentence: 'the mark of a missed firing although misfire is off',
      consequence: 'If misfire is switched on again, a Java instance runs it once more.',
      cure: 'Remove the marks.',
    },
  );
};

const staleTriggers: Check = (job) => {
  const { view, paths, fullPath } = job;
  const dead = [...view.triggers].filter((id) => isGone(view, id));
  return dead.map((id) =>
    symptom(job, {
      ...{ type: 'stale-trigger', code: 'stale-trigger', values: { instanceId: id } },
      severity: 'notice',
      subject: id,
      sentence: `A trigger waits for ${id}, which is gone.`,
      consequence: 'No instance accepts it.',
      cure: 'Remove it; trigger the job again if its run is missing.',
      fix: `Removes ${fullPath(paths.trigger(id))}.`,
      changes: [{ path: paths.trigger(id), value: undefined }],
    }),
  );
};

const strays: Check = (job) =>
  job.view.strayItems.map((name) =>
    symptom(job, {
      ...{ type: 'stray-item', code: 'stray-item', values: { name } },
      severity: 'warning',
      subject: name,
      sentence: `${job.fullPath(job.paths.sharding)}/${name} is no item, as its name is no number.`,
      consequence: 'Java instances and consoles fail at such a node.',
      cure: 'Delete it.',
    }),
  );

interface Stale {
  readonly type: 'stale-running' | 'stale-failover' | 'stale-crash' | 'stale-misfire';
  readonly code: Symptom['code'];
  readonly items: readonly Pick<ItemView, 'item'>[];
  /** The nodes that `fix` may remove; empty if removing them is not safe. */
  readonly paths: readonly string[];
}

function stale(
  job: JobCase,
  { type, code, items, paths }: Stale,
  { sentence, consequence, cure }: Readonly<Record<'sentence' | 'consequence' | 'cure', string>>,
): readonly Symptom[] {
  if (items.length === 0) return [];
  const subject = itemsInWords(numbersOf(items));
  const verb = items.length === 1 ? 'bears' : 'bear';
  const changes = paths.map((path): WantedNode => ({ path, value: undefined }));
  return [
    symptom(job, {
      ...{ type, code, severity: 'warning', subject, consequence, cure, changes },
      values: { items: describeItems(numbersOf(items)) },
      sentence: `${capital(subject)} ${verb} ${sentence}.`,
      fix:
        changes.length === 0
          ? undefined
          : `Removes ${paths.length === 1 ? job.fullPath(paths[0] ?? '') : `${paths.length} nodes`}, if they are still as they were read.`,
    }),
  ];
}

const itemsInWords = (items: readonly number[]): string =>
  `item${items.length === 1 ? '' : 's'} ${describeItems(items)}`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The checks of items and their marks. */
export const ITEM_CHECKS: readonly Check[] = [
  unowned,
  deadOwners,
  staleRuns,
  staleCrashes,
  staleMisfires,
  staleTriggers,
  strays,
];
