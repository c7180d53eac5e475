import { InvalidConfigurationError } from '../api/errors.js';
import { type JobConfiguration } from '../api/job-configuration.js';
import { faultsIn } from '../api/setting.js';
import { Extensions } from '../kernel/types/extensions.js';
import { systemClock } from '../time/clock.js';
import { QuartzCron } from '../time/cron.js';
import { parseTimeZone } from '../time/time-zone.js';
import { bind, type BoundTree, type Layer } from './binding.js';
import { type AnyJobListener } from '../api/job-listener.js';
import { type FoundProvider } from './elastic-job.explorer.js';
import { originKey, readEnvironment } from './environment.js';
import { type DefinedJob, defineJobs } from './job-definitions.js';
import { defineListeners } from './listener-definitions.js';
import { ModuleSettings, RegCenterSettings } from './module-settings.js';

/** Where settings come from. */
export interface SettingsSources {
  /** What was given to `forRoot`. */
  readonly options: unknown;
  /** What `@nestjs/config` has under `elasticjob`; `undefined`: nothing. */
  readonly file: unknown;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: readonly FoundProvider[];
}

/** All settings of the application, checked. */
export interface ElasticJobSettings {
  readonly module: ModuleSettings;
  readonly regCenter: RegCenterSettings;
  readonly jobs: readonly DefinedJob[];
  readonly listeners: readonly AnyJobListener[];
  /** What is allowed, but perhaps not meant; one sentence each. */
  readonly warnings: readonly string[];
}

const NAMESPACE_FAULT = "elasticjob.regCenter.namespace: is required with serverLists and must be a name like 'orders'";

/**
 * Merges and checks all settings.
 * @returns `undefined` if `elasticjob.enabled` is false; nothing else is looked at then
 * @throws InvalidConfigurationError naming everything that is wrong, one line each
 */
export function readSettings({
  options,
  file,
  environment,
  providers,
}: SettingsSources): ElasticJobSettings | undefined {
  const decorated = providers
    .flatMap(({ jobs }) => jobs)
    // What is wrong with other names is said of the decorator.
    .filter(({ jobName }) => typeof jobName === 'string')
    .map(({ jobName, options: defaults }) => [jobName, defaults]);
  const layers: readonly Layer[] = [
    { source: 'code', tree: { jobs: Object.fromEntries(decorated) as unknown } },
    { source: 'code', tree: options },
    { source: 'file', tree: file },
  ];
  const known = new Map([...bind(layers).jobs].map(([name, job]) => [name, keysOf(job.get('props'))]));
  const variables = readEnvironment(environment, known);
  const origin = (place: readonly string[]): string => {
    const variable = variables.origins.get(originKey(place));
    return variable === undefined ? '' : ` (from environment variable ${variable})`;
  };
  const tree = bind([...layers, { source: 'environment', tree: variables.tree, origin }]);
  if (tree.module.get('enabled') === false) return undefined;

  const originOf =
    (...place: readonly string[]) =>
    (setting: string): string =>
      origin([...place, setting]);
  const { jobs, faults } = defineJobs({ providers, jobs: tree.jobs, originOf: (name) => originOf('jobs', name) });
  const module = Object.assign(new ModuleSettings(), Object.fromEntries(tree.module));
  const regCenter = Object.assign(new RegCenterSettings(), Object.fromEntries(tree.regCenter));
  const moduleFaults = faultsIn(module, 'elasticjob', originOf());
  const given = moduleFaults.length === 0 ? (module.listeners ?? []) : [];
  const { listeners, faults: listenerFaults } = defineListeners(providers, given);
  const all = [
    ...tree.faults,
    ...variables.faults,
    ...moduleFaults,
    ...faultsInRegCenter(tree, regCenter, originOf('regCenter')),
    ...faults,
    ...listenerFaults,
  ];
  if (all.length === 0) all.push(...faultsInTypes(module, jobs, listeners));
  if (all.length > 0) throw new InvalidConfigurationError([...new Set(all)]);
  return { module, regCenter, jobs, listeners, warnings: warningsOn(jobs, variables.strangers) };
}

function keysOf(props: unknown): readonly string[] {
  return typeof props === 'object' && props !== null ? Object.keys(props) : [];
}

function faultsInRegCenter(
  tree: BoundTree,
  settings: RegCenterSettings,
  origin: (setting: string) => string,
): readonly string[] {
  const faults = faultsIn(settings, 'elasticjob.regCenter', origin);
  const lacksNamespace = tree.regCenter.has('serverLists') && !tree.regCenter.has('namespace');
  return lacksNamespace ? [...faults, NAMESPACE_FAULT] : faults;
}

function faultsInTypes(
  module: ModuleSettings,
  jobs: readonly DefinedJob[],
  listeners: readonly AnyJobListener[],
): readonly string[] {
  const { strategies, executors, errorHandlers, threadPoolSizeProviders } = module;
  const extensions = {
    ...(strategies && { strategies }),
    ...(executors && { executors }),
    ...(errorHandlers && { errorHandlers }),
    ...(threadPoolSizeProviders && { threadPoolSizeProviders }),
    listeners,
  };
  const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
  const types = new Extensions(extensions, { clock: systemClock, logger: silent });
  return jobs.flatMap(({ configuration, job }) => [
    ...faultsOf(() => types.check(configuration)),
    ...(typeof job === 'string' ? faultsOf(() => types.executor(configuration.jobName, job)) : []),
  ]);
}

function faultsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return error.faults;
    throw error;
  }
}

function warningsOn(jobs: readonly DefinedJob[], strangers: readonly string[]): readonly string[] {
  const zoned = jobs.filter(
    ({ configuration: { timeZone } }) => timeZone !== undefined && !parseTimeZone(timeZone).acceptedByJava,
  );
  const over = jobs.filter(({ configuration }) => isOver(configuration));
  const unseen = jobs.filter(({ configuration: { failover, monitorExecution } }) => failover && !monitorExecution);
  return [
    ...(zoned.length === 0
      ? []
      : [
          `Java ElasticJob refuses time zones that do not start with 'GMT'. Instances in Java could not run: ${listed(zoned)}.`,
        ]),
    ...(over.length === 0
      ? []
      : [`The last firing that cron allows is over, so that nothing will run, of: ${listed(over)}.`]),
    ...(unseen.length === 0
      ? []
      : [
          `failover needs monitorExecution to see what was running, and has no effect without it, on: ${listed(unseen)}.`,
        ]),
    ...(strangers.length === 0
      ? []
      : [`These environment variables are no settings of ElasticJob and are ignored: ${strangers.join(', ')}.`]),
  ];
}

function isOver({ cron, timeZone }: JobConfiguration): boolean {
  return cron !== undefined && QuartzCron.parse(cron, { timeZone }).next(new Date(systemClock.now())) === undefined;
}

function listed(jobs: readonly DefinedJob[]): string {
  return jobs.map(({ configuration: { jobName } }) => `'${jobName}'`).join(', ');
}
