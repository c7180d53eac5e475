import { describeValue, isMap } from '../api/text/describe-value.js';
import { jobPath, keyPath } from '../api/job/job-name.js';
import { suggestion } from '../api/text/nearest.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { SECURITY_SECTIONS } from '../registry/zookeeper/zookeeper-options.js';
import { type BoundTree, type Section } from './binding.js';
import { isAlone } from './create-registry-center.js';
import { filled } from './filled.js';
import { type JobSettings } from './job-settings.js';
import { type ElasticJobSettings, type ModuleSettings } from './module-settings.js';
import { DEFAULT_REG_CENTER, placeOfRegCenter, regCenterNameProblems, regCenterPath } from './reg-center-names.js';
import { RegCenterSettings } from './reg-center-settings.js';
import { registryTypeProblems } from './registry-kind.js';

/** The settings of all registry centres by name, the default one first. */
export type RegCenters = ReadonlyMap<string, RegCenterSettings>;

/** The settings of one registry centre, with its sections. */
export function regCenterOf(section: Section): RegCenterSettings {
  const sections = Object.entries(SECURITY_SECTIONS).flatMap(([name, type]) =>
    section.has(name) ? [[name, filled(new type(), section.get(name) as Section)] as const] : [],
  );
  return filled(new RegCenterSettings(), new Map([...section, ...sections]));
}

/** The registry centre that code gives in place of settings; `undefined` if it gives none of that name. */
export function givenRegistryCenter(
  module: Pick<ModuleSettings, 'registryCenter' | 'registryCenters'>,
  name: string,
): RegistryCenter | undefined {
  return name === DEFAULT_REG_CENTER ? module.registryCenter : givenIn(module).get(name);
}

/** The named registry centres that code gives. A value that is no map is a problem of the setting. */
function givenIn({ registryCenters }: Pick<ModuleSettings, 'registryCenters'>): ReadonlyMap<string, RegistryCenter> {
  const given: Readonly<Record<string, RegistryCenter | undefined>> = isMap(registryCenters) ? registryCenters : {};
  return new Map(Object.entries(given).filter((entry): entry is [string, RegistryCenter] => entry[1] !== undefined));
}

/** The settings of the registry centres, as they are checked. */
export function regCenterSections(regCenters: RegCenters): Pick<ElasticJobSettings, 'regCenter' | 'regCenters'> {
  const regCenter = regCenters.get(DEFAULT_REG_CENTER);
  const others = [...regCenters].filter(([name]) => name !== DEFAULT_REG_CENTER);
  return { ...(regCenter !== undefined && { regCenter }), regCenters: new Map(others) };
}

/** The registry centres that settings describe, and those that jobs name: an environment may describe these, too. */
export function regCentersNamedIn({ regCenters, jobs }: Pick<BoundTree, 'regCenters' | 'jobs'>): readonly string[] {
  const named = [...jobs.values()].map((job) => job.get('registryCenter'));
  const isName = (name: unknown): name is string => typeof name === 'string' && name !== '';
  return [...new Set([...regCenters.keys(), ...named].filter(isName))].filter((name) => name !== DEFAULT_REG_CENTER);
}

/** The names of all registry centres: the default one, those of `regCenters`, and those that code gives. */
export function regCenterNames(regCenters: Iterable<string>, module: ModuleSettings): readonly string[] {
  return [...new Set([DEFAULT_REG_CENTER, ...regCenters, ...givenIn(module).keys()])];
}

/** The problems with the names of registry centres, and with the settings of each that constraints cannot see. */
export function regCenterProblems(regCenters: RegCenters, module: ModuleSettings): readonly string[] {
  const [, ...others] = regCenters.keys();
  return [
    ...regCenterNameProblems('elasticjob.regCenters', others),
    ...regCenterNameProblems('elasticjob.registryCenters', [...givenIn(module).keys()]),
    ...[...regCenters].flatMap(([name, settings]) => problemsTogether(name, settings, module)),
  ];
}

function problemsTogether(name: string, settings: RegCenterSettings, module: ModuleSettings): readonly string[] {
  const { required, namespace } = settings;
  const isPlaced = PLACES.some((place) => settings[place] !== undefined);
  return [
    ...registryTypeProblems(settings, regCenterPath(name)),
    ...(isPlaced && namespace === undefined ? [namespaceMissing(name)] : []),
    ...(required === true && isAlone(givenRegistryCenter(module, name), settings) ? [placeMissing(name)] : []),
  ];
}

const PLACES = ['serverLists', 'url', 'dataSource', 'endpoints'] as const;

function namespaceMissing(name: string): string {
  const path = regCenterPath(name);
  const inCode = placeOfRegCenter(name).reduceRight((inner, key) => `{ ${key}: ${inner} }`, '{ namespace }');
  const variable = ['ELASTICJOB', ...placeOfRegCenter(name), 'NAMESPACE'].join('_').replaceAll('-', '_').toUpperCase();
  return (
    `${path}.namespace: is required with serverLists or url or endpoints and must be a name like 'orders'; set it in ` +
    `forRoot(${inCode}), as ${path}.namespace in the file, or as ${variable}`
  );
}

function placeMissing(name: string): string {
  const path = regCenterPath(name);
  return (
    `${path}: needs serverLists, url or endpoints, as ${path}.required is true; without a registry centre, each process ` +
    'would run all items by itself'
  );
}

/** The problem with the registry centre that a job names, one line; none if there is one of that name. */
export function jobRegistryCenterProblems(
  jobName: string,
  { registryCenter: named = '' }: JobSettings,
  names: readonly string[],
): readonly string[] {
  // A value that is no text is a problem of the setting.
  if (typeof (named as unknown) !== 'string' || named === '' || names.includes(named)) return [];
  const known =
    names.length > 1
      ? `known are: ${names.join(', ')}${suggestion(named, names)}`
      : `there is only '${DEFAULT_REG_CENTER}', as elasticjob.regCenters has none`;
  return [
    `${keyPath(jobPath(jobName), 'registryCenter')}: must name a registry centre of elasticjob.regCenters, got ${describeValue(named)}; ${known}`,
  ];
}

/**
 * The registry centres that a job uses, that other sources than the environment name, or that the environment describes
 * completely: a job that is added later may use these. As several applications may share an environment, only a name
 * that resembles one of this application is a problem.
 * @param declared the names in other sources than the environment
 * @param origins the variables of the environment by the place of their settings, as `EnvironmentReading` has them
 */
export function withoutUnusedRegCenters(
  { regCenters, jobs }: Pick<BoundTree, 'regCenters' | 'jobs'>,
  { declared, origins }: { readonly declared: readonly string[]; readonly origins: ReadonlyMap<string, string> },
): Pick<BoundTree, 'regCenters'> & { readonly problems: readonly string[]; readonly unused: readonly string[] } {
  const used = new Set<unknown>([...declared, ...[...jobs.values()].map((job) => job.get('registryCenter'))]);
  const names = [...regCenters.keys()].filter((name) => used.has(name));
  const isKept = (name: string, section: Section): boolean =>
    used.has(name) || (isComplete(section) && suggestion(name, names) === '');
  const kept = new Map([...regCenters].filter(([name, section]) => isKept(name, section)));
  const problems: string[] = [];
  const unused: string[] = [];
  for (const [key, variable] of origins) {
    const [section, name = ''] = key.split('\0');
    if (section !== 'regCenters' || kept.has(name)) continue;
    const meant = suggestion(name, names);
    if (meant === '') unused.push(variable);
    else
      problems.push(
        `${variable}: there is no registry centre '${name}'; registry centres are: ${names.join(', ')}${meant}`,
      );
  }
  return { regCenters: kept, problems, unused };
}

/** True if the settings say where the registry centre is, and have a namespace there. */
function isComplete(section: Section): boolean {
  return section.has('namespace') && PLACES.some((place) => section.has(place));
}
