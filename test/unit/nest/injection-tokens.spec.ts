import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { Inject, Injectable, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobHandle } from '../../../lib/nest/jobs/job-handle.js';
import { ElasticJob, InjectOneOffJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, started } from './application.js';

class Items {
  execute(): void {}
}

const has = (app: INestApplicationContext, token: string): boolean => {
  try {
    return app.get<unknown>(token) instanceof JobHandle;
  } catch {
    return false;
  }
};

/** Collects garbage until nothing refers to `object` any more. */
const collected = async (object: WeakRef<object>): Promise<void> => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  await until(() => {
    collectGarbage();
    return object.deref() === undefined;
  });
};

/** How many elements of arrays `includes`, `indexOf`, `find` and `some` may look at while `task` runs. */
const elementsSearched = (task: () => void): number => {
  const prototype = Array.prototype as unknown as Record<string, (this: unknown[], ...args: unknown[]) => unknown>;
  const originals = ['includes', 'indexOf', 'find', 'findIndex', 'some'].map(
    (name) => [name, prototype[name]!] as const,
  );
  let elements = 0;
  for (const [name, original] of originals)
    prototype[name] = function (...args) {
      elements += this.length;
      return Reflect.apply(original, this, args);
    };
  try {
    task();
  } finally {
    for (const [name, original] of originals) prototype[name] = original;
  }
  return elements;
};

describe('a bootstrap is provided under', () => {
  test('the names that the application’s own options give it, and not in other applications', async () => {
    const job = { elasticJobClass: 'Items', shardingTotalCount: 1, jobBootstrapBeanName: 'ownBean' };
    await using own = await started({ imports: [elasticJob({ jobs: { own: job } })], providers: [Items] });
    await using other = await started({ imports: [elasticJob()] });

    expect([has(own, 'own'), has(own, 'ownBean')]).toEqual([true, true]);
    expect([has(other, 'own'), has(other, 'ownBean')]).toEqual([false, false]);
  });

  test('the names in oneOffJobs of forRoot(), although only the environment defines the job', async () => {
    process.env['ELASTICJOB_JOBS_FROMENVIRONMENT_ELASTICJOBCLASS'] = 'Items';
    process.env['ELASTICJOB_JOBS_FROMENVIRONMENT_SHARDINGTOTALCOUNT'] = '1';
    try {
      const module = elasticJob({ oneOffJobs: ['fromenvironment'] });
      await using own = await started({ imports: [module], providers: [Items] });
      await using other = await started({ imports: [elasticJob()], providers: [Items] });

      expect(own.get<JobHandle>('fromenvironment').jobName).toBe('fromenvironment');
      expect(has(other, 'fromenvironment')).toBe(false);
    } finally {
      for (const name of ['ELASTICJOBCLASS', 'SHARDINGTOTALCOUNT'])
        delete process.env[`ELASTICJOB_JOBS_FROMENVIRONMENT_${name}`];
    }
  });

  test('the names in oneOffJobs of forRootAsync(), and not in other applications', async () => {
    const module = ElasticJobModule.forRootAsync({
      oneOffJobs: ['later'],
      useFactory: () => ({ enabled: false }),
    });
    await using own = await started({ imports: [module] });
    await using other = await started({ imports: [elasticJob()] });

    expect([has(own, 'later'), has(other, 'later')]).toEqual([true, false]);
  });

  test('the names of a decorated class, whether the class is loaded before forRoot() is called or after', async () => {
    const module = elasticJob();
    @ElasticJob('loadedLater', { shardingTotalCount: 1, jobBootstrapBeanName: 'loadedLaterBean' })
    class LaterJob extends Items {}
    @Injectable()
    class Consumer {
      constructor(@Inject('loadedLaterBean') readonly bean: JobHandle) {}
    }
    await using app = await started({ imports: [module], providers: [LaterJob, Consumer] });

    expect(app.get(Consumer).bean.jobName).toBe('loadedLater');
    expect(has(app, 'loadedLater')).toBe(true);
  });

  test('the name that a property or a parameter asks for, although only a factory’s result defines the job', async () => {
    @Injectable()
    class Consumer {
      @InjectOneOffJob('askedByProperty') readonly property!: JobHandle;
      constructor(@InjectOneOffJob('askedByParameter') readonly parameter: JobHandle) {}
    }
    const job = { elasticJobClass: 'Items', shardingTotalCount: 1 };
    const module = ElasticJobModule.forRootAsync({
      useFactory: () => ({
        logger: new RecordingLogger(),
        jobs: { askedByProperty: job, askedByParameter: job },
      }),
    });
    await using app = await started({ imports: [module], providers: [Consumer, Items] });
    const { property, parameter } = app.get(Consumer);

    expect([property.token, parameter.token]).toEqual(['askedByProperty', 'askedByParameter']);
  });
});

test('the names of classes that are gone with their application are forgotten', async () => {
  let wasProvided = false;
  const applicationThatEnds = async (): Promise<WeakRef<object>> => {
    @ElasticJob('shortLived', { shardingTotalCount: 1 })
    class ShortLivedJob extends Items {}
    @Module({ imports: [elasticJob()], providers: [ShortLivedJob] })
    class AppModule {}
    // Not a testing module, which is never collected.
    const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
    wasProvided = has(app, 'shortLived');
    await app.close();
    return new WeakRef(ShortLivedJob);
  };

  await collected(await applicationThatEnds());

  await using app = await started({ imports: [elasticJob()] });
  expect([wasProvided, has(app, 'shortLived')]).toEqual([true, false]);
});

test('10,000 names are declared without a search through those that are declared already', () => {
  const names = Array.from({ length: 10_000 }, (_, number) => `job-${number}`);

  const searched = elementsSearched(() => {
    for (const name of names) ElasticJob(name, { shardingTotalCount: 1 })(class extends Items {});
    ElasticJobModule.forRoot({ jobs: Object.fromEntries(names.map((name) => [`own-${name}`, {}])) });
  });

  expect(searched).toBeLessThan(names.length);
});
