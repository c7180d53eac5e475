/** An instance that stops begins nothing new, however far it has come with a firing; its peers do. */
import { describe, expect, test } from '@jest/globals';
import { sleep } from '../../../../lib/async/wait.js';
import { type Deliver, deliverSoon } from '../../../../lib/registry/embedded/delivery.js';
import { type ManualClock, TestCluster } from '../../../../lib/testing/index.js';

/** Delays the requests of an instance to the registry centre, from a moment on. */
class Lag {
  #ms = 0;
  /**
   * @param centre number of the instance's registry centre; the operator's is the first, then they count as they join
   */
  constructor(private readonly centre: number) {}

  begin(ms: number): void {
    this.#ms = ms;
  }

  readonly deliver =
    (clock: ManualClock): Deliver =>
    (delivery) => {
      const isSlow = this.#ms > 0 && delivery.channel === `centre ${this.centre} → server`;
      if (isSlow) clock.after(this.#ms, delivery.arrive);
      else deliverSoon(delivery);
    };
}

const story = ({ runs }: TestCluster): string[] => runs.map(({ instance, item, at }) => `${instance} ${item} ${at}`);

/** A Java instance, beside which an instance that stops keeps its node until its end. Its server is disabled. */
async function joinJava({ operator, paths }: TestCluster): Promise<void> {
  const [ip, id] = ['10.0.0.7', '10.0.0.7@-@4711'];
  await operator.create(paths.server(ip), 'DISABLED');
  await operator.create(paths.instance(id), `jobInstanceId: ${id}\nserverIp: ${ip}\n`, 'session');
}

describe('an instance that is stopped', () => {
  test('while it is still being registered begins nothing that is triggered afterwards', async () => {
    await using cluster = await TestCluster.start([], { job: { cron: '' } });
    const joined = cluster.join('A');
    cluster.member('A').host.stopFirings();
    await joined;

    await cluster.trigger();
    await cluster.advance('1s');

    expect(cluster.view.instances.size).toBe(1);
    expect(cluster.runs).toEqual([]);
  });

  test.each([true, false])(
    'while a firing waits for the items to be assigned begins none of them, and leaves at once (monitorExecution=%s)',
    async (monitorExecution) => {
      await using cluster = await TestCluster.start(['A', 'B'], {
        job: { monitorExecution },
        sessionTimeoutMs: 60_000,
      });
      cluster.freeze('A');
      await cluster.operator.create(cluster.paths.resharding, '');
      await cluster.fire();

      await cluster.leave('B');
      expect(cluster.view.live.has(cluster.idOf('B'))).toBe(false);
      await cluster.operator.remove(cluster.paths.resharding);
      await cluster.advance('1s');

      expect(cluster.runs).toEqual([]);
    },
  );

  test.each([
    ['beside Node instances', () => Promise.resolve()],
    ['beside a Java instance', joinJava],
  ])(
    'while a firing waits for a mark to be removed begins nothing, and a peer runs that firing (%s)',
    async (_, join) => {
      const lag = new Lag(2);
      await using cluster = await TestCluster.start(['A', 'B'], {
        job: { shardingTotalCount: 1 },
        deliver: lag.deliver,
        work: (_instance, { scheduledAt }) =>
          scheduledAt?.getUTCSeconds() === 5 ? sleep(cluster.clock, 4_900) : undefined,
      });
      await join(cluster);
      await cluster.disable('B');
      await cluster.fire();
      await cluster.enable('B');
      await cluster.advance('4800ms');
      // The removal is on its way from 00:00:09.9 until after the next instant.
      lag.begin(1_000);
      await cluster.advance('300ms');

      await cluster.leave('A');
      await cluster.advance('4s');

      expect(story(cluster)).toEqual(['A 0 00:00:05', 'B 0 00:00:10']);
    },
  );

  test('while a firing reads what its peers have begun begins nothing, and a peer runs that firing', async () => {
    const lag = new Lag(3);
    await using cluster = await TestCluster.start(['B', 'A'], { job: { shardingTotalCount: 3 }, deliver: lag.deliver });
    await cluster.fire();
    await joinJava(cluster);
    await cluster.advance('4s');
    lag.begin(2_000);
    await cluster.join('C');
    await cluster.fire();
    cluster.forget();

    await cluster.leave('A');
    await cluster.advance('4s');

    expect(story(cluster)).toEqual(['C 2 00:00:10']);
  });

  test('while the commit that begins items is on its way runs these items', async () => {
    const lag = new Lag(2);
    await using cluster = await TestCluster.start(['A', 'B'], { deliver: lag.deliver });
    await cluster.advance('4s');
    lag.begin(1_000);
    await cluster.fire();

    await cluster.leave('A');
    await cluster.advance('4s');

    expect(story(cluster).sort()).toEqual(['A 1 00:00:05', 'B 0 00:00:05']);
    expect(cluster.view.live.has(cluster.idOf('A'))).toBe(false);
    expect([...cluster.tree.keys()].filter((path) => path.endsWith('/running'))).toEqual([]);
  });
});

describe('an instance that is stopped while it takes over an item', () => {
  /**
   * C dies while it runs an item; B, whose centre is the third, is about to take it over at 01:00:06, while A is busy.
   */
  async function takingOver(lag: Lag): Promise<TestCluster> {
    const cluster: TestCluster = await TestCluster.start(['A', 'B', 'C'], {
      job: { cron: '0 0 * * * ?', failover: true, shardingTotalCount: 3 },
      deliver: lag.deliver,
      work: (name, { scheduledAt }) => {
        if (name === 'C') return new Promise(() => undefined);
        return name === 'A' && scheduledAt ? sleep(cluster.clock, 12_000) : undefined;
      },
    });
    await cluster.fire();
    cluster.kill('C');
    await cluster.advance('5900ms');
    cluster.forget();
    lag.begin(300);
    return cluster;
  }

  test('lets it wait again, and a peer takes it over', async () => {
    const lag = new Lag(3);
    await using cluster = await takingOver(lag);
    await cluster.advance('500ms');
    expect(cluster.runs).toEqual([]);

    await cluster.leave('B');
    await cluster.advance('30s');

    expect(cluster.story.filter((line) => /took over|runs item/.test(line))).toEqual([
      expect.stringContaining('B took over item'),
      expect.stringContaining('A took over item'),
      expect.stringMatching(/A runs item \d \(01:00:00\)/),
    ]);
  });

  test.each(['applied', 'not-applied'] as const)(
    'lets no two instances run it, though the answer to that is lost (%s)',
    async (outcome) => {
      const lag = new Lag(3);
      await using cluster = await takingOver(lag);
      await cluster.advance('500ms');
      const { registry } = cluster.member('B');
      await cluster.leave('B');
      await cluster.advance('400ms');
      registry.faults.loseNextWrite(outcome);

      await cluster.advance('30s');

      expect(cluster.story.filter((line) => /took over item|runs item/.test(line))).toEqual([
        expect.stringContaining('B took over item'),
        expect.stringContaining('A took over item'),
        expect.stringMatching(/A runs item \d \(01:00:00\)/),
      ]);
    },
  );
});
