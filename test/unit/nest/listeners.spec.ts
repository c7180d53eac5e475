import { describe, expect, test } from '@jest/globals';
import { Inject, Injectable, Module, type ModuleMetadata, Scope } from '@nestjs/common';
import {
  AbstractDistributeOnceElasticJobListener,
  type ElasticJobListener,
} from '../../../lib/api/extensions/job-listener.js';
import { type ShardingContexts } from '../../../lib/api/job/sharding-contexts.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { JobListener, listenerTypeOf } from '../../../lib/nest/decorators/job-listener.decorator.js';
import { until } from '../../support/until.js';
import { elasticJob, refusalOf, started } from './application.js';

/** Something that listeners are injected. */
@Injectable()
class Story {
  readonly lines: string[] = [];
  tell(line: string): void {
    this.lines.push(line);
  }
}

@ElasticJob('bill', { shardingTotalCount: 1, jobListenerTypes: ['stopwatch', 'AUDIT'] })
class BillJob {
  constructor(@Inject(Story) private readonly story: Story) {}
  execute(): void {
    this.story.tell('runs');
  }
}

@JobListener('STOPWATCH')
class Stopwatch implements ElasticJobListener {
  // A listener with private members cannot be served by an object derived from it.
  readonly #story: Story;
  constructor(@Inject(Story) story: Story) {
    this.#story = story;
  }
  order(): number {
    return 1;
  }
  beforeJobExecuted({ jobName }: ShardingContexts): void {
    this.#story.tell(`${jobName} begins`);
  }
  afterJobExecuted({ jobName }: ShardingContexts): void {
    this.#story.tell(`${jobName} has ended`);
  }
}

@JobListener('audit')
class Audit extends AbstractDistributeOnceElasticJobListener {
  readonly #story: Story;
  constructor(@Inject(Story) story: Story) {
    super(5_000, 5_000);
    this.#story = story;
  }
  doBeforeJobExecutedAtLastStarted(): void {
    this.#story.tell('all start');
  }
  doAfterJobExecutedAtLastCompleted(): void {
    this.#story.tell('all have completed');
  }
}

async function storyOf(metadata: ModuleMetadata): Promise<readonly string[]> {
  await using app = await started({ ...metadata, providers: [Story, BillJob, ...(metadata.providers ?? [])] });
  const { lines } = app.get(Story);
  await app.get(JobBootstraps).oneOff('bill').execute();
  await until(() => lines.length >= 5);
  return lines;
}

const WHOLE_STORY = ['bill begins', 'all start', 'runs', 'bill has ended', 'all have completed'];

describe('a listener is called', () => {
  test('as a decorated provider of any module, with its dependencies', async () => {
    @Module({ providers: [Story, Audit] })
    class AuditModule {}
    // Its story is another one, so that only the lines of the others are told here.
    const own = { provide: 'own audit', useFactory: (story: Story) => new Audit(story), inject: [Story] };

    expect(await storyOf({ imports: [elasticJob()], providers: [Stopwatch, own] })).toEqual(WHOLE_STORY);
    expect(await refusalOf({ imports: [elasticJob(), AuditModule], providers: [Story, BillJob, Stopwatch] })).toEqual([
      'it boots',
    ]);
  });

  test('as an object of forRoot()', async () => {
    const lines: string[] = [];
    const note = (line: string) => (): void => void lines.push(line);
    const listeners = [
      { type: 'Stopwatch', beforeJobExecuted: note('begins'), afterJobExecuted: note('has ended') },
      { type: 'AUDIT', beforeJobExecuted: note('audit begins'), afterJobExecuted: note('audit has ended') },
    ];
    await using app = await started({ imports: [elasticJob({ listeners })], providers: [Story, BillJob] });

    await app.get(JobBootstraps).oneOff('bill').execute();
    await until(() => lines.length === 4);

    expect(lines).toEqual(['begins', 'audit begins', 'has ended', 'audit has ended']);
  });

  test('for a job that is added at run time', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [Story, BillJob, Stopwatch, Audit] });
    const { lines } = app.get(Story);
    const { JobConfiguration } = await import('../../../lib/api/job/job-configuration.js');
    const configuration = JobConfiguration.newBuilder('late', 1).jobListenerTypes('STOPWATCH').build();

    app.get(JobBootstraps).add({ execute: () => undefined }, configuration);
    await app.get(JobBootstraps).oneOff('late').execute();
    await until(() => lines.length === 2);

    expect(lines).toEqual(['late begins', 'late has ended']);
  });
});

describe('refused is', () => {
  const bill = [Story, BillJob, Stopwatch];

  test('a job that names an unknown listener, with those that are known', async () => {
    expect(await refusalOf({ imports: [elasticJob()], providers: bill })).toEqual([
      'elasticjob.jobs.bill.jobListenerTypes: unknown job listener "AUDIT"; known are: STOPWATCH',
    ]);
  });

  test('a listener whose type another listener has', async () => {
    const listeners = [{ type: 'Audit', beforeJobExecuted: () => undefined, afterJobExecuted: () => undefined }];
    @JobListener('AUDIT')
    class OtherAudit extends Audit {}

    expect(await refusalOf({ imports: [elasticJob({ listeners })], providers: [...bill, Audit, OtherAudit] })).toEqual([
      "The job listener AUDIT is defined 3 times: by forRoot()'s listeners and by provider Audit of RootTestModule and by provider OtherAudit of RootTestModule",
    ]);
  });

  test('a class that is not a listener', async () => {
    // @ts-expect-error The class has no method of a listener.
    @JobListener('AUDIT')
    class NoAudit {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [...bill, NoAudit] })).toEqual(
      [
        '@JobListener("AUDIT"): provider NoAudit of RootTestModule cannot be a listener: it has no methods beforeJobExecuted(shardingContexts) and afterJobExecuted(shardingContexts), as ElasticJobListener demands',
      ].slice(0, 1),
    );
  });

  test('a request-scoped listener', async () => {
    @Injectable({ scope: Scope.REQUEST })
    @JobListener('AUDIT')
    class ScopedAudit extends Audit {}

    expect(await refusalOf({ imports: [elasticJob()], providers: [...bill, ScopedAudit] })).toEqual([
      '@JobListener("AUDIT"): provider ScopedAudit of RootTestModule cannot be a listener: it is request-scoped, and a job runs outside of any request',
    ]);
  });

  test.each([undefined, '', ' ', 5])('a decorator whose type is %p', async (type) => {
    @JobListener(type as never)
    class Nameless extends Audit {}

    const [refusal] = await refusalOf({ imports: [elasticJob()], providers: [...bill, Nameless] });
    expect(refusal).toContain("@JobListener on Nameless: the listener's type must be a text that is not empty, got ");
  });

  test.each([
    [{}, 'must be a list of job listeners, got keys with values'],
    [
      [{ beforeJobExecuted: () => undefined }],
      "must be a list of job listeners that have a 'type', got [keys with values]",
    ],
    [[{ type: 'AUDIT' }], 'must be a list of job listeners, but AUDIT has no methods beforeJobExecuted'],
  ])('what is given as listeners and is none: %p', async (listeners, fault) => {
    const [refusal] = await refusalOf({ imports: [elasticJob({ listeners: listeners as never })], providers: bill });
    expect(refusal).toContain(`elasticjob.listeners: ${fault}`);
  });

  test('a decorator of a method', () => {
    const decorator = JobListener('AUDIT') as unknown as MethodDecorator;

    expect(() => decorator({}, 'execute', {})).toThrow('@JobListener("AUDIT") can only decorate a class');
  });
});

test('a class that lacks a method of its kind of listener is an error of the compiler', () => {
  // @ts-expect-error The method afterJobExecuted() is missing.
  @JobListener('HALF')
  class Half {
    beforeJobExecuted(): void {}
  }
  // @ts-expect-error The method takes something else than ShardingContexts.
  @JobListener('OTHER')
  class Other {
    beforeJobExecuted(_: number): void {}
    afterJobExecuted(): void {}
  }
  @JobListener('WHOLE')
  class Whole implements ElasticJobListener {
    constructor(readonly name: string) {}
    async beforeJobExecuted(): Promise<void> {}
    afterJobExecuted(): void {}
  }

  for (const each of [Half, Other, Whole]) expect(listenerTypeOf(each)).toBeDefined();
});
