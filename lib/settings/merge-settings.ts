/**
 * Reads the settings of an application from all of its sources, without knowing how it is built:
 *
 * ```
 *   code ──────────────┐
 *   YAML file ─────────┼─▶ binding.ts: names and shapes ─▶ merge-settings.ts: values ─▶ MergedSettings
 *   environment.ts ────┘
 * ```
 * Nothing is thrown here: problems are collected, so that the caller adds its own and refuses everything at once.
 * A key path, the value and the source are part of each problem.
 */
import { inEnglish } from '../wording/wording.js';
import { problemsInJobName } from '../api/job/job-configuration.js';
import { jobPath, keyPath } from '../api/job/job-name.js';
import { suggestion } from '../api/text/nearest.js';
import { describeValue, isMap } from '../api/text/describe-value.js';
import { placeholderProblem } from '../api/settings/placeholder.js';
import { type SettingProblem, settingProblems } from '../api/settings/setting.js';
import { bind, type BoundTree, type Layer, type Section } from './binding.js';
import { type EnvironmentReading, type KnownJobs, originKey, readEnvironment } from './environment.js';
import { DumpSettings } from './dump-settings.js';
import { filled } from './filled.js';
import { JobSettings } from './job-settings.js';
import { ElasticJobSettings, ModuleSettings } from './module-settings.js';
import { COMMAND_LINE, RefusedText } from './files/refused-text.js';
import { placeOfRegCenter } from './reg-center-names.js';
import {
  jobRegistryCenterProblems,
  type RegCenters,
  regCenterNames,
  regCenterOf,
  regCenterProblems,
  regCenterSections,
  regCentersNamedIn,
  withoutUnusedRegCenters,
} from './reg-centers.js';
import { TracingSettings } from './tracing-settings.js';
import { unsetCronWarnings } from './unset-crons.js';

/** The sources of settings. */
export interface SettingsSources {
  /** The settings in code, the weaker tree first. Each has the shape of `forRoot()`'s options. */
  readonly code: readonly unknown[];
  /** The tree under `elasticjob` in a file; `undefined` if there is none. */
  readonly file: unknown;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The settings of all sources together. They may be used only if there is no problem. */
export interface MergedSettings {
  readonly module: ModuleSettings;
  /** By name, the default one first. */
  readonly regCenters: RegCenters;
  readonly tracing: TracingSettings;
  readonly dump: DumpSettings;
  /** By job name. */
  readonly jobs: ReadonlyMap<string, MergedJob>;
  /** The problems of all settings except those of jobs, one line each. */
  readonly problems: readonly string[];
  /**
   * Adds the name of an environment variable to a problem that begins with the path of a setting, if the value came
   * from one.
   */
  readonly withOrigin: (problem: string) => string;
  /** Settings that are allowed but probably not intended; one sentence each. */
  readonly warnings: readonly string[];
}

/** The settings of one job. */
export interface MergedJob {
  readonly settings: JobSettings;
  /** The problems of these settings, one line each. */
  readonly problems: readonly string[];
}

/**
 * Merges the sources and checks the result; later sources win, the environment last.
 * @returns `undefined` if `elasticjob.enabled` is false; nothing else is checked then
 */
export function mergeSettings({ code, file, environment }: SettingsSources): MergedSettings | undefined {
  const layers: readonly Layer[] = [
    ...code.map((tree) => ({ source: 'code', tree }) as const),
    { source: 'file', tree: file },
  ];
  const weaker = bind(layers);
  const known = new Map([...weaker.jobs].map(([name, job]) => [name, keysOf(job.get('props'))]));
  const variables = readEnvironment(environment, { jobs: known, regCenters: regCentersNamedIn(weaker) });
  const origin = (place: readonly string[]): string => {
    const variable = variables.origins.get(originKey(place));
    return variable === undefined ? '' : ` (from environment variable ${variable})`;
  };
  const tree = bind([...layers, { source: 'environment', tree: variables.tree, origin }]);
  if (tree.module.get('enabled') === false) return undefined;

  const { jobs, problems, unknownJobs } = withoutUnusedJobs(tree, { known, origins: variables.origins });
  const module = filled(new ModuleSettings(), tree.module);
  const declared = [...weaker.regCenters.keys()];
  const used = withoutUnusedRegCenters({ ...tree, jobs }, { declared, origins: variables.origins });
  const regCenters = new Map([...used.regCenters].map(([name, section]) => [name, regCenterOf(section)]));
  const tracing = filled(new TracingSettings(), tree.tracing);
  const dump = filled(new DumpSettings(), tree.dump);
  const merged = new Map([...jobs].map(([name, section]) => [name, filled(new JobSettings(), section)]));
  const all = Object.assign(new ElasticJobSettings(), module, {
    ...{ tracing, dump, jobs: merged, ...regCenterSections(regCenters) },
  });
  const found = allProblems(all, unresolvedIn({ ...tree, jobs, regCenters: used.regCenters })).map(
    ({ place, problem }) => ({
      place,
      line: `${place.reduce(keyPath, 'elasticjob')}: ${problem}${origin(place)}`,
    }),
  );
  const names = regCenterNames(regCenters.keys(), module);
  return {
    module,
    regCenters,
    tracing,
    dump,
    jobs: new Map([...merged].map(([name, job]) => [name, mergedJob(name, job, { found, regCenters: names })])),
    problems: [
      ...tree.problems,
      ...problems,
      ...variables.problems,
      ...found.filter(({ place }) => place[0] !== 'jobs').map(({ line }) => line),
      ...used.problems,
      ...regCenterProblems(regCenters, module),
    ],
    withOrigin: annotation(variables.origins),
    warnings: [
      ...placeholderWarnings(variables.origins, environment),
      ...variableWarnings(variables, {
        ...{ unknownJobs, jobs: [...jobs.keys()] },
        ...{ unusedRegCenters: used.unused, regCenters: names },
      }),
      ...unsetCronWarnings(
        { code, file, environment },
        [...merged].flatMap(([name, { cron = '', after = '' }]) => (cron === '' && after.length === 0 ? [name] : [])),
      ),
    ],
  };
}

/**
 * The problems of all settings. If a text has a placeholder without a value, that problem replaces those that follow
 * from it.
 */
function allProblems(all: ElasticJobSettings, unresolved: readonly SettingProblem[]): readonly SettingProblem[] {
  // A refused property stands below the setting `props`.
  const places = new Set(unresolved.flatMap(({ place }) => [originKey(place), originKey(place.slice(0, -1))]));
  return [...unresolved, ...settingProblems(all).filter(({ place }) => !places.has(originKey(place)))];
}

/** The settings whose placeholders have no value, and that no stronger source gives. */
function unresolvedIn({ module, regCenters, tracing, dump, jobs }: BoundTree): readonly SettingProblem[] {
  const sections: readonly (readonly [readonly string[], Section])[] = [
    [[], module],
    ...[...regCenters].map(([name, section]) => [placeOfRegCenter(name), section] as const),
    [['tracing'], tracing],
    [['dump'], dump],
    ...[...jobs].map(([name, section]) => [['jobs', name], section] as const),
  ];
  return sections.flatMap(([place, section]) => unresolvedInSection(place, section));
}

function unresolvedInSection(place: readonly string[], section: Section): readonly SettingProblem[] {
  return [...section].flatMap(([name, value]) => {
    if (value instanceof Map) return unresolvedInSection([...place, name], value as Section);
    const { text, key } = refusedText(value) ?? {};
    return text === undefined
      ? []
      : [{ place: [...place, name, ...(key === undefined ? [] : [key])], problem: text.problem }];
  });
}

/**
 * The first refused text in a value, and the key of the property whose value it is, if the value has the properties of
 * a job.
 */
function refusedText(value: unknown): { readonly text: RefusedText; readonly key?: string } | undefined {
  if (value instanceof RefusedText) return { text: value };
  if (Array.isArray(value)) return value.map(refusedText).find((found) => found !== undefined);
  for (const [name, each] of isMap(value) ? Object.entries(value) : []) {
    const found = refusedText(each);
    if (found !== undefined) return { ...found, key: found.key === undefined ? name : `${name}.${found.key}` };
  }
  return undefined;
}

/**
 * The jobs that have something that does their work, or that other sources than the environment name. Several
 * applications may share an environment, so only a name that resembles the name of a job here is a problem.
 */
function withoutUnusedJobs(
  { jobs }: BoundTree,
  { known, origins }: { readonly known: KnownJobs; readonly origins: ReadonlyMap<string, string> },
): Pick<BoundTree, 'jobs'> & { readonly problems: readonly string[]; readonly unknownJobs: readonly string[] } {
  const isUnused = ([name, job]: readonly [string, ReadonlyMap<string, unknown>]): boolean =>
    !known.has(name) && !['elasticJobClass', 'elasticJobType', 'worker'].some((key) => job.has(key));
  const unusedNames = [...jobs].filter(isUnused).map(([name]) => name);
  const names = [...known.keys()];
  const problems: string[] = [];
  const unknownJobs: string[] = [];
  for (const [key, variable] of origins) {
    const [section, name = ''] = key.split('\0');
    if (section !== 'jobs' || !unusedNames.includes(name)) continue;
    const meant = suggestion(name, names);
    if (meant === '') unknownJobs.push(variable);
    else problems.push(`${variable}: there is no job '${name}'; jobs are: ${names.join(', ')}${meant}`);
  }
  return { jobs: new Map([...jobs].filter((entry) => !isUnused(entry))), problems, unknownJobs };
}

/** Variables that have no effect, and the names that would give them one. */
interface VariableUse {
  readonly unknownJobs: readonly string[];
  readonly jobs: readonly string[];
  readonly unusedRegCenters: readonly string[];
  readonly regCenters: readonly string[];
}

function variableWarnings(
  { unrelatedVariables, misspeltVariables, folded }: EnvironmentReading,
  { unknownJobs, jobs, unusedRegCenters, regCenters }: VariableUse,
): readonly string[] {
  const warning = (what: string, variables: readonly string[]): readonly string[] =>
    variables.length === 0 ? [] : [`${what}: ${variables.join(', ')}.`];
  const list = jobs.length === 0 ? 'it has none' : `its jobs are ${jobs.join(', ')}`;
  return [
    ...warning('These environment variables are not settings of ElasticJob and are ignored', unrelatedVariables),
    ...warning(
      `These environment variables are ignored, as they name jobs that this application does not have (${list})`,
      unknownJobs,
    ),
    ...warning(
      'These environment variables are ignored, as they name registry centres that no job of this application uses ' +
        `(its registry centres are ${regCenters.join(', ')})`,
      unusedRegCenters,
    ),
    ...warning(
      'These environment variables are ignored, as names of settings begin with ELASTICJOB_',
      misspeltVariables,
    ),
    ...[...folded].flatMap(([name, variable]) => (jobs.includes(name) ? [foldedWarning(name, variable)] : [])),
  ];
}

/**
 * Warnings about variables with placeholders that were not replaced, except command lines: scripts have a check of
 * their own.
 */
function placeholderWarnings(
  origins: ReadonlyMap<string, string>,
  environment: SettingsSources['environment'],
): readonly string[] {
  return [...origins].flatMap(([key, variable]) => {
    const problem = key.endsWith(COMMAND_LINE) ? undefined : placeholderProblem(environment[variable]);
    return problem === undefined
      ? []
      : [`Environment variable ${variable} ${inEnglish(problem)}.`.replace(' must not have ', ' has ')];
  });
}

function foldedWarning(name: string, variable: string): string {
  return (
    `Environment variable ${variable} defines the job '${name}', whose name is taken in lower case, because capitals cannot spell it. ` +
    `To choose the spelling, name the job in code or in a file, or use variables such as elasticjob.jobs.${name}.cron.`
  );
}

function annotation(origins: ReadonlyMap<string, string>): (problem: string) => string {
  const byPath = new Map(
    [...origins].map(([key, variable]) => [key.split('\0').reduce(keyPath, 'elasticjob'), variable]),
  );
  return (problem) => {
    const variable = byPath.get(problem.split(': ', 1).join(''));
    const isNamed = variable === undefined || problem.includes('(from environment variable ');
    return isNamed ? problem : `${problem} (from environment variable ${variable})`;
  };
}

function keysOf(props: unknown): readonly string[] {
  return typeof props === 'object' && props !== null ? Object.keys(props) : [];
}

/** The problems of all settings, and the names of the registry centres that jobs may name. */
interface Found {
  readonly found: readonly { readonly place: readonly string[]; readonly line: string }[];
  readonly regCenters: readonly string[];
}

function mergedJob(jobName: string, settings: JobSettings, { found, regCenters }: Found): MergedJob {
  const own = found.filter(({ place }) => place[0] === 'jobs' && place[1] === jobName).map(({ line }) => line);
  return {
    settings,
    problems: [
      ...problemsInJobName(jobName),
      ...own,
      ...threadPoolProblems(jobName, settings),
      ...jobRegistryCenterProblems(jobName, settings, regCenters),
    ],
  };
}

function threadPoolProblems(
  jobName: string,
  { jobExecutorServiceHandlerType: former = '', jobExecutorThreadPoolSizeProviderType: later = '' }: JobSettings,
): readonly string[] {
  if (former === '' || later === '') return [];
  return [
    `${jobPath(jobName)}: jobExecutorServiceHandlerType and jobExecutorThreadPoolSizeProviderType are two names of one setting, ` +
      `got ${describeValue(former)} and ${describeValue(later)}`,
  ];
}
