import { describe, expect, test } from '@jest/globals';
import { type LogEntry } from '../../../../lib/api/text/logger.js';
import { OneOffJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { registeredEvent } from '../../../../lib/kernel/job/job-events.js';
import { JobLog } from '../../../../lib/kernel/job/job-log.js';
import { type JobView } from '../../../../lib/layout/job-view.js';
import { ABSENT_JOB } from '../../../../lib/layout/job-view-parts.js';
import { ManualClock } from '../../../../lib/testing/manual-clock.js';
import { aConfiguration, anItem } from '../../../support/views.js';
import { TestCluster, type TestClusterOptions } from '../../../../lib/testing/index.js';

type Entry = LogEntry & { readonly on: string };

interface Logged extends AsyncDisposable {
  readonly cluster: TestCluster;
  /** Of all instances, from `log` upwards, and on which instance. */
  readonly entries: Entry[];
}

/** A cluster, and the entries of its log. */
async function logged(names: readonly string[], options: Omit<TestClusterOptions, 'host'> = {}): Promise<Logged> {
  const entries: Entry[] = [];
  const cluster = await TestCluster.start(names, {
    ...options,
    host: (on) => {
      const quiet = (): void => undefined;
      const write = (entry: LogEntry): void => {
        if (entry.level !== 'debug') entries.push({ ...entry, on });
      };
      return { logger: { debug: quiet, log: quiet, warn: quiet, error: quiet, write } };
    },
  });
  return { cluster, entries, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

/** Level, instance and message, with the names of instances for their ids. */
const told = (entries: readonly Entry[]): readonly string[] =>
  entries.map(({ level, on, message }) => `${on} ${level} ${message.replaceAll(/10\.0\.0\.\d+@-@\d+-/g, '')}`);

test('an instance that starts logs who leads and who has the items', async () => {
  await using of = await logged(['A']);
  const { cluster, entries } = of;
  entries.length = 0;

  await cluster.join('B');

  expect(told(entries.filter(({ jobName }) => jobName === 'job'))).toEqual([
    "A log Job 'job': instance B has joined.",
    "B log Job 'job': registered by instance B; A leads, items 0-1 → A.",
    "A log Job 'job': assigned items 0 → B, 1 → A.",
  ]);
});

describe('a job that starts without a leader', () => {
  /** The log of the job `bills`, what it has written, and its start; what the registry centre has then may change. */
  function starting() {
    const clock = new ManualClock();
    const written: string[] = [];
    const quiet = (): void => undefined;
    const write = ({ level, message }: LogEntry): void => {
      if (level !== 'debug') written.push(message.replace(/^Job 'bills': /, ''));
    };
    const log = new JobLog(
      { debug: quiet, log: quiet, warn: quiet, error: quiet, write },
      { jobName: 'bills', instance: 'A' },
      clock,
    );
    const watch: { view: JobView } = { view: ABSENT_JOB };
    log.event(registeredEvent(watch, { isOneOff: false }));
    return { clock, written, log, watch };
  }

  test('has one entry, which says who leads and which items go where', () => {
    const { written, log, watch } = starting();

    watch.view = { ...watch.view, leader: 'A' };
    log.event({ type: 'leads' });
    expect(written).toEqual([]);
    watch.view = { ...watch.view, items: [anItem(0, { owner: 'A' })] };
    log.event({ type: 'assigned', owners: new Map([[0, 'A']]) });

    expect(written).toEqual(['registered by instance A; A leads, items 0 → A.']);
    log.event({ type: 'leads' });
    log.event({ type: 'assigned', owners: new Map([[0, 'A']]) });
    expect(written.slice(1)).toEqual(['instance A leads.', 'assigned items 0 → A.']);
  });

  test('has its entry a second later if this instance assigns nothing, as the job is then', async () => {
    const { clock, written, watch } = starting();
    watch.view = { ...watch.view, leader: 'B' };

    await clock.advance(999);
    expect(written).toEqual([]);
    await clock.advance(1);

    expect(written).toEqual(['registered by instance A; B leads, no items are assigned yet.']);
  });

  test('has its entry before any other', async () => {
    const { clock, written, log } = starting();

    log.event({ type: 'stopped', why: 'the process is shutting down' });
    await clock.advance(1_000);

    expect(written).toEqual([
      'registered by instance A; no instance leads yet, no items are assigned yet.',
      'stopped on instance A: the process is shutting down.',
    ]);
  });
});

test('each entry of a job has the job in its context and its message, and its fields', async () => {
  await using of = await logged(['A', 'B']);
  const { cluster, entries } = of;

  const [joined] = entries.filter(({ event }) => event === 'joined');

  expect(joined).toEqual({
    on: 'A',
    level: 'log',
    context: 'ElasticJob:job',
    jobName: 'job',
    instance: cluster.idOf('A'),
    event: 'joined',
    peer: cluster.idOf('B'),
    message: `Job 'job': instance ${cluster.idOf('B')} has joined.`,
  });
  expect(entries.filter(({ context }) => context === 'ElasticJob').map(({ jobName }) => jobName)).toEqual([
    undefined,
    undefined,
  ]);
});

describe('the cluster has one entry', () => {
  const about = (entries: readonly Entry[]): readonly string[] =>
    told(entries.filter(({ event }) => ['joined', 'left', 'crashed', 'stopped'].includes(event ?? '')));

  test('for an instance that stops, beside its own', async () => {
    await using of = await logged(['A', 'B', 'C']);
    const { cluster, entries } = of;
    await cluster.advance('2s');
    entries.length = 0;

    await cluster.leave('A');

    expect(about(entries)).toEqual([
      "B log Job 'job': instance A has stopped.",
      "A log Job 'job': stopped on instance A: the process is shutting down.",
    ]);
  });

  test('at most for each of several instances that stop at the same moment', async () => {
    await using of = await logged(['A', 'B', 'C', 'D']);
    const { cluster, entries } = of;
    entries.length = 0;

    await Promise.all(['A', 'B', 'D'].map((name) => cluster.leave(name)));

    // B was to report A.
    const stopped = about(entries).filter((line) => line.includes('has stopped'));
    expect(stopped.sort()).toEqual(['B', 'D'].map((name) => `C log Job 'job': instance ${name} has stopped.`));
    expect(entries.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('for an instance that crashes, as a warning', async () => {
    await using of = await logged(['A', 'B', 'C']);
    const { cluster, entries } = of;
    entries.length = 0;

    cluster.kill('C');
    await cluster.advance('10s');

    expect(about(entries)).toEqual([
      "A warn Job 'job': instance C is gone without having stopped: its process has died, or its session has ended.",
    ]);
  });

  test('for an instance that crashes after its job was removed and added again', async () => {
    await using of = await logged(['A', 'B']);
    const { cluster, entries } = of;
    const { host, bootstrap } = cluster.member('B');
    await Promise.all([bootstrap.shutdown(), cluster.settle()]);
    const job = { execute: () => undefined };
    const again = new OneOffJobBootstrap(cluster.member('B').registry, job, aConfiguration({ jobName: 'job' }), {
      ...{ host, jobClassName: 'TestJob' },
    });
    await Promise.all([again.start(), cluster.settle()]);
    entries.length = 0;

    cluster.kill('B');
    await cluster.advance('10s');

    expect(about(entries)).toEqual([
      "A warn Job 'job': instance B is gone without having stopped: its process has died, or its session has ended.",
    ]);
  });

  test('for an instance that an operator ends, beside its own', async () => {
    await using of = await logged(['A', 'B']);
    const { cluster, entries } = of;
    entries.length = 0;

    await cluster.operator.remove(cluster.paths.instance(cluster.idOf('B')));
    await cluster.settle();

    expect(told(entries.filter(({ event }) => event !== 'assigned'))).toEqual([
      "A log Job 'job': instance B has stopped.",
      "B log Job 'job': /elasticjob/job/instances/B was removed from the registry centre: an operator has ended the job on this " +
        'instance, or is removing the whole job node by node. Its peers, if there are any, take over its items. It takes part again ' +
        'when this application is started again.',
    ]);
  });
});

test('a job that is removed at run time logs that it has stopped, and why', async () => {
  await using of = await logged(['A']);
  const { cluster, entries } = of;

  await Promise.all([cluster.member('A').bootstrap.shutdown(), cluster.settle()]);

  expect(told(entries).at(-1)).toBe("A log Job 'job': stopped on instance A: it is removed from this process.");
});

describe('a failure is logged', () => {
  /** The entry of an item that throws `cause`. */
  async function failing(cause: unknown): Promise<LogEntry | undefined> {
    await using of = await logged(['A'], {
      job: { shardingItemParameters: '0=Beijing,1=Shanghai' },
      work: (_, { shardingItem }) => {
        if (shardingItem === 1) throw cause;
      },
    });
    await of.cluster.fire();
    return of.entries.find(({ event }) => event === 'failed');
  }

  test('with its item, the parameter and the firing', async () => {
    const failure = await failing(new Error('no stock'));

    expect(failure).toMatchObject({ level: 'error', jobName: 'job', item: 1, parameter: 'Shanghai' });
    expect(failure?.scheduledAt?.toISOString()).toBe('2030-01-01T00:00:05.000Z');
    expect(failure?.message).toBe(
      "Job 'job': item 1 (parameter 'Shanghai', firing of 2030-01-01T00:00:05.000Z) failed: Error: no stock",
    );
  });

  test('with what caused it', async () => {
    const cause = new Error('query failed', { cause: new TypeError('no connection', { cause: 'ECONNREFUSED' }) });

    const failure = await failing(cause);

    expect(failure?.stack).toMatch(
      /^Error: query failed\n[^]*\nCaused by: TypeError: no connection\n[^]*\nCaused by: 'ECONNREFUSED'$/,
    );
    expect(failure?.message).toContain(
      "failed: Error: query failed (caused by TypeError: no connection (caused by 'ECONNREFUSED'))",
    );
  });

  test('with the errors of an AggregateError, of many the first ones', async () => {
    const errors = Array.from({ length: 7 }, (_, number) => new Error(`e${number}`));

    expect((await failing(new AggregateError(errors, 'all failed')))?.message).toContain(
      'failed: AggregateError: all failed (7 errors: Error: e0; Error: e1; Error: e2; Error: e3; Error: e4; and 2 more)',
    );
  });

  test('though its causes go round in a circle', async () => {
    const [one, other] = [new Error('one'), new Error('other')];
    one.cause = other;
    other.cause = one;

    expect((await failing(one))?.message).toContain('failed: Error: one (caused by Error: other (caused by …))');
  });
});

describe('late firings', () => {
  test('are logged with how late they came, once a minute', async () => {
    await using of = await logged(['A'], { job: { cron: '0/10 * * * * ?' } });
    const { cluster, entries } = of;
    const isLate = ({ event }: LogEntry): boolean => event === 'fired-late';

    for (let count = 0; count < 8; count++) {
      cluster.freeze('A');
      await cluster.advance('13s');
      await cluster.thaw('A');
      await cluster.advance('1s');
    }

    expect(entries.filter(isLate).map(({ lateMs }) => lateMs)).toEqual([3_000, expect.any(Number)]);
    expect(told(entries.filter(isLate))[0]).toBe(
      "A warn Job 'job': the firing at 2030-01-01T00:00:10.000Z came 3.0 s late: the event loop was blocked, the process was " +
        'suspended, or the clock was set.',
    );
    expect(told(entries.filter(isLate))[1]).toMatch(/So did \d other firings? within the last minute\.$/);
  });

  test('of up to a second are not logged', async () => {
    await using of = await logged(['A'], { job: { cron: '0/10 * * * * ?' } });
    const { cluster, entries } = of;

    cluster.freeze('A');
    await cluster.advance('11s');
    await cluster.thaw('A');

    expect(entries.filter(({ event }) => event === 'fired-late')).toEqual([]);
  });
});

describe('firings that find their items running are logged once in ten minutes', () => {
  test.each([
    [true, 'one run makes up for it when they have ended (misfire: true)'],
    [false, 'they are not run for it (misfire: false)'],
  ])('with misfire: %s', async (misfire, fate) => {
    await using of = await logged(['A'], { job: { misfire }, work: () => new Promise(() => undefined) });
    const { cluster, entries } = of;
    const isPassed = ({ event }: LogEntry): boolean => event === 'firing-passed';

    await cluster.advance('1m');
    const first = told(entries.filter(isPassed));
    await cluster.advance('10m');

    expect(first).toEqual([
      `A log Job 'job': the firing at 2030-01-01T00:00:10.000Z found items 0-1 still running; ${fate}.`,
    ]);
    expect(entries.filter(isPassed)).toHaveLength(2);
    expect(told(entries.filter(isPassed))[1]).toMatch(/So did 119 other firings since this was last logged\.$/);
  });
});
