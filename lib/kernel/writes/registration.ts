/**
 * Registers this instance for as long as its session lives. An operator's decision about a server outlives a restart of
 * its instances.
 */
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { SessionLostError } from '../../api/errors/errors.js';
import { isLostRace } from '../../api/errors/registry-errors.js';
import { decodeTrigger, encodeTrigger, isTriggerText } from '../../layout/x-node/trigger.js';
import { rewritten } from '../../layout/x-node/begin-record.js';
import { encodeWithdrawals } from '../../layout/x-node/withdrawals.js';
import { instanceYaml } from '../../layout/job-instance.js';
import { type JobPaths } from '../../layout/job-paths.js';
import { awaitsTakeover, hasJavaPeers, type InstanceView, type ItemView, type JobView } from '../../layout/job-view.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { pathsDownTo } from '../../registry/node-paths.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId } from '../../registry/session-state.js';
import { failsOver } from '../view/items.js';
import { type JobContext } from '../job/job-context.js';
import { reportOperations } from '../marks/crash-reports.js';
import { type EndRecords, type RunToEnd } from '../marks/end-records.js';
import { type ItemMarks } from '../marks/item-marks.js';

/** Dependencies of a `Registration`. */
export interface RegistrationDeps extends JobContext {
  readonly marks: ItemMarks;
  readonly ends: EndRecords;
}

/** Most attempts at a registration if peers change the same nodes at the same moment. */
const ATTEMPTS = 10;

/** `start`: the instance takes part for the first time. `return`: it takes part again after it has lost its session. */
export type Occasion = 'start' | 'return';

/** This instance's place in the registry centre. */
export class Registration {
  readonly #deps: RegistrationDeps;
  #session: string | undefined;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /** Id of the session in which this instance is registered; `undefined` while it is not. */
  get session(): string | undefined {
    return this.#session;
  }

  /** Notes that the session is lost, and the registration with it. */
  forget(): void {
    this.#session = undefined;
  }

  /**
   * Registers this instance and its server for as long as the session lives. Unfinished runs of an earlier session of
   * this instance are reported as crashed in the same commit: later they could not be distinguished from living ones.
   * On return, the view must have been synchronised and read before.
   * @throws RegistryConflictError if peers have changed the same nodes again and again
   * @throws SessionLostError if the session ended meanwhile, and the registration with it
   */
  async register(config: JobConfiguration, occasion: Occasion): Promise<void> {
    const { registry, watch, marks } = this.#deps;
    const session = liveSessionId(registry.session.state);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#commitRegistration(config, occasion);
        break;
      } catch (error) {
        if (!isLostRace(error) || attempt === ATTEMPTS) throw error;
        await watch.sync();
        await watch.readAll();
      }
    }
    // A process that was frozen is notified of both at once. If it counted as registered in a session that has ended,
    // it would take its missing node for an operator's order to stop.
    if (session === undefined || liveSessionId(registry.session.state) !== session)
      throw new SessionLostError(`it ended while job '${this.#deps.paths.jobName}' was being registered`);
    this.#session = session;
    await marks.removal.clearLeftovers();
  }

  async #commitRegistration(config: JobConfiguration, occasion: Occasion): Promise<void> {
    const { registry, watch } = this.#deps;
    const own = this.#registrationOperations(config, occasion);
    if (own.length === 0) return;
    const parents = this.#parentOperations(occasion).map((operation) => ({ operations: [operation] }));
    const groups: readonly RegistrationPart[] = [...parents, { operations: own }, ...this.#unfinishedParts()];
    // Operations beyond the first commit concern items that this instance has lost track of; the rules report them,
    // too.
    for (const { operations, groups: parts } of commitChunks(groups, registry.limits))
      await this.#deps.ends.write(
        parts.flatMap(({ ended = [] }) => ended),
        (ends) => registry.commit([...operations, ...ends]),
      );
    await watch.sync();
  }

  /**
   * Recreates or repairs this instance's nodes, except a missing `instances/{id}`: its removal means that the instance
   * is to stop. All other nodes are created only if that one stands, so that no node returns of a job that is being
   * removed.
   * @throws RegistryConflictError if that node is gone, or peers have changed the others
   */
  async restoreOwnNodes(): Promise<void> {
    const { registry, watch, paths, instance, me, logger } = this.#deps;
    const wanted: readonly Extract<Operation, { type: 'create' }>[] = [
      { type: 'create', path: paths.servers, value: '' },
      { type: 'create', path: paths.server(instance.serverIp), value: 'ENABLED' },
      { type: 'create', path: paths.own, value: '' },
      { type: 'create', path: paths.lives, value: '' },
      { type: 'create', path: paths.live(me), value: '', lifetime: 'session' },
      { type: 'create', path: paths.beginRecords, value: '' },
      { type: 'create', path: paths.beginRecord(me), value: '' },
    ];
    const missing = wanted.filter(({ path }) => !watch.nodes.has(path));
    const own = watch.view.instances.get(me);
    const isReadable = own?.readable !== false;
    const text = watch.nodes.get(paths.instance(me))?.value ?? '';
    const isTriggered = !isReadable && isTriggerText(text);
    await registry.commit([
      ...this.#ownNodeRepairs(own),
      ...missing,
      ...(isTriggered ? await this.#ownTriggerOperations() : []),
    ]);
    if (isTriggered)
      logger.log(
        `was triggered by the text TRIGGER in ${registry.fullPath(paths.instance(me))}, and runs its items once. The node has its own text again.`,
      );
    else if (!isReadable)
      logger.warn(
        `the node of this instance was overwritten with ${JSON.stringify(text.slice(0, 80))}, so that it got no items; it is repaired.`,
      );
  }

  /**
   * The operations that turn the text into a trigger. They belong to the commit that removes the text, so that each
   * text triggers once. If a trigger waits already, both become one. The items are not listed: while the text stands,
   * the leader may give them to others, and they come back before the trigger is accepted.
   */
  async #ownTriggerOperations(): Promise<readonly Operation[]> {
    const { registry, watch, paths, me } = this.#deps;
    const path = paths.trigger(me);
    const waiting = watch.nodes.get(path);
    if (waiting === undefined)
      return [
        ...(watch.nodes.has(paths.triggers) ? [] : [{ type: 'create', path: paths.triggers, value: '' } as const]),
        { type: 'create', path, value: encodeTrigger({ isForAll: true }) },
      ];
    const earlier = decodeTrigger((await registry.get(path)) ?? '');
    const { items, ...trigger } = 'problem' in earlier ? { items: [] } : earlier;
    if (items === undefined) return [];
    const value = encodeTrigger({ ...trigger, isForAll: true, ...(items.length > 0 && { also: items }) });
    return [{ type: 'set', path, value, version: waiting.version }];
  }

  /** Repairs a node that stands. If a copy of the tree has made it persistent, it is created again in this session. */
  #ownNodeRepairs(own: InstanceView | undefined): readonly Operation[] {
    const { paths, instance, me } = this.#deps;
    const path = paths.instance(me);
    const value = instanceYaml(instance);
    if (own !== undefined && own.session === undefined) return [{ type: 'replace', path, value, lifetime: 'session' }];
    const version = this.#deps.watch.nodes.get(path)?.version;
    // The version keeps another text that has come meanwhile.
    return own?.readable === false && version !== undefined
      ? [{ type: 'set', path, value, version }]
      : [{ type: 'check', path }];
  }

  /**
   * Announces that this instance is stopping while items still run: peers get its idle items at once, and it gets none.
   * The items that run stay its own until they end. With Java peers it does nothing, because they would run those items
   * again.
   */
  async announceLeaving(config: JobConfiguration): Promise<void> {
    const { registry, watch, paths, me } = this.#deps;
    const { view } = watch;
    if (this.#session === undefined || !config.monitorExecution || hasJavaPeers(view) || !view.live.has(me)) return;
    const leaving = [...(view.leader === me ? [paths.leader] : []), paths.instance(me)];
    await registry.commit(leaving.map((path): Operation => ({ type: 'remove', path })));
  }

  /** Withdraws this instance, and its leadership if it leads, so that peers take over at once. */
  async withdraw(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    try {
      await this.#removeOwn();
    } catch (error) {
      this.#session = session;
      throw error;
    }
  }

  async #removeOwn(): Promise<void> {
    const { registry, watch, paths, me } = this.#deps;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        await registry.commit(this.#withdrawalOperations());
        return;
      } catch (error) {
        if (!isLostRace(error)) throw error;
        // One of the nodes is gone already, or a peer has stopped at the same moment.
        await watch.sync();
      }
    }
    for (const path of [paths.leader, ...ownNodes(paths, me)])
      if (path !== paths.leader || watch.view.leader === me) await registry.remove(path);
  }

  /** The note comes first in its commit: a peer that sees the nodes removed sees the note as well. */
  #withdrawalOperations(): readonly Operation[] {
    const { watch, paths, me } = this.#deps;
    const { leader, withdrawn } = watch.view;
    const own = ownNodes(paths, me).filter((path) => watch.nodes.has(path));
    const leaving = leader === me ? [paths.leader, ...own] : own;
    const note = watch.nodes.get(paths.lives);
    const removals = leaving.map((path): Operation => ({ type: 'remove', path }));
    // No node may return of a job that is being removed.
    if (note === undefined || own.length === 0) return removals;
    const value = encodeWithdrawals([me, ...withdrawn]);
    return [{ type: 'set', path: paths.lives, value, version: note.version }, ...removals];
  }

  #registrationOperations(config: JobConfiguration, occasion: Occasion): readonly Operation[] {
    const { watch, paths, instance, me, registry } = this.#deps;
    const operations: Operation[] = [];
    const server = paths.server(instance.serverIp);
    const status = watch.view.servers.get(instance.serverIp);
    const wanted = occasion === 'start' ? wantedStatus(status, config) : (status ?? 'ENABLED');
    if (status === undefined) operations.push({ type: 'create', path: server, value: wanted });
    else if (status !== wanted) operations.push({ type: 'set', path: server, value: wanted });

    const session = liveSessionId(registry.session.state);
    for (const path of ownNodes(paths, me)) {
      const node = watch.nodes.get(path);
      if (node !== undefined && node.session === session) continue;
      const value = path === paths.instance(me) ? instanceYaml(instance) : '';
      const own = { path, value, lifetime: 'session' } as const;
      if (node === undefined) operations.push({ type: 'create', ...own });
      // A node of an earlier session would vanish when the server notices that session's end.
      else operations.push({ type: 'replace', ...own, version: node.version });
    }
    // An instance that has stopped, and takes part again in the same process, may still crash.
    const { withdrawn } = watch.view;
    const note = watch.nodes.get(paths.lives);
    if (note !== undefined && withdrawn.includes(me)) {
      const others = encodeWithdrawals(withdrawn.filter((id) => id !== me));
      operations.push({ type: 'set', path: paths.lives, value: others, version: note.version });
    }
    // Created at once, because peers take an instance without a record for a Java instance.
    const path = paths.beginRecord(me);
    const record = watch.nodes.get(path);
    if (record === undefined) operations.push({ type: 'create', path, value: '' });
    // The new version refuses a commit that was sent in an earlier session to begin a run, and is still on its way.
    else if (operations.length > 0 && occasion === 'return')
      operations.push({ type: 'set', path, value: rewritten(record.value ?? ''), version: record.version });
    return operations;
  }

  /** Ends, item by item, the unfinished runs of an earlier session of this instance. */
  #unfinishedParts(): readonly RegistrationPart[] {
    const { watch, paths, me, held } = this.#deps;
    const { view } = watch;
    const ended = new Map(held.leftovers.map(({ item, instant }) => [item, instant]));
    return itemsMarkedBy(view, me).map((item) => {
      const hasEnded = ended.has(item.item);
      const isToWait = failsOver(view) && !hasEnded && !awaitsTakeover(view, item.item);
      const operations = reportOperations({ watch, paths, item, isDead: (runner) => runner === me, isToWait });
      const end = held.mark(item.item)?.end ?? 'failed';
      return { operations, ...(hasEnded && { ended: [{ item: item.item, instant: ended.get(item.item), end }] }) };
    });
  }

  /**
   * Part of the commit of the registration: separate requests for each of these nodes and their parents would take many
   * times as long.
   */
  #parentOperations(occasion: Occasion): readonly Operation[] {
    const { watch, paths } = this.#deps;
    const parents = [paths.instances, paths.servers, paths.own, paths.beginRecords, paths.lives];
    // Only an instance that comes back can have left a run behind.
    if (occasion === 'return') parents.push(paths.crashReports, ...pathsDownTo(paths.crashedItems, paths.root));
    return parents
      .filter((path) => !watch.nodes.has(path))
      .map((path): Operation => ({ type: 'create', path, value: '' }));
  }
}

/** Operations of a registration that belong into one commit, together with the ends of these runs. */
interface RegistrationPart {
  readonly operations: readonly Operation[];
  readonly ended?: readonly RunToEnd[];
}

/** The nodes that show that an instance takes part. */
export function ownNodes(paths: JobPaths, id: string): readonly string[] {
  return [paths.instance(id), paths.live(id)];
}

function itemsMarkedBy(view: JobView, id: string): readonly ItemView[] {
  return view.items.filter(({ runningOn, takenOverBy, failoveringBy }) =>
    [runningOn, takenOverBy, failoveringBy].includes(id),
  );
}

/**
 * `disabled` disables the server at each start, as in Java. If an operator has disabled the server, it stays disabled
 * unless `overwrite` is set.
 */
function wantedStatus(status: string | undefined, config: JobConfiguration): 'ENABLED' | 'DISABLED' {
  if (config.disabled) return 'DISABLED';
  return status === 'DISABLED' && !config.overwrite ? 'DISABLED' : 'ENABLED';
}
