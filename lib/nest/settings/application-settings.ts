import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { isMap } from '../../api/text/describe-value.js';
import { keyPath } from '../../api/job/job-name.js';
import { type ClassedJobItemExecutor } from '../../api/extensions/job-executor.js';
import { type AnyJobListener } from '../../api/extensions/job-listener.js';
import { notifyingErrorHandlers } from '../../error-handlers/notifying-error-handlers.js';
import { type ExtensionOptions, Extensions } from '../../kernel/types/extensions.js';
import { type DumpSettings } from '../../settings/dump-settings.js';
import { mergeSettings } from '../../settings/merge-settings.js';
import { classedExecutorsProblem, listenersProblem, type ModuleSettings } from '../../settings/module-settings.js';
import { type RegistryCenter } from '../../registry/registry-center.js';
import { systemClock } from '../../time/clock.js';
import { type FoundDataSource, type FoundProvider, type OneOffInjection } from '../elastic-job.explorer.js';
import { type DefinedJob, defineJobs } from '../definitions/job-definitions.js';
import { aloneWarnings } from '../centers/created-centers.js';
import { type ConnectedRegCenters, connectedRegCenters } from '../centers/data-source-connections.js';
import { loggerOf } from '../nest-logger.js';
import { defineExtensions } from '../definitions/extension-definitions.js';
import { defineListeners } from '../definitions/listener-definitions.js';
import { type OperationListener } from '../../api/events/operation-record.js';
import { defineOperationListeners } from '../definitions/operation-definitions.js';
import { injectionProblems } from '../decorators/one-off-injections.js';
import { defineTracing, type TracingDefinition } from '../definitions/tracing-definition.js';

/** The sources of an application's settings. */
export interface ApplicationSources {
  /** The options that were given to `forRoot`. */
  readonly options: unknown;
  /** The section `elasticjob` of `@nestjs/config`; `undefined` if there is none. */
  readonly file: unknown;
  /** A sentence that names a file which was read and has no effect. Default: none. */
  readonly ignoredFile?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: readonly FoundProvider[];
  /** The application's TypeORM DataSources. Default: none. */
  readonly dataSources?: readonly FoundDataSource[];
  /** The tokens that `@InjectOneOffJob` names; `oneOffJobs` of the options are checked too. Default: none. */
  readonly injections?: readonly OneOffInjection[];
}

/** All settings of the application, checked. */
export interface ApplicationSettings {
  readonly module: ModuleSettings;
  /** The settings of the registry centres by name, the default one first. */
  readonly regCenters: ConnectedRegCenters['regCenters'];
  readonly jobs: readonly DefinedJob[];
  /** The extensions that jobs may name, and the observers and interceptors of their runs. */
  readonly extensions: ExtensionOptions;
  /** `undefined`: nothing is traced. */
  readonly tracing: TracingDefinition | undefined;
  readonly dump: DumpSettings;
  /** Providers that receive the records of operations. */
  readonly operationListeners: readonly OperationListener[];
  /**
   * Settings of the module that are allowed but probably not intended; one sentence each. Those of a job are logged
   * when it starts.
   */
  readonly warnings: readonly string[];
}

/**
 * Merges and checks all settings of the application.
 * @returns `undefined` if `elasticjob.enabled` is false; nothing else is checked then
 * @throws InvalidConfigurationError naming everything that is wrong, one line each
 */
export function readApplicationSettings({
  options,
  file,
  ignoredFile,
  environment,
  providers,
  injections = [],
  dataSources = [],
}: ApplicationSources): ApplicationSettings | undefined {
  const merged = mergeSettings({ code: [{ jobs: decoratorsOf(providers) }, options], file, environment });
  if (merged === undefined) return undefined;
  const { module, regCenters } = merged;
  const { lists, problems: extensionProblems } = defineExtensions(providers, {
    ...module,
    classedExecutors: usableExecutors(module),
  });
  const { jobs, problems: jobProblems } = defineJobs(providers, merged.jobs, lists.classedExecutors);
  const { listeners, problems: listenerProblems } = defineListeners(providers, usableListeners(module));
  const jobNames = [...merged.jobs.keys()];
  const tracing = defineTracing({ settings: merged.tracing, providers, dataSources, jobNames, jobs });
  const centers = connectedRegCenters(regCenters, dataSources);
  const operations = defineOperationListeners(providers);
  const problems = [
    ...merged.problems,
    ...registryCenterProblems(options),
    ...operations.problems,
    ...jobProblems,
    ...listenerProblems,
    ...extensionProblems,
    ...(merged.problems.length === 0 ? [...centers.problems, ...tracing.problems] : []),
  ];
  // If the logger is not a logger, that problem has been collected above.
  const extensions = extensionsOf(problems.length === 0 ? module : { ...module, logger: false }, {
    ...lists,
    listeners,
  });
  if (problems.length === 0)
    problems.push(...typeProblems(extensions, jobs), ...injectionProblems([...injections, ...listed(module)], jobs));
  const ignored = ignoredFile === undefined ? [] : [ignoredFile];
  if (problems.length > 0)
    throw new InvalidConfigurationError([...new Set(problems.map(merged.withOrigin)), ...ignored]);
  const warnings = [
    ...(environment['NODE_ENV'] === 'production' ? aloneWarnings({ module, regCenters, jobs }) : []),
    ...ignored,
    ...merged.warnings,
    ...tracing.warnings,
  ];
  return {
    ...{ module, regCenters: centers.regCenters, jobs, extensions, warnings },
    tracing: tracing.definition,
    dump: merged.dump,
    operationListeners: operations.listeners,
  };
}

/** A registry centre in code comes before one in a file, as in a test; both in code are a mistake. */
function registryCenterProblems(options: unknown): readonly string[] {
  if (!isMap(options)) return [];
  const { registryCenter, registryCenters, regCenter, regCenters } = options;
  const settings = isMap(regCenters) ? regCenters : {};
  return [
    ...givenProblems({ center: registryCenter, settings: regCenter }, ['registryCenter'], ['regCenter']),
    ...Object.entries(isMap(registryCenters) ? registryCenters : {}).flatMap(([name, center]) =>
      givenProblems({ center, settings: settings[name] }, ['registryCenters', name], ['regCenters', name]),
    ),
  ];
}

function givenProblems(
  { center, settings }: { readonly center: unknown; readonly settings: unknown },
  given: readonly string[],
  described: readonly string[],
): readonly string[] {
  if (center === undefined) return [];
  const [path, other] = [given, described].map((place) => place.reduce(keyPath, 'elasticjob'));
  const { session } = Object(center) as Partial<RegistryCenter>;
  const closed =
    session?.state.phase === 'closed'
      ? [`${path}: is closed (${session.state.reason}), and is never open again; give one that is open`]
      : [];
  const both =
    isMap(settings) && Object.keys(settings).some((key) => key !== 'required' && settings[key] !== undefined)
      ? [`${other}: has no effect beside ${given.join('.')}; give only one of them`]
      : [];
  return [...closed, ...both];
}

/** The options of decorators, by job name. A name that is not a text is a problem of its decorator. */
function decoratorsOf(providers: readonly FoundProvider[]): Readonly<Record<string, unknown>> {
  const jobs = providers.flatMap((provider) => provider.jobs).filter(({ jobName }) => typeof jobName === 'string');
  return Object.fromEntries(jobs.flatMap(({ jobName, options }) => (isMap(options) ? [[jobName, options]] : [])));
}

/** The names that the options list for injection. */
function listed({ oneOffJobs = [] }: ModuleSettings): readonly OneOffInjection[] {
  return oneOffJobs.map((token) => ({ token, path: `elasticjob.oneOffJobs['${token}']` }));
}

/** The listeners of the options; none if something is wrong with one of them. */
function usableListeners({ listeners = [] }: ModuleSettings): readonly AnyJobListener[] {
  return listenersProblem(listeners) === undefined ? listeners : [];
}

/** The executors of job objects in the options; none if something is wrong with one of them. */
function usableExecutors({ classedExecutors = [] }: ModuleSettings): readonly ClassedJobItemExecutor[] {
  return classedExecutorsProblem(classedExecutors) === undefined ? classedExecutors : [];
}

/** The extensions of the options and the providers, with the error handlers that notify people. */
function extensionsOf(module: ModuleSettings, named: ExtensionOptions): ExtensionOptions {
  const { observers, interceptors } = module;
  return {
    ...named,
    errorHandlers: [...(named.errorHandlers ?? []), ...notifyingErrorHandlers({ logger: loggerOf(module) })],
    ...(observers && { observers }),
    ...(interceptors && { interceptors }),
  };
}

function typeProblems(extensions: ExtensionOptions, jobs: readonly DefinedJob[]): readonly string[] {
  const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
  const types = new Extensions(extensions, { clock: systemClock, logger: silent });
  return jobs.flatMap(({ configuration, job, compatibility }) => {
    const problems = problemsOf(() => types.check(configuration, job));
    // The setting was given by its former name.
    const named = (problem: string): string =>
      problem.replace('.jobExecutorThreadPoolSizeProviderType: ', '.jobExecutorServiceHandlerType: ');
    return compatibility === '3.0.4' ? problems.map(named) : problems;
  });
}

function problemsOf(check: () => unknown): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InvalidConfigurationError) return error.faults;
    throw error;
  }
}
