import { describe, expect, test } from '@jest/globals';
import { type InvalidConfigurationError } from '../../../lib/api/errors/errors.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { refusalOf } from './application.js';

const faultsOf = (options: unknown): readonly string[] => {
  try {
    ElasticJobModule.forRootAsync(options as Parameters<typeof ElasticJobModule.forRootAsync>[0]);
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).faults;
  }
};

const CALL = 'ElasticJobModule.forRootAsync()';
const NEEDED = `${CALL}: needs one of useFactory, useClass and useExisting, got`;
const useFactory = () => ({});

describe('forRootAsync refuses', () => {
  test.each<[unknown, readonly string[]]>([
    [undefined, [`${CALL}: needs a plain object of options, got undefined`]],
    [null, [`${CALL}: needs a plain object of options, got null`]],
    [{}, [`${NEEDED} none`]],
    [{ useFactroy: useFactory }, [`${CALL}.useFactroy: unknown key; did you mean 'useFactory'?`, `${NEEDED} none`]],
    [{ useFactory: 5 }, [`${CALL}.useFactory: must be a function, got 5`]],
    [{ useClass: {} }, [`${CALL}.useClass: must be a class, got keys with values`]],
    [{ useFactory, useClass: class {} }, [`${NEEDED} useFactory and useClass`]],
    [{ useFactory, imports: 5 }, [`${CALL}.imports: must be a list, got 5`]],
    [{ useFactory, inject: {} }, [`${CALL}.inject: must be a list, got keys with values`]],
    [{ useFactory, oneOffJobs: 'report' }, [`${CALL}.oneOffJobs: must be a list, got "report"`]],
  ])('%p', (options, faults) => {
    expect(faultsOf(options)).toEqual(faults);
  });

  test('a class that makes no options, when the application starts', async () => {
    class NoFactory {}

    expect(await refusalOf({ imports: [ElasticJobModule.forRootAsync({ useClass: NoFactory as never })] })).toEqual([
      `${CALL}: the class of useClass or useExisting must have the method createElasticJobOptions()`,
    ]);
  });
});

test('a call without a factory, or with two, is an error of the compiler', () => {
  class Settings {
    createElasticJobOptions(): ElasticJobModuleOptions {
      return {};
    }
  }
  const calls = [
    // @ts-expect-error There is no factory.
    () => ElasticJobModule.forRootAsync({}),
    // @ts-expect-error There are two factories.
    () => ElasticJobModule.forRootAsync({ useFactory, useClass: Settings }),
    // @ts-expect-error The factory returns nothing.
    () => ElasticJobModule.forRootAsync({ useFactory: () => undefined }),
    () => ElasticJobModule.forRootAsync({ useClass: Settings }),
    () => ElasticJobModule.forRootAsync({ useExisting: Settings, imports: [] }),
    () =>
      ElasticJobModule.forRootAsync({
        inject: ['name', Settings],
        useFactory: async (namespace: string, settings: Settings) => {
          await Promise.resolve(settings);
          return { regCenter: { namespace }, jobs: { bill: { cron: '* * * * * ?', jobListenerTypes: ['AUDIT'] } } };
        },
      }),
  ];

  expect(calls.map((call) => refused(call))).toEqual([true, true, false, false, false, false]);
});

test('forRoot refuses a promise of options, before which Nest could not know the names of the jobs', () => {
  const options = Promise.resolve({ jobs: {} });

  expect(() => ElasticJobModule.forRoot(options as never)).toThrow(
    /the options are a promise: await it, or write forRootAsync/,
  );
});

function refused(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch {
    return true;
  }
}
