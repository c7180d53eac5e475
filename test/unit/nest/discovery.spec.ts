import { describe, expect, test } from '@jest/globals';
import { Cron, Interval, Timeout } from '@nestjs/schedule';
import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { ElasticJob, InjectOneOffJob, jobsOf } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { elasticJob, refusalOf, started } from './application.js';

@ElasticJob('found', { shardingTotalCount: 1 })
class FoundJob {
  execute(): void {}
}

const namesIn = async (...args: Parameters<typeof started>): Promise<readonly string[]> => {
  await using app = await started(...args);
  return app.get(JobBootstraps).names;
};

describe('a decorated class is found', () => {
  test('as a provider of any module', async () => {
    @Module({ providers: [FoundJob] })
    class FeatureModule {}

    expect(await namesIn({ imports: [elasticJob(), FeatureModule] })).toEqual(['found']);
  });

  test('as a value and as a factory’s result', async () => {
    const value = { provide: 'a token', useValue: new FoundJob() };
    const factory = { provide: 'a token', useFactory: () => Promise.resolve(new FoundJob()) };

    expect(await namesIn({ imports: [elasticJob()], providers: [value] })).toEqual(['found']);
    expect(await namesIn({ imports: [elasticJob()], providers: [factory] })).toEqual(['found']);
  });

  test('once, although it has aliases', async () => {
    const alias = { provide: 'alias', useExisting: FoundJob };

    expect(await namesIn({ imports: [elasticJob()], providers: [FoundJob, alias] })).toEqual(['found']);
  });

  test('as a subclass, and as the double that a test puts in its place', async () => {
    class Subclass extends FoundJob {}
    const double = { provide: FoundJob, useValue: { execute: () => undefined } };

    expect(await namesIn({ imports: [elasticJob()], providers: [Subclass] })).toEqual(['found']);
    expect(await namesIn({ imports: [elasticJob()], providers: [double] })).toEqual(['found']);
  });

  test('as several jobs, if it has several decorators', async () => {
    @ElasticJob('one', { shardingTotalCount: 1 })
    @ElasticJob('two', { shardingTotalCount: 1 })
    class BothJob extends FoundJob {}

    expect(await namesIn({ imports: [elasticJob()], providers: [BothJob] })).toEqual(['one', 'two']);
  });
});

test('null, texts and functions among the providers are not jobs', async () => {
  const providers = [
    { provide: 'null', useValue: null },
    { provide: 'undefined', useValue: undefined },
    { provide: 'text', useValue: 'text' },
    { provide: 'function', useValue: () => undefined },
    { provide: 'bare', useValue: Object.create(null) as object },
  ];

  expect(await namesIn({ imports: [elasticJob()], providers })).toEqual([]);
});

describe('refused is', () => {
  test('one job in two providers', async () => {
    @ElasticJob('found', { shardingTotalCount: 1 })
    class SameNameJob extends FoundJob {}
    @Module({ providers: [SameNameJob] })
    class OtherModule {}

    expect(await refusalOf({ imports: [elasticJob(), OtherModule], providers: [FoundJob] })).toEqual([
      'elasticjob.jobs.found: is defined 2 times: by provider FoundJob of RootTestModule and by provider SameNameJob of OtherModule',
    ]);
  });

  test('a provider in two modules, which is two objects', async () => {
    @Module({ providers: [FoundJob] })
    class OtherModule {}

    expect(await refusalOf({ imports: [elasticJob(), OtherModule], providers: [FoundJob] })).toEqual([
      'elasticjob.jobs.found: is defined 2 times: by provider FoundJob of RootTestModule and by provider FoundJob of OtherModule',
    ]);
  });

  test('a request-scoped provider, and a provider that depends on one', async () => {
    @Injectable({ scope: Scope.REQUEST })
    @ElasticJob('scoped', { shardingTotalCount: 1 })
    class ScopedJob extends FoundJob {}
    @Injectable({ scope: Scope.REQUEST })
    class CurrentUser {}
    @Injectable()
    class Between {
      constructor(@Inject(CurrentUser) readonly user: CurrentUser) {}
    }
    @ElasticJob('dependent', { shardingTotalCount: 1 })
    class DependentJob extends FoundJob {
      constructor(@Inject(Between) readonly between: Between) {
        super();
      }
    }
    const providers = [ScopedJob, CurrentUser, Between, DependentJob];

    expect(await refusalOf({ imports: [elasticJob()], providers })).toEqual([
      'elasticjob.jobs.scoped: provider ScopedJob of RootTestModule cannot be a job: it is request-scoped, and a job runs outside of any request',
      'elasticjob.jobs.dependent: provider DependentJob of RootTestModule cannot be a job: it depends on CurrentUser, which is request-scoped, and a job runs outside of any request',
    ]);
  });

  test('a transient provider', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    @ElasticJob('transient', { shardingTotalCount: 1 })
    class TransientJob extends FoundJob {}

    const [refusal] = await refusalOf({ imports: [elasticJob()], providers: [TransientJob] });
    expect(refusal).toContain('provider TransientJob of RootTestModule cannot be a job: it is transient-scoped');
  });

  test('a class that is not a job', async () => {
    @ElasticJob<object>('idle', { shardingTotalCount: 1 })
    class IdleJob {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [IdleJob] })).toEqual([
      'elasticjob.jobs.idle: provider IdleJob of RootTestModule cannot be a job: it has no method execute(context), which SimpleJob requires, ' +
        'nor methods fetchData(context) and processData(context, data), which DataflowJob requires',
    ]);
  });

  test.each([undefined, null, 5, {}])('a decorator whose name is %p', async (jobName) => {
    @ElasticJob(jobName as never, { shardingTotalCount: 1 })
    class NamelessJob extends FoundJob {}

    const [refusal] = await refusalOf({ imports: [elasticJob()], providers: [NamelessJob] });
    expect(refusal).toContain("@ElasticJob on NamelessJob: the job's name must be a text that is not empty");
  });

  test('a decorator without options, which names what is missing', async () => {
    @ElasticJob('bare')
    class BareJob extends FoundJob {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [BareJob] })).toEqual([
      'elasticjob.jobs.bare.shardingTotalCount: is required and must be an integer of at least 1',
    ]);
  });

  test('a module that is imported twice', async () => {
    expect(await refusalOf({ imports: [elasticJob(), elasticJob()] })).toEqual([
      'ElasticJobModule.forRoot() is imported 2 times in one application. Import it once; it is global.',
    ]);
  });
});

describe('decorators refuse', () => {
  test.each([undefined, null, '', 5, Symbol('s')])('to inject the job %p', (token) => {
    expect(() => InjectOneOffJob(token as string)).toThrow(
      '@InjectOneOffJob(): must be given the name of a job, or its jobBootstrapBeanName, got ',
    );
  });

  const anyDecorator = (): ((...received: readonly unknown[]) => void) => ElasticJob('sync') as never;
  class Orders {
    static sync(): void {}
  }
  const method = (): void => undefined;

  test.each<[string, readonly unknown[], string]>([
    ['method', [Orders.prototype, 'sync', {}], '"sync"'],
    ['static method', [Orders, 'sync', {}], '"sync"'],
    ['property', [Orders.prototype, 'orders'], '"orders"'],
    ['parameter', [Orders, undefined, 0], 'a parameter'],
    ['method, with decorators of ECMAScript', [method, { kind: 'method', name: 'sync' }], '"sync"'],
  ])('to make a %s a job, and say what to write instead', (_, received, member) => {
    expect(() => anyDecorator()(...received)).toThrow(
      `@ElasticJob("sync") can only decorate a class, got ${member}: write a class whose method execute(context) does the work, ` +
        '@ElasticJob("sync") class SyncOrdersJob { execute(context) { … } }, and add it to the providers of a module',
    );
  });

  test('no class that a decorator of ECMAScript makes a job', () => {
    class Job {}
    anyDecorator()(Job, { kind: 'class', name: 'Job' });

    expect(jobsOf(Job)).toHaveLength(1);
  });
});

test('a method that is decorated as a job is an error of the compiler', () => {
  class Orders {
    sync(): void {}
  }
  const decorator = ElasticJob('sync', { cron: '0 * * * *' });

  // @ts-expect-error @ElasticJob decorates a class.
  expect(() => decorator(Orders.prototype, 'sync', {})).toThrow('can only decorate a class');
});

test('a class that cannot do a job’s work is an error of the compiler', () => {
  // @ts-expect-error The class has no method execute().
  @ElasticJob('noWork', { shardingTotalCount: 1 })
  class NoWork {}
  // @ts-expect-error The method takes something else than a ShardingContext.
  @ElasticJob('otherWork', { shardingTotalCount: 1 })
  class OtherWork {
    execute(_: number): void {}
  }
  @ElasticJob<{ report(): void }>('report', { shardingTotalCount: 1 })
  class Report {
    constructor(readonly name: string) {}
    report(): void {}
  }

  for (const each of [NoWork, OtherWork, Report]) expect(jobsOf(each)).toHaveLength(1);
});

describe('a decorated class is refused', () => {
  test.each([
    ['* * * * * ?', '"* * * * * ?"'],
    [null, 'null'],
    [new Map(), 'an instance of Map'],
  ])('if its options are no plain object: %p', async (options, got) => {
    @ElasticJob('odd', options as never)
    class OddJob extends FoundJob {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [OddJob] })).toContain(
      `@ElasticJob("odd") on OddJob: its options must be a plain object such as { cron: '0/5 * * * * ?', shardingTotalCount: 1 }, got ${got}`,
    );
  });

  test.each([Cron('* * * * * *'), Interval(1_000), Timeout(1_000)])(
    'if @nestjs/schedule would call its method, too (%#)',
    async (decorate) => {
      @ElasticJob('twice', { shardingTotalCount: 1 })
      class TwiceJob {
        execute(): void {}
      }
      const descriptor = Object.getOwnPropertyDescriptor(TwiceJob.prototype, 'execute') ?? {};
      decorate(TwiceJob.prototype, 'execute', descriptor);

      expect((await refusalOf({ imports: [elasticJob()], providers: [TwiceJob] })).join()).toContain(
        'elasticjob.jobs.twice: provider TwiceJob of RootTestModule has @Cron(), @Interval() or @Timeout() on its method execute(), which would run beside the job',
      );
    },
  );

  test('if it is provided twice by one module, which is named once', async () => {
    const again = { provide: 'again', useClass: FoundJob };

    expect((await refusalOf({ imports: [elasticJob()], providers: [FoundJob, again] })).join()).toContain(
      'elasticjob.jobs.found: is defined 2 times, each time by provider FoundJob of RootTestModule: provide the class once',
    );
  });
});
