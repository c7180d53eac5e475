import {
  type DynamicModule,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OptionalFactoryDependency,
  type Provider,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';
import { isMap } from '../api/describe-value.js';
import { InvalidConfigurationError } from '../api/errors.js';
import { checkAsyncOptions } from './async-options.js';
import { ElasticJobExplorer } from './elastic-job.explorer.js';
import { ElasticJobHealth } from './elastic-job.health.js';
import { LifecycleHooks } from './elastic-job.hooks.js';
import { ELASTIC_JOB_OPTIONS, ElasticJobLifecycle } from './elastic-job.lifecycle.js';
import { InjectionTokensModule } from './injection-tokens.js';
import { JobBootstraps } from './job-bootstraps.js';
import { type ElasticJobModuleOptions } from './module-options.js';
import { schedulerRegistryProvider } from './scheduler-registry.provider.js';

/** Makes options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface ElasticJobOptionsFactory {
  createElasticJobOptions(): ElasticJobModuleOptions | Promise<ElasticJobModuleOptions>;
}

/** Options of `ElasticJobModule.forRootAsync()`; one of `useFactory`, `useClass` and `useExisting`. */
export interface ElasticJobModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  readonly useFactory?: (...dependencies: never[]) => ElasticJobModuleOptions | Promise<ElasticJobModuleOptions>;
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[];
  readonly useClass?: Type<ElasticJobOptionsFactory>;
  readonly useExisting?: Type<ElasticJobOptionsFactory>;
  /**
   * Names of one-off jobs' bootstraps that are only known from the factory's result, a file or the environment, and are
   * injected by `@Inject('…')`. `@InjectOneOffJob('…')`, decorated jobs and `forRoot()` need no such list.
   */
  readonly oneOffJobs?: readonly string[];
}

/**
 * Runs distributed jobs in a Nest application: import `ElasticJobModule.forRoot()` once, in the root module.
 * It is global, finds all providers that are decorated with `@ElasticJob()`, and starts them when the application has booted.
 */
@Module({})
export class ElasticJobModule {
  /** @param options see `ElasticJobModuleOptions`; a file and the environment override them */
  static forRoot(options: ElasticJobModuleOptions = {}): DynamicModule {
    const provider = { provide: ELASTIC_JOB_OPTIONS, useValue: options };
    return moduleWith({ providers: [provider], tokens: tokensIn(options) });
  }

  /**
   * As `forRoot`, with options that a factory makes, which may inject other providers.
   * @throws InvalidConfigurationError if there is not exactly one factory
   */
  static forRootAsync(options: ElasticJobModuleAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    const { imports = [], oneOffJobs = [] } = options;
    return moduleWith({ providers: optionsProviders(options), imports, tokens: oneOffJobs.filter(isToken) });
  }
}

interface ModuleParts {
  /** What provides the module's options. */
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
    ],
    exports: [JobBootstraps, ElasticJobHealth, ElasticJobLifecycle, SchedulerRegistry, InjectionTokensModule],
  };
}

function optionsProviders(options: ElasticJobModuleAsyncOptions): readonly Provider[] {
  const { useFactory, useClass, useExisting, inject = [] } = options;
  if (useFactory !== undefined) return [{ provide: ELASTIC_JOB_OPTIONS, useFactory, inject }];
  const factory = useClass ?? useExisting;
  if (factory === undefined) return [];
  return [
    ...(useClass === undefined ? [] : [useClass]),
    {
      provide: ELASTIC_JOB_OPTIONS,
      useFactory: optionsMadeBy,
      inject: [factory],
    },
  ];
}

function optionsMadeBy(
  factory: ElasticJobOptionsFactory,
): ReturnType<ElasticJobOptionsFactory['createElasticJobOptions']> {
  if (typeof (factory as Partial<ElasticJobOptionsFactory> | null)?.createElasticJobOptions === 'function')
    return factory.createElasticJobOptions();
  throw new InvalidConfigurationError([
    'ElasticJobModule.forRootAsync(): what useClass and useExisting name must have the method createElasticJobOptions()',
  ]);
}

/** The names of jobs and bootstraps in the options, which are checked when the application starts. */
function tokensIn(options: unknown): readonly string[] {
  const jobs = isMap(options) ? options['jobs'] : undefined;
  if (!isMap(jobs)) return [];
  return Object.entries(jobs)
    .flatMap(([jobName, settings]) => [jobName, isMap(settings) ? settings['jobBootstrapBeanName'] : undefined])
    .filter(isToken);
}

function isToken(name: unknown): name is string {
  return typeof name === 'string' && name !== '';
}
