import { type JobPaths } from '../../layout/job-paths.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { type JobEnd } from './job-state.js';

/** Dependencies of `removalOf`. */
export interface RemovalDeps {
  readonly registry: RegistryCenter;
  readonly paths: JobPaths;
  /** Id of this instance. */
  readonly me: string;
}

/** The largest part that is gone: from the whole namespace to the node of this instance alone. */
export type Removal = 'namespace' | 'job' | 'instances' | 'configuration' | 'instance';

/**
 * Finds out what was removed along with the node of this instance. Never rejects: if the registry centre does not
 * answer, only that node is known to be gone.
 */
export async function removalOf(deps: RemovalDeps): Promise<JobEnd> {
  const removal = await look(deps).catch((): Removal => 'instance');
  return { type: removal === 'instance' ? 'ended' : 'removed', why: removalText(removal, deps) };
}

async function look({ registry, paths }: RemovalDeps): Promise<Removal> {
  const nodes = [
    ['namespace', '/'],
    ['job', paths.root],
    ['instances', paths.instances],
    ['configuration', paths.config],
  ] as const;
  const values = await Promise.all(nodes.map(([, path]) => registry.get(path)));
  return nodes.find((_, index) => values[index] === undefined)?.[0] ?? 'instance';
}

const RETURN = 'until this application is started again';

/** States what is gone, and what happens next: sentences that follow `Job 'bill': `. */
export function removalText(removal: Removal, { registry, paths, me }: RemovalDeps): string {
  const at = (path: string): string => registry.fullPath(path);
  const rests = `The job rests on this instance ${RETURN}`;
  switch (removal) {
    case 'namespace':
      return `the whole namespace ${at('/')} was removed from the registry centre, all its jobs included. ${rests}, which stores the job again.`;
    case 'job':
      return `the whole job was removed from the registry centre: there is no node ${at(paths.root)}. ${rests}, which stores it again.`;
    case 'instances':
      return `all instances of the job were removed from the registry centre: there is no node ${at(paths.instances)}. ${rests}.`;
    case 'configuration':
      return `the job was removed from the registry centre: there is no node ${at(paths.config)}. ${rests}, which stores it again.`;
    case 'instance':
      return (
        `${at(paths.instance(me))} was removed from the registry centre: an operator has ended the job on this instance, or is removing ` +
        `the whole job node by node. Its peers, if there are any, take over its items. It takes part again when this application is ` +
        `started again.`
      );
    default:
      return removal satisfies never;
  }
}
