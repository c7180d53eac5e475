/**
 * The tokens under which bootstraps are injected. Nest must know all providers of an application before it makes the
 * first one, so before the application's jobs can be found. Names come from three places:
 *
 * ```
 *   forRoot({ jobs }), forRootAsync({ oneOffJobs })   belong to the application and are kept in its own module
 *   @ElasticJob(…), @InjectOneOffJob(…)               belong to a class and are kept as long as the class is in use
 *   elasticJobConfig('elasticjob.yaml')               belong to the loader of the file, in the same way
 * ```
 * Nest has no means to ask, at this point, which classes and files an application consists of. So each application
 * provides the names of all that are in use. A handle for a job of another application says so when it is used.
 */
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { isMap } from '../api/text/describe-value.js';
import { relaxed } from '../api/text/nearest.js';
import { JobBootstraps } from './jobs/job-bootstraps.js';
import { type JobHandle } from './jobs/job-handle.js';

const tokensByClass = new WeakMap<object, Set<string>>();
const readersByLoader = new WeakMap<object, () => readonly string[]>();
/** The classes and loaders. */
const declarers = new Set<WeakRef<object>>();

/** Declares that a bootstrap may be injected under `token`, as long as `declarer`, a class, is in use. */
export function declareToken(declarer: object, token: string): void {
  const tokens = tokensByClass.get(declarer);
  if (tokens !== undefined) return void tokens.add(token);
  tokensByClass.set(declarer, new Set([token]));
  declarers.add(new WeakRef(declarer));
}

/**
 * Declares that bootstraps may be injected under the names that `read` finds when an application is created, as long as
 * `loader` is in use.
 */
export function declareTokensOf(loader: object, read: () => readonly string[]): void {
  readersByLoader.set(loader, read);
  declarers.add(new WeakRef(loader));
}

/** The names of jobs and bootstraps in a map of jobs, which is checked when the application starts. */
export function tokensIn(jobs: unknown): readonly string[] {
  if (!isMap(jobs)) return [];
  return Object.entries(jobs)
    .flatMap(([jobName, settings]) => [jobName, beanNameIn(settings)])
    .filter(isToken);
}

function beanNameIn(settings: unknown): unknown {
  if (!isMap(settings)) return undefined;
  return Object.entries(settings).find(([key]) => relaxed(key) === 'jobbootstrapbeanname')?.[1];
}

/** True if a bootstrap can be injected under that name. */
export function isToken(name: unknown): name is string {
  return typeof name === 'string' && name !== '';
}

/** Provides and exports the bootstraps of an application under its tokens. */
@Module({})
export class InjectionTokensModule {
  /** @param own tokens of the application's options */
  static forTokens(own: Iterable<string>): DynamicModule {
    const tokens = (): readonly string[] => [...new Set([...own, ...declaredTokens()])];
    return {
      module: InjectionTokensModule,
      // Nest reads both when the application is created. By then all files with decorated classes have been evaluated.
      get providers() {
        return tokens().map(handleProvider);
      },
      get exports() {
        return [...tokens()];
      },
    };
  }
}

function handleProvider(token: string): FactoryProvider<JobHandle> {
  return {
    provide: token,
    useFactory: (bootstraps: JobBootstraps) => bootstraps.handle(token),
    inject: [JobBootstraps],
  };
}

function declaredTokens(): readonly string[] {
  return [...declarers].flatMap((reference) => {
    const declarer = reference.deref();
    if (declarer !== undefined)
      return [...(tokensByClass.get(declarer) ?? []), ...(readersByLoader.get(declarer)?.() ?? [])];
    declarers.delete(reference);
    return [];
  });
}
