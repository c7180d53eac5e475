import { afterEach, describe, expect, test } from '@jest/globals';
import { Inject, Injectable, type ModuleMetadata, type OnModuleDestroy, Scope } from '@nestjs/common';
import { type JobFailure } from '../../../lib/api/extensions/error-handler.js';
import { type JobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { type JobInstance } from '../../../lib/api/extensions/sharding-strategy.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import {
  JobErrorHandler,
  JobExecutor,
  JobExecutorThreadPoolSizeProvider,
  JobShardingStrategy,
} from '../../../lib/nest/decorators/extension.decorators.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { until } from '../../support/until.js';
import { elasticJob, refusalOf, started } from './application.js';

/** Something that extensions are injected. */
@Injectable()
class Story {
  readonly lines: string[] = [];
  tell(line: string): void {
    this.lines.push(line);
  }
}

/** The story of the last application; its providers have private members, which derived objects could not reach. */
abstract class Teller {
  readonly #story: Story;
  constructor(@Inject(Story) story: Story) {
    this.#story = story;
  }
  protected tell(line: string): void {
    this.#story.tell(line);
  }
}

@JobExecutor('SQL')
class SqlExecutor extends Teller {
  process({ props }: JobConfiguration, { shardingItem }: ShardingContext): void {
    this.tell(`${props['statement']} ${shardingItem}`);
  }
}

/** A kind of job of the user's own. */
abstract class Report {
  abstract rows(item: number): string;
}

@JobExecutor(Report)
class ReportExecutor extends Teller {
  process(job: Report, { jobName }: JobConfiguration, { shardingItem }: ShardingContext): void {
    this.tell(`${jobName}: ${job.rows(shardingItem)}`);
  }
}

abstract class LongReport extends Report {}

@JobExecutor(LongReport)
class LongReportExecutor extends Teller {
  process(job: LongReport, _: JobConfiguration, { shardingItem }: ShardingContext): void {
    this.tell(`long: ${job.rows(shardingItem)}`);
  }
}

@ElasticJob<Report>('sales', { shardingTotalCount: 1 })
class SalesReport extends Report {
  rows = (item: number): string => `sales ${item}`;
}

@ElasticJob<Report>('stock', { shardingTotalCount: 1 })
class StockReport extends LongReport {
  rows = (item: number): string => `stock ${item}`;
}

@ElasticJob('bill', { shardingTotalCount: 2 })
class BillJob {
  execute({ shardingItem }: ShardingContext): void {
    throw new Error(`no paper for ${shardingItem}`);
  }
}

@JobErrorHandler('PAGER')
class Pager extends Teller {
  validate({ props }: JobConfiguration): readonly string[] {
    return 'phone' in props ? [] : ['The property `phone` is required.'];
  }
  prepare = (): void => this.tell('prepares');
  handleException({ item, configuration: { props } }: JobFailure): void {
    this.tell(`${props['phone']}: item ${item}`);
  }
  release = (jobName: string): void => this.tell(`lets go of ${jobName}`);
  close = (): void => this.tell('closes');
}

@JobShardingStrategy('backwards')
class Backwards extends Teller {
  sharding([first]: readonly JobInstance[], jobName: string, total: number): Map<string, number[]> {
    this.tell(`assigns ${jobName}`);
    return new Map([[first?.jobInstanceId ?? '', Array.from({ length: total }, (_, item) => total - 1 - item)]]);
  }
}

@JobExecutorThreadPoolSizeProvider('ONE')
class One extends Teller {
  getSize(): number {
    this.tell('one at a time');
    return 1;
  }
}

/** Runs a one-off job, and returns what was told until there were as many lines, and the application was closed. */
async function storyOf(job: string, lines: number, metadata: ModuleMetadata): Promise<readonly string[]> {
  const app = await started({ ...metadata, providers: [Story, ...(metadata.providers ?? [])] });
  const story = app.get(Story);
  await app.get(JobBootstraps).oneOff(job).execute();
  await until(() => story.lines.length >= lines);
  await app.close();
  return story.lines;
}

describe('a decorated provider, with its dependencies,', () => {
  test('executes the jobs of its type', async () => {
    const jobs = {
      cleanUp: { elasticJobType: 'sql', shardingTotalCount: 2, props: { statement: 'DELETE' } },
    };

    expect(await storyOf('cleanUp', 2, { imports: [elasticJob({ jobs })], providers: [SqlExecutor] })).toEqual([
      'DELETE 0',
      'DELETE 1',
    ]);
  });

  test.each([
    ['sales', 'sales: sales 0'],
    ['stock', 'long: stock 0'],
  ])('executes the jobs of its base class, the nearest one of several: %s', async (job, line) => {
    const providers = [ReportExecutor, LongReportExecutor, SalesReport, StockReport];

    expect(await storyOf(job, 1, { imports: [elasticJob()], providers })).toEqual([line]);
  });

  test('is asked to prepare for a job before it runs, and to let go of it at its end', async () => {
    @JobExecutor('CAREFUL')
    class Careful extends Teller {
      prepare = ({ jobName }: JobConfiguration): void => this.tell(`prepares for ${jobName}`);
      process = ({ jobName }: JobConfiguration): void => this.tell(`runs ${jobName}`);
      release = (jobName: string): void => this.tell(`lets go of ${jobName}`);
    }
    @JobExecutor(Report)
    class CarefulReports extends Teller {
      prepare = (_: JobConfiguration, job: Report): void => this.tell(`prepares for ${job.rows(0)}`);
      process = (job: Report): void => this.tell(`runs ${job.rows(0)}`);
      release = (jobName: string): void => this.tell(`lets go of ${jobName}`);
    }
    const jobs = { copy: { elasticJobType: 'CAREFUL', shardingTotalCount: 1 } };

    const typed = await storyOf('copy', 2, { imports: [elasticJob({ jobs })], providers: [Careful] });
    const classed = await storyOf('sales', 2, { imports: [elasticJob()], providers: [CarefulReports, SalesReport] });

    const times = (name: string, work: string, job: string): readonly string[] => [
      ...[`prepares for ${name}`, `runs ${work}`, `lets go of ${job}`],
    ];
    expect(typed).toEqual(times('copy', 'copy', 'copy'));
    expect(classed).toEqual(times('sales 0', 'sales 0', 'sales'));
  });

  test('handles failures, from its preparation to its end', async () => {
    const jobs = { bill: { jobErrorHandlerType: 'pager', props: { phone: '112' } } };

    const lines = await storyOf('bill', 3, { imports: [elasticJob({ jobs })], providers: [Pager, BillJob] });

    expect(lines.filter((line) => line === 'prepares').length).toBeGreaterThan(0);
    expect(lines.filter((line) => line !== 'prepares')).toEqual([
      '112: item 0',
      '112: item 1',
      'lets go of bill',
      'closes',
    ]);
  });

  test('checks the properties it needs', async () => {
    const jobs = { bill: { jobErrorHandlerType: 'PAGER' } };

    expect(await refusalOf({ imports: [elasticJob({ jobs })], providers: [Story, Pager, BillJob] })).toEqual([
      'elasticjob.jobs.bill.props: error handler PAGER: The property `phone` is required.',
    ]);
  });

  test('may interrupt the firing', async () => {
    @JobErrorHandler('HALT')
    class Halt extends Teller {
      readonly afterFailure = 'interrupt';
      handleException({ item }: JobFailure): void {
        this.tell(`item ${item}`);
      }
    }
    const jobs = { bill: { jobErrorHandlerType: 'HALT', jobExecutorThreadPoolSizeProviderType: 'SINGLE_THREAD' } };

    expect(await storyOf('bill', 1, { imports: [elasticJob({ jobs })], providers: [Halt, BillJob] })).toEqual([
      'item 0',
    ]);
  });

  test('assigns items, and says how many run at once', async () => {
    const jobs = {
      cleanUp: {
        elasticJobType: 'SQL',
        shardingTotalCount: 2,
        props: { statement: 'DELETE' },
        jobShardingStrategyType: 'BACKWARDS',
        jobExecutorThreadPoolSizeProviderType: 'one',
      },
    };

    const app = await started({
      imports: [elasticJob({ jobs })],
      providers: [Story, SqlExecutor, Backwards, One],
    });
    const { lines } = app.get(Story);
    await app.get(JobBootstraps).oneOff('cleanUp').execute();
    await until(() => lines.includes('DELETE 1'));
    await app.close();

    expect(lines).toContain('one at a time');
    expect(lines.filter((line) => line !== 'one at a time')).toEqual(['assigns cleanUp', 'DELETE 0', 'DELETE 1']);
  });

  test('may stand beside the lists of forRoot()', async () => {
    const executors = [{ type: 'SHELL', process: () => undefined }];
    const jobs = { cleanUp: { elasticJobType: 'NOSQL', shardingTotalCount: 1 } };

    expect(await refusalOf({ imports: [elasticJob({ jobs, executors })], providers: [Story, SqlExecutor] })).toEqual([
      expect.stringMatching(
        /^elasticjob\.jobs\.cleanUp\.elasticJobType: unknown job type "NOSQL"; known are: SHELL, SQL/,
      ),
    ]);
  });
});

describe('onModuleDestroy of', () => {
  let release = (): void => undefined;
  afterEach(() => release());

  @JobExecutor('SLOW')
  class SlowExecutor extends Teller implements OnModuleDestroy {
    async process(): Promise<void> {
      this.tell('begins');
      await new Promise<void>((resolve) => (release = resolve));
      this.tell('ends');
    }
    onModuleDestroy(): void {
      this.tell('executor is destroyed');
    }
  }

  @JobErrorHandler('LATE')
  class LateHandler extends Teller implements OnModuleDestroy {
    async handleException({ item }: JobFailure): Promise<void> {
      await new Promise<void>((resolve) => (release = resolve));
      this.tell(`handled ${item}`);
    }
    onModuleDestroy(): void {
      this.tell('handler is destroyed');
    }
  }

  test('an executor is called when the last item has ended', async () => {
    const jobs = { slow: { elasticJobType: 'SLOW', shardingTotalCount: 1 } };
    const app = await started({ imports: [elasticJob({ jobs })], providers: [Story, SlowExecutor] });
    const { lines } = app.get(Story);
    await app.get(JobBootstraps).oneOff('slow').execute();
    await until(() => lines.length === 1);

    const closed = app.close();
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await closed;

    expect(lines).toEqual(['begins', 'ends', 'executor is destroyed']);
  });

  test('an error handler is called when the last failure has been handled', async () => {
    @ElasticJob('fail', { shardingTotalCount: 1, jobErrorHandlerType: 'LATE' })
    class FailingJob {
      hasRun = false;
      execute(): void {
        this.hasRun = true;
        throw new Error('no paper');
      }
    }
    const app = await started({ imports: [elasticJob()], providers: [Story, LateHandler, FailingJob] });
    const { lines } = app.get(Story);
    await app.get(JobBootstraps).oneOff('fail').execute();
    await until(() => app.get(FailingJob).hasRun);

    const closed = app.close();
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await closed;

    expect(lines).toEqual(['handled 0', 'handler is destroyed']);
  });
});

describe('refused is', () => {
  const untyped = (decorator: unknown): ClassDecorator => decorator as ClassDecorator;
  const refusal = (...providers: NonNullable<ModuleMetadata['providers']>): Promise<readonly string[]> =>
    refusalOf({ imports: [elasticJob()], providers: [Story, ...providers] });

  test('a name that is no text, or empty', async () => {
    @JobErrorHandler(' ')
    class Nameless {
      handleException(): void {}
    }
    @untyped(JobExecutor(undefined as unknown as string))
    class Circular {
      process(): void {}
    }

    expect(await refusal(Nameless, Circular)).toEqual([
      '@JobErrorHandler on Nameless: the error handler\'s name must be a text that is not empty, got " "',
      "@JobExecutor on Circular: the executor's name must be a class, or a text that is not empty, got undefined",
    ]);
  });

  test('a class without the method, which a compiler that checks types does not let pass', async () => {
    @untyped(JobShardingStrategy('NONE'))
    class Nothing {}

    expect(await refusal(Nothing)).toEqual([
      '@JobShardingStrategy("NONE"): provider Nothing of RootTestModule cannot be a sharding strategy: it has no method sharding()',
    ]);
  });

  test('a provider that is request-scoped', async () => {
    @JobExecutor('SCOPED')
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      process(): void {}
    }

    expect(await refusal(Scoped)).toEqual([
      '@JobExecutor("SCOPED"): provider Scoped of RootTestModule cannot be an extension of jobs: it is request-scoped, and a job ' +
        'runs outside of any request',
    ]);
  });

  test('a name that two providers have, or a provider and a list of forRoot(), and a class of jobs with two executors', async () => {
    @JobErrorHandler('pager')
    class Other extends Pager {}
    @JobExecutor(Report)
    class OtherReports extends ReportExecutor {}
    const executors = [{ type: 'Sql', process: () => undefined }];
    const providers = [Story, Pager, Other, SqlExecutor, ReportExecutor, OtherReports];

    expect(await refusalOf({ imports: [elasticJob({ executors })], providers })).toEqual([
      "The executor SQL is defined 2 times: by forRoot()'s executors and by provider SqlExecutor of RootTestModule",
      'The executor of Report is defined 2 times: by provider ReportExecutor of RootTestModule and by provider OtherReports of RootTestModule',
      'The error handler PAGER is defined 2 times: by provider Pager of RootTestModule and by provider Other of RootTestModule',
    ]);
  });

  test('a job object that no executor accepts, with what they require', async () => {
    @ElasticJob<object>('idle', { shardingTotalCount: 1 })
    class IdleJob {}

    expect(await refusal(ReportExecutor, IdleJob)).toEqual([
      'elasticjob.jobs.idle: provider IdleJob of RootTestModule cannot be a job: it has no method execute(context), which ' +
        'SimpleJob requires, nor methods fetchData(context) and processData(context, data), which DataflowJob requires, nor the base class Report',
    ]);
  });

  test('anything but a class', () => {
    expect(() => (JobErrorHandler('X') as (target: unknown) => void)({})).toThrow(
      '@JobErrorHandler("X") can only decorate a class',
    );
  });
});

test('the compiler refuses a class without the methods, or with others', () => {
  // Each of these lines is an error of types; `npm run typecheck` fails if one is not.
  // @ts-expect-error there is no process()
  JobExecutor('A')(class {});
  // @ts-expect-error the job is of another class
  JobExecutor(Report)(class { process(_job: Pager): void {} }); // prettier-ignore
  // @ts-expect-error there is no sharding()
  JobShardingStrategy('A')(class {});
  // @ts-expect-error sharding() returns a list
  JobShardingStrategy('A')(class { sharding(): readonly number[] { return []; } }); // prettier-ignore
  // @ts-expect-error there is no handleException()
  JobErrorHandler('A')(class { handle(): void {} }); // prettier-ignore
  // @ts-expect-error getSize() returns a text
  JobExecutorThreadPoolSizeProvider('A')(class { getSize(): string { return '1'; } }); // prettier-ignore

  expect(() => JobErrorHandler('A')(class { handleException(): void {} })).not.toThrow(); // prettier-ignore
});
