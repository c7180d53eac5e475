import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type DataSource } from 'typeorm';
import { jobConfiguration } from '../../lib/api/job/job-configuration.js';
import { type RunEvent } from '../../lib/api/events/run-events.js';
import { ScheduleJobBootstrap } from '../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../lib/kernel/job-host.js';
import { EmbeddedRegistryCenter } from '../../lib/registry/embedded/embedded-registry-center.js';
import { RdbTraceStorage } from '../../lib/tracing/rdb/rdb-trace-storage.js';
import { TraceQueue } from '../../lib/tracing/trace-queue.js';
import { Tracing } from '../../lib/tracing/tracing.js';
import { completed, started } from '../support/trace-events.js';
import { until } from '../support/until.js';
import { dataSource, DatabaseServer, type Kind, KINDS, signalServer } from './support/servers.js';

describe.each(KINDS)('%s', (kind) => {
  let server: DatabaseServer;
  let database: DataSource;
  let queue: TraceQueue;
  const entries: string[] = [];

  beforeEach(async () => {
    server = await DatabaseServer.start(kind);
    database = await dataSource(server, pool(kind)).initialize();
    const note = (message: string): void => void entries.push(message);
    const logger = { debug: note, log: note, warn: note, error: note };
    const storage = new RdbTraceStorage(database);
    queue = new TraceQueue({ storage, logger, lingerMs: 20, batchSize: 50, writeTimeoutMs: 1_000 });
    entries.length = 0;
  });

  afterEach(async () => {
    signalServer(server.address, 'SIGCONT');
    await queue.stop(0);
    await database.destroy().catch(() => undefined);
    await server[Symbol.asyncDispose]();
  });

  const offer = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      queue.offer(started(`e${at}`));
      queue.offer(completed(`e${at}`));
    }
  };
  const countOf = async (): Promise<number> => {
    const [row] = await database.query<{ n: string }[]>(
      'SELECT COUNT(*) AS n FROM JOB_EXECUTION_LOG WHERE complete_time IS NOT NULL',
    );
    return Number(row!.n);
  };

  test('that hangs holds up no job; afterwards all rows are there, once', async () => {
    offer(0, 100);
    await until(() => queue.status().pending === 0);

    signalServer(server.address, 'SIGSTOP');
    offer(100, 1_000);
    await until(() => entries.length > 0, 'an entry of the log', 30_000);
    offer(1_000, 1_200);
    expect(queue.status()).toMatchObject({ pending: 1_100, dropped: 0 });
    expect(queue.status().failingSince).toBeInstanceOf(Date);

    signalServer(server.address, 'SIGCONT');
    await until(() => queue.status().pending === 0, 'all is stored', 60_000);

    expect(await countOf()).toBe(1_200);
  });

  test('that hangs lets a traced job fire and end as before; afterwards all its runs are there, once', async () => {
    await using job = await tracedJob(database);
    await job.fire();
    await until(() => job.tracing.status()?.pending === 0);

    signalServer(server.address, 'SIGSTOP');
    for (let firing = 2; firing <= 100; firing++) await job.fire();
    await until(() => job.tracing.status()?.failingSince !== undefined, 'a write has failed', 30_000);
    for (let firing = 101; firing <= 110; firing++) await job.fire();
    expect(job.outcomes).toEqual(Array.from({ length: 110 }, () => 'completed'));
    expect(job.tracing.status()).toMatchObject({ stored: 5, dropped: 0 });

    signalServer(server.address, 'SIGCONT');
    await until(() => job.tracing.status()?.pending === 0, 'all is stored', 60_000);

    expect(await countOf()).toBe(220);
  });

  test('that hangs leaves the application connections of its pool', async () => {
    offer(0, 10);
    await until(() => queue.status().pending === 0);
    signalServer(server.address, 'SIGSTOP');
    offer(10, 20);
    await until(() => entries.length > 0, 'several attempts', 30_000);

    signalServer(server.address, 'SIGCONT');
    const all = await Promise.all([1, 2, 3].map(() => database.query<unknown[]>('SELECT 1 AS one')));

    expect(all).toHaveLength(3);
    await until(() => queue.status().pending === 0, 'all is stored', 30_000);
  });

  test('that crashes and comes back has all rows, once', async () => {
    offer(0, 100);
    await until(() => queue.status().pending === 0);

    await server.end();
    offer(100, 400);
    await until(() => queue.status().failingSince !== undefined);
    expect(queue.status().lastError).toMatch(/ECONNREFUSED|ECONNRESET|EPIPE|closed|terminated|lost/i);
    await server.start();
    await until(() => queue.status().pending === 0, 'all is stored', 60_000);

    expect(await countOf()).toBe(400);
    expect(queue.status()).toMatchObject({ stored: 400, dropped: 0, lastError: undefined });
  });

  test('that hangs at the end does not hold up the stop of the process', async () => {
    offer(0, 100);
    await until(() => queue.status().pending === 0);
    signalServer(server.address, 'SIGSTOP');
    offer(100, 150);

    await queue.stop(1_500);

    expect(queue.status()).toMatchObject({ pending: 0, dropped: 50 });
    expect(entries.at(-1)).toContain('50 trace events were dropped');
  });
});

/** A job of two items on an instance of its own, with tracing into a database, that fires when a test says so. */
async function tracedJob(database: DataSource) {
  const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
  const registryCenter = new EmbeddedRegistryCenter({ namespace: `traced-${randomUUID()}` });
  registryCenter.connect();
  const outcomes: string[] = [];
  const tracing = new Tracing({ storage: new RdbTraceStorage(database), logger });
  let fireNow = (): void => undefined;
  const timers = {
    arm: (_name: string, _at: Date, onFire: () => void) => void (fireNow = onFire),
    disarm: () => undefined,
  };
  const outcome = {
    onRunEvent: (event: RunEvent) => void (event.type === 'run-ended' && outcomes.push(event.outcome.type)),
  };
  const host = new JobHost({ registryCenter, timers, logger, observers: [tracing, outcome] });
  const configuration = jobConfiguration({ jobName: 'traced', shardingTotalCount: 2, cron: '0 0 0 * * ?' });
  await new ScheduleJobBootstrap(registryCenter, { execute: () => undefined }, configuration, { host }).schedule();
  return {
    tracing,
    outcomes,
    /** Fires the job, and waits until the run has ended. */
    fire: async () => {
      const before = outcomes.length;
      fireNow();
      await until(() => outcomes.length > before, 'the run ends');
    },
    [Symbol.asyncDispose]: async () => {
      await host.stop();
      await tracing.stop(0);
      await registryCenter.close();
    },
  };
}

/** As small as an application may have it. */
const pool = (kind: Kind) => ({ extra: kind === 'postgres' ? { max: 3 } : { connectionLimit: 3 } });
