import { describeValue } from '../../api/text/describe-value.js';
import { type JobErrorHandler } from '../../api/extensions/error-handler.js';
import { type ClassedJobItemExecutor, type TypedJobItemExecutor } from '../../api/extensions/job-executor.js';
import { type JobShardingStrategy } from '../../api/extensions/sharding-strategy.js';
import { type JobExecutorThreadPoolSizeProvider } from '../../api/extensions/thread-pool-size.js';
import { type ExtensionOptions } from '../../kernel/types/extensions.js';
import { type FoundProvider } from '../elastic-job.explorer.js';
import { type ClassedExecutor, type ExtensionMetadata } from '../decorators/extension.decorators.js';

/** The lists that options and decorators fill together. */
type Lists = Required<
  Pick<ExtensionOptions, 'strategies' | 'executors' | 'classedExecutors' | 'errorHandlers' | 'threadPoolSizeProviders'>
>;

/** A provider that is decorated as one extension. */
interface Found {
  readonly decorator: ExtensionMetadata['decorator'];
  readonly name: string | NamedClass;
  readonly instance: object;
  readonly label: string;
}

type NamedClass = (abstract new (...args: never[]) => object) & { readonly name: string };

/** The kind of extension that each decorator makes, and the method that its class must have. */
const KINDS = {
  JobExecutor: { what: 'executor', method: 'process', list: 'executors' },
  JobShardingStrategy: { what: 'sharding strategy', method: 'sharding', list: 'strategies' },
  JobErrorHandler: { what: 'error handler', method: 'handleException', list: 'errorHandlers' },
  JobExecutorThreadPoolSizeProvider: {
    what: 'thread pool size provider',
    method: 'getSize',
    list: 'threadPoolSizeProviders',
  },
} as const;

/**
 * The executors, strategies, error handlers and thread pool size providers that decorators and options define together,
 * and the problems with the decorated ones, one line each.
 * @param given the lists of `forRoot()`; a value that is not a list has a problem of its own, and is left out
 */
export function defineExtensions(
  providers: readonly FoundProvider[],
  given: Partial<Lists>,
): { readonly lists: Lists; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const found: Found[] = [];
  for (const provider of providers)
    for (const metadata of provider.extensions) {
      const each = foundIn(provider, metadata);
      if (typeof each === 'string') problems.push(each);
      else found.push(each);
    }
  return { lists: listsOf(found, given), problems: [...problems, ...duplicateProblems(found, given)] };
}

/** @returns the extension, or the problem with it, a complete line */
function foundIn(
  { className, label, instance, scopeProblem }: FoundProvider,
  { decorator, name }: ExtensionMetadata,
): Found | string {
  const { what, method } = KINDS[decorator];
  const isClass = decorator === 'JobExecutor' && typeof name === 'function';
  if (!isClass && (typeof name !== 'string' || name.trim() === '')) {
    const kinds = decorator === 'JobExecutor' ? 'a class, or a text that is not empty' : 'a text that is not empty';
    return `@${decorator} on ${className}: the ${what}'s name must be ${kinds}, got ${describeValue(name)}`;
  }
  const path = `@${decorator}(${isClass ? (name as NamedClass).name : describeValue(name)})`;
  if (scopeProblem !== undefined)
    return `${path}: ${label} cannot be an extension of jobs: it ${scopeProblem}, and a job runs outside of any request`;
  if (typeof (instance as Record<string, unknown> | undefined)?.[method] !== 'function' || instance === undefined)
    return `${path}: ${label} cannot be ${what === 'executor' || what === 'error handler' ? 'an' : 'a'} ${what}: it has no method ${method}()`;
  return { decorator, name: name as string | NamedClass, instance, label };
}

function listsOf(found: readonly Found[], given: Partial<Lists>): Lists {
  const typed = (decorator: Found['decorator']): readonly (readonly [type: string, instance: object])[] =>
    found.flatMap(({ decorator: other, name, instance }) =>
      other === decorator && typeof name === 'string' ? [[name, instance] as const] : [],
    );
  return {
    strategies: [
      ...usable(given.strategies),
      ...typed('JobShardingStrategy').map(([type, instance]) => strategy(type, instance as JobShardingStrategy)),
    ],
    executors: [
      ...usable(given.executors),
      ...typed('JobExecutor').map(([type, instance]) => executor(type, instance as TypedJobItemExecutor)),
    ],
    classedExecutors: [...(given.classedExecutors ?? []), ...classedExecutors(found)],
    errorHandlers: [
      ...usable(given.errorHandlers),
      ...typed('JobErrorHandler').map(([type, instance]) => errorHandlerNamed(type, instance as JobErrorHandler)),
    ],
    threadPoolSizeProviders: [
      ...usable(given.threadPoolSizeProviders),
      ...typed('JobExecutorThreadPoolSizeProvider').map(([type, instance]) => ({
        type,
        getSize: () => (instance as JobExecutorThreadPoolSizeProvider).getSize(),
      })),
    ],
  };
}

/** The entries of a list of the options that have a type; the others are a problem of the list. */
function usable<T extends { readonly type: string }>(list: readonly T[] | undefined): readonly T[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly (T | null | undefined)[]).flatMap((entry) =>
    typeof entry?.type === 'string' ? [entry] : [],
  );
}

// ── objects with the decorator's name. They delegate: an object derived from the provider could not reach private
// members ──

const strategy = (type: string, instance: JobShardingStrategy): JobShardingStrategy => ({
  type,
  sharding: (...args) => instance.sharding(...args),
});

const executor = (type: string, instance: TypedJobItemExecutor): TypedJobItemExecutor => ({
  type,
  process: (...args) => instance.process(...args),
  validate: (configuration) => instance.validate?.(configuration) ?? [],
  doubts: (configuration) => instance.doubts?.(configuration) ?? [],
  prepare: (configuration) => instance.prepare?.(configuration),
  release: (jobName) => instance.release?.(jobName),
});

/** An error handler that delegates to another one, which may have another name. */
export const errorHandlerNamed = (type: string, instance: JobErrorHandler): JobErrorHandler => ({
  type,
  get afterFailure() {
    return instance.afterFailure ?? 'continue';
  },
  handleException: (failure) => instance.handleException(failure),
  validate: (configuration) => instance.validate?.(configuration) ?? [],
  doubts: (configuration) => instance.doubts?.(configuration) ?? [],
  prepare: (configuration) => instance.prepare?.(configuration),
  release: (jobName) => instance.release?.(jobName),
  close: () => instance.close?.(),
});

/** Executors of derived classes come first: the nearest base class of a job counts. */
function classedExecutors(found: readonly Found[]): readonly ClassedJobItemExecutor[] {
  return found
    .flatMap(({ name, instance }) =>
      typeof name === 'string' ? [] : [{ jobClass: name, instance: instance as ClassedExecutor<object> }],
    )
    .sort((one, other) => depthOf(other.jobClass) - depthOf(one.jobClass))
    .map(({ jobClass, instance }) => ({
      requirement: `the base class ${jobClass.name}`,
      accepts: (candidate): candidate is object => candidate instanceof jobClass,
      process: (...args) => instance.process(...args),
      validate: (...args) => instance.validate?.(...args) ?? [],
      doubts: (...args) => instance.doubts?.(...args) ?? [],
      prepare: (...args) => instance.prepare?.(...args),
      release: (jobName) => instance.release?.(jobName),
    }));
}

function depthOf(type: object): number {
  let depth = 0;
  for (let base: unknown = type; base !== null; base = Object.getPrototypeOf(base)) depth++;
  return depth;
}

/** Names and classes that have several providers, or a provider and an entry of the options. */
function duplicateProblems(found: readonly Found[], given: Partial<Lists>): readonly string[] {
  return Object.entries(KINDS).flatMap(([decorator, { what, list }]) => {
    const owners = new Map<unknown, { readonly shown: string; readonly labels: string[] }>();
    const note = (name: string | NamedClass, label: string): void => {
      const key = typeof name === 'string' ? name.toUpperCase() : name;
      const owner = owners.get(key);
      const shown = typeof name === 'string' ? name.toUpperCase() : `of ${name.name}`;
      if (owner === undefined) owners.set(key, { shown, labels: [label] });
      else owner.labels.push(label);
    };
    const isOwned = new Set(found.map(({ name }) => (typeof name === 'string' ? name.toUpperCase() : '')));
    // Duplicates within the options are a problem of the options.
    for (const type of new Set(usable<{ readonly type: string }>(given[list]).map((each) => each.type.toUpperCase())))
      if (isOwned.has(type)) note(type, `forRoot()'s ${list}`);
    for (const each of found) if (each.decorator === decorator) note(each.name, each.label);
    return [...owners.values()].flatMap(({ shown, labels }) =>
      labels.length < 2
        ? []
        : [`The ${what} ${shown} is defined ${labels.length} times: by ${labels.join(' and by ')}`],
    );
  });
}
