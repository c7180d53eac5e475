import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ConsoleLogger, Logger, type LoggerService } from '@nestjs/common';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { NestLogger } from '../../../lib/nest/nest-logger.js';
import { Test } from '@nestjs/testing';

@ElasticJob('sync', { shardingTotalCount: 2 })
class SyncJob {
  execute(): void {}
}

/** Everything that an application's own logger is given, in order. */
async function given(options: ElasticJobModuleOptions): Promise<readonly (readonly unknown[])[]> {
  const calls: (readonly unknown[])[] = [];
  const keep =
    (level: string) =>
    (...args: readonly unknown[]): void =>
      void calls.push([level, ...args]);
  const logger: LoggerService = { log: keep('log'), error: keep('error'), warn: keep('warn'), debug: keep('debug') };
  const module = ElasticJobModule.forRoot({ regCenter: { namespace: 'nest-logger' }, ...options });
  const app = await Test.createTestingModule({ imports: [module], providers: [SyncJob] })
    .setLogger(logger)
    .compile();
  await app.init();
  await app.close();
  return calls.filter((call) => String(call.at(-1)).startsWith('ElasticJob'));
}

afterEach(() => {
  Logger.overrideLogger(false);
});

test("Nest's logger has a context for each job, and one for the whole process", async () => {
  const calls = await given({});

  expect(calls.map(([level, , context]) => `${String(level)} ${String(context)}`)).toEqual(
    expect.arrayContaining(['log ElasticJob', 'log ElasticJob:sync']),
  );
  expect(
    calls.filter(
      ([, message, context]) => String(message).startsWith("Job 'sync'") !== (context === 'ElasticJob:sync'),
    ),
  ).toEqual([]);
});

test('with logger: false nothing is logged, and the jobs run', async () => {
  expect(await given({ logger: false })).toEqual([]);
});

test('with structuredLog it is given objects with the fields of each entry', async () => {
  const calls = await given({ structuredLog: true });
  const [, leads] = calls.find(([, entry]) => (entry as { event?: unknown }).event === 'leads') ?? [];

  expect(leads).toEqual({
    message: expect.stringMatching(/^Job 'sync': instance .* leads\.$/),
    event: 'leads',
    job: 'sync',
    instance: expect.any(String),
  });
});

describe("Nest's console logger", () => {
  const written: string[] = [];
  beforeEach(() => {
    written.length = 0;
    const keep = (text: unknown): boolean => written.push(String(text)) > 0;
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const entry = {
    level: 'error',
    context: 'ElasticJob:sync',
    jobName: 'sync',
    instance: 'A',
    event: 'failed',
    item: 2,
    scheduledAt: new Date(0),
    message: "Job 'sync': item 2 failed: Error: no stock",
    stack: 'Error: no stock\n    at work',
  } as const;

  test('writes the fields as JSON', () => {
    Logger.overrideLogger(new ConsoleLogger({ json: true }));

    new NestLogger('fields').write(entry);

    expect(JSON.parse(written[0] ?? '')).toMatchObject({
      level: 'error',
      context: 'ElasticJob:sync',
      stack: entry.stack,
      message: {
        message: entry.message,
        event: 'failed',
        job: 'sync',
        instance: 'A',
        item: 2,
        scheduledAt: '1970-01-01T00:00:00.000Z',
      },
    });
  });

  test('writes sentences by default, and the stack of an error', () => {
    Logger.overrideLogger(new ConsoleLogger({ colors: false }));

    new NestLogger('text').write(entry);

    expect(written.join('')).toContain(`ERROR [ElasticJob:sync] ${entry.message}\n${entry.stack}`);
  });
});
