import {
  type DynamicModule,
  Inject,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OnModuleInit,
  Optional,
  type OptionalFactoryDependency,
  type Provider,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { describeValue, isMap } from '../api/text/describe-value.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { checkAsyncOptions } from './settings/async-options.js';
import { ElasticJobExplorer } from './elastic-job.explorer.js';
import { ElasticJobHealth } from './elastic-job.health.js';
import { LifecycleHooks } from './elastic-job.hooks.js';
import { ELASTIC_JOB_OPTIONS, ElasticJobLifecycle } from './elastic-job.lifecycle.js';
import { InjectionTokensModule, isToken, tokensIn } from './injection-tokens.js';
import { JobBootstraps } from './jobs/job-bootstraps.js';
import { type ElasticJobModuleOptions } from './settings/module-options.js';
import { operationClasses, operationProviders } from './operations.providers.js';
import { schedulerRegistryProvider } from './jobs/scheduler-registry.provider.js';

/** A provider that makes the module's options, for `forRootAsync({ useClass })` and `forRootAsync({ useExisting })`. */
export interface ElasticJobOptionsFactory {
  /** The options, or a promise of them; called once, when the application is created. */
  createElasticJobOptions(): ElasticJobModuleOptions | Promise<ElasticJobModuleOptions>;
}

/**
 * Options of `ElasticJobModule.forRootAsync()`: exactly one of `useFactory`, `useClass` and `useExisting`, and the
 * options that belong to it.
 */
export type ElasticJobModuleAsyncOptions = AsyncOptionsBase & (WithFactory | WithClass | WithExisting);

interface AsyncOptionsBase extends Pick<ModuleMetadata, 'imports'> {
  /** Tokens of the providers that `useFactory` is given. Default: none. */
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[];
  /**
   * As `oneOffJobs` of `forRoot()`. It stands here, as Nest must know the names before it calls the factory. Default:
   * none.
   */
  readonly oneOffJobs?: readonly string[];
}

interface WithFactory {
  /** A function that makes the module's options; it is given the providers that `inject` names. */
  readonly useFactory: (...dependencies: never[]) => ElasticJobModuleOptions | Promise<ElasticJobModuleOptions>;
  readonly useClass?: undefined;
  readonly useExisting?: undefined;
}

interface WithClass {
  /** A class that makes the module's options; Nest instantiates it for the module. */
  readonly useClass: Type<ElasticJobOptionsFactory>;
  readonly useFactory?: undefined;
  readonly useExisting?: undefined;
}

interface WithExisting {
  /** A provider of another module that makes the module's options. */
  readonly useExisting: Type<ElasticJobOptionsFactory>;
  readonly useFactory?: undefined;
  readonly useClass?: undefined;
}

/**
 * Runs distributed jobs in a Nest application: import `ElasticJobModule.forRoot()` once, in the root module. It is
 * global. When the application boots, the module finds all providers that are decorated with `@ElasticJob()` and starts
 * them. The boot fails with an `InvalidConfigurationError` that names everything that is wrong with the settings.
 */
@Module({})
export class ElasticJobModule implements OnModuleInit {
  /**
   * @param options all optional; a file and the environment override them. They are checked when the application
   * starts.
   * @throws InvalidConfigurationError if they are a promise
   */
  static forRoot(options: ElasticJobModuleOptions = {}): DynamicModule {
    refusePromise(options);
    const provider = { provide: ELASTIC_JOB_OPTIONS, useValue: options };
    const { jobs, oneOffJobs = [] } = isMap(options) ? options : {};
    // The start of the application reports their faults.
    const asked = Array.isArray(oneOffJobs) ? (oneOffJobs as unknown[]).filter(isToken) : [];
    return moduleWith({ providers: [provider], tokens: [...tokensIn(jobs), ...asked] });
  }

  /**
   * As `forRoot`, with options that a factory makes with the help of other providers.
   * @throws InvalidConfigurationError unless exactly one factory is given
   */
  static forRootAsync(options: ElasticJobModuleAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    const { imports = [], oneOffJobs = [] } = options;
    return moduleWith({ providers: optionsProviders(options), imports, tokens: oneOffJobs.filter(isToken) });
  }

  readonly #isConfigured: boolean;

  /** @internal */
  constructor(@Optional() @Inject(ElasticJobLifecycle) lifecycle?: unknown) {
    this.#isConfigured = lifecycle !== undefined;
  }

  /**
   * @internal
   * @throws InvalidConfigurationError if no module of the application imports `forRoot()` or `forRootAsync()`
   */
  onModuleInit(): void {
    if (this.#isConfigured) return;
    throw new InvalidConfigurationError([
      'ElasticJobModule is imported without settings, so that no job would run: import ElasticJobModule.forRoot() or forRootAsync()',
    ]);
  }
}

/** Nest would wait for the promise, but the names of the jobs are needed before that. */
function refusePromise(options: unknown): void {
  if (typeof (options as { readonly then?: unknown } | null | undefined)?.then !== 'function') return;
  throw new InvalidConfigurationError([
    'ElasticJobModule.forRoot(): the options are a promise: await it, or write forRootAsync({ useFactory: () => promise })',
  ]);
}

interface ModuleParts {
  /** Provides the module's options. */
  readonly providers: readonly Provider[];
  readonly imports?: ModuleMetadata['imports'];
  /** The names under which the options let bootstraps be injected. */
  readonly tokens: readonly string[];
}

function moduleWith({ providers, imports = [], tokens }: ModuleParts): DynamicModule {
  return {
    module: ElasticJobModule,
    global: true,
    imports: [...imports, DiscoveryModule, InjectionTokensModule.forTokens(tokens), LifecycleHooks],
    providers: [
      ...providers,
      ElasticJobExplorer,
      ElasticJobLifecycle,
      JobBootstraps,
      ElasticJobHealth,
      schedulerRegistryProvider,
      ...operationProviders,
    ],
    exports: [
      JobBootstraps,
      ElasticJobHealth,
      ElasticJobLifecycle,
      SchedulerRegistry,
      InjectionTokensModule,
      ...operationClasses,
    ],
  };
}

function optionsProviders(options: ElasticJobModuleAsyncOptions): readonly Provider[] {
  const { useFactory, useClass, useExisting, inject = [], oneOffJobs = [] } = options;
  if (useFactory !== undefined) {
    const make = async (...dependencies: never[]): Promise<ElasticJobModuleOptions> => ({
      ...given(await useFactory(...dependencies), 'the function of useFactory'),
      oneOffJobs,
    });
    return [{ provide: ELASTIC_JOB_OPTIONS, useFactory: make, inject }];
  }
  return [
    ...(useClass === undefined ? [] : [useClass]),
    {
      provide: ELASTIC_JOB_OPTIONS,
      useFactory: async (factory: ElasticJobOptionsFactory) => ({ ...(await optionsMadeBy(factory)), oneOffJobs }),
      inject: [useClass ?? useExisting],
    },
  ];
}

async function optionsMadeBy(factory: ElasticJobOptionsFactory): Promise<ElasticJobModuleOptions> {
  if (typeof (factory as Partial<ElasticJobOptionsFactory> | null)?.createElasticJobOptions === 'function')
    return given(await factory.createElasticJobOptions(), 'createElasticJobOptions()');
  throw new InvalidConfigurationError([
    'ElasticJobModule.forRootAsync(): the class of useClass or useExisting must have the method createElasticJobOptions()',
  ]);
}

/**
 * A factory that forgets its `return` would start the application without a registry centre, alone.
 * @throws InvalidConfigurationError unless the options are a plain object, or if they have `oneOffJobs`, which Nest
 * needs earlier
 */
function given(options: ElasticJobModuleOptions, factory: string): ElasticJobModuleOptions {
  if (isMap(options) && options.oneOffJobs === undefined) return options;
  if (isMap(options))
    throw new InvalidConfigurationError([
      `ElasticJobModule.forRootAsync(): ${factory} must not return oneOffJobs, which Nest needs before it calls a factory: ` +
        'write forRootAsync({ oneOffJobs: [...], useFactory })',
    ]);
  throw new InvalidConfigurationError([
    `ElasticJobModule.forRootAsync(): ${factory} must return the options, {} for none, got ${describeValue(options)}`,
  ]);
}
