import { decodeAccepted } from '../../../lib/layout/x-node/accepted-triggers.js';
import { idOf } from '../../support/views.js';
import { configurationOf, periodMsOf } from './configuration.js';
import { type Evidence } from './evidence.js';
import { type History, jobsOf } from './history.js';
import { type Presence, type Rest } from './recording.js';
import { seconds } from './run-book.js';

/** The timers of each active instance at rest: a look at the wall clock, and for each job these. */
const TIMERS_OF_INSTANCE = 1;

/** Its next reconciliation, and its next firing unless it runs after others. */
const TIMERS_OF_JOB = 2;

/** Nodes that say that something is going on or has been left over. */
const LEFTOVER =
  /\/sharding\/(?:\d+\/(?:running|failover|failovering|misfire|disabled)|necessary|processing)$|\/leader\/failover\/items\/|\/x-node\/crashed\/|\/trigger\/.|latch\/|^\/[^/]+\/guarantee\/(?:started|completed)(?:\/|$)|\/x-node\/guarantee\/\w+-by$/;

/** From its instant to its last item, as far as nothing keeps it. */
const FIRING_MS = 700;

/** Most requests that a firing costs an instance: two commits, and what may have to be read before. */
const REQUESTS_A_FIRING = 4;

/** Most operations of such a commit that are about no single item. */
const GUARDS_A_COMMIT = 10;

/** As many more with each further job: its rounds are completed, and followed. */
const REQUESTS_A_ROUND = 3;

/** As many more with a listener that is called once in the cluster: reports, calls, and what removes their nodes. */
const REQUESTS_OF_CALLS = 10;

/**
 * Most requests of an instance in any second, whatever happens; more if answers were lost and it looks after each of
 * its items.
 */
const REQUESTS_A_SECOND = 40;
const REQUESTS_AN_ITEM = 8;

/** As many more for each session after the first one that it begins in that second. */
const REQUESTS_A_SESSION = 20;

/**
 * At rest everybody is active and waits for nothing, one leads, each item has a living owner, and nothing is left over.
 */
export function unrest({ recording, paths, history }: Evidence): readonly string[] {
  const mostTimers = TIMERS_OF_INSTANCE + TIMERS_OF_JOB * jobsOf(history).length;
  return recording.rests.flatMap(({ atMs, present, tree }) => {
    const faults = [
      ...present.flatMap((presence) => unrestOf(presence, mostTimers)),
      ...unrestIn(tree, paths, present),
      ...[...tree.keys()].filter((path) => LEFTOVER.test(path)).map((path) => `${path} is left over`),
      ...waitingIn(tree, paths),
    ];
    return faults.map((fault) => `at ${seconds(atMs)}: ${fault}`);
  });
}

/** Items that were triggered and wait, although everybody is at rest. */
function waitingIn(tree: Rest['tree'], paths: Evidence['paths']): readonly string[] {
  return childrenOf(tree, paths.acceptedTriggers).flatMap((id) => {
    const text = tree.get(paths.accepted(id)) ?? '';
    return decodeAccepted(text).waiting.length > 0 ? [`triggered items wait: ${text}`] : [];
  });
}

function unrestOf({ name, phase, session, timers }: Presence, mostTimers: number): readonly string[] {
  if (phase !== 'active' || session !== 'connected') return [`${name} is ${phase}, its session ${session}`];
  return timers > mostTimers ? [`${name} waits for ${timers} timers`] : [];
}

function unrestIn(tree: Rest['tree'], paths: Evidence['paths'], present: readonly Presence[]): readonly string[] {
  const config = tree.get(paths.config);
  if (config === undefined) return ['there is no configuration'];
  const ids = present.map(({ name }) => idOf(name)).sort();
  const registered = childrenOf(tree, paths.instances).sort();
  const leader = tree.get(paths.leader);
  const total = configurationOf(config).shardingTotalCount;
  const items = childrenOf(tree, paths.sharding);
  const records = childrenOf(tree, paths.beginRecords).filter((id) => !ids.includes(id));
  const owners = items.map((item) => ({ item, owner: tree.get(paths.item(Number(item), 'instance')) }));
  return [
    ...(ids.join(' ') === registered.join(' ')
      ? []
      : [`registered are ${registered.join(' ')}, there are ${ids.join(' ')}`]),
    ...(ids.includes(leader ?? '') ? [] : [`the leader is ${leader ?? 'nobody'}`]),
    ...(items.length === total ? [] : [`there are ${items.length} items instead of ${total}`]),
    ...owners
      .filter(({ owner }) => !ids.includes(owner ?? ''))
      .map(({ item, owner }) => `item ${item} is ${owner ?? 'nobody'}’s`),
    ...records.map((id) => `the record of ${id} is left over`),
  ];
}

function childrenOf(tree: Rest['tree'], path: string): string[] {
  const prefix = `${path}/`;
  return [...tree.keys()]
    .filter((each) => each.startsWith(prefix) && !each.includes('/', prefix.length))
    .map((each) => each.slice(prefix.length));
}

/** When nothing happens any more, each instant runs each item once, in time, on its owner. */
export function unquietFirings(evidence: Evidence): readonly string[] {
  const { recording, paths } = evidence;
  const [from, to] = recording.rests;
  const config = from?.tree.get(paths.config);
  if (from === undefined || to === undefined || config === undefined) return [];
  const periodMs = periodMsOf(configurationOf(config));
  return childrenOf(from.tree, paths.sharding).flatMap((name) => {
    const item = Number(name);
    const owner = from.tree.get(paths.item(item, 'instance'));
    const presence = from.present.find((each) => idOf(each.name) === owner);
    if (presence === undefined) return [];
    const due = dueBetween(from.atMs + presence.skewMs, to.atMs - allowedLateMs(evidence) + presence.skewMs, periodMs);
    return due.flatMap((instantMs) => unquietFiring(evidence, { item, instantMs, presence, fromMs: from.atMs }));
  });
}

/** As long as clocks differ, items of all instances wait for each other if the job has a listener. */
function allowedLateMs({ history, skews }: Evidence): number {
  return FIRING_MS + (history.onceListener === undefined ? 0 : skews.greatestMs - skews.leastMs);
}

interface Due {
  readonly item: number;
  readonly instantMs: number;
  readonly presence: Presence;
  readonly fromMs: number;
}

function unquietFiring(evidence: Evidence, { item, instantMs, presence, fromMs }: Due): readonly string[] {
  const [run, ...more] = (evidence.runsByItem.get(item) ?? []).filter(
    (each) => each.scheduledMs === instantMs && each.begunMs > fromMs,
  );
  const what = `item ${item} for ${seconds(instantMs)}`;
  if (run === undefined) return [`${what} was not run`];
  if (more.length > 0) return [`${what} was run ${more.length + 1} times`];
  const lateMs = run.begunMs - (instantMs - presence.skewMs);
  return run.instance === presence.name && lateMs < allowedLateMs(evidence)
    ? []
    : [`${what} ran on ${run.instance} ${lateMs} ms late`];
}

function dueBetween(fromMs: number, toMs: number, periodMs: number): readonly number[] {
  const due: number[] = [];
  for (let ms = Math.ceil(fromMs / periodMs) * periodMs; ms <= toMs; ms += periodMs) due.push(ms);
  return due;
}

/** Nobody does anything without end. */
export function endless({ recording }: Evidence): readonly string[] {
  return recording.endlessMs === undefined
    ? []
    : [`there is no end of what happens at ${seconds(recording.endlessMs)}`];
}

/**
 * One instance may have all items, and a commit takes only so many: the beginning and the end of a firing are several
 * commits each then.
 */
function requestsOfFiring({ onceListener, operationsACommit = Infinity }: History, items: number): number {
  const commits = Math.max(1, Math.ceil(items / (operationsACommit - GUARDS_A_COMMIT)));
  return REQUESTS_A_FIRING + 2 * (commits - 1) + (onceListener === undefined ? 0 : REQUESTS_OF_CALLS);
}

/** A firing costs what it costs, an idle second nothing, and no trouble makes anybody ask without end. */
export function requests(evidence: Evidence): readonly string[] {
  const { recording, configs, history } = evidence;
  const [from, to] = recording.rests;
  const items = Math.max(0, ...configs.map(({ value }) => value.shardingTotalCount));
  const jobs = jobsOf(history).length;
  const perFiring = requestsOfFiring(history, items) * jobs + REQUESTS_A_ROUND * (jobs - 1);
  return [...recording.requests].flatMap(([name, bySecond]) => {
    const counts = [...bySecond];
    const busiest = counts.filter(
      ([second, count]) =>
        count >
        jobs *
          (REQUESTS_A_SECOND + REQUESTS_AN_ITEM * items + REQUESTS_A_SESSION * furtherSessions(evidence, name, second)),
    );
    const isAtRest = (second: number): boolean =>
      from !== undefined && to !== undefined && second * 1_000 >= from.atMs && second * 1_000 < to.atMs;
    const atRest = counts.filter(([second]) => isAtRest(second)).reduce((sum, [, count]) => sum + count, 0);
    return [
      ...busiest.map(([second, count]) => `${name} sent ${count} requests in second ${second}`),
      ...(atRest > 3 * perFiring ? [`${name} sent ${atRest} requests at rest`] : []),
    ];
  });
}

function furtherSessions({ recording, paths }: Evidence, name: string, second: number): number {
  const registration = paths.instance(idOf(name));
  const registrations = recording.commits.filter(
    ({ atMs, changes }) =>
      Math.floor(atMs / 1_000) === second &&
      changes.some(({ path, after }) => path === registration && after !== undefined),
  );
  return Math.max(0, registrations.length - 1);
}
