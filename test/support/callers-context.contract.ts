/* eslint-disable jest/no-export -- a suite that the specs of several registry centres call */
/**
 * No run of a job sees the `AsyncLocalStorage` of a caller, whatever the caller has started: one story, to be told on
 * every registry centre. Timers, sockets and promises keep such a store, and would hand it from one firing to the next.
 */
import { expect, test } from '@jest/globals';
import { type INestApplicationContext } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type JobFailure } from '../../lib/api/extensions/error-handler.js';
import { type ElasticJobListener } from '../../lib/api/extensions/job-listener.js';
import { JobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type ShardingContext } from '../../lib/api/job/sharding-context.js';
import { ElasticJob } from '../../lib/nest/decorators/elastic-job.decorator.js';
import { JobErrorHandler } from '../../lib/nest/decorators/extension.decorators.js';
import { JobListener } from '../../lib/nest/decorators/job-listener.decorator.js';
import { TracingListener } from '../../lib/nest/decorators/tracing-listener.decorator.js';
import { type ElasticJobModuleOptions } from '../../lib/nest/settings/module-options.js';
import { JobBootstraps } from '../../lib/nest/jobs/job-bootstraps.js';
import { JobConfigurationAPI } from '../../lib/operations/job-configuration-api.js';
import { JobOperateAPI } from '../../lib/operations/job-operate-api.js';
import { elasticJob, started } from '../unit/nest/application.js';
import { until } from './until.js';

const EACH_SECOND = '* * * * * ?';
const NEVER = '0 0 0 1 1 ? 2099';

/** A caller's request, and who has seen it. */
const request = new AsyncLocalStorage<string>();

class Sightings {
  /** The parts of code with the request that each has seen; `none` if there was none. */
  readonly #seen = new Set<string>();
  readonly #counts = new Map<string, number>();

  note(who: string): void {
    this.#seen.add(`${who}: ${request.getStore() ?? 'none'}`);
    this.#counts.set(who, (this.#counts.get(who) ?? 0) + 1);
  }

  /** How often it was called since the last `forget()`. */
  count(who: string): number {
    return this.#counts.get(who) ?? 0;
  }

  /** Those who have seen a caller's request. */
  get strangers(): readonly string[] {
    return [...this.#seen].filter((each) => !each.endsWith(': none'));
  }

  forgetCounts(): void {
    this.#counts.clear();
  }
}

/** The calls that a request may make, each in a store of its own name. */
const ENTRY_POINTS: Readonly<Record<string, (app: INestApplicationContext, seen: Sightings) => unknown>> = {
  'schedule()': (app) => app.get(JobBootstraps).scheduled('later').schedule(),
  'start()': (app) => app.get(JobBootstraps).oneOff('laterOneOff').start(),
  'add() and schedule()': async (app, seen) => {
    const configuration = JobConfiguration.newBuilder('added', 1).cron(EACH_SECOND).build();
    const job = { execute: (): void => seen.note('added') };
    app.get(JobBootstraps).add(job, configuration);
    await app.get(JobBootstraps).scheduled('added').schedule();
  },
  'execute()': (app) => app.get(JobBootstraps).oneOff('oneOff').execute(),
  'execute({ jobParameter })': (app) => app.get(JobBootstraps).oneOff('laterOneOff').execute({ jobParameter: 'x' }),
  'trigger()': (app) => app.get(JobBootstraps).scheduled('triggered').trigger(),
  'JobOperateAPI.trigger()': (app) => app.get(JobOperateAPI).trigger('operated'),
  'JobOperateAPI.disable() and enable()': async (app) => {
    await app.get(JobOperateAPI).disable({ jobName: 'always' });
    await app.get(JobOperateAPI).enable({ jobName: 'always' });
  },
  'updateJobConfiguration()': async (app) => {
    const api = app.get(JobConfigurationAPI);
    const stored = await api.getJobConfiguration('changed');
    if (stored === undefined) throw new Error('the job is not stored');
    await api.updateJobConfiguration({ ...stored, cron: EACH_SECOND });
  },
};

/** All that must have been called once more after the last request. */
const WITNESSES = [
  ...['always', 'unwatched', 'flow', 'later', 'added', 'changed'],
  ...['retried', 'listener', 'error handler', 'tracing listener'],
];

/** @param regCenter the registry centre of the application; asked for when the test runs */
export function runsSeeNoCaller(name: string, regCenter: () => ElasticJobModuleOptions['regCenter']): void {
  test(`${name}: no run, listener or handler sees the store of a call that has started, changed or triggered a job`, async () => {
    const seen = new Sightings();
    const module = elasticJob({ regCenter: regCenter() ?? {} });
    const metadata = { imports: [module], providers: providersTelling(seen) };
    // The first request boots the application itself.
    await using app = await request.run('boot', () => started(metadata));

    for (const [what, call] of Object.entries(ENTRY_POINTS)) await request.run(what, () => call(app, seen));
    await until(() => ['oneOff', 'laterOneOff', 'triggered', 'operated'].every((job) => seen.count(job) > 0));
    seen.forgetCounts();
    await until(() => WITNESSES.every((who) => seen.count(who) > 1), 'two more calls of each');

    expect(seen.strangers).toEqual([]);
  });
}

function providersTelling(seen: Sightings): (new () => unknown)[] {
  class Telling {
    execute({ jobName }: ShardingContext): void {
      seen.note(jobName);
    }
  }
  const job = (jobName: string, options: object): new () => unknown => {
    class Job extends Telling {}
    ElasticJob(jobName, { shardingTotalCount: 1, ...options })(Job);
    return Job;
  };
  @ElasticJob('flow', { cron: EACH_SECOND, shardingTotalCount: 1 })
  class Flow {
    fetchData(): readonly number[] {
      seen.note('flow');
      return [1];
    }
    async processData(): Promise<void> {
      await Promise.resolve();
      seen.note('flow');
    }
  }
  @ElasticJob('retried', {
    ...{ cron: EACH_SECOND, shardingTotalCount: 2, maxRetries: 1, retryBackoffMilliseconds: 10 },
    ...{ jobErrorHandlerType: 'TELL', jobListenerTypes: ['TELL'] },
  })
  class Retried {
    execute(): void {
      seen.note('retried');
      throw new Error('no paper');
    }
  }
  @JobErrorHandler('TELL')
  class Handler {
    handleException(failure: JobFailure): void {
      seen.note(failure.item === undefined ? 'error handler of the run' : 'error handler');
    }
  }
  @JobListener('TELL')
  class Listener implements ElasticJobListener {
    beforeJobExecuted(): void {
      seen.note('listener');
    }
    afterJobExecuted(): void {
      seen.note('listener');
    }
  }
  @TracingListener()
  class Traces {
    onTraceEvent(): void {
      seen.note('tracing listener');
    }
  }
  return [
    job('always', { cron: EACH_SECOND, shardingTotalCount: 2 }),
    job('unwatched', { cron: EACH_SECOND, monitorExecution: false }),
    job('later', { cron: EACH_SECOND, autoStart: false }),
    job('laterOneOff', { autoStart: false }),
    job('oneOff', {}),
    job('triggered', { cron: NEVER }),
    job('operated', { cron: NEVER }),
    job('changed', { cron: NEVER }),
    ...[Flow, Retried, Handler, Listener, Traces],
  ];
}
