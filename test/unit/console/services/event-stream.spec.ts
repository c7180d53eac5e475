import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MemoryConsoleStore } from '../../../../lib/console/store/memory-store.js';
import { ApplicationJobs } from '../../../../lib/console/services/connections/application-registry.js';
import { DataSources } from '../../../../lib/console/services/trace/data-sources.js';
import { LastRuns } from '../../../../lib/console/services/trace/last-runs.js';
import { EventLog } from '../../../../lib/console/services/live/event-log.js';
import { EventStream } from '../../../../lib/console/services/live/event-stream.js';
import { LiveJobs } from '../../../../lib/console/services/live/live-jobs.js';
import { type Caller } from '../../../../lib/console/security/callers/caller.js';
import { jobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { toYaml } from '../../../../lib/layout/job-configuration-yaml.js';
import { JobPaths } from '../../../../lib/layout/job-paths.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../../lib/registry/embedded/embedded-registry-server.js';
import { ManualClock, settle } from '../../../../lib/testing/manual-clock.js';

const silent = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

let clock: ManualClock;
let registry: EmbeddedRegistryCenter;
let live: LiveJobs;
let log: EventLog;

beforeEach(async () => {
  clock = new ManualClock();
  registry = new EmbeddedRegistryCenter({ server: new EmbeddedRegistryServer({ clock }) });
  live = new LiveJobs(registry, { clock, logger: silent });
  log = new EventLog({
    live,
    runs: lastRuns(),
    clock,
    logger: silent,
    status: () => ({ phase: 'connected', since: 0 }),
  });
  live.start();
  registry.connect();
  await settle();
});

afterEach(async () => {
  log.close();
  live.close();
  await registry.close();
});

/** The last runs of a console without data source. */
function lastRuns(): LastRuns {
  const options = { clock, secrets: undefined as never };
  const noProvider = (): never => {
    throw new Error('The application has no such provider');
  };
  const application = new ApplicationJobs({ get: noProvider } as never);
  return new LastRuns(new DataSources(options, new MemoryConsoleStore(), application), clock, (error) => {
    throw error;
  });
}

/** A client that takes only as many events as the test says. */
class Client {
  text = '';
  isReady = true;
  isEnded = false;
  #drained: () => void = () => undefined;

  readonly output = {
    write: (text: string): boolean => {
      this.text += text;
      return this.isReady;
    },
    end: (): void => void (this.isEnded = true),
    onDrain: (callback: () => void): void => void (this.#drained = callback),
  };

  drain(): void {
    this.isReady = true;
    this.#drained();
  }

  /** The data of all events of a type. */
  eventsOf(type: string): readonly {
    readonly shards: readonly { readonly item: number; readonly misfired: boolean; readonly status: string }[];
  }[] {
    return [...this.text.matchAll(/^event: (.+)\ndata: (.+)$/gm)].flatMap(([, name, data = '']) =>
      name === type ? [JSON.parse(data) as { shards: [] }] : [],
    );
  }

  get types(): readonly string[] {
    return [...this.text.matchAll(/^event: (.+)$/gm)].map(([, type = '']) => type);
  }

  get lastId(): string | undefined {
    return [...this.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
  }
}

function open(
  client: Client,
  {
    jobName,
    lastEventId,
    ended = new AbortController().signal,
  }: { jobName?: string; lastEventId?: string | undefined; ended?: AbortSignal } = {},
): EventStream {
  const stream = new EventStream(clock, { log, caller: { ended } as Caller, jobName, lastEventId }, client.output);
  stream.start();
  return stream;
}

async function addJob(name: string): Promise<void> {
  await registry.put(`/${name}`, name);
  await settle();
}

async function storedJob(shardingTotalCount: number): Promise<{ readonly jobName: string; readonly paths: JobPaths }> {
  const jobName = 'orders';
  const paths = new JobPaths(jobName);
  await registry.put(paths.config, toYaml(jobConfiguration({ jobName, cron: '0 0 0 * * ?', shardingTotalCount })));
  await settle();
  return { jobName, paths };
}

test('events of one job are merged, and told four times a second', async () => {
  const client = new Client();
  open(client);

  for (let round = 0; round < 10; round++) {
    await registry.put('/orders/servers/10.0.0.1', round % 2 === 0 ? 'DISABLED' : 'ENABLED');
    await registry.put(`/orders/instances/10.0.0.1@-@${round}`, '');
    await clock.advance(100);
  }

  expect(client.types.filter((type) => type === 'job').length).toBeGreaterThanOrEqual(3);
  expect(client.types.filter((type) => type === 'job').length).toBeLessThanOrEqual(5);
});

test('a comment goes out every 15 seconds, and nothing after the end', async () => {
  const client = new Client();
  const stream = open(client);

  await clock.advance(30_000);
  const comments = client.text.match(/^: /gm)?.length;
  stream.closed();
  const { text } = client;
  await addJob('orders');
  await clock.advance(60_000);

  expect(comments).toBe(2);
  expect(client.text).toBe(text);
  expect(clock.timers).toBe(0);
});

test('a client that takes nothing gets what is new once it does, each thing once', async () => {
  const client = new Client();
  client.isReady = false;
  open(client);
  for (const ip of ['a', 'b', 'c']) {
    await registry.put(`/orders/servers/${ip}`, 'ENABLED');
    await clock.advance(1_000);
  }
  expect(client.types).toEqual([]);

  client.drain();

  expect(client.types.filter((type) => type === 'job')).toHaveLength(1);
  expect(client.text).toContain('"servers":["a","b","c"]');
});

test('a client that misses too much is to read everything again', async () => {
  const client = new Client();
  client.isReady = false;
  open(client);
  for (let job = 0; job < 1_005; job++) await registry.put(`/job-${job}`, '');
  await settle();

  client.drain();

  expect(client.types).toEqual(['registry', 'resync']);
});

test('a stream takes up behind the event that it had last', async () => {
  const first = new Client();
  const stream = open(first);
  await addJob('orders');
  await clock.advance(250);
  stream.closed();
  await addJob('bills');

  const second = new Client();
  open(second, { lastEventId: first.lastId });

  expect(second.types).not.toContain('resync');
  expect(second.text).toContain('"jobName":"bills"');
  expect(second.text).not.toContain('"jobName":"orders"');
});

test.each(['nonsense', 'epoch.1', '', '.'])(
  'a stream that had %j last reads everything again, or begins',
  (lastEventId) => {
    const client = new Client();
    open(client, { lastEventId });

    expect(client.types).toEqual(lastEventId === '' ? ['registry'] : ['registry', 'resync']);
  },
);

test('a number that is no more remembered, or not yet given, means reading everything again', async () => {
  for (let job = 0; job < 1_100; job++) await registry.put(`/job-${job}`, '');
  await settle();
  const [early, late] = [new Client(), new Client()];

  open(early, { lastEventId: `${log.epoch}.1` });
  open(late, { lastEventId: `${log.epoch}.${log.number + 1}` });

  expect(early.types).toContain('resync');
  expect(late.types).toContain('resync');
});

test('the end of the session ends the stream at once', () => {
  const client = new Client();
  const session = new AbortController();
  open(client, { ended: session.signal });

  session.abort();

  expect(client.types.at(-1)).toBe('bye');
  expect(client.isEnded).toBe(true);
});

test('an ended session gets no stream', () => {
  const client = new Client();
  open(client, { ended: AbortSignal.abort() });

  expect(client.types.at(-1)).toBe('bye');
});

test('the items of a job are told to who follows it, and to nobody else', async () => {
  const [follower, other] = [new Client(), new Client()];
  await addJob('orders');
  open(follower, { jobName: 'orders' });
  open(other);

  await registry.put('/orders/sharding/0/instance', '10.0.0.1@-@1');
  await clock.advance(250);

  expect(follower.types.filter((type) => type === 'shards')).toHaveLength(2);
  expect(other.types).not.toContain('shards');
});

test('the table marks its jobs as stale while the registry centre is out of reach, and catches up', async () => {
  await addJob('orders');
  expect(live.staleSince).toBeUndefined();

  registry.faults.disconnect();
  await clock.advance(10);
  const since = live.staleSince;
  const jobs = live.jobs.map(({ jobName }) => jobName);
  registry.faults.resume();
  await clock.advance(10_000);

  expect(since).toBeGreaterThan(0);
  expect(jobs).toEqual(['orders']);
  expect(live.staleSince).toBeUndefined();
});

test('only jobs whose nodes have changed get other rows', async () => {
  await addJob('orders');
  await addJob('bills');
  const before = live.job('bills');

  await registry.put('/orders/servers/10.0.0.1', 'ENABLED');
  await settle();

  expect(live.job('bills')).toBe(before);
  expect(live.job('orders')?.view.servers.get('10.0.0.1')).toBe('ENABLED');
});

test('a job that was removed and stored again is as it is now', async () => {
  await registry.put('/orders/servers/10.0.0.1', 'ENABLED');
  await registry.remove('/orders');
  await settle();
  expect(live.job('orders')).toBeUndefined();

  await registry.put('/orders/servers/10.0.0.2', 'ENABLED');
  await settle();

  expect([...(live.job('orders')?.view.servers.keys() ?? [])]).toEqual(['10.0.0.2']);
});

test('of a job with many items, only those that have changed are told, each once', async () => {
  const { jobName, paths } = await storedJob(10_000);
  const client = new Client();
  open(client, { jobName });
  await settle();
  const start = client.text.length;

  for (const item of [7, 9_999, 7]) {
    await registry.put(paths.item(item, 'misfire'), '');
    await settle();
  }
  await clock.advance(1_000);

  const told = client.eventsOf('shards');
  expect(told[0]).toEqual({ jobName, shards: [], mustBeRead: true });
  expect(told.slice(1).flatMap(({ shards }) => shards.map(({ item, misfired }) => [item, misfired]))).toEqual([
    [7, true],
    [9_999, true],
  ]);
  expect(client.text.length - start).toBeLessThan(2_000);
});

test('an item that is gone is told, and items that change together with their instance', async () => {
  const { jobName, paths } = await storedJob(2);
  await registry.put(paths.item(5, 'instance'), '10.0.0.1@-@1');
  await settle();
  const client = new Client();
  open(client, { jobName });
  await clock.advance(1_000);

  await registry.put(paths.instance('10.0.0.1@-@1'), '');
  await clock.advance(1_000);
  await registry.remove(paths.item(5, 'instance'));
  await registry.remove(paths.item(5));
  await clock.advance(1_000);

  const [first, second, third] = client.eventsOf('shards');
  expect(first?.shards.map(({ item, status }) => [item, status])).toEqual([
    [0, 'SHARDING_FLAG'],
    [1, 'SHARDING_FLAG'],
    [5, 'SHARDING_FLAG'],
  ]);
  expect(second?.shards).toMatchObject([{ item: 5, status: 'PENDING' }]);
  expect(third).toEqual({ jobName, shards: [], gone: [5] });
});

test('items that change in great number are to be read', async () => {
  const { jobName, paths } = await storedJob(500);
  const client = new Client();
  open(client, { jobName });
  await clock.advance(1_000);

  for (let item = 0; item < 300; item++) await registry.put(paths.item(item, 'misfire'), '');
  await clock.advance(1_000);

  expect(client.eventsOf('shards').at(-1)).toEqual({ jobName, shards: [], mustBeRead: true });
});
