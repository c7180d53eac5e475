/**
 * The way of a trigger from its node to a run. Each arrow is one commit, so that an accepted trigger is run once, or
 * dropped with a warning, even if instances die and its items move meanwhile:
 *
 * ```
 *  trigger/{id} ──accept──▶ x-node/triggered/{id} ──begin, by the owner of the item──▶ running
 *                                                 └─drop, if the item is disabled or gone──▶ noted as dropped
 * ```
 */
import { JobStateError } from '../../api/errors/errors.js';
import { isLostRace, isOutcomeUnknown } from '../../api/errors/registry-errors.js';
import { describeValue } from '../../api/text/describe-value.js';
import {
  type AcceptedTriggers,
  encodeAccepted,
  isReadBack,
  NOTHING_ACCEPTED,
  withAccepted,
  withDropped,
  withoutBegun,
} from '../../layout/x-node/accepted-triggers.js';
import { decodeTrigger } from '../../layout/x-node/trigger.js';
import { type Operation } from '../../registry/registry-center.js';
import { type JobContext } from '../job/job-context.js';
import { isDecided } from '../view/assignment.js';
import { type Firing } from '../view/firing.js';
import { areAboutToMove, assignedItems, describeItems, numbersOf } from '../view/items.js';
import { itemsWaitingFor } from '../../layout/waiting-runs.js';

/** A trigger with the items that it makes run. */
export interface AcceptedTrigger {
  readonly jobParameter: string | undefined;
  readonly isForAll: boolean;
  readonly items: readonly number[];
}

/** Accepts triggers, and keeps the record of the items that are to run because of them. */
export class TriggerAcceptance {
  readonly #context: JobContext;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /**
   * Accepts this instance's trigger. Removing the node is the claim: a trigger that an operator has withdrawn is not
   * run. A text that cannot be read may have been meant for fewer items than all: it is removed, and nothing is run.
   * @returns the trigger with its items; `undefined` if there is none, it cannot be read, or it cannot be accepted yet
   * @throws RegistryConflictError if it, or the assignment, has changed meanwhile; RegistryRefusedError or
   *   JobStateError if too many triggers with other job parameters wait already: it is accepted when some of them have
   *   begun
   */
  async accept(): Promise<AcceptedTrigger | undefined> {
    const { registry, watch, paths, me } = this.#context;
    const [node] = await registry.getAll([paths.trigger(me)]);
    if (node === undefined) return undefined;
    const removal: Operation = { type: 'remove', path: paths.trigger(me), version: node.version };
    const decoded = decodeTrigger(node.value ?? '');
    if ('problem' in decoded) return this.#refuse(removal, node.value ?? '', decoded.problem);
    const { view } = watch;
    if (decoded.items === undefined && !isDecided(view)) return undefined;
    const { jobParameter, isForAll, items = this.#ownItemsAnd(decoded.also) } = decoded;
    const trigger = { jobParameter, isForAll, items };
    const fence: readonly Operation[] =
      decoded.items === undefined && view.shardingVersion !== undefined
        ? [{ type: 'check', path: paths.sharding, version: view.shardingVersion }]
        : [];
    const addition = trigger.items.length === 0 ? [] : await this.#additions(trigger);
    await registry.commit([removal, ...fence, ...addition]);
    await watch.sync();
    return trigger;
  }

  async #refuse(removal: Operation, text: string, problem: string): Promise<undefined> {
    const { registry, watch, paths, me, logger } = this.#context;
    await registry.commit([removal]);
    logger.warn(
      `the trigger ${registry.fullPath(paths.trigger(me))} was removed and runs nothing: its text ${problem}, got ${describeValue(text)}. ` +
        `To run all items of this instance, create the node without a text; to run some, with a text such as {"items":"0-3,7"}.`,
    );
    await watch.sync();
  }

  #ownItemsAnd(others: readonly number[] = []): readonly number[] {
    const { watch, me, instance } = this.#context;
    const { view } = watch;
    // A run keeps its item with a disabled server until it has ended; the next owner then runs the item for the
    // trigger.
    if (view.servers.get(instance.serverIp) !== 'ENABLED' && !areAboutToMove(view)) return others;
    const own = numbersOf(assignedItems(view, me).filter(({ disabled }) => !disabled));
    return [...new Set([...own, ...others])];
  }

  async #additions(trigger: AcceptedTrigger): Promise<readonly Operation[]> {
    const { registry, watch, paths, me } = this.#context;
    const path = paths.accepted(me);
    const value = encodeAccepted(withAccepted(watch.view.acceptedTriggers.get(me) ?? NOTHING_ACCEPTED, trigger));
    if (!isReadBack(value))
      throw new JobStateError(
        `Job '${paths.jobName}' accepts its trigger later: too many items wait already, each for many job parameters.`,
      );
    const node = watch.nodes.get(path);
    if (node !== undefined) return [{ type: 'set', path, value, version: node.version }];
    if (!watch.nodes.has(paths.acceptedTriggers)) await registry.create(paths.acceptedTriggers, '');
    return [{ type: 'create', path, value }];
  }

  /**
   * The operations that, besides the marks, begin items manually.
   * @param steps the items of each commit, in order
   * @returns the operations of each commit
   */
  beginning(
    steps: readonly (readonly number[])[],
    jobParameter: string | undefined,
  ): readonly (readonly Operation[])[] {
    const records = this.#records();
    return steps.map((items) => {
      const begun = new Set(items);
      return records.flatMap((record) => record.change((accepted) => withoutBegun(accepted, begun, jobParameter)));
    });
  }

  /**
   * Begins items of a job that does not mark its runs.
   * @param readAgain reads the job's nodes as soon as they can be read
   * @returns true if this instance has begun them; false if its view was behind
   */
  async begin(
    items: readonly number[],
    jobParameter: string | undefined,
    readAgain: () => Promise<void>,
  ): Promise<boolean> {
    const { registry, watch } = this.#context;
    const operations = this.beginning([items], jobParameter).flat();
    try {
      if (operations.length > 0) await registry.commit(operations);
      return true;
    } catch (error) {
      if (isLostRace(error)) return false;
      if (!isOutcomeUnknown(error)) throw error;
      await readAgain();
      const waiting = itemsWaitingFor(watch.view, jobParameter);
      return !items.some((item) => waiting.has(item));
    }
  }

  /** The operations that make items wait again which were not begun after all. */
  waitingAgain(items: readonly number[], jobParameter: string | undefined): readonly Operation[] {
    const { watch, paths, me } = this.#context;
    const path = paths.accepted(me);
    const node = watch.nodes.get(path);
    const before = watch.view.acceptedTriggers.get(me) ?? NOTHING_ACCEPTED;
    const value = encodeAccepted(withAccepted(before, { jobParameter, isForAll: false, items }));
    return [node === undefined ? { type: 'create', path, value } : { type: 'set', path, value, version: node.version }];
  }

  /** Drops these items: they are not run any more. */
  async drop(items: readonly number[]): Promise<void> {
    await this.#drop(items);
    this.#context.logger.warn(
      `the triggered items ${describeItems(items)} are not run: they, or their server, were disabled before it was their turn, ` +
        'they do not exist any more, or a Java instance owns them by now. Trigger them again.',
    );
  }

  /**
   * Drops the items of a manual run that could not begin, which was logged: otherwise it would fail again and again.
   */
  async dropUnbegun({ items, jobParameter }: Firing): Promise<void> {
    const { watch, me } = this.#context;
    const only = items && new Set(items);
    for (;;) {
      const { view } = watch;
      const waiting = itemsWaitingFor(view, jobParameter);
      const due = numbersOf(assignedItems(view, me)).filter((item) => waiting.has(item) && only?.has(item) !== false);
      if (due.length === 0) return;
      try {
        return await this.#drop(due);
      } catch (error) {
        if (!isLostRace(error)) throw error;
        // Not a poll: each attempt follows a commit that was refused because the view was behind.
        await watch.sync();
      }
    }
  }

  async #drop(items: readonly number[]): Promise<void> {
    const { registry, watch } = this.#context;
    const dropped = new Set(items);
    await registry.commit(
      this.#records().flatMap((record) => record.change((accepted) => withDropped(accepted, dropped))),
    );
    await watch.sync();
  }

  #records(): readonly RecordDraft[] {
    const { watch, paths } = this.#context;
    return [...watch.view.acceptedTriggers].map(([id, accepted]) => {
      const path = paths.accepted(id);
      return new RecordDraft(path, accepted, watch.nodes.get(path)?.version ?? 0);
    });
  }
}

/** The record of one instance as commits change it, step by step. */
class RecordDraft {
  readonly #path: string;
  #accepted: AcceptedTriggers;
  #text: string;
  #version: number;

  constructor(path: string, accepted: AcceptedTriggers, version: number) {
    this.#path = path;
    this.#accepted = accepted;
    this.#text = encodeAccepted(accepted);
    this.#version = version;
  }

  /** @returns the operation for the change, or none; it fits only if no instance has changed the record meanwhile */
  change(change: (accepted: AcceptedTriggers) => AcceptedTriggers): readonly Operation[] {
    const [path, version] = [this.#path, this.#version];
    const accepted = change(this.#accepted);
    const value = encodeAccepted(accepted);
    if (value === this.#text) return [];
    this.#accepted = accepted;
    this.#text = value;
    this.#version++;
    return [value === '' ? { type: 'remove', path, version } : { type: 'set', path, value, version }];
  }
}
