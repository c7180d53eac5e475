import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Delivery } from '../../../lib/registry/embedded/delivery.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type Mirror } from '../../../lib/registry/registry-center.js';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.js';
import { expectAsyncProperty } from '../../support/property.js';
import { shown } from '../../../lib/testing/contract/stage.js';

/** Holds messages until the test lets them arrive, in order within each channel. */
class Post {
  readonly #channels = new Map<string, Delivery[]>();

  readonly deliver = (delivery: Delivery): void => {
    const waiting = this.#channels.get(delivery.channel);
    if (waiting) waiting.push(delivery);
    else this.#channels.set(delivery.channel, [delivery]);
  };

  /** The next message of each channel. */
  get next(): readonly string[] {
    return this.#busy.map(([channel, [first]]) => `${channel}: ${first!.what}`);
  }

  /** Lets one message arrive: the first of the channel that `chance`, 0 ≤ x < 1, chooses. */
  arriveOne(chance = 0): void {
    const busy = this.#busy;
    busy[Math.floor(chance * busy.length)]?.[1].shift()?.arrive();
  }

  async arriveAll(): Promise<void> {
    await settle();
    while (this.#busy.length > 0) {
      this.arriveOne();
      await settle();
    }
  }

  get #busy(): readonly [string, Delivery[]][] {
    return [...this.#channels].filter(([, waiting]) => waiting.length > 0);
  }
}

async function open(count: number) {
  const post = new Post();
  const clock = new ManualClock();
  const server = new EmbeddedRegistryServer({ clock, deliver: post.deliver });
  const centres = Array.from({ length: count }, () => new EmbeddedRegistryCenter({ server }));
  for (const centre of centres) centre.connect();
  await post.arriveAll();
  return { post, clock, server, centres };
}

describe('A simulator that carries the messages', () => {
  test('decides when a request reaches the server and when its answer reaches the centre', async () => {
    const { post, server, centres } = await open(1);
    let isAnswered = false;
    const created = centres[0]!.create('/a', 'x').then(() => (isAnswered = true));

    expect(post.next).toEqual(['centre 1 → server: create /a']);
    expect(server.namespace('elasticjob').get('/a')).toBeUndefined();
    post.arriveOne();
    await settle();
    expect(server.namespace('elasticjob').get('/a')?.value).toBe('x');
    expect(isAnswered).toBe(false);
    expect(post.next).toEqual(['server → centre 1: answer to create /a']);
    post.arriveOne();

    expect(await created).toBe(true);
  });

  test('can let a commit reach one centre before another', async () => {
    const { post, centres } = await open(2);
    const opening = centres.map((centre) => centre.mirror('/'));
    await post.arriveAll();
    const [first, second] = (await Promise.all(opening)) as [Mirror, Mirror];
    const written = centres[0]!.put('/a', 'x');
    post.arriveOne();
    expect(post.next).toEqual(['server → centre 1: revision 1 of /', 'server → centre 2: revision 1 of /']);

    post.arriveOne(0.5);

    expect(second.nodes.has('/a')).toBe(true);
    expect(first.nodes.has('/a')).toBe(false);
    await post.arriveAll();
    await written;
    expect(first.nodes.has('/a')).toBe(true);
  });

  test('can lose a request by cutting the connection while it is under way', async () => {
    const { post, server, centres } = await open(1);
    const outcome = centres[0]!.put('/a', 'x').catch((error: unknown) => error);

    centres[0]!.faults.disconnect();
    await post.arriveAll();

    expect(await outcome).toMatchObject({ code: 'REGISTRY_OUTCOME_UNKNOWN' });
    expect(server.namespace('elasticjob').get('/a')).toBeUndefined();
  });
});

describe('At the worst moment', () => {
  test('a message that is on its way when messages begin to be dropped is lost', async () => {
    const { post, server, centres } = await open(1);
    const outcome = centres[0]!.put('/a', 'x').catch((error: unknown) => error);

    centres[0]!.faults.dropMessages();
    await post.arriveAll();
    expect(server.namespace('elasticjob').get('/a')).toBeUndefined();
    centres[0]!.faults.resume();

    expect(await outcome).toMatchObject({ code: 'REGISTRY_OUTCOME_UNKNOWN' });
    server.close();
  });

  test('a sync that a listener of the new connection asks for waits until the mirror is read again', async () => {
    const { post, server, centres } = await open(2);
    const synced: Promise<unknown>[] = [];
    centres[0]!.session.onChange(({ phase }) => {
      if (phase === 'connected') synced.push(mirror.sync().then(() => shown(mirror)));
    });
    const opening = centres[0]!.mirror('/a');
    await post.arriveAll();
    const mirror = await opening;
    centres[0]!.faults.disconnect();
    const written = centres[1]!.put('/a', 'meanwhile');
    await post.arriveAll();
    await written;

    centres[0]!.faults.resume();
    await post.arriveAll();

    expect(await Promise.all(synced)).toEqual([{ '': 'meanwhile' }]);
    server.close();
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'a task does not begin after the connection broke, %d microtasks after its turn came',
    async (microtasks) => {
      const { post, server, centres } = await open(2);
      let end = (): void => undefined;
      const held = centres[0]!.exclusively('/latch', 1_000, () => new Promise<void>((resolve) => (end = resolve)));
      await post.arriveAll();
      const began: string[] = [];
      const waiting = centres[1]!
        .exclusively('/latch', 1_000, ({ aborted }) => Promise.resolve(began.push(aborted ? 'too late' : 'in time')))
        .catch((error: unknown) => error);
      await post.arriveAll();
      end();
      await settle();
      post.arriveOne();
      expect(post.next).toContain('server → centre 2: revision 3 of /latch');

      // The connection breaks within the same turn of the event loop.
      post.arriveOne(0.99);
      for (let n = 0; n < microtasks; n++) await Promise.resolve();
      centres[1]!.faults.disconnect();
      await post.arriveAll();
      const outcome = await waiting;

      if (microtasks === 0) expect(outcome).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
      expect(began).not.toContain('too late');
      await held;
      server.close();
    },
  );

  test('a hold that has been given up follows its queue no more', async () => {
    const { post, centres } = await open(2);
    const held = centres[0]!.exclusively('/latch', 1_000, () => Promise.resolve());
    await post.arriveAll();
    await held;

    const written = centres[1]!.put('/latch', 'x');
    post.arriveOne();

    expect(post.next).toEqual(['server → centre 2: answer to write /latch']);
    await post.arriveAll();
    await written;
  });
});

describe('A mirror that is closed', () => {
  /** The mirror of centre 1 shows `/a` without its value, which centre 2 has written. */
  async function mirrored() {
    const opened = await open(2);
    const [a, b] = opened.centres as [EmbeddedRegistryCenter, EmbeddedRegistryCenter];
    const written = b.put('/a', 'x');
    await opened.post.arriveAll();
    await written;
    const opening = a.mirror('/', { presenceOnly: (path) => path === '/a' });
    await opened.post.arriveAll();
    const mirror = await opening;
    const shownAtFirst = mirror.nodes;
    let calls = 0;
    mirror.onChange(() => calls++);
    const expectUnchanged = (): void => {
      expect({ nodes: mirror.nodes, isCurrent: mirror.isCurrent, calls }).toEqual({
        nodes: shownAtFirst,
        isCurrent: false,
        calls: 0,
      });
    };
    return { ...opened, a, b, mirror, expectUnchanged };
  }

  test('ignores a change that is on its way', async () => {
    const { post, b, mirror, expectUnchanged } = await mirrored();
    const written = b.put('/b', 'y');
    post.arriveOne();
    expect(post.next).toContain('server → centre 1: revision 2 of /');

    mirror.close();
    await post.arriveAll();
    await written;

    expectUnchanged();
  });

  test('ignores the values that it has asked for', async () => {
    const { post, mirror, expectUnchanged } = await mirrored();
    const loading = mirror.load();

    mirror.close();
    await post.arriveAll();
    await loading;

    expectUnchanged();
  });

  test('ignores the nodes that it reads after a disconnection, and is not followed by later changes', async () => {
    const { post, server, a, b, mirror } = await mirrored();
    a.faults.disconnect();
    a.faults.resume();
    const untilRead = (): boolean => post.next.some((what) => what.includes('centre 1 → server: mirror /'));
    while (!untilRead()) {
      post.arriveOne();
      await settle();
    }
    const { nodes } = mirror;

    mirror.close();
    await post.arriveAll();
    expect(mirror.isCurrent).toBe(false);
    expect(mirror.nodes).toBe(nodes);
    const written = b.put('/b', 'y');
    post.arriveOne(0.99);

    expect(post.next).toEqual(['server → centre 2: answer to write /b']);
    await post.arriveAll();
    await written;
    server.close();
  });
});

describe('A watch of the server', () => {
  test('gets the changes of a commit, without nodes that it has only checked', async () => {
    const { post, server, centres } = await open(1);
    const changed: string[] = [];
    server.namespace('elasticjob').watch('/', ({ changes }) => changed.push(...changes.map(({ path }) => path)));

    const committed = centres[0]!.commit([
      { type: 'check', path: '/' },
      { type: 'create', path: '/stays', value: '' },
    ]);
    await post.arriveAll();
    await committed;

    expect(changed).toEqual(['/stays']);
  });
});

describe('Whatever the order of messages and faults', () => {
  const CENTRES = 3;
  const steps = fc.array(
    fc.record({
      action: fc.constantFrom(
        ...(['arrive', 'arrive', 'arrive', 'arrive', 'put', 'create', 'remove', 'swap'] as const),
        ...(['disconnect', 'resume', 'dropMessages', 'expire', 'lose', 'load', 'pass'] as const),
      ),
      centre: fc.nat(CENTRES - 1),
      path: fc.constantFrom('/x', '/x/y', '/z'),
      chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    }),
    { maxLength: 80 },
  );

  test('each mirror shows moments of the one history, in its order, and all end at its end', async () => {
    const play = async (script: typeof steps extends fc.Arbitrary<infer S> ? S : never): Promise<void> => {
      const { post, clock, server, centres } = await open(CENTRES);
      const tree = server.namespace('elasticjob');
      const moment = (): string => JSON.stringify([...tree.subtree('/')].sort());
      const history = [moment()];
      tree.watch('/', () => history.push(moment()));
      const opening = centres.map((centre, n) =>
        centre.mirror('/', { presenceOnly: (path) => n === 0 && path === '/z' }),
      );
      await post.arriveAll();
      const mirrors = await Promise.all(opening);
      const strays: string[] = [];
      for (const mirror of mirrors.slice(1)) {
        let position = 0;
        mirror.onChange(() => {
          const seen = JSON.stringify([...mirror.nodes].sort());
          const found = history.findIndex((each, index) => index >= position && each === seen);
          if (found < 0) strays.push(seen);
          else position = found;
        });
      }

      for (const { action, centre: n, path, chance } of script) {
        const centre = centres[n]!;
        // Requests may fail here.
        const ask = (request: Promise<unknown>): void => void request.catch(() => undefined);
        if (action === 'arrive') post.arriveOne(chance);
        else if (action === 'put') ask(centre.put(path, String(chance)));
        else if (action === 'create') ask(centre.create(path, String(chance), chance < 0.5 ? 'session' : 'persistent'));
        else if (action === 'remove') ask(centre.remove(path));
        else if (action === 'swap') {
          ask(centre.commit([{ type: 'replace', path, value: `swapped ${chance}` }]));
        } else if (action === 'load') ask(mirrors[n]!.load());
        else if (action === 'lose') centre.faults.loseNextWrite(chance < 0.5 ? 'applied' : 'not-applied');
        else if (action === 'pass') await clock.advance(chance * 40_000);
        else centre.faults[action]();
        await settle();
      }
      for (const centre of centres) centre.faults.resume();
      await post.arriveAll();

      expect(strays).toEqual([]);
      expect(mirrors.map(({ isCurrent }) => isCurrent)).toEqual([true, true, true]);
      const loading = mirrors[0]!.load();
      await post.arriveAll();
      await loading;
      for (const mirror of mirrors) expect(JSON.stringify([...mirror.nodes].sort())).toBe(history.at(-1));
      const living = new Set(server.sessions);
      const owners = [...tree.subtree('/').values()].flatMap(({ session }) => session ?? []);
      expect(owners.filter((owner) => !living.has(owner))).toEqual([]);
      expect(shown(mirrors[1]!)).toEqual(shown(mirrors[2]!));
      server.close();
    };

    await expectAsyncProperty(fc.asyncProperty(steps, play), { numRuns: 60 });
  });

  test('no two tasks hold a path with signals that have not aborted, and in the end all contenders have had a turn', async () => {
    const holdSteps = fc.array(
      fc.record({
        action: fc.constantFrom(
          'arrive',
          'arrive',
          'arrive',
          'hold',
          'end',
          'disconnect',
          'resume',
          'dropMessages',
          'pass',
        ),
        centre: fc.nat(CENTRES - 1),
        chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      }),
      { maxLength: 80 },
    );
    const play = async (script: typeof holdSteps extends fc.Arbitrary<infer S> ? S : never): Promise<void> => {
      const { post, clock, server, centres } = await open(CENTRES);
      const held = new Set<{ readonly signal: AbortSignal; readonly end: () => void }>();
      let most = 0;
      const task = (signal: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          const hold = { signal, end: () => (held.delete(hold), resolve()) };
          held.add(hold);
          most = Math.max(most, [...held].filter((each) => !each.signal.aborted).length);
        });
      const attempts: Promise<unknown>[] = [];

      for (const { action, centre: n, chance } of script) {
        if (action === 'arrive') post.arriveOne(chance);
        else if (action === 'hold') {
          attempts.push(centres[n]!.exclusively('/latch', 100_000, task).catch((error: unknown) => error));
        } else if (action === 'end') [...held][0]?.end();
        else if (action === 'pass') await clock.advance(chance * 40_000);
        else centres[n]!.faults[action]();
        await settle();
      }
      for (const centre of centres) centre.faults.resume();
      await post.arriveAll();
      while (held.size > 0) {
        [...held][0]!.end();
        await post.arriveAll();
      }
      await clock.advance(100_000);
      await post.arriveAll();
      await Promise.all(attempts);

      expect(most).toBeLessThanOrEqual(1);
      expect(server.namespace('elasticjob').children('/latch')).toEqual([]);
      server.close();
    };

    await expectAsyncProperty(fc.asyncProperty(holdSteps, play), { numRuns: 60 });
  });
});
