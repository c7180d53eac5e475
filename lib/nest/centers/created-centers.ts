import { type JobLogger } from '../../api/text/logger.js';
import { type JobInstance } from '../../api/extensions/sharding-strategy.js';
import { addressProblem } from '../../layout/job-instance.js';
import { EmbeddedRegistryCenter } from '../../registry/embedded/embedded-registry-center.js';
import { type RegistryCenter, type Session } from '../../registry/registry-center.js';
import { createRegistryCenter, isAlone } from '../../settings/create-registry-center.js';
import { DEFAULT_REG_CENTER, regCenterPath } from '../../settings/reg-center-names.js';
import { givenRegistryCenter, regCenterNames } from '../../settings/reg-centers.js';
import { RegCenterSettings } from '../../settings/reg-center-settings.js';
import { type MergedSettings } from '../../settings/merge-settings.js';
import { type DefinedJob } from '../definitions/job-definitions.js';

/** Registry centres by name, the default one first. */
type Centers = ReadonlyMap<string, RegistryCenter>;

/** The settings of which registry centres are made. */
type CenterSettings = Pick<MergedSettings, 'module' | 'regCenters'>;

/** Those settings, and the jobs that use the registry centres. */
interface UsedCenters extends CenterSettings {
  readonly jobs: readonly Pick<DefinedJob, 'registryCenter'>[];
}

/** The registry centres of an application, not connected yet: those that code gives, and those of the settings. */
export function createCenters({ module, regCenters }: CenterSettings, log: JobLogger): Centers {
  const centerOf = (name: string): RegistryCenter =>
    givenRegistryCenter(module, name) ?? createRegistryCenter(regCenters.get(name) ?? new RegCenterSettings(), log);
  return new Map(regCenterNames(regCenters.keys(), module).map((name) => [name, centerOf(name)]));
}

/** Closes all registry centres. A registry centre with two names is closed once. */
export async function closeAll(centers: Centers): Promise<void> {
  await Promise.all([...new Set(centers.values())].map((center) => center.close()));
}

/** The session with the longest timeout; none if each registry centre ends with the process, so that nothing rests. */
export function longestSession(centers: Centers): Session | undefined {
  const [longest] = outside(centers)
    .map(({ session }) => session)
    .sort((one, other) => other.timeoutMs - one.timeoutMs);
  return longest;
}

/** Inside one process, addresses have no meaning; in any other registry centre they distinguish servers. */
export function addressWarnings(instance: JobInstance, centers: Centers): readonly string[] {
  const problem = outside(centers).length === 0 ? undefined : addressProblem(instance);
  return problem === undefined ? [] : [problem];
}

function outside(centers: Centers): readonly RegistryCenter[] {
  return [...centers.values()].filter((center) => !(center instanceof EmbeddedRegistryCenter));
}

/** One line for each registry centre, with the number of its jobs. */
export function describeCenters(centers: Centers, { module, regCenters, jobs }: UsedCenters): readonly string[] {
  return [...centers].map(([name, { description }]) => {
    const { length } = jobs.filter(({ registryCenter }) => registryCenter === name);
    const label = name === DEFAULT_REG_CENTER ? 'Registry centre' : `Registry centre '${name}'`;
    const alone = isAlone(givenRegistryCenter(module, name), regCenters.get(name) ?? new RegCenterSettings());
    const hint =
      alone && (length > 0 || centers.size === 1)
        ? ` Without ${placesIn(name)}, jobs are coordinated inside this process only.`
        : '';
    return `${label}: ${description}; ${length} ${length === 1 ? 'job' : 'jobs'}.${hint}`;
  });
}

/**
 * Warnings about registry centres inside this process, in production. One that no job uses is no danger, unless it is
 * the only one.
 */
export function aloneWarnings({ module, regCenters, jobs }: UsedCenters): readonly string[] {
  const names = regCenterNames(regCenters.keys(), module);
  const isUsed = (name: string): boolean => jobs.some(({ registryCenter }) => registryCenter === name);
  return names
    .filter((name) => names.length === 1 || isUsed(name))
    .filter((name) => isAlone(givenRegistryCenter(module, name), regCenters.get(name) ?? new RegCenterSettings()))
    .map(aloneWarning);
}

function aloneWarning(name: string): string {
  const whose = name === DEFAULT_REG_CENTER ? 'all jobs' : 'its jobs';
  const label = name === DEFAULT_REG_CENTER ? 'the registry centre' : `the registry centre '${name}'`;
  return (
    `NODE_ENV is production, but ${label} is inside this process: each process runs all items of ${whose}. ` +
    `Set ${placesIn(name)}, and ${regCenterPath(name)}.required: true, which refuses to start without them.`
  );
}

function placesIn(name: string): string {
  const path = regCenterPath(name);
  return `${path}.serverLists, ${path}.url or ${path}.endpoints`;
}
