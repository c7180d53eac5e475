import { isDisconnection } from '../api/errors/registry-errors.js';
import { Limiter } from '../async/limiter.js';
import { commitChunks } from './commit-chunks.js';
import { type RegistryCenter } from './registry-center.js';

/** Most requests that wait for their answers at the same time when something is done item by item. */
export const REQUESTS_AT_ONCE = 256;

/** Creating a node without a value, or removing one. */
export type SmallChange =
  | { readonly type: 'create'; readonly path: string; readonly value: '' }
  | { readonly type: 'remove'; readonly path: string };

/**
 * Makes small changes that do not depend on each other, and that others may have made already: together, in as few
 * commits as hold them, and where a commit does not fit, one by one. A change that the registry centre refuses keeps no
 * other from being made.
 * @throws RegistryUnavailableError, RegistryOutcomeUnknownError or RegistryRefusedError if some of them could not
 *   be made; each may be tried again
 */
export async function changeEach(registry: RegistryCenter, changes: readonly SmallChange[]): Promise<void> {
  const [only, ...others] = changes;
  if (only !== undefined && others.length === 0) return makeAlone(registry, only);
  const groups = changes.map((change) => ({ change, operations: [change] }));
  const limiter = new Limiter(REQUESTS_AT_ONCE);
  const failures: unknown[] = [];
  for (const chunk of commitChunks(groups, registry.limits)) {
    try {
      await registry.commit(chunk.operations);
    } catch (error) {
      if (isDisconnection(error)) throw error;
      const made = chunk.groups.map(({ change }) => limiter.run(() => makeAlone(registry, change)));
      for (const result of await Promise.allSettled(made))
        if (result.status === 'rejected') failures.push(result.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function makeAlone(registry: RegistryCenter, change: SmallChange): Promise<void> {
  if (change.type === 'create') await registry.create(change.path, change.value);
  else await registry.remove(change.path);
}
