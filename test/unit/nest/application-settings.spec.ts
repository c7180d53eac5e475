import { describe, expect, test } from '@jest/globals';
import { type InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { JobHandle } from '../../../lib/nest/jobs/job-handle.js';
import { type FoundProvider } from '../../../lib/nest/elastic-job.explorer.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type ApplicationSettings, readApplicationSettings } from '../../../lib/nest/settings/application-settings.js';

interface Given {
  readonly options?: unknown;
  readonly file?: unknown;
  readonly environment?: Record<string, string | undefined>;
  readonly providers?: readonly FoundProvider[];
}

class SyncOrdersJob {
  execute(): void {}
}

/** A provider with a job, as the explorer finds it. */
const provider = (
  jobName: string,
  options: Record<string, unknown>,
  more: Partial<FoundProvider> = {},
): FoundProvider => ({
  className: 'SyncOrdersJob',
  type: SyncOrdersJob,
  label: 'provider SyncOrdersJob of AppModule',
  instance: new SyncOrdersJob(),
  scopeProblem: undefined,
  jobs: [{ jobName, options }],
  extensions: [],
  isTracingListener: false,
  ...more,
});

const syncOrders = provider('syncOrders', { shardingTotalCount: 3 });

const read = ({ options = {}, file, environment = {}, providers = [syncOrders] }: Given): ApplicationSettings =>
  readApplicationSettings({ options, file, environment, providers })!;

/** The problems, each as one line of the refusal. */
const faultsOf = (given: Given): readonly string[] => {
  try {
    read(given);
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).faults;
  }
};

const configurationOf = (given: Given) => read(given).jobs[0]!.configuration;

describe('settings', () => {
  test('of the decorator are the weakest, and those of the environment the strongest', () => {
    const configuration = configurationOf({
      providers: [provider('syncOrders', { shardingTotalCount: 1, jobParameter: 'decorator', label: 'decorator' })],
      options: { jobs: { syncOrders: { jobParameter: 'code', shardingTotalCount: 2 } } },
      file: { jobs: { syncOrders: { shardingTotalCount: 3 } } },
      environment: { ELASTICJOB_JOBS_SYNCORDERS_SHARDINGTOTALCOUNT: '4' },
    });

    expect(configuration).toMatchObject({ label: 'decorator', jobParameter: 'code', shardingTotalCount: 4 });
  });

  test('of a job that no provider has are refused, with the nearest known job', () => {
    expect(faultsOf({ file: { jobs: { 'sync-orders': { shardingTotalCount: 1 } } } })).toEqual([
      "elasticjob.jobs.sync-orders: no provider is decorated with @ElasticJob('sync-orders'), and neither elasticJobClass nor " +
        "elasticJobType is set; did you mean 'syncOrders'?",
    ]);
  });

  test('that name a type that does not exist are refused, with those that do', () => {
    expect(faultsOf({ options: { jobs: { syncOrders: { jobErrorHandlerType: 'PAGER' } } } })).toEqual([
      'elasticjob.jobs.syncOrders.jobErrorHandlerType: unknown error handler "PAGER"; known are: EMAIL, WECHAT, DINGTALK, LOG, THROW, IGNORE',
    ]);
  });

  test('of all sources are refused together, each problem once', () => {
    const faults = faultsOf({
      options: { regCenter: { namspace: 'x' }, jobs: { other: {} }, listeners: [5] },
      file: { jobs: { syncOrders: { shardingTotalCount: 'three' } } },
      environment: { ELASTICJOB_JOBS_SYNCORDERS_FAILOVER: 'perhaps' },
    });

    expect(faults).toEqual([
      "elasticjob.regCenter.namspace: unknown key; did you mean 'namespace'?",
      "elasticjob.listeners: must be a list of job listeners that have a 'type', got [5]",
      'elasticjob.jobs.syncOrders.shardingTotalCount: must be an integer of at least 1, got "three"',
      'elasticjob.jobs.syncOrders.failover: must be true or false, got "perhaps" (from environment variable ELASTICJOB_JOBS_SYNCORDERS_FAILOVER)',
      'elasticjob.jobs.other.shardingTotalCount: is required and must be an integer of at least 1',
      "elasticjob.jobs.other: no provider is decorated with @ElasticJob('other'), and neither elasticJobClass nor elasticJobType is set",
    ]);
  });
});

describe('the thread pool’s setting under the name it had until Java’s 3.0.4', () => {
  const file = { jobs: { syncOrders: { 'job-executor-service-handler-type': 'SINGLE_THREAD' } } };

  test('is the setting of its later name, and stored for peers that know only the former', () => {
    const [job] = read({ file }).jobs;

    expect(job?.configuration.jobExecutorThreadPoolSizeProviderType).toBe('SINGLE_THREAD');
    expect(job?.compatibility).toBe('3.0.4');
    expect(read({}).jobs[0]?.compatibility).toBe('3.0.5');
  });
});

describe('what only the whole application shows to be wrong', () => {
  test('names the environment variable from which it came', () => {
    const environment = {
      ELASTICJOB_JOBS_SYNCORDERS_JOBLISTENERTYPES: 'A',
      ELASTICJOB_JOBS_SYNCORDERS_ELASTICJOBCLASS: 'Nope',
    };

    expect(faultsOf({ environment: { [Object.keys(environment)[0]!]: 'A' } })).toEqual([
      expect.stringMatching(
        /jobListenerTypes: unknown job listener "A".+ \(from environment variable ELASTICJOB_JOBS_SYNCORDERS_JOBLISTENERTYPES\)$/,
      ),
    ]);
    expect(faultsOf({ environment })).toEqual([
      expect.stringMatching(
        /elasticJobClass: must be .+ \(from environment variable ELASTICJOB_JOBS_SYNCORDERS_ELASTICJOBCLASS\)$/,
      ),
    ]);
  });

  test('names a setting as it is written', () => {
    const options = { jobs: { syncOrders: { jobExecutorServiceHandlerType: 'FOO' } } };

    expect(faultsOf({ options })).toEqual([
      'elasticjob.jobs.syncOrders.jobExecutorServiceHandlerType: unknown thread pool size provider "FOO"; known are: CPU, SINGLE_THREAD',
    ]);
  });

  test('a decorator that names another class or a type is refused', () => {
    const providers = [provider('syncOrders', { shardingTotalCount: 1, elasticJobType: 'SCRIPT' })];

    expect(faultsOf({ providers })).toContain(
      '@ElasticJob("syncOrders").elasticJobType: unknown key; the decorated class SyncOrdersJob does the work',
    );
  });

  test.each(['a b', ' '])('a jobClassName with blanks is refused: %j', (jobClassName) => {
    expect(faultsOf({ options: { jobs: { syncOrders: { jobClassName } } } })).toEqual([
      `elasticjob.jobs.syncOrders.jobClassName: must be a class name without blanks, such as 'org.acme.SyncOrdersJob', got "${jobClassName}"`,
    ]);
  });

  test('a logger that is none is refused, and how to log nothing is said', () => {
    const methods = 'must be false (nothing is logged) or an object with the methods debug(), log(), warn(), error()';

    expect(faultsOf({ options: { logger: 'none' } })).toEqual([`elasticjob.logger: ${methods}, got "none"`]);
    expect(faultsOf({ options: { logger: { debug: () => undefined, log: () => undefined } } })).toEqual([
      `elasticjob.logger: ${methods}; warn(), error() is missing, got keys with values`,
    ]);
  });
});

describe('class and type', () => {
  const executors = [{ type: 'SCRIPT', process: () => undefined }];
  const plain = provider(
    'unused',
    {},
    { jobs: [], className: 'Plain', label: 'provider Plain of AppModule', type: class Plain {} },
  );
  const job = (settings: Record<string, unknown>) => ({ jobs: { job: { shardingTotalCount: 1, ...settings } } });

  test('a job is defined by the class name of a provider, and by the class, whose name is not stored', () => {
    for (const elasticJobClass of ['Plain', plain.type]) {
      const { jobs } = read({ providers: [plain], options: job({ elasticJobClass }) });
      expect(jobs).toMatchObject([{ job: plain.instance, owner: 'provider Plain of AppModule' }]);
      expect(jobs[0]?.jobClassName).toBeUndefined();
    }
  });

  test('a Java class stands for the provider that has its name without the package, and names the job for Java peers', () => {
    const { jobs } = read({ providers: [plain], options: job({ elasticJobClass: 'org.acme.Plain' }) });
    const [own] = read({
      providers: [plain],
      options: job({ elasticJobClass: 'org.acme.Plain', jobClassName: 'org.acme.Other' }),
    }).jobs;

    expect(jobs).toMatchObject([{ job: plain.instance, jobClassName: 'org.acme.Plain' }]);
    expect(own).toMatchObject({ job: plain.instance, jobClassName: 'org.acme.Other' });
  });

  describe('the interface of a job, as in Java,', () => {
    class Base {}
    class Simple extends Base {
      execute(): void {}
    }
    class Flow extends Base {
      fetchData(): readonly unknown[] {
        return [];
      }
      processData(): void {}
    }
    class Deep extends Flow {}
    const of = (Type: new () => object): FoundProvider =>
      provider(
        'unused',
        {},
        {
          ...{ jobs: [], type: Type, className: Type.name, instance: new Type() },
          label: `provider ${Type.name} of AppModule`,
        },
      );
    const DATAFLOW = 'org.apache.shardingsphere.elasticjob.dataflow.job.DataflowJob';
    const SIMPLE = 'org.apache.shardingsphere.elasticjob.simple.job.SimpleJob';

    test.each<[unknown, string]>([
      [DATAFLOW, 'Flow'],
      ['DataflowJob', 'Flow'],
      [SIMPLE, 'Simple'],
    ])('means the only provider of that kind, and names no class for Java peers: %s', (elasticJobClass, owner) => {
      const handle = provider('unused', {}, { jobs: [], type: JobHandle, instance: new JobHandle('x', {} as never) });
      const { jobs } = read({ providers: [of(Simple), of(Flow), handle], options: job({ elasticJobClass }) });

      expect(jobs).toMatchObject([{ owner: `provider ${owner} of AppModule` }]);
      expect(jobs[0]?.jobClassName).toBeUndefined();
    });

    test.each<[string | object]>([['Flow'], ['org.acme.Flow'], [Flow]])(
      'and a base class mean the only provider of that kind: %p',
      (elasticJobClass) => {
        const { jobs } = read({ providers: [of(Simple), of(Deep)], options: job({ elasticJobClass }) });

        expect(jobs).toMatchObject([{ owner: 'provider Deep of AppModule' }]);
      },
    );

    test('is refused, with the names of the providers, if there are several or none', () => {
      const problems = (elasticJobClass: unknown, ...types: readonly (new () => object)[]) =>
        faultsOf({ providers: types.map(of), options: job({ elasticJobClass }) });

      expect(problems(DATAFLOW, Flow, Deep, Simple)).toEqual([
        'elasticjob.jobs.job.elasticJobClass: DataflowJob means the only provider with the methods fetchData(context) and processData(context, data), but there are 2: provider Flow of AppModule, provider Deep of AppModule; write the class name of the provider',
      ]);
      expect(problems(SIMPLE, Flow)).toEqual([
        'elasticjob.jobs.job.elasticJobClass: SimpleJob means the only provider with the method execute(context), but there is none; write the class name of the provider',
      ]);
      expect(problems('Base', Flow, Simple)).toEqual([
        'elasticjob.jobs.job.elasticJobClass: Base means the only provider whose class extends Base, but there are 2: provider Flow of AppModule, provider Simple of AppModule; write the class name of the provider',
      ]);
      expect(problems(Base, Flow)).toEqual([]);
    });

    test('means the decorated provider, if the job is decorated', () => {
      const decorated = { ...of(Deep), jobs: [{ jobName: 'job', options: {} }] };
      const { jobs } = read({ providers: [of(Flow), decorated], options: job({ elasticJobClass: DATAFLOW }) });

      expect(jobs).toMatchObject([{ owner: 'provider Deep of AppModule' }]);
    });
  });

  test('a job is defined by its type', () => {
    const { jobs } = read({
      providers: [],
      options: { ...job({ elasticJobType: 'script', jobClassName: 'org.Job' }), executors },
    });

    expect(jobs).toMatchObject([{ job: 'script', jobClassName: 'org.Job', owner: 'job type script' }]);
  });

  test.each<[Record<string, unknown>, string]>([
    [
      { elasticJobClass: 'Plain', elasticJobType: 'SCRIPT' },
      'job: elasticJobClass and elasticJobType are mutually exclusive, got elasticJobClass "Plain" and elasticJobType "SCRIPT"',
    ],
    [
      { elasticJobClass: 'Plian' },
      'job.elasticJobClass: must be the class name of a provider, got "Plian"; did you mean \'Plain\'?',
    ],
    [
      { elasticJobClass: 'org.acme.Plian' },
      'job.elasticJobClass: must be the class name of a provider, got "org.acme.Plian"; did you mean \'Plain\'?',
    ],
    [{ elasticJobClass: '' }, 'job.elasticJobClass: must be the class name of a provider, got ""'],
    [{ elasticJobClass: 5 }, 'job.elasticJobClass: must be the class name of a provider, got 5'],
    [{ elasticJobType: 'SQL' }, 'job.elasticJobType: unknown job type "SQL"; known are: SCRIPT, HTTP, WORKER'],
    [{ elasticJobType: '' }, 'job.elasticJobType: must be the type of an executor, got ""'],
    [
      {},
      "job: no provider is decorated with @ElasticJob('job'), and neither elasticJobClass nor elasticJobType is set",
    ],
  ])('%j is refused', (settings, said) => {
    expect(faultsOf({ providers: [plain], options: { ...job(settings), executors } })).toEqual([
      `elasticjob.jobs.${said}`,
    ]);
  });

  test('a class name that several providers have is refused, naming them', () => {
    const other = { ...plain, label: 'provider Plain of OtherModule', type: class Plain {} };

    expect(faultsOf({ providers: [plain, other], options: job({ elasticJobClass: 'Plain' }) })).toEqual([
      'elasticjob.jobs.job.elasticJobClass: must name one provider, but "Plain" names 2: provider Plain of AppModule, provider Plain of OtherModule',
    ]);
  });

  test('a decorated job has no type, and no other class', () => {
    expect(faultsOf({ options: { jobs: { syncOrders: { elasticJobType: 'SCRIPT' } }, executors } })).toEqual([
      'elasticjob.jobs.syncOrders: elasticJobClass and elasticJobType are mutually exclusive, got the class of provider ' +
        'SyncOrdersJob of AppModule and elasticJobType "SCRIPT"',
    ]);
    expect(
      faultsOf({ providers: [syncOrders, plain], options: { jobs: { syncOrders: { elasticJobClass: 'Plain' } } } }),
    ).toEqual([
      'elasticjob.jobs.syncOrders.elasticJobClass: must not name another class than that of provider SyncOrdersJob of AppModule, got "Plain"',
    ]);
  });

  test('one bootstrap name for two jobs is refused, and so is the name of another job', () => {
    const bean = { shardingTotalCount: 1, elasticJobType: 'SCRIPT', jobBootstrapBeanName: 'bean' };
    const options = { executors, jobs: { a: bean, b: bean, c: { ...bean, jobBootstrapBeanName: 'a' } } };

    expect(faultsOf({ providers: [], options })).toEqual([
      `elasticjob.jobs.b.jobBootstrapBeanName: must be a name that no other job has, but "bean" is taken by job 'a'`,
      `elasticjob.jobs.c.jobBootstrapBeanName: must be a name that no other job has, but "a" is taken by job 'a'`,
    ]);
  });
});

test('switched off, nothing else is checked', () => {
  const given = { options: { jobs: 5, regCenter: { namspace: 1 } }, file: undefined, providers: [syncOrders] };

  expect(readApplicationSettings({ ...given, environment: { ELASTICJOB_ENABLED: 'false' } })).toBeUndefined();
});

test('environment variables that look like settings are warned of', () => {
  const providers = [provider('syncOrders', { shardingTotalCount: 1 })];
  const environment = { ELASTICJOB_UI_PORT: '8088' };

  expect(read({ providers, environment }).warnings).toEqual([
    'These environment variables are not settings of ElasticJob and are ignored: ELASTICJOB_UI_PORT.',
  ]);
});

test.each([null, undefined, 5, {}, Object.create(null), Symbol('s')])(
  'a decorated name that is not a text is one problem: %p',
  (jobName) => {
    const providers = [provider(jobName as string, { shardingTotalCount: 1 })];

    expect(faultsOf({ providers })).toEqual([
      expect.stringMatching(/^@ElasticJob on SyncOrdersJob: the job's name must be a text that is not empty, got /),
    ]);
  },
);

describe('a registry centre of the application’s own making', () => {
  test('excludes regCenter in the same options, which would have no effect', () => {
    const registryCenter = new EmbeddedRegistryCenter();

    expect(faultsOf({ options: { registryCenter, regCenter: { namespace: 'orders' } } })).toEqual([
      'elasticjob.regCenter: has no effect beside registryCenter; give only one of them',
    ]);
  });

  test('comes before regCenter of a file, as in a test of an application', () => {
    const registryCenter = new EmbeddedRegistryCenter();

    expect(faultsOf({ options: { registryCenter, regCenter: {} }, file: { regCenter: { namespace: 'a' } } })).toEqual(
      [],
    );
  });

  test('is refused if it is closed', async () => {
    const registryCenter = new EmbeddedRegistryCenter();
    await registryCenter.close();

    expect(faultsOf({ options: { registryCenter } })).toEqual([
      'elasticjob.registryCenter: is closed (close() was called), and is never open again; give one that is open',
    ]);
  });
});
