import { describe, expect, test } from '@jest/globals';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { JobConfiguration, jobConfiguration } from '../../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ElasticJob, InjectOneOffJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, started } from './application.js';

class Items {
  readonly ran: number[] = [];
  execute({ shardingItem }: ShardingContext): void {
    this.ran.push(shardingItem);
  }
}

@ElasticJob('report', { shardingTotalCount: 2 })
class ReportJob extends Items {}

@ElasticJob('bill', { shardingTotalCount: 2, jobBootstrapBeanName: 'billBean' })
class BillJob extends Items {}

@Injectable()
class Accounting {
  constructor(
    @InjectOneOffJob('report') readonly report: OneOffJobBootstrap,
    @Inject('billBean') readonly bill: OneOffJobBootstrap,
    @InjectOneOffJob('bill') readonly billByName: OneOffJobBootstrap,
  ) {}
}

describe('a one-off job', () => {
  test('is injected by its name or its bootstrap’s, and runs all items at each execute()', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [Accounting, ReportJob, BillJob] });
    const { report, bill, billByName } = app.get(Accounting);

    await report.execute();
    await bill.execute();
    await until(() => app.get(ReportJob).ran.length === 2 && app.get(BillJob).ran.length === 2);
    await billByName.execute();
    await until(() => app.get(BillJob).ran.length === 4);

    expect(app.get(ReportJob).ran.sort()).toEqual([0, 1]);
    expect(bill.jobName).toBe('bill');
  });

  test('runs on all applications that share the registry centre, each with its own items', async () => {
    const module = elasticJob();
    await using one = await started({ imports: [module], providers: [ReportJob] });
    await using other = await started({ imports: [module], providers: [ReportJob] });

    await one.get(JobBootstraps).oneOff('report').execute();
    await until(() => one.get(ReportJob).ran.length + other.get(ReportJob).ran.length >= 2);

    expect([...one.get(ReportJob).ran, ...other.get(ReportJob).ran].sort()).toEqual([0, 1]);
    expect(one.get(ReportJob).ran).toHaveLength(1);
  });

  test('is injected although only a factory’s result defines it', async () => {
    @Injectable()
    class Late {
      constructor(
        @Inject('lateBean') readonly late: OneOffJobBootstrap,
        @InjectOneOffJob('later') readonly later: OneOffJobBootstrap,
      ) {}
    }
    const job = { elasticJobClass: 'Items', shardingTotalCount: 1 };
    const options = {
      logger: new RecordingLogger(),
      regCenter: { namespace: 'late' },
      jobs: { job: { ...job, jobBootstrapBeanName: 'lateBean' }, later: job },
    };
    const module = ElasticJobModule.forRootAsync({
      oneOffJobs: ['lateBean'],
      useFactory: () => Promise.resolve(options),
    });
    await using app = await started({ imports: [module], providers: [Late, Items] });

    await app.get(Late).late.execute();
    await app.get(Late).later.execute();

    await until(() => app.get(Items).ran.length === 2);
    expect(app.get(Late).late.jobName).toBe('job');
  });
});

describe('a bootstrap that cannot be used says why:', () => {
  @Injectable()
  class Reporting {
    constructor(@Inject('report') readonly report: OneOffJobBootstrap) {}
  }

  test('the application has not booted', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Hasty implements OnApplicationBootstrap {
      constructor(@InjectOneOffJob('report') readonly report: OneOffJobBootstrap) {}
      async onApplicationBootstrap(): Promise<void> {
        await this.report.execute().catch((error: unknown) => seen.push(String(error)));
      }
    }
    const app = await started({ imports: [elasticJob()], providers: [Hasty, ReportJob] });
    await app.close();

    expect(seen).toEqual([
      "JobStateError: Job 'report' cannot be used: the application has not booted yet; jobs exist after all onApplicationBootstrap hooks have run.",
    ]);
  });

  test('there is no such job here, although another application of the process has it', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [Reporting, BillJob] });

    await expect(app.get(Reporting).report.execute()).rejects.toThrow(
      "There is no job 'report' in this application (known: 'bill', 'billBean').",
    );
    expect(() => app.get(JobBootstraps).get('bil')).toThrow(
      "There is no job 'bil' in this application (known: 'bill', 'billBean'); did you mean 'bill'?",
    );
  });

  test('it is given anything but a job parameter', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [Reporting, ReportJob, BillJob] });
    const report = app.get(Reporting).report as unknown as { execute(data: unknown): Promise<void> };

    await expect(report.execute({ month: 5 })).rejects.toThrow(
      "Job 'report' was not triggered: unknown option 'month'; it takes a jobParameter",
    );
  });

  test('the job is of the other kind', async () => {
    const module = elasticJob({ jobs: { report: { cron: '0 0 0 1 1 ?' } } });
    await using app = await started({ imports: [module], providers: [Reporting, ReportJob, BillJob] });

    await expect(app.get(Reporting).report.execute()).rejects.toThrow(
      "Job 'report' has a cron expression or runs after others: it is a scheduled job, not a one-off job.",
    );
    expect(() => app.get(JobBootstraps).scheduled('bill')).toThrow(
      "Job 'bill' has no cron expression: it is a one-off job and cannot be scheduled.",
    );
  });

  test('ElasticJob is switched off', async () => {
    await using app = await started({
      imports: [elasticJob({ enabled: false })],
      providers: [Accounting, ReportJob, BillJob],
    });

    await expect(app.get(Accounting).report.execute()).rejects.toThrow('elasticjob.enabled is false');
  });

  test('the application has shut down', async () => {
    const app = await started({ imports: [elasticJob()], providers: [Accounting, ReportJob, BillJob] });
    await app.close();

    await expect(app.get(Accounting).report.execute()).rejects.toThrow('the application is shutting down');
  });
});

describe('jobs at run time', () => {
  test('are added, fire, are removed, and can be added again', async () => {
    await using app = await started({ imports: [elasticJob()] });
    const bootstraps = app.get(JobBootstraps);
    const configuration = jobConfiguration({ jobName: 'tenant', shardingTotalCount: 1, cron: '* * * * * ?' });

    for (const job of [new Items(), new Items()]) {
      bootstraps.add(job, configuration, { jobBootstrapBeanName: 'tenantBean' });
      await bootstraps.scheduled('tenantBean').schedule();
      await until(() => job.ran.length > 0);
      await bootstraps.remove('tenantBean');
      expect(bootstraps.names).toEqual([]);
    }
    await expect(bootstraps.remove('tenantBean')).rejects.toThrow("There is no job 'tenantBean' in this application");
    expect(bootstraps.has('tenant')).toBe(false);
  });

  test.each<[string, unknown, string]>([
    ['null', null, "A job's configuration must be a plain object of settings"],
    ['a builder', JobConfiguration.newBuilder('job', 1), '…build() returns'],
    ['a name alone', { jobName: 'job' }, 'elasticjob.jobs.job.shardingTotalCount: is required'],
    ['a wrong copy', { ...JobConfiguration.newBuilder('job', 1).build(), shardingTotalCount: 0 }, 'at least 1, got 0'],
  ])('are refused if their configuration is none: %s', async (_, configuration, said) => {
    await using app = await started({ imports: [elasticJob()] });
    const bootstraps = app.get(JobBootstraps);

    expect(() => bootstraps.add(new Items(), configuration as JobConfiguration)).toThrow(said);
    expect(bootstraps.names).toEqual([]);
  });

  test('are refused if one of their names is another job’s', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [ReportJob, BillJob] });
    const bootstraps = app.get(JobBootstraps);
    const named = (jobName: string) => jobConfiguration({ jobName, shardingTotalCount: 1 });

    expect(() => bootstraps.add(new Items(), named('x'), { jobBootstrapBeanName: 'report' })).toThrow(
      "Job 'x' cannot be added: its jobBootstrapBeanName 'report' is taken by job 'report'.",
    );
    expect(() => bootstraps.add(new Items(), named('x'), { jobBootstrapBeanName: 'billBean' })).toThrow(
      "Job 'x' cannot be added: its jobBootstrapBeanName 'billBean' is taken by job 'bill'.",
    );
    expect(() => bootstraps.add(new Items(), named('billBean'))).toThrow(
      "Job 'billBean' cannot be added: job 'bill' has that name as its jobBootstrapBeanName.",
    );
  });

  test('are forgotten when their own bootstrap ends them', async () => {
    await using app = await started({ imports: [elasticJob()] });
    const bootstraps = app.get(JobBootstraps);
    const configuration = jobConfiguration({ jobName: 'tenant', shardingTotalCount: 1 });

    await bootstraps.add(new Items(), configuration, { jobBootstrapBeanName: 'bean' }).shutdown();

    expect(bootstraps.names).toEqual([]);
    expect(bootstraps.has('bean')).toBe(false);
    expect(() => bootstraps.get('tenant')).toThrow("There is no job 'tenant' in this application (known: none).");
  });

  test.each([null, undefined, 5, Symbol('s'), {}])('are found by their names only, not by %p', async (name) => {
    await using app = await started({ imports: [elasticJob()] });

    expect(() => app.get(JobBootstraps).get(name as string)).toThrow('A job is found by its name, got ');
  });

  test('are refused if there is a job of that name, naming both owners', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [ReportJob] });
    const configuration = jobConfiguration({ jobName: 'report', shardingTotalCount: 1 });

    expect(() => app.get(JobBootstraps).add(new Items(), configuration)).toThrow('and by JobBootstraps.add().');
    expect(() => app.get(JobBootstraps).add(new Items(), configuration, { owner: 'tenant 5' })).toThrow(
      "Job 'report' is defined twice in this process: by provider ReportJob of RootTestModule and by tenant 5.",
    );
  });
});
