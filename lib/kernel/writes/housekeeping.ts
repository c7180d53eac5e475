import { type JobLogger } from '../../api/text/logger.js';
import {
  encodeBeginRecord,
  mergeBeginRecords,
  NOTHING_BEGUN,
  withParametersOf,
} from '../../layout/x-node/begin-record.js';
import { formerSuccessors } from '../../graphs/read-graph.js';
import { type EndedRun } from '../../layout/x-node/end-record.js';
import { type ItemMark, type JobPaths } from '../../layout/job-paths.js';
import { isGone, itemOf, type JobView } from '../../layout/job-view.js';
import { changeEach } from '../../registry/change-each.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { type JobWatch } from '../view/job-watch.js';
import { spentAcceptances } from '../../layout/waiting-runs.js';
import { describeItems } from '../view/items.js';
import { type EndRecords } from '../marks/end-records.js';
import { cleanupOwner, failoverRemains, obsoleteCrashReports, mayPurgeRecordOf } from '../view/crashes.js';
import { lostRuns } from '../graph/rounds.js';

/** Dependencies of `Housekeeping`. */
export interface HousekeepingDeps {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly logger: JobLogger;
  readonly ends: EndRecords;
}

const NO_SERVERS: readonly string[] = [];

/** Most records of gone instances that are merged in one commit. */
const RECORDS_AT_ONCE = 256;

/** Removes leftovers of other instances that they would never remove themselves. */
export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  #emptyServers = NO_SERVERS;
  #offlineServers = NO_SERVERS;
  #spentSoFar: readonly string[] = [];
  #spentAcceptances: readonly string[] = [];

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
  }

  /** Servers that had no instance at the last two resyncs. */
  get offlineServers(): readonly string[] {
    return this.#offlineServers;
  }

  /** Instances that are gone and had no waiting trigger at the last two resyncs. */
  get spentAcceptances(): readonly string[] {
    return this.#spentAcceptances;
  }

  /**
   * To be called at each resync. A server without instances is kept for one more resync: a Java peer registers its
   * server first, and a server that is restarting will be back. The note of dropped triggers is kept as long, for
   * callers that wait for the end of a trigger.
   */
  noteLeftovers(view: JobView): void {
    const { servers, instances } = view;
    const spent = spentAcceptances(view);
    this.#spentAcceptances = spent.filter((id) => this.#spentSoFar.includes(id));
    this.#spentSoFar = spent;
    const used = new Set([...instances.values()].map(({ serverIp }) => serverIp));
    const empty = [...servers].filter(([ip, status]) => status === 'ENABLED' && !used.has(ip)).map(([ip]) => ip);
    this.#offlineServers = empty.filter((ip) => this.#emptyServers.includes(ip));
    this.#emptyServers = empty;
  }

  /**
   * Removes the registrations of jobs that run after this one no more; to be called at each resync. If such a job comes
   * back, it begins anew: rounds that were completed meanwhile are not due for it.
   */
  async dropFormerSuccessors(): Promise<void> {
    const { registry, watch, paths, me, logger } = this.#deps;
    const names = [...watch.view.graph.successors.keys()];
    if (names.length === 0 || cleanupOwner(watch.view) !== me) return;
    const former = await formerSuccessors(registry, paths.jobName, names);
    for (const name of former) {
      await registry.remove(paths.successor(name));
      logger.debug(`job '${name}' runs after it no more.`);
    }
  }

  /** Removes servers of pods that will not come back. A server that an operator has disabled stays on record. */
  async removeServers(ips: readonly string[]): Promise<void> {
    const { registry, watch, paths, logger } = this.#deps;
    const removals = ips.map((ip): Operation => {
      const path = paths.server(ip);
      const version = watch.nodes.get(path)?.version;
      return { type: 'remove', path, ...(version !== undefined && { version }) };
    });
    await registry.commit(removals);
    logger.log(`removed servers that have no instance any more: ${ips.join(', ')}`);
  }

  /**
   * Merges the records of instances that are gone into this one's own record, so that records do not pile up and no
   * begun run is forgotten. Removes triggers of instances that are gone, a former leader's note that it is assigning,
   * and the note of the next runner that Java peers make, so that all instances follow the assignment.
   */
  async tidyUp(): Promise<void> {
    const { registry, watch, paths, me, logger } = this.#deps;
    if ([...watch.view.beginRecords.values()].includes(undefined)) await watch.readAll();
    const { view } = watch;
    const reports = obsoleteCrashReports(view).map((item): Operation => ({
      type: 'remove',
      path: paths.crashReport(item),
    }));
    // Made before the first await. Later, this instance may have written its record once more: the version read then
    // would fit, and the text made from the view would undo that write.
    const gone = [...view.beginRecords.keys()].filter((id) => mayPurgeRecordOf(view, id)).slice(0, RECORDS_AT_ONCE);
    const records = this.#recordOperations(view, gone);
    const removals = [...this.#triggerRemovals(view), ...reports].map((removal) => ({ operations: [removal] }));
    for (const { operations } of commitChunks(removals, registry.limits)) await registry.commit(operations);
    if (records.length > 0) {
      const ends = [...this.#endsOf(view, gone), ...lostRuns(view, gone)];
      const removals = this.#endRecordRemovals(view, gone);
      await this.#deps.ends.write(ends, (more) => registry.commit([...records, ...removals, ...more]));
    }
    if (view.nextJobInstanceIp !== undefined) await registry.remove(paths.nextJobInstanceIp);
    if (view.leader !== me || !view.processing || view.reshardingNeeded) return;
    await registry.remove(paths.processing);
    logger.warn(`removed leader/sharding/processing: the leader that wrote it is gone.`);
  }

  /** The operations for as many records as fit into one commit; the next reconciliation finds the others. */
  #recordOperations(view: JobView, gone: readonly string[]): readonly Operation[] {
    const { paths, watch, me } = this.#deps;
    if (gone.length === 0) return [];
    const ids = [me, ...gone];
    // No item bears the mark of an instance that is gone. If its manual runs are to be taken over, crash reports have
    // their parameters.
    const isRunning = (item: number): boolean => itemOf(view, item)?.running === true;
    const records = ids.map((id) => view.beginRecords.get(id));
    const merged = withParametersOf(mergeBeginRecords(records), isRunning);
    // Those that are gone run nothing any more.
    const { keyed } = view.beginRecords.get(me) ?? NOTHING_BEGUN;
    const value = encodeBeginRecord({ ...merged, keyed, isRewritten: true });
    const own = watch.nodes.get(paths.beginRecord(me));
    const path = paths.beginRecord(me);
    return [
      own === undefined ? { type: 'create', path, value } : { type: 'set', path, value, version: own.version },
      ...gone.map((id): Operation => {
        const record = watch.nodes.get(paths.beginRecord(id));
        return {
          type: 'remove',
          path: paths.beginRecord(id),
          ...(record !== undefined && { version: record.version }),
        };
      }),
    ];
  }

  #endsOf({ graph }: JobView, gone: readonly string[]): readonly EndedRun[] {
    return gone.flatMap((id) =>
      [...(graph.ends.get(id)?.ends ?? [])].flatMap(([instant, items]) =>
        [...items].map(([item, end]) => ({ item, instant, end })),
      ),
    );
  }

  #endRecordRemovals({ graph }: JobView, gone: readonly string[]): readonly Operation[] {
    const { paths, watch } = this.#deps;
    return gone
      .filter((id) => graph.ends.has(id))
      .map((id): Operation => {
        const path = paths.endRecord(id);
        const version = watch.nodes.get(path)?.version;
        return { type: 'remove', path, ...(version !== undefined && { version }) };
      });
  }

  #triggerRemovals(view: JobView): readonly Operation[] {
    const { paths } = this.#deps;
    const gone = [...view.triggers].filter((id) => isGone(view, id));
    const spent = spentAcceptances(view).filter((id) => this.#spentAcceptances.includes(id));
    return [...gone.map((id) => paths.trigger(id)), ...spent.map((id) => paths.accepted(id))].map((path) => ({
      type: 'remove',
      path,
    }));
  }

  /** Removes leftovers of failover that no instance needs any more. */
  async endFailover(): Promise<void> {
    const { registry, watch, paths, logger } = this.#deps;
    const items = failoverRemains(watch.view);
    const present = items
      .flatMap((item) => [paths.crashedItem(item), ...TAKEOVER_MARKS.map((mark) => paths.item(item, mark))])
      .filter((path) => watch.nodes.has(path));
    await changeEach(
      registry,
      present.map((path) => ({ type: 'remove', path }) as const),
    );
    logger.warn(`removed what failover had left behind for items ${describeItems(items)}.`);
  }
}

const TAKEOVER_MARKS: readonly ItemMark[] = ['failover', 'failovering'];
