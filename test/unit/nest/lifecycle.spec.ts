import { describe, expect, test } from '@jest/globals';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Injectable,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { networkInterfaces } from 'node:os';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobHealth } from '../../../lib/nest/elastic-job.health.js';
import { ElasticJobLifecycle } from '../../../lib/nest/elastic-job.lifecycle.js';
import { JobBootstraps } from '../../../lib/nest/jobs/job-bootstraps.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, refusalOf, started } from './application.js';

@ElasticJob('tick', { cron: '* * * * * ?', shardingTotalCount: 1 })
class TickJob {
  ticks = 0;
  execute(): void {
    this.ticks++;
  }
}

describe('at start', () => {
  test('no job fires before all services have booted, however long that takes', async () => {
    // Another application, whose job has the same schedule, shows when jobs are due.
    await using other = await started({ imports: [elasticJob()], providers: [TickJob] });
    const order: string[] = [];
    @Injectable()
    class SlowService implements OnApplicationBootstrap {
      async onApplicationBootstrap(): Promise<void> {
        const before = other.get(TickJob).ticks;
        await until(() => other.get(TickJob).ticks >= before + 2);
        order.push('booted');
      }
    }
    @ElasticJob('eager', { cron: '* * * * * ?', shardingTotalCount: 1 })
    class EagerJob {
      execute(): void {
        order.push('fired');
      }
    }
    @Module({ imports: [elasticJob()], providers: [SlowService, EagerJob] })
    class AppModule {}

    await using app = await started({ imports: [AppModule] });
    await until(() => order.includes('fired') && app.get(ElasticJobHealth).report.ready);

    expect(order[0]).toBe('booted');
  });

  test('jobs whose autoStart is false wait until they are started manually', async () => {
    const module = elasticJob({ autoStart: false, jobs: { started: { autoStart: true } } });
    @ElasticJob('started', { shardingTotalCount: 1 })
    class StartedJob extends TickJob {}
    await using app = await started({ imports: [module], providers: [TickJob, StartedJob] });
    const { jobs, ready } = app.get(ElasticJobHealth).report;

    expect({ jobs, ready }).toMatchObject({
      jobs: { tick: { state: 'created' }, started: { state: 'active' } },
      ready: true,
    });
    await app.get(JobBootstraps).scheduled('tick').schedule();

    await until(() => app.get(TickJob).ticks > 0);
  });

  test('a job with a cron expression has a schedule bootstrap, a job without one a one-off bootstrap', async () => {
    @ElasticJob('once', { shardingTotalCount: 1 })
    class OnceJob extends TickJob {}
    await using app = await started({ imports: [elasticJob()], providers: [TickJob, OnceJob] });

    expect(app.get(JobBootstraps).get('tick')).toBeInstanceOf(ScheduleJobBootstrap);
    expect(app.get(JobBootstraps).get('once')).toBeInstanceOf(OneOffJobBootstrap);
  });

  test('the log names the registry centre, and says that an embedded one is for one process only', async () => {
    const logger = new RecordingLogger();
    const app = await started({
      imports: [elasticJob({ logger, regCenter: { namespace: 'told' } })],
      providers: [TickJob],
    });
    await app.close();

    expect(logger.lines[0]).toMatch(
      /^log Registry centre: .*told.*; 1 job\. Without elasticjob\.regCenter\.serverLists, elasticjob\.regCenter\.url or elasticjob\.regCenter\.endpoints, jobs are coordinated inside this process only\.$/,
    );
  });

  test('the application boots although the registry cannot be reached; its jobs start when it can', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'unreachable' });
    registryCenter.faults.disconnect();
    const logger = new RecordingLogger();

    await using app = await started({ imports: [elasticJob({ registryCenter, logger })], providers: [TickJob] });

    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn The registry centre has not answered yet. The application goes on booting; jobs start as soon as it answers.',
    ]);
    expect(app.get(ElasticJobHealth).report).toMatchObject({
      ready: false,
      session: 'connecting',
      jobs: { tick: { state: 'starting' } },
    });
    registryCenter.faults.resume();
    await until(() => app.get(TickJob).ticks > 0);
    expect(app.get(ElasticJobHealth).isHealthy('jobs')).toMatchObject({ jobs: { status: 'up', session: 'connected' } });
  });

  test('an application whose registry never answers can be closed', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'never' });
    registryCenter.faults.disconnect();
    const logger = new RecordingLogger();
    const app = await started({ imports: [elasticJob({ registryCenter, logger })], providers: [TickJob] });

    await app.close();

    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test('with failOnJobError, a conflict that the registry reports fails the boot, and leaves nothing behind', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'conflict' });
    const witness = new EmbeddedRegistryCenter({ namespace: 'conflict' });
    witness.connect();
    await until(() => witness.session.state.phase === 'connected');
    await witness.put('/tick', 'org.acme.OtherJob');
    await witness.put('/tick/config', 'jobName: tick\nshardingTotalCount: 1\n');

    const imports = [elasticJob({ registryCenter, failOnJobError: true })];
    const [refusal] = await refusalOf({ imports, providers: [TickJob] });

    expect(refusal).toContain('OtherJob');
    expect(registryCenter.session.state.phase).toBe('closed');
    expect(await witness.children('/tick/instances')).toEqual([]);
    await witness.close();
  });

  test('a conflict that the registry reports after the boot is logged with the name of the job', async () => {
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'late-conflict' });
    registryCenter.faults.disconnect();
    const witness = new EmbeddedRegistryCenter({ namespace: 'late-conflict' });
    witness.connect();
    await until(() => witness.session.state.phase === 'connected');
    await witness.put('/tick', 'org.acme.OtherJob');
    await witness.put('/tick/config', 'jobName: tick\nshardingTotalCount: 1\n');
    @ElasticJob('waiting', { shardingTotalCount: 1, autoStart: false })
    class WaitingJob extends TickJob {}
    const logger = new RecordingLogger();
    const app = await started({
      imports: [elasticJob({ registryCenter, logger })],
      providers: [WaitingJob, TickJob],
    });

    registryCenter.faults.resume();

    await until(() => logger.lines.some((line) => line.startsWith("error Job 'tick': it cannot be started: ")));
    expect(logger.lines.join()).toContain('OtherJob');
    await app.close();
    await witness.close();
  });

  test('switched off, nothing is started, and the application is ready', async () => {
    await using app = await started({ imports: [elasticJob({ enabled: false })], providers: [TickJob] });

    expect(app.get(ElasticJobHealth).isHealthy()).toEqual({
      elasticjob: {
        ...{ status: 'up', live: true, ready: true, session: 'disabled', registryCenter: '', jobs: {} },
        reason: 'elasticjob.enabled is false: no job runs here',
      },
    });
    expect(app.get(SchedulerRegistry).getCronJobs().size).toBe(0);
  });
});

describe('at the end', () => {
  /** Notes each of its hooks, and whether an item still runs then. */
  class Service implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
    onModuleDestroy(): void {
      note('destroy');
    }
    beforeApplicationShutdown(): void {
      note('before shutdown');
    }
    onApplicationShutdown(): void {
      note('shutdown');
    }
  }
  let order: string[] = [];
  let note = (what: string): void => void order.push(what);

  @ElasticJob('long', { cron: '* * * * * ?', shardingTotalCount: 2 })
  class LongJob {
    running = 0;
    end = (): void => undefined;
    readonly #ended = new Promise<void>((resolve) => (this.end = resolve));
    async execute({ signal }: ShardingContext): Promise<void> {
      this.running++;
      await this.#ended;
      order.push(`an item ended, ${signal.aborted ? 'aborted' : 'in peace'}`);
      this.running--;
    }
  }

  @Module({})
  class AnyModule {}
  const ownModule = (options: Partial<DynamicModule> = {}): DynamicModule => ({
    ...{ module: AnyModule, providers: [Service] },
    ...options,
  });

  test.each<[where: string, metadata: (jobs: DynamicModule) => ModuleMetadata]>([
    ['in the root module', (jobs) => ({ imports: [jobs], providers: [Service, LongJob] })],
    ['in a module that is imported before', (jobs) => ({ imports: [ownModule(), jobs], providers: [LongJob] })],
    ['in a module that is imported after', (jobs) => ({ imports: [jobs, ownModule()], providers: [LongJob] })],
    ['in a global module', (jobs) => ({ imports: [jobs, ownModule({ global: true })], providers: [LongJob] })],
    [
      'in a module that imports the jobs',
      (jobs) => ({ imports: [ownModule({ imports: [jobs] })], providers: [LongJob] }),
    ],
    [
      'in a global module that the module of the job imports',
      (jobs) => ({ imports: [jobs, ownModule({ providers: [LongJob], imports: [ownModule({ global: true })] })] }),
    ],
  ])('a service %s closes when the last item has ended, whichever hook it uses', async (_, metadata) => {
    order = [];
    const registryCenter = new EmbeddedRegistryCenter({ namespace: 'order' });
    const app = await started(metadata(elasticJob({ registryCenter })));
    note = (what) => void order.push(`${what}, registry ${registryCenter.session.state.phase}`);
    const job = app.get(LongJob);
    await until(() => job.running === 2);

    const closed = app.close();
    await until(() => app.get(SchedulerRegistry).getCronJobs().size === 0);
    job.end();
    await closed;

    const hooks = ['destroy', 'before shutdown', 'shutdown'].map((hook) => `${hook}, registry connected`);
    expect(order).toEqual(['an item ended, in peace', 'an item ended, in peace', ...hooks]);
    expect(registryCenter.session.state.phase).toBe('closed');
  });

  test('a service whose hook throws changes nothing in that', async () => {
    order = [];
    @Injectable()
    class Broken extends Service {
      override onModuleDestroy(): void {
        super.onModuleDestroy();
        throw new Error('a fault of the test');
      }
    }
    const app = await started({ imports: [elasticJob()], providers: [Broken, LongJob] });
    note = (what) => void order.push(what);
    const job = app.get(LongJob);
    await until(() => job.running === 2);

    const closed = app.close().catch((error: unknown) => error);
    await until(() => app.get(SchedulerRegistry).getCronJobs().size === 0);
    job.end();
    await closed;

    expect(order.slice(0, 3)).toEqual(['an item ended, in peace', 'an item ended, in peace', 'destroy']);
  });

  test('the signal of items that outlast the grace period aborts', async () => {
    @ElasticJob('endless', { cron: '* * * * * ?', shardingTotalCount: 1 })
    class EndlessJob {
      signal: AbortSignal | undefined;
      async execute({ signal }: ShardingContext): Promise<void> {
        this.signal = signal;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      }
    }
    const app = await started({
      imports: [elasticJob({ shutdownGracePeriodMilliseconds: 50 })],
      providers: [EndlessJob],
    });
    const job = app.get(EndlessJob);
    await until(() => job.signal !== undefined);

    await app.close();

    expect(String(job.signal?.reason)).toContain('the grace period of 50 ms is over');
  });

  test('an application that was never initialised, or is closed twice, is closed', async () => {
    const app = await started({ imports: [elasticJob()], providers: [TickJob] });

    await app.close();
    await app.close();

    expect(app.get(ElasticJobHealth).report.session).toBe('none');
  });
});

describe('the SchedulerRegistry', () => {
  @Injectable()
  class Viewer {
    /** The seconds in which the application's own cron job has run. */
    readonly ownTicks: number[] = [];
    constructor(readonly scheduler: SchedulerRegistry) {}
    @Cron('* * * * * *', { name: 'own' })
    tick(): void {
      this.ownTicks.push(Math.floor(Date.now() / 1_000));
    }
  }

  test('shows the jobs without a ScheduleModule', async () => {
    await using app = await started({ imports: [elasticJob()], providers: [TickJob, Viewer] });

    expect([...app.get(Viewer).scheduler.getCronJobs().keys()]).toEqual(['tick']);
  });

  test.each(['before', 'after'])(
    'is the application’s own with a ScheduleModule that is imported %s, and @Cron runs once',
    async (when) => {
      const modules = [elasticJob(), ScheduleModule.forRoot()];
      @Module({ imports: when === 'after' ? modules : modules.reverse(), providers: [TickJob, Viewer] })
      class AppModule {}
      await using app = await started({ imports: [AppModule] });
      const viewer = app.get(Viewer);

      expect([...viewer.scheduler.getCronJobs().keys()].sort()).toEqual(['own', 'tick']);
      expect(viewer.scheduler.getCronJob('tick').isActive).toBe(true);
      await until(() => app.get(TickJob).ticks >= 2 && viewer.ownTicks.length >= 2);
      expect(new Set(viewer.ownTicks).size).toBe(viewer.ownTicks.length);
    },
  );

  test('refuses a job whose name a cron job of the application has', async () => {
    @Injectable()
    class Taken {
      @Cron('* * * * * *', { name: 'tick' })
      tick(): void {}
    }
    const logger = new RecordingLogger();
    const refusal = await refusalOf({
      imports: [elasticJob({ logger }), ScheduleModule.forRoot()],
      providers: [TickJob, Taken],
    });

    expect([...refusal, ...logger.lines].join('\n')).toContain('the SchedulerRegistry has a cron job of that name');
  });
});

test('a preferred address that this machine does not have is refused, one that it has is chosen', async () => {
  const refusal = await refusalOf({
    imports: [elasticJob({ preferredNetworkIp: '203.0.113.' })],
    providers: [TickJob],
  });
  expect(refusal.join('\n')).toContain('203.0.113.');

  const [address] = Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map((info) => info.address),
  );
  const preferredNetworkIp = address ?? '';
  await using app = await started({ imports: [elasticJob({ preferredNetworkIp })], providers: [TickJob] });
  expect(app.get(ElasticJobLifecycle).hosts?.ofDefault.instance.serverIp).toBe(address ?? '127.0.0.1');
});

test('several applications in one process share a job’s items, and go on when one leaves', async () => {
  @ElasticJob('shared', { cron: '* * * * * ?', shardingTotalCount: 4 })
  class SharedJob {
    readonly items = new Set<number>();
    execute({ shardingItem }: ShardingContext): void {
      this.items.add(shardingItem);
    }
  }
  const module = elasticJob();
  const first = await started({ imports: [module], providers: [SharedJob] });
  await using second = await started({ imports: [module], providers: [SharedJob] });
  const [one, two] = [first.get(SharedJob), second.get(SharedJob)];

  await until(() => two.items.size === 2);
  one.items.clear();
  await until(() => one.items.size === 2);
  expect(new Set([...one.items, ...two.items]).size).toBe(4);
  await first.close();

  await until(() => two.items.size === 4);
});
