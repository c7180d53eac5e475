import { describe, expect, test } from '@jest/globals';
import { Controller, Inject, Injectable, Module, type ModuleMetadata } from '@nestjs/common';
import { type OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ElasticJob, InjectOneOffJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule, type ElasticJobOptionsFactory } from '../../../lib/nest/elastic-job.module.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { checkShutdownHooks } from '../../../lib/nest/shutdown-hooks.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

class Work {
  execute(): void {}
}

/** The warnings of an application that boots and is closed. */
async function warningsOf(metadata: ModuleMetadata, options: ElasticJobModuleOptions = {}): Promise<readonly string[]> {
  const logger = new RecordingLogger();
  const imports = [...(metadata.imports ?? []), elasticJob({ logger, ...options })];
  const app = await started({ ...metadata, imports });
  await app.close();
  return logger.lines.filter((line) => line.startsWith('warn ')).map((line) => line.slice(5));
}

/** Runs `task` while the environment of this process has these variables. */
async function within<T>(variables: Record<string, string>, task: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await task();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

describe('an application without a registry centre outside its process', () => {
  const production = { NODE_ENV: 'production' };
  const warning =
    'NODE_ENV is production, but the registry centre is inside this process: each process runs all items of all jobs. ' +
    'Set elasticjob.regCenter.serverLists, elasticjob.regCenter.url or elasticjob.regCenter.endpoints, ' +
    'and elasticjob.regCenter.required: true, which refuses to start without them.';
  const refusal =
    'elasticjob.regCenter: needs serverLists, url or endpoints, as elasticjob.regCenter.required is true; ' +
    'without a registry centre, each process would run all items by itself';

  test('warns in production, and nowhere else', async () => {
    expect(await within(production, () => warningsOf({}))).toContain(warning);
    expect(await warningsOf({})).not.toContain(warning);
  });

  test('warns in production also if it was given an embedded one', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'given-in-production' });

    expect(await within(production, () => warningsOf({}, { registryCenter }))).toContain(warning);
  });

  test('does not warn in production of a ZooKeeper', async () => {
    const regCenter = { serverLists: '127.0.0.1:1', namespace: 'production' };

    expect(await within(production, () => warningsOf({}, { regCenter }))).not.toContain(warning);
  });

  test('is refused if one is required', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'required' });

    expect(await refusalOf({ imports: [elasticJob({ regCenter: { required: true } })] })).toEqual([refusal]);
    expect(await refusalOf({ imports: [elasticJob({ regCenter: { required: true }, registryCenter })] })).toEqual([
      refusal,
    ]);
    const variables = { ELASTICJOB_REGCENTER_REQUIRED: 'true' };
    expect(await within(variables, () => refusalOf({ imports: [elasticJob()] }))).toEqual([refusal]);
  });

  test('boots with a ZooKeeper if one is required', async () => {
    const regCenter = { serverLists: '127.0.0.1:1', namespace: 'required', required: true };

    expect(await refusalOf({ imports: [elasticJob({ regCenter })] })).toEqual(['it boots']);
  });
});

describe('a module without settings is refused:', () => {
  test.each([
    ['a function without return', { useFactory: () => undefined }, 'the function of useFactory'],
    ['a function that promises nothing', { useFactory: () => Promise.resolve(null) }, 'the function of useFactory'],
    [
      'a class that makes nothing',
      {
        useClass: class {
          createElasticJobOptions(): void {}
        },
      },
      'createElasticJobOptions()',
    ],
  ])('%s', async (_, options, factory) => {
    const [refusal] = await refusalOf({ imports: [ElasticJobModule.forRootAsync(options as never)] });

    expect(refusal).toMatch(
      `ElasticJobModule.forRootAsync(): ${factory} must return the options, {} for none, got ${factory.includes('use') && refusal?.endsWith('null') ? 'null' : 'undefined'}`,
    );
  });

  test('ElasticJobModule without forRoot(), unless another module has it', async () => {
    @Module({ imports: [ElasticJobModule] })
    class FeatureModule {}

    expect(await refusalOf({ imports: [FeatureModule] })).toEqual([
      'ElasticJobModule is imported without settings, so that no job would run: import ElasticJobModule.forRoot() or forRootAsync()',
    ]);
    expect(await refusalOf({ imports: [FeatureModule, elasticJob()] })).toEqual(['it boots']);
  });
});

describe('@InjectOneOffJob is refused', () => {
  @ElasticJob('billing', { shardingTotalCount: 1, jobBootstrapBeanName: 'billingBean' })
  class BillingJob extends Work {}

  @ElasticJob('nightly', { shardingTotalCount: 1, cron: '0 0 2 * * ?' })
  class NightlyJob extends Work {}

  class Factory implements ElasticJobOptionsFactory {
    createElasticJobOptions = () => ({ logger: new RecordingLogger() });
  }

  test('if the application has no such job, in providers and in controllers', async () => {
    @Injectable()
    class Accounting {
      constructor(@InjectOneOffJob('biling') readonly job: OneOffJobBootstrap) {}
    }
    @Controller()
    class AccountingController {
      @InjectOneOffJob('gone') readonly job!: OneOffJobBootstrap;
    }
    @Module({ providers: [Accounting, BillingJob, NightlyJob], controllers: [AccountingController] })
    class AccountingModule {}

    expect(await refusalOf({ imports: [elasticJob(), AccountingModule] })).toEqual([
      "@InjectOneOffJob('biling') in Accounting of AccountingModule: must name a one-off job of this application; known are: billing, billingBean; did you mean 'billing'?",
      "@InjectOneOffJob('gone') in AccountingController of AccountingModule: must name a one-off job of this application; known are: billing, billingBean",
    ]);
  });

  test('and so is a name in oneOffJobs', async () => {
    const refusals = [
      "elasticjob.oneOffJobs['biling']: must name a one-off job of this application; known are: billing, billingBean; did you mean 'billing'?",
      "elasticjob.oneOffJobs['nightly']: must name a one-off job, but job 'nightly' has the cron expression '0 0 2 * * ?'",
    ];
    const providers = [BillingJob, NightlyJob];
    const oneOffJobs = ['biling', 'billingBean', 'nightly'];
    const logger = new RecordingLogger();

    expect(await refusalOf({ imports: [elasticJob({ oneOffJobs })], providers })).toEqual(refusals);
    for (const factory of [{ useFactory: () => ({ logger }) }, { useClass: Factory }])
      expect(
        await refusalOf({ imports: [ElasticJobModule.forRootAsync({ oneOffJobs, ...factory })], providers }),
      ).toEqual(refusals);
  });

  test('and so are oneOffJobs in the result of a factory, which come too late', async () => {
    const module = ElasticJobModule.forRootAsync({ useFactory: () => ({ oneOffJobs: ['billing'] }) });

    expect(await refusalOf({ imports: [module], providers: [BillingJob] })).toEqual([
      'ElasticJobModule.forRootAsync(): the function of useFactory must not return oneOffJobs, which Nest needs before it calls a factory: write forRootAsync({ oneOffJobs: [...], useFactory })',
    ]);
  });

  test('and so are oneOffJobs that are no list', async () => {
    const module = elasticJob({ oneOffJobs: 'billing' as never });

    expect(await refusalOf({ imports: [module], providers: [BillingJob] })).toEqual([
      'elasticjob.oneOffJobs: must be a list of names of one-off jobs, such as [\'monthlyReport\'], got "billing"',
    ]);
  });

  test('if the job has a cron expression', async () => {
    @Injectable()
    class Accounting {
      constructor(@InjectOneOffJob('nightly') readonly job: OneOffJobBootstrap) {}
    }
    @Module({ providers: [Accounting, NightlyJob] })
    class AccountingModule {}

    expect(await refusalOf({ imports: [elasticJob(), AccountingModule] })).toEqual([
      "@InjectOneOffJob('nightly') in Accounting of AccountingModule: must name a one-off job, but job 'nightly' has the cron expression '0 0 2 * * ?'",
    ]);
  });

  test('not if a subclass has a constructor without it', async () => {
    @Injectable()
    class Accounting {
      constructor(@InjectOneOffJob('gone') readonly job: OneOffJobBootstrap) {}
    }
    @Injectable()
    class TestAccounting extends Accounting {
      constructor(@Inject('billingBean') job: OneOffJobBootstrap) {
        super(job);
      }
    }
    const providers = [TestAccounting, BillingJob];

    expect(await refusalOf({ imports: [elasticJob()], providers })).toEqual(['it boots']);
  });
});

describe('a decorated class that is no provider', () => {
  test('is named in a warning, once', async () => {
    @ElasticJob('forgotten', { shardingTotalCount: 1 })
    class ForgottenJob extends Work {}
    const warning =
      "ForgottenJob is decorated with @ElasticJob('forgotten'), but is not a provider: the job does not run here. " +
      'List the class in the providers of a module, or do not load its file if the job belongs to another application. ' +
      'If its module is loaded lazily, the job starts then.';

    expect((await warningsOf({})).filter((line) => line.includes(ForgottenJob.name))).toEqual([warning]);
    expect((await warningsOf({})).filter((line) => line.includes(ForgottenJob.name))).toEqual([]);
  });

  test('is named in a warning, whatever its job is called', async () => {
    @ElasticJob(Symbol('odd') as never, { shardingTotalCount: 1 })
    class SymbolJob extends Work {}
    @ElasticJob({ name: 'odd' } as never, { shardingTotalCount: 1 })
    class ObjectJob extends Work {}

    const warnings = await warningsOf({});

    expect(warnings).toContainEqual(
      expect.stringContaining(`${SymbolJob.name} is decorated with @ElasticJob(a symbol)`),
    );
    expect(warnings).toContainEqual(
      expect.stringContaining(`${ObjectJob.name} is decorated with @ElasticJob(keys with values)`),
    );
  });

  test('is named as a controller if it is one', async () => {
    @Controller()
    @ElasticJob('controlled', { shardingTotalCount: 1 })
    class JobController extends Work {}

    expect(
      (await warningsOf({ controllers: [JobController] })).filter((line) => line.includes('JobController')),
    ).toEqual([
      "JobController is decorated with @ElasticJob('controlled'), but is a controller, and jobs must be providers: the job does not run here. List the class in the providers of its module too.",
    ]);
  });

  test('is not named if a subclass is a provider, or another application of the process has it', async () => {
    @ElasticJob('inherited', { shardingTotalCount: 1 })
    class BaseJob extends Work {}
    class ProvidedJob extends BaseJob {}
    @ElasticJob('elsewhere', { shardingTotalCount: 1 })
    class ElsewhereJob extends Work {}

    const warnings = [
      ...(await warningsOf({ providers: [ProvidedJob, ElsewhereJob] })),
      ...(await warningsOf({ providers: [ProvidedJob] })),
    ];

    expect(warnings.filter((line) => /BaseJob|ElsewhereJob/.test(line))).toEqual([]);
  });
});

test('environment variables whose names resemble those of settings are named in a warning', async () => {
  const variables = {
    ELASTIC_JOB_REGCENTER_SERVERLISTS: 'x',
    ELASTICJOBS_ENABLED: 'x',
    elastcjob_enabled: 'x',
    ELASTICJOB: 'x',
    ELASTIC_APM_SERVER_URL: 'x',
    ELASTICSEARCH_HOST: 'x',
  };

  const warnings = await within(variables, () => warningsOf({}));

  expect(warnings.filter((line) => line.includes('variables'))).toEqual([
    'These environment variables are ignored, as names of settings begin with ELASTICJOB_: ' +
      'ELASTICJOB, ELASTICJOBS_ENABLED, ELASTIC_JOB_REGCENTER_SERVERLISTS, elastcjob_enabled.',
  ]);
});

describe('a process that SIGTERM ends at once', () => {
  const warning =
    'This application has no shutdown hook for SIGTERM, which therefore ends the process at once, as at each deployment and restart: ' +
    'its items rest until its session with the registry centre ends, 40 s later. Call app.enableShutdownHooks() without arguments, ' +
    "or with 'SIGTERM' among them.";

  /** The messages in the first seconds after the boot. */
  async function logged(duringBoot: (cancel: () => void) => void): Promise<readonly string[]> {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const cancel = checkShutdownHooks(clock, { timeoutMs: 40_000 }, logger);
    await clock.advance(1_000);
    duringBoot(cancel);
    await clock.advance(10_000);
    return logger.lines;
  }

  test('is named in a warning, which says what it costs', async () => {
    expect(await logged(() => undefined)).toEqual([`warn ${warning}`]);
  });

  test('is not named if it listens for SIGTERM soon after the boot, or is closed before', async () => {
    const listener = (): void => undefined;
    try {
      expect(await logged(() => process.on('SIGTERM', listener))).toEqual([]);
    } finally {
      process.off('SIGTERM', listener);
    }
    expect(await logged((cancel) => cancel())).toEqual([]);
  });

  test('is named if it listens for other signals only', async () => {
    const listener = (): void => undefined;
    try {
      expect(await logged(() => process.on('SIGUSR2', listener))).toEqual([`warn ${warning}`]);
    } finally {
      process.off('SIGUSR2', listener);
    }
  });

  test('is named by an application that has enabled no shutdown hooks', async () => {
    const logger = new RecordingLogger();
    const regCenter = { serverLists: '127.0.0.1:1', namespace: 'hooks', sessionTimeoutMilliseconds: 40_000 };
    await using app = await started({ imports: [elasticJob({ logger, regCenter })] });

    await until(() => logger.lines.includes(`warn ${warning}`), 'the warning');
    await app.close();
    expect(logger.lines.filter((line) => line.includes('SIGTERM'))).toHaveLength(1);
  });

  test('is no concern of an application that has closed: its check keeps the process up no longer', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const app = await started({ imports: [elasticJob({ regCenter: { serverLists: '127.0.0.1:1' } })] });
    expect(timers()).toBeGreaterThan(before);

    await app.close();

    expect(timers()).toBe(before);
  });
});
