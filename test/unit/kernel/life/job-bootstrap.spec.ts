import { describe, expect, test } from '@jest/globals';
import { JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { type SimpleJob } from '../../../../lib/api/job/job.js';
import { OneOffJobBootstrap, ScheduleJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { JobHost, type JobHostOptions } from '../../../../lib/kernel/job-host.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../../lib/registry/embedded/embedded-registry-server.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { until } from '../../../support/until.js';

let namespaces = 0;

/** A host with a registry of its own, and what it logs. */
function aHost(options: Partial<JobHostOptions> = {}): JobHost & { readonly log: string[] } & AsyncDisposable {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `bootstrap-${++namespaces}` });
  registryCenter.connect();
  const log: string[] = [];
  const write = (message: string): void => void log.push(message);
  const host = new JobHost({
    registryCenter,
    logger: { debug: () => undefined, log: write, warn: write, error: write },
    ...options,
  });
  return Object.assign(host, {
    log,
    [Symbol.asyncDispose]: async () => {
      await host.stop();
      await registryCenter.close();
    },
  });
}

class CountingJob implements SimpleJob {
  readonly items: number[] = [];

  execute({ shardingItem }: { shardingItem: number }): void {
    this.items.push(shardingItem);
  }
}

const daily = (): JobConfiguration => JobConfiguration.newBuilder('daily', 3).cron('0 0 0 * * ?').build();
const oneOff = (): JobConfiguration => JobConfiguration.newBuilder('oneOff', 3).build();

test('a job that starts connects the registry centre of its host', async () => {
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `bootstrap-${++namespaces}` });
  await using host = aHost({ registryCenter });

  await new ScheduleJobBootstrap(registryCenter, new CountingJob(), daily(), { host }).schedule();

  expect(host.jobs.get('daily')?.health).toEqual({ state: 'active' });
  await registryCenter.close();
});

describe('a one-off job', () => {
  test('runs all its items each time it is executed, from the first time on', async () => {
    await using host = aHost();
    const job = new CountingJob();
    const bootstrap = new OneOffJobBootstrap(host.registryCenter, job, oneOff(), { host });

    await bootstrap.execute();
    await until(() => job.items.length === 3, 'the items to run');
    await bootstrap.execute();
    await until(() => job.items.length === 6, 'the items to run again');

    expect(job.items.sort()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('is not triggered by an execute() with anything but a job parameter', async () => {
    await using host = aHost();
    const job = new CountingJob();
    const bootstrap = new OneOffJobBootstrap(host.registryCenter, job, oneOff(), { host });
    const execute = bootstrap.execute.bind(bootstrap) as (data: unknown) => Promise<void>;

    for (const [data, problem] of [
      [
        { jobParametr: '5' },
        "unknown option 'jobParametr'; did you mean 'jobParameter'?; it takes a jobParameter, and other data must be where all instances can read it.",
      ],
      ['password', "the options must be such as { jobParameter: 'only Beijing' }, got a string that is not shown."],
      [null, "the options must be such as { jobParameter: 'only Beijing' }, got null."],
      [{ jobParameter: 5 }, 'jobParameter must be a text, got a number that is not shown.'],
      [
        { jobParameter: 'x'.repeat(10_001) },
        'jobParameter must have at most 10000 characters, got 10001: store the data where all instances can read it.',
      ],
    ] as const)
      await expect(execute(data)).rejects.toThrow(`Job 'oneOff' was not triggered: ${problem}`);
    expect(job.items).toEqual([]);

    await execute(undefined);
    await until(() => job.items.length === 3, 'the items to run');
  });

  test('must not have a cron', async () => {
    await using host = aHost();
    const begin = (): unknown => new OneOffJobBootstrap(host.registryCenter, new CountingJob(), daily(), { host });
    expect(begin).toThrow("Cron should be empty: job 'daily' has '0 0 0 * * ?'");
  });

  test('can be executed no more once it has been shut down, but under a new bootstrap', async () => {
    await using host = aHost();
    const first = new OneOffJobBootstrap(host.registryCenter, new CountingJob(), oneOff(), { host });
    await first.start();
    await first.shutdown();
    await expect(first.execute()).rejects.toThrow("Job 'oneOff' has been stopped. Make a new bootstrap");

    const job = new CountingJob();
    await new OneOffJobBootstrap(host.registryCenter, job, oneOff(), { host }).execute();
    await until(() => job.items.length === 3, 'the items to run');
  });
});

describe('a scheduled job', () => {
  test('must have a cron', async () => {
    await using host = aHost();
    const scheduled = () => new ScheduleJobBootstrap(host.registryCenter, new CountingJob(), oneOff(), { host });
    expect(scheduled).toThrow("Cron can not be empty: job 'oneOff' has none");
  });

  test('can be scheduled no more once it has been shut down', async () => {
    await using host = aHost();
    const bootstrap = new ScheduleJobBootstrap(host.registryCenter, new CountingJob(), daily(), { host });
    await bootstrap.schedule();
    await bootstrap.shutdown();
    await expect(bootstrap.schedule()).rejects.toThrow("Job 'daily' has been stopped");
  });

  test('of a name that the process already has is refused, naming both owners', async () => {
    await using host = aHost();
    new ScheduleJobBootstrap(host.registryCenter, new CountingJob(), daily(), { host, owner: 'provider One' });
    const second = (): unknown =>
      new ScheduleJobBootstrap(host.registryCenter, new CountingJob(), daily(), { host, owner: 'provider Two' });
    expect(second).toThrow("Job 'daily' is defined twice in this process: by provider One and by provider Two");
  });
});

test('a job of another kind is run by the executor that accepts it', async () => {
  const steps: number[] = [];
  const stepwise = {
    requirement: 'a method step(item)',
    accepts: (candidate: object): candidate is { step: (item: number) => void } => 'step' in candidate,
    process: (job: { step: (item: number) => void }, _: unknown, { shardingItem }: { shardingItem: number }) =>
      job.step(shardingItem),
  };
  await using host = aHost({ classedExecutors: [stepwise] });
  const climb = { step: (item: number) => void steps.push(item) };
  const bootstrap = new OneOffJobBootstrap(host.registryCenter, climb as never, oneOff(), { host });

  await bootstrap.execute();
  await until(() => steps.length === 3, 'the items to run');

  expect(steps.sort()).toEqual([0, 1, 2]);
});

describe('what makes no sense is refused when the bootstrap is made', () => {
  const odd = (value: unknown): never => value as never;

  test.each([
    [
      'no job',
      null,
      daily(),
      'must have a method execute(context), or methods fetchData(context) and processData(context, data), or a worker (a file: URL or a path), got null',
    ],
    ['an object that is no job', { run: () => undefined }, daily(), 'must have a method execute(context)'],
    [
      'an object with a worker and the method execute',
      { execute: () => undefined, worker: new URL('file:///app/crunch.js') },
      daily(),
      'elasticjob.jobs.daily: has both a worker "file:///app/crunch.js" and the method execute(context): only one of them can do ' +
        "the job's work, so remove the other one, or give the property worker another name if it names no module",
    ],
    [
      'an object with a worker and the methods of a dataflow job',
      { fetchData: () => [], processData: () => undefined, worker: './dist/crunch.mjs' },
      daily(),
      'has both a worker "./dist/crunch.mjs" and the methods fetchData(context) and processData(context, data)',
    ],
    ['an empty type', '  ', daily(), 'Elastic job type cannot be null or empty'],
    [
      'an unknown type',
      'SQL',
      daily(),
      'elasticjob.jobs.daily.elasticJobType: unknown job type "SQL"; known are: SCRIPT, HTTP',
    ],
    [
      'a kind of job of ElasticJob 2',
      'DATAFLOW',
      daily(),
      'A dataflow job is an object of a class, such as a provider that elasticJobClass names',
    ],
    ['no configuration', new CountingJob(), null, "A job's configuration must be a plain object of settings"],
    ['a builder', new CountingJob(), JobConfiguration.newBuilder('x', 1), 'build()'],
    [
      'an unknown strategy',
      new CountingJob(),
      { ...daily(), jobShardingStrategyType: 'BEST' },
      'unknown sharding strategy "BEST"; known are: AVG_ALLOCATION, ODEVITY, ROUND_ROBIN, SINGLE_SHARDING_BALANCE',
    ],
  ])('%s', async (_, job, configuration, message) => {
    await using host = aHost();
    expect(() => new ScheduleJobBootstrap(host.registryCenter, odd(job), odd(configuration), { host })).toThrow(
      message,
    );
  });

  test.each(['the night shift', 5, new URL('https://example.com/crunch')])(
    'but not a job whose own property is called worker and names no module: %s',
    async (worker) => {
      await using host = aHost();
      const job = Object.assign(new CountingJob(), { worker });

      const bootstrap = new ScheduleJobBootstrap(host.registryCenter, job, daily(), { host });

      expect(bootstrap.jobName).toBe('daily');
    },
  );

  test('no registry centre', () => {
    expect(() => new ScheduleJobBootstrap(odd(null), new CountingJob(), daily())).toThrow(
      'A job needs a registry centre, got null',
    );
  });
});

describe('extensions that return nonsense are named', () => {
  test.each([
    ['nothing', () => null],
    ['an object', () => ({ a: [0] })],
    ['a promise', () => Promise.resolve(new Map())],
    ['an item twice', (all: readonly { jobInstanceId: string }[]) => new Map([[all[0]!.jobInstanceId, [0, 1, 2, 2]]])],
    ['an instance that does not exist', () => new Map([['somebody', [0, 1, 2]]])],
  ])('a strategy that returns %s', async (_, sharding) => {
    await using host = aHost({ strategies: [{ type: 'ODD', sharding: sharding as never }] });
    const configuration = { ...oneOff(), jobShardingStrategyType: 'ODD' };
    await new OneOffJobBootstrap(host.registryCenter, new CountingJob(), configuration, { host }).start();
    await until(
      () => host.log.some((line) => line.includes('ODD must return a Map that gives each of the items 0 to 2')),
      'the fault to be logged',
    );
  });

  test.each([0, -1, NaN, '2', 1.5, Promise.resolve(2)])(
    'a thread pool size provider that returns %p, when a job is added that names it',
    async (size) => {
      await using host = aHost({ threadPoolSizeProviders: [{ type: 'ODD', getSize: () => size as number }] });
      const configuration = { ...oneOff(), jobExecutorThreadPoolSizeProviderType: 'ODD' };

      expect(() => new OneOffJobBootstrap(host.registryCenter, new CountingJob(), configuration, { host })).toThrow(
        'jobExecutorThreadPoolSizeProviderType: the provider ODD must return an integer of at least 1, got ',
      );
    },
  );

  test('a thread pool size provider that throws, when a job is added that names it', async () => {
    const getSize = (): number => {
      throw new Error('no cgroup');
    };
    await using host = aHost({ threadPoolSizeProviders: [{ type: 'ODD', getSize }] });
    const configuration = { ...oneOff(), jobExecutorThreadPoolSizeProviderType: 'ODD' };

    expect(() => new OneOffJobBootstrap(host.registryCenter, new CountingJob(), configuration, { host })).toThrow(
      'getSize() of the provider ODD has failed: Error: no cgroup',
    );
  });
});

test('nothing keeps a clock waiting once the last job has been shut down', async () => {
  const clock = new ManualClock();
  const registryCenter = new EmbeddedRegistryCenter({ server: new EmbeddedRegistryServer({ clock }), clock });
  registryCenter.connect();
  const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
  const host = new JobHost({ registryCenter, clock, logger });
  const bootstrap = new ScheduleJobBootstrap(registryCenter, new CountingJob(), daily(), { host });
  await bootstrap.schedule();
  expect(clock.timers).toBeGreaterThan(0);

  await bootstrap.shutdown();
  await registryCenter.close();
  expect(clock.timers).toBe(0);
});

test('a job object without a class is not called by its name as one', async () => {
  await using host = aHost();
  const add = (): unknown =>
    new OneOffJobBootstrap(host.registryCenter, { execute: () => undefined }, oneOff(), { host });
  add();

  expect(add).toThrow(
    "Job 'oneOff' is defined twice in this process, both times by an object without a class. Remove or rename one of them.",
  );
});

test('a configuration that was built cannot be changed', () => {
  const configuration = JobConfiguration.newBuilder('daily', 3).setProperty('a', 'b').jobListenerTypes('L').build();

  for (const part of [configuration, configuration.props, configuration.jobListenerTypes])
    expect(Object.isFrozen(part)).toBe(true);
});

describe('settings that are probably not intended are warned of', () => {
  const odd = (jobName: string): JobConfiguration =>
    JobConfiguration.newBuilder(jobName, 1).cron('*/0 * * * * ?').build();
  const STEP =
    'the step /0 in the cron expression has no effect: as in Quartz, each value fires; write a step of at least 1, or none.';

  test('once for each job, when it starts', async () => {
    await using host = aHost();
    const bootstrap = new ScheduleJobBootstrap(host.registryCenter, new CountingJob(), odd('bill'), { host });
    const warnings = (): readonly string[] => host.log.filter((message) => message.includes('step /0'));

    expect(warnings()).toEqual([]);
    await bootstrap.schedule();
    await bootstrap.schedule();

    expect(warnings()).toEqual([`Job 'bill': ${STEP}`]);
  });
});
