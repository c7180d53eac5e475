/**
 * The console in a Nest application:
 *
 * ```
 *   forRoot({ path, … })
 *   ├ options/    checks the options
 *   ├ store/      the stored state: a folder, memory, or a registry centre that replicas share
 *   ├ security/   ConsoleGuard before every route: authentication and permissions; the audit of actions
 *   ├ http/       controllers of logins, users, audit, and the page
 *   └ services/   registry centres, jobs, servers, tracing, live events, with their controllers
 * ```
 * All controllers get the guard and the filter here, so that none can lack them; `http/unrouted-requests.ts` answers
 * requests that reach no controller. The application's own prefix, pipes and filters apply outside of the console, and
 * not within it.
 */
import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type MiddlewareConsumer,
  type ModuleMetadata,
  type NestModule,
  type OnModuleDestroy,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { HttpAdapterHost, RouterModule } from '@nestjs/core';
import { join } from 'node:path';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { aFunction, aList, anything, checkOptions, type OptionRules } from '../api/settings/call-options.js';
import { type JobLogger } from '../api/text/logger.js';
import { type Clock, systemClock } from '../time/clock.js';
import { AnswerCompression } from './http/answer-compression.js';
import { ProblemFilter } from './http/problem.filter.js';
import { protectedControllers } from './http/protected-controllers.js';
import { accessControllers } from './http/access/index.js';
import { CostlyRequests } from './http/costly-requests.js';
import { KnownRoutes } from './http/known-routes.js';
import { MetaController } from './http/meta.controller.js';
import { packageFolder } from './http/package-folder.cjs';
import { PageMiddleware } from './http/page/page.middleware.js';
import { readSettingsBodies } from './http/settings-bodies.js';
import { UnroutedRequests } from './http/unrouted-requests.js';
import { PageFiles } from './http/page/page-files.js';
import { ResponseHeaders } from './http/response-headers.js';
import { optionProblems } from './start/check-options.js';
import { type ElasticJobConsoleOptions, SERVICE_OPTIONS } from './options/console-options.js';
import { loggerWithoutSecrets } from './options/console-logger.js';
import { CONSOLE_CLOCK, CONSOLE_LOGGER, CONSOLE_OPTIONS } from './options/console-tokens.js';
import { environmentProblems, withEnvironment, withVariable } from './start/environment.js';
import { ApiTokens } from './security/users/api-tokens.js';
import { ConsoleAudit } from './security/audit/console-audit.js';
import { FirstSetup } from './security/sessions/first-setup.js';
import { securityProviders } from './start/security.providers.js';
import { Sessions } from './security/sessions/sessions.js';
import { ConsoleSecrets } from './store/console-secrets.js';
import {
  CONSOLE_SERVICE_OPTIONS,
  consoleServiceControllers,
  type ConsoleServiceOptions,
  consoleServiceProviders,
} from './start/services.providers.js';

/** Options of `ElasticJobConsoleModule.forRootAsync()`. */
export interface ElasticJobConsoleAsyncOptions
  extends Pick<ModuleMetadata, 'imports'>, Pick<ElasticJobConsoleOptions, 'path' | 'decorators'> {
  /** Makes the other options from the providers that `inject` names. */
  readonly useFactory: (...dependencies: never[]) => OptionsOfFactory | Promise<OptionsOfFactory>;
  readonly inject?: readonly unknown[];
}

const ASYNC_RULES: OptionRules<ElasticJobConsoleAsyncOptions> = {
  ...{ useFactory: aFunction, inject: aList, imports: aList },
  // Checked with the other options.
  ...{ path: anything, decorators: anything },
};

type OptionsOfFactory = Omit<ElasticJobConsoleOptions, 'path' | 'decorators'>;

/**
 * The console: REST and a web page on which operators see and steer every job of a registry centre. Import it once, in
 * the root module.
 */
@Module({})
export class ElasticJobConsoleModule implements NestModule, OnModuleInit, OnModuleDestroy {
  /** @param options all optional; they are checked when the application starts, which fails with all their problems */
  static forRoot(options: ElasticJobConsoleOptions = {}): DynamicModule {
    const given: Provider = { provide: CONSOLE_OPTIONS, useFactory: () => checked(options) };
    return consoleModule(given, options);
  }

  /**
   * As `forRoot`, with options that a factory makes from other providers.
   * @throws InvalidConfigurationError if there is no factory, or an option is unknown
   */
  static forRootAsync(options: ElasticJobConsoleAsyncOptions): DynamicModule {
    checkOptions('ElasticJobConsoleModule.forRootAsync()', options, ASYNC_RULES, { required: ['useFactory'] });
    const { useFactory, inject = [], imports = [], ...fixed } = options;
    const make = async (...dependencies: never[]): Promise<ElasticJobConsoleOptions> =>
      checked({ ...(await useFactory(...dependencies)), ...fixed });
    const given = { provide: CONSOLE_OPTIONS, useFactory: make, inject: [...inject] } as Provider;
    const module = consoleModule(given, fixed);
    return { ...module, imports: [...(module.imports ?? []), ...imports] };
  }

  /** @internal */
  constructor(
    @Inject(FirstSetup) private readonly setup: FirstSetup,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(ConsoleAudit) private readonly audit: ConsoleAudit,
    @Inject(UnroutedRequests) private readonly unrouted: UnroutedRequests,
    @Inject(CONSOLE_OPTIONS) private readonly options: ElasticJobConsoleOptions,
    @Inject(HttpAdapterHost) { httpAdapter }: HttpAdapterHost,
  ) {
    // Before the start of the application, in which Nest sets the parsers of all other requests. An application without
    // a server has no adapter.
    if (httpAdapter as unknown) readSettingsBodies(httpAdapter, options.path);
  }

  /** @internal */
  configure(consumer: MiddlewareConsumer): void {
    const { path = '/elasticjob' } = this.options;
    consumer.apply(AnswerCompression, PageMiddleware).forRoutes(`${path.replace(/\/$/, '')}{/*path}`);
    this.unrouted.answerAll();
  }

  /** @internal */
  async onModuleInit(): Promise<void> {
    await this.setup.announce();
    this.sessions.start();
  }

  /** @internal */
  async onModuleDestroy(): Promise<void> {
    this.sessions.stop();
    this.tokens.stop();
    await this.audit.stop();
  }
}

/** The folder of the built page, below the package's folder. */
const PAGE_FOLDER = 'dist/console-ui';

function consoleModule(
  options: Provider,
  { path = '/elasticjob', decorators = [] }: Pick<ElasticJobConsoleOptions, 'path' | 'decorators'>,
): DynamicModule {
  const controllers = [...accessControllers, ...consoleServiceControllers, MetaController];
  return {
    module: ElasticJobConsoleModule,
    imports: [RouterModule.register([{ path, module: ElasticJobConsoleModule }])],
    controllers: protectedControllers(controllers, decorators),
    providers: [
      options,
      { provide: CONSOLE_CLOCK, inject: [CONSOLE_OPTIONS], useFactory: clockOf },
      { provide: CONSOLE_LOGGER, useFactory: () => loggerWithoutSecrets(new Logger('ElasticJobConsole')) },
      { provide: PageFiles, inject: [CONSOLE_OPTIONS], useFactory: pageFiles },
      {
        provide: CONSOLE_SERVICE_OPTIONS,
        inject: [CONSOLE_OPTIONS, CONSOLE_LOGGER, CONSOLE_CLOCK, ConsoleSecrets],
        useFactory: serviceOptions,
      },
      { provide: KnownRoutes, useFactory: () => new KnownRoutes(controllers) },
      CostlyRequests,
      ResponseHeaders,
      ProblemFilter,
      UnroutedRequests,
      ...securityProviders,
      ...consoleServiceProviders,
    ],
  };
}

function pageFiles({ pageFolder }: ElasticJobConsoleOptions): PageFiles {
  return new PageFiles(pageFolder ?? (packageFolder && join(packageFolder, PAGE_FOLDER)));
}

function serviceOptions(
  options: ElasticJobConsoleOptions,
  logger: JobLogger,
  clock: Clock,
  secrets: ConsoleSecrets,
): ConsoleServiceOptions {
  const given = SERVICE_OPTIONS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  return { ...(Object.fromEntries(given) as object), logger, clock, secrets };
}

function clockOf({ clock = systemClock }: ElasticJobConsoleOptions): Clock {
  return clock;
}

function checked(given: ElasticJobConsoleOptions): ElasticJobConsoleOptions {
  const options = withEnvironment(given, process.env);
  const problems = [
    ...optionProblems(options).map((problem) => withVariable(problem, given, process.env)),
    ...environmentProblems(process.env),
  ];
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return options;
}
