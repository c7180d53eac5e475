/**
 * Errors of users' loggers and error objects hurt no job. Jest fails a test during which a rejection was handled by
 * nothing, so each of these tests shows too that there is none.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inspect } from 'node:util';
import { type JobLogger } from '../../../../lib/api/text/logger.js';
import { JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { OneOffJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../../lib/kernel/job-host.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { until } from '../../../support/until.js';
import { writeEntry } from '../../../../lib/api/text/log-entry.js';
import { TestCluster } from '../../../../lib/testing/index.js';

const fault = (): never => {
  throw new TypeError('a fault in the error itself');
};

const marks = ({ tree }: TestCluster): string[] =>
  [...tree.keys()].filter((path) => /\d\/(running|failover|failovering|misfire)$/.test(path));

describe.each<[what: string, thrown: unknown]>([
  ['an error whose toString throws', Object.assign(new Error('poison'), { toString: fault })],
  ['an error whose message throws', Object.defineProperty(new Error(), 'message', { get: fault })],
  ['an error whose stack throws', Object.defineProperty(new Error('poison'), 'stack', { get: fault })],
  ['an object that cannot be inspected', { [inspect.custom]: fault }],
  ['an object that throws whatever is asked of it', new Proxy({}, { get: fault, getPrototypeOf: fault, has: fault })],
])('after %s', (_, thrown) => {
  test.each(['LOG', 'THROW', 'IGNORE'])(
    'was thrown once, the item runs at the next firing, and bears no mark (%s)',
    async (jobErrorHandlerType) => {
      await using cluster = await TestCluster.start(['A'], {
        job: { jobErrorHandlerType, failover: true },
        work: (_instance, { shardingItem, scheduledAt }) => {
          if (shardingItem === 0 && scheduledAt?.getUTCSeconds() === 5) throw thrown;
        },
      });

      await cluster.fire();
      expect(marks(cluster)).toEqual([]);
      await cluster.fire();

      expect(cluster.runs.map(({ item, at }) => `${item} ${at}`)).toEqual([
        '0 00:00:05',
        '1 00:00:05',
        '0 00:00:10',
        '1 00:00:10',
      ]);
      expect(marks(cluster)).toEqual([]);
    },
  );
});

test('an item that throws a rejected promise has failed, and the rejection ends no process', async () => {
  const logged: string[] = [];
  const write = (message: string): void => void logged.push(message);
  const registryCenter = new EmbeddedRegistryCenter({ namespace: 'throws-promise' });
  registryCenter.connect();
  const host = new JobHost({ registryCenter, logger: { debug: write, log: write, warn: write, error: write } });
  const job = {
    execute: () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- What users do.
      throw Promise.reject(new Error('inner'));
    },
  };
  const configuration = JobConfiguration.newBuilder('bill', 1).build();

  await new OneOffJobBootstrap(registryCenter, job, configuration, { host }).execute();
  await until(() => logged.some((message) => message.includes('item 0 failed: ')));
  await host.stop();
  await registryCenter.close();

  expect(logged.filter((message) => message.includes('Error: inner'))).toHaveLength(1);
});

describe('a logger', () => {
  const emitWarning = process.emitWarning.bind(process);
  const warnings: string[] = [];

  beforeAll(() => {
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
  });
  afterAll(() => {
    process.emitWarning = emitWarning;
  });

  const full = (): never => {
    throw new Error('ENOSPC: no space left on device');
  };
  /** As a method that is `async` although the interface says otherwise. */
  const refused = (() => Promise.reject(new Error('ECONNREFUSED'))) as () => never;
  const loggers: readonly [what: string, logger: JobLogger][] = [
    ['that throws', { debug: full, log: full, warn: full, error: full }],
    ['whose write throws', { debug: full, log: full, warn: full, error: full, write: full }],
    ['whose promise rejects', { debug: refused, log: refused, warn: refused, error: refused }],
    ['whose write rejects', { debug: full, log: full, warn: full, error: full, write: refused }],
  ];

  test.each(loggers)('%s keeps no failing item from running again, and leaves it no mark', async (_, logger) => {
    await using cluster = await TestCluster.start(['A'], {
      host: { logger },
      work: (_instance, { shardingItem }) => {
        if (shardingItem === 0) throw new Error('no stock');
      },
    });

    await cluster.fire();
    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [0, 0, 1, 1] });
    expect(marks(cluster)).toEqual([]);
  });

  test.each(loggers)('%s keeps no job from coming back after its session was lost', async (_, logger) => {
    await using cluster = await TestCluster.start(['A', 'B'], { host: { logger }, job: { failover: true } });
    cluster.member('A').registry.faults.disconnect();
    await cluster.advance('20s');
    await cluster.heal('A');
    cluster.forget();

    await cluster.fire();

    expect(cluster.ran).toEqual({ A: [1], B: [0] });
  });

  test.each(loggers)('%s keeps no instance from withdrawing when it stops', async (_, logger) => {
    await using cluster = await TestCluster.start(['A', 'B'], { host: { logger } });

    await cluster.leave('A');

    expect(cluster.owners).toEqual({ B: [0, 1] });
  });

  test('that fails is reported once, as a warning of the process', async () => {
    const [, logger] = loggers[0]!;
    await using cluster = await TestCluster.start(['A'], { host: { logger } });

    await cluster.expire('A');
    await cluster.fire();

    expect(warnings).toEqual(['A logger failed; its entries are lost: Error: ENOSPC: no space left on device']);
  });

  test('that goes on failing is reported once more for each thousand entries', () => {
    const [, logger] = loggers[0]!;
    const before = warnings.length;

    for (let count = 0; count < 2_000; count++)
      writeEntry(logger, {
        jobName: 'job',
        instance: 'A',
        level: 'log',
        message: 'one more',
      });

    expect(warnings.slice(before)).toEqual([
      'A logger failed; 1001 entries are lost so far: Error: ENOSPC: no space left on device',
      'A logger failed; 2001 entries are lost so far: Error: ENOSPC: no space left on device',
    ]);
  });
});
