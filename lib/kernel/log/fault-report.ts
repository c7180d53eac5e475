import { encodeInstanceFault, type StoredInstanceFault } from '../../layout/x-node/instance-fault.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId } from '../../registry/session-state.js';
import { type JobContext } from '../job/job-context.js';

/**
 * Stores the fault that the job has on this instance, if no other node of the registry centre shows it, so that
 * `explain` in other processes can name it. The node is removed with the session: each session begins without one.
 */
export class FaultReport {
  readonly #context: Pick<JobContext, 'registry' | 'paths' | 'me'>;
  /** The text of the node; `isUncertain` while a write is under way, and if its answer was lost. */
  #stored: { readonly session: string; readonly text: string | undefined; readonly isUncertain: boolean } | undefined;

  constructor(context: Pick<JobContext, 'registry' | 'paths' | 'me'>) {
    this.#context = context;
  }

  /** True if the node already has this content, so that nothing need be stored, as in a job without a fault. */
  says(fault: StoredInstanceFault | undefined): boolean {
    const session = liveSessionId(this.#context.registry.session.state);
    const stored = this.#stored?.session === session ? this.#stored : undefined;
    return stored?.isUncertain !== true && stored?.text === (fault && encodeInstanceFault(fault));
  }

  /**
   * Stores this fault; a call that changes nothing sends no request to the registry centre. Callers run it in the
   * mailbox only.
   * @param fault `undefined` if there is none
   * @throws RegistryConflictError if others have changed the same nodes meanwhile
   * @throws RegistryUnavailableError if the registry centre does not answer
   */
  async store(fault: StoredInstanceFault | undefined): Promise<void> {
    const session = liveSessionId(this.#context.registry.session.state);
    if (session === undefined || this.says(fault)) return;
    const text = fault && encodeInstanceFault(fault);
    this.#stored = { session, text, isUncertain: true };
    await this.#write(text);
    this.#stored = { session, text, isUncertain: false };
  }

  /** Does not create the nodes of a job again that is being removed, or gone. */
  async #write(text: string | undefined): Promise<void> {
    const { registry, paths, me } = this.#context;
    const path = paths.fault(me);
    const parents = [paths.own, paths.faults];
    const [root, ...found] = await registry.getAll([paths.root, ...parents, path]);
    const former = found.pop();
    const operations =
      root === undefined || text === undefined
        ? former && [{ type: 'remove', path } as const]
        : this.#creation(path, { text, parents, found, type: former === undefined ? 'create' : 'replace' });
    if (operations) await registry.commit(operations);
  }

  #creation(
    path: string,
    of: {
      readonly text: string;
      readonly parents: readonly string[];
      readonly found: readonly (object | undefined)[];
      readonly type: 'create' | 'replace';
    },
  ): readonly Operation[] {
    const missing = of.parents.filter((_, index) => of.found[index] === undefined);
    return [
      { type: 'check', path: this.#context.paths.root },
      ...missing.map((parent): Operation => ({ type: 'create', path: parent, value: '' })),
      { type: of.type, path, value: of.text, lifetime: 'session' },
    ];
  }
}
