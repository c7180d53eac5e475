/**
 * The tokens under which bootstraps are injected. Nest must know all providers of an application before it makes the
 * first one, so before the application's jobs can be found. Names come from two places:
 *
 * ```
 *   forRoot({ jobs }), forRootAsync({ oneOffJobs })   belong to the application and are kept in its own module
 *   @ElasticJob(…), @InjectOneOffJob(…)               belong to a class and are kept as long as the class is in use
 * ```
 * Nest has no means to ask, at this point, which classes an application consists of. So each application provides the
 * names of all classes in use. A handle for a job of another application says so when it is used.
 */
import { type DynamicModule, type FactoryProvider, Module } from '@nestjs/common';
import { JobBootstraps } from './jobs/job-bootstraps.js';
import { type JobHandle } from './jobs/job-handle.js';

const tokensByClass = new WeakMap<object, Set<string>>();
const declaringClasses = new Set<WeakRef<object>>();

/** Declares that a bootstrap may be injected under `token`, as long as `declarer`, a class, is in use. */
export function declareToken(declarer: object, token: string): void {
  const tokens = tokensByClass.get(declarer);
  if (tokens !== undefined) return void tokens.add(token);
  tokensByClass.set(declarer, new Set([token]));
  declaringClasses.add(new WeakRef(declarer));
}

/** Provides and exports the bootstraps of an application under its tokens. */
@Module({})
export class InjectionTokensModule {
  /** @param own tokens of the application's options */
  static forTokens(own: Iterable<string>): DynamicModule {
    const tokens = (): readonly string[] => [...new Set([...own, ...classTokens()])];
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

function classTokens(): readonly string[] {
  return [...declaringClasses].flatMap((reference) => {
    const declarer = reference.deref();
    if (declarer !== undefined) return [...(tokensByClass.get(declarer) ?? [])];
    declaringClasses.delete(reference);
    return [];
  });
}
