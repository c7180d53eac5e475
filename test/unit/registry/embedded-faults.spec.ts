import { afterEach, describe, expect, test } from '@jest/globals';
import { deliverSoon } from '../../../lib/registry/embedded/delivery.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { ManualClock, settle } from '../../../lib/testing/manual-clock.js';
import { expectRejection, record, sessionId, shown } from '../../../lib/testing/contract/stage.js';

/** Two centres of one server under a manual clock, with sessions of 60 seconds. */
async function stage() {
  const clock = new ManualClock();
  const server = new EmbeddedRegistryServer({ clock });
  const [a, b] = [new EmbeddedRegistryCenter({ server }), new EmbeddedRegistryCenter({ server })];
  a.connect();
  b.connect();
  await settle();
  return { clock, server, a, b };
}

describe('Under a manual clock', () => {
  let server: EmbeddedRegistryServer | undefined;
  afterEach(() => server?.close());
  const begin = async () => {
    const begun = await stage();
    server = begun.server;
    return begun;
  };

  test('a disconnected session is lost when its timeout has passed; its nodes vanish at that moment, after it was reported', async () => {
    const { clock, a, b } = await begin();
    await a.create('/mine', '', 'session');
    const mirror = await b.mirror('/mine');
    const events: string[] = [];
    a.session.onChange(({ phase }) => events.push(phase));
    mirror.onChange(() => events.push(`${mirror.nodes.size} nodes`));

    a.faults.disconnect();
    await clock.advance(59_999);
    expect(events).toEqual(['suspended']);
    await clock.advance(1);

    expect(events).toEqual(['suspended', 'lost', '0 nodes']);
    a.faults.resume();
    await settle();
    expect(events.slice(3)).toEqual(['connecting', 'connected']);
    expect(clock.timers).toBe(0);
  });

  test('a session whose messages are dropped is suspended after two thirds of its timeout, and lost after all of it', async () => {
    const { clock, a, b } = await begin();
    await a.create('/mine', '', 'session');
    const mirror = await b.mirror('/mine');
    const events: string[] = [];
    a.session.onChange(({ phase }) => events.push(phase));
    mirror.onChange(() => events.push(`${mirror.nodes.size} nodes`));

    a.faults.dropMessages();
    await clock.advance(39_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toEqual(['suspended']);
    await clock.advance(20_000);

    expect(events).toEqual(['suspended', 'lost', '0 nodes']);
  });

  test('requests that are dropped end when the centre notices: reads as unavailable, writes with an unknown outcome', async () => {
    const { clock, a, b } = await begin();
    a.faults.dropMessages();

    const read = expectRejection(a.get('/a'), 'REGISTRY_UNAVAILABLE');
    const write = expectRejection(a.put('/a', 'x'), 'REGISTRY_OUTCOME_UNKNOWN');
    await clock.advance(40_000);
    await Promise.all([read, write]);

    expect(await b.get('/a')).toBeUndefined();
  });

  test('messages that are dropped for a short time leave the session alive', async () => {
    const { clock, a } = await begin();
    const id = sessionId(a);
    const states = record(a);

    a.faults.dropMessages();
    await clock.advance(50_000);
    a.faults.resume();
    await settle();
    await clock.advance(120_000);

    expect(states).toEqual([
      { phase: 'suspended', id },
      { phase: 'connected', id },
    ]);
  });

  test('messages that are dropped for a moment leave no countdown behind', async () => {
    const { clock, a } = await begin();
    a.faults.dropMessages();
    await clock.advance(10_000);
    a.faults.resume();
    await settle();
    const states = record(a);

    await clock.advance(120_000);

    expect(states).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('a session that was connected again runs out after the next disconnection', async () => {
    const { clock, a, b } = await begin();
    await a.create('/mine', '', 'session');
    a.faults.disconnect();
    await clock.advance(30_000);
    a.faults.resume();
    await settle();

    a.faults.disconnect();
    await clock.advance(59_999);
    expect(await b.get('/mine')).toBe('');
    await clock.advance(1);

    expect(await b.get('/mine')).toBeUndefined();
  });

  test('a session counts from the last message, even if the connection is cut after messages were dropped', async () => {
    const { clock, a, b } = await begin();
    await a.create('/mine', '', 'session');
    const mirror = await b.mirror('/mine');
    const events: string[] = [];
    a.session.onChange(({ phase }) => events.push(phase));
    mirror.onChange(() => events.push(`${mirror.nodes.size} nodes`));

    a.faults.dropMessages();
    await clock.advance(20_000);
    a.faults.disconnect();
    await clock.advance(40_000);

    expect(events).toEqual(['suspended', 'lost', '0 nodes']);
  });

  test('a session that is ended while its countdown runs leaves no timer behind', async () => {
    const { clock, server: of, a } = await begin();
    a.faults.disconnect();

    a.faults.expire();
    a.faults.resume();
    await settle();

    expect(of.sessions).toHaveLength(2);
    expect(clock.timers).toBe(0);
  });

  test('resume() without a fault changes nothing', async () => {
    const { a } = await begin();
    const states = record(a);

    a.faults.resume();
    await settle();

    expect(states).toEqual([]);
  });

  test('a mirror reports once that it is out of date, and once that it is current again', async () => {
    const { clock, a } = await begin();
    const mirror = await a.mirror('/');
    const reports: boolean[] = [];
    mirror.onChange(() => reports.push(mirror.isCurrent));

    a.faults.disconnect();
    await clock.advance(60_000);
    a.faults.resume();
    await settle();

    expect(reports).toEqual([false, true]);
  });

  test('disconnections that are short each never add up to a lost session', async () => {
    const { clock, a } = await begin();
    const id = sessionId(a);

    for (let n = 0; n < 5; n++) {
      a.faults.disconnect();
      await clock.advance(50_000);
      a.faults.resume();
      await clock.advance(1_000);
    }

    expect(sessionId(a)).toBe(id);
  });

  test('a contender waits for a hold as long as it asked, by the clock', async () => {
    const { clock, a, b } = await begin();
    const held = a.exclusively('/latch', 1_000, () => new Promise<void>((resolve) => clock.after(30_000, resolve)));
    await settle();
    const refused = expectRejection(
      b.exclusively('/latch', 20_000, () => Promise.resolve()),
      'DEADLINE_EXCEEDED',
    );
    const obtained = b.exclusively('/latch', 40_000, () => Promise.resolve(clock.monotonic()));

    await clock.advance(30_000);

    await refused;
    await held;
    expect(await obtained).toBe(30_000);
    expect(clock.timers).toBe(0);
  });

  test('the registry reports the time of the server, not that of the centre', async () => {
    const { clock } = await begin();
    const late = new EmbeddedRegistryCenter({ server: server!, clock: new ManualClock('2029-12-31T23:00:00Z') });
    late.connect();
    await settle();

    expect(await late.time('/time')).toBe(clock.now());
    expect(await late.get('/time')).toBe('');
  });
});

describe('A write whose answer is lost', () => {
  test.each([
    ['applied', 'x'],
    ['not-applied', undefined],
  ] as const)('has an unknown outcome to its writer when it was %s', async (outcome, value) => {
    const { server, a, b } = await stage();
    const id = sessionId(a);

    a.faults.loseNextWrite(outcome);
    await expectRejection(a.put('/a', 'x'), 'REGISTRY_OUTCOME_UNKNOWN');
    await settle();

    expect(sessionId(a)).toBe(id);
    expect(await b.get('/a')).toBe(value);
    await a.put('/a', 'next');
    expect(await b.get('/a')).toBe('next');
    server.close();
  });

  test('shows in the mirrors of its writer when they are current again', async () => {
    const { server, a } = await stage();
    const mirror = await a.mirror('/a');
    const current: boolean[] = [];
    mirror.onChange(() => current.push(mirror.isCurrent));

    a.faults.loseNextWrite('applied');
    await expectRejection(a.commit([{ type: 'create', path: '/a', value: 'x' }]), 'REGISTRY_OUTCOME_UNKNOWN');
    await settle();

    expect(current).toEqual([false, true]);
    expect(shown(mirror)).toEqual({ '': 'x' });
    server.close();
  });

  test.each(['applied', 'not-applied'] as const)(
    'leaves no place in the queue for a hold behind when it was %s',
    async (outcome) => {
      const { server, a, b } = await stage();

      a.faults.loseNextWrite(outcome);
      await expectRejection(
        a.exclusively('/latch', 1_000, () => Promise.resolve()),
        'REGISTRY_UNAVAILABLE',
      );
      await settle();

      expect(await b.children('/latch')).toEqual([]);
      server.close();
    },
  );

  test('is repeated if it was to give up a hold', async () => {
    const { server, a, b } = await stage();

    await a.exclusively('/latch', 1_000, () => Promise.resolve(a.faults.loseNextWrite('not-applied')));
    await settle();

    expect(await b.children('/latch')).toEqual([]);
    server.close();
  });
});

describe('A connection that is cut one way', () => {
  const history = async (direction: 'sending' | 'receiving', { until }: { readonly until: number }) => {
    const { clock, server, a, b } = await stage();
    await a.create('/mine', '', 'session');
    const [watched, followed] = [await b.mirror('/mine'), await a.mirror('/news')];
    const events: string[] = [];
    a.session.onChange(({ phase }) => events.push(`${phase} at ${clock.monotonic() / 1000}`));
    watched.onChange(() => events.push(`session over at ${clock.monotonic() / 1000}`));
    a.faults.dropMessages(direction);
    await b.put('/news', '');
    const write = a.put('/a', 'x').then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
    await clock.advance(until);
    const outcome = { events: [...events], news: followed.nodes.size, written: await b.get('/a'), write: await write };
    server.close();
    return outcome;
  };

  test('towards the centre: its requests are carried out unanswered, and its session runs out after it has noticed', async () => {
    expect(await history('receiving', { until: 120_000 })).toEqual({
      events: ['suspended at 40', 'lost at 60', 'session over at 100'],
      news: 0,
      written: 'x',
      write: 'REGISTRY_OUTCOME_UNKNOWN',
    });
  });

  test('towards the server: its requests are not carried out, and changes reach it until the session ends', async () => {
    expect(await history('sending', { until: 60_000 })).toEqual({
      events: ['suspended at 60', 'lost at 60', 'session over at 60'],
      news: 1,
      written: undefined,
      write: 'REGISTRY_OUTCOME_UNKNOWN',
    });
  });

  test.each(['return to session', 'open a session'])(
    'towards the server while a centre connects (%s): the session is lost before its nodes vanish',
    async (operation) => {
      const clock = new ManualClock();
      let isToDrop = operation === 'open a session';
      const server: EmbeddedRegistryServer = new EmbeddedRegistryServer({
        clock,
        deliver: (message) => {
          deliverSoon({
            ...message,
            arrive: () => {
              // The server has put the session onto the connection, and the centre does not know yet.
              if (isToDrop && message.what.startsWith(`answer to ${operation}`)) a.faults.dropMessages('sending');
              message.arrive();
            },
          });
        },
      });
      const a = new EmbeddedRegistryCenter({ server });
      a.connect();
      await settle();
      if (operation === 'return to session') {
        isToDrop = true;
        a.faults.loseNextWrite('not-applied');
        await expectRejection(a.put('/a', ''), 'REGISTRY_OUTCOME_UNKNOWN');
        await settle();
      }
      expect(a.session.state.phase).toBe('connected');
      const seen: string[] = [];
      a.session.onChange(({ phase }) => seen.push(`${phase} of ${server.sessions.length}`));

      await clock.advance(60_000);

      expect(seen).toEqual(['suspended of 1', 'lost of 1']);
      isToDrop = false;
      a.faults.resume();
      await settle();
      expect(a.session.state.phase).toBe('connected');
      expect(clock.timers).toBe(0);
    },
  );

  test.each(['sending', 'receiving'] as const)('heals (%s)', async (direction) => {
    const { server, a, b } = await stage();
    const id = sessionId(a);

    a.faults.dropMessages(direction);
    a.faults.resume();
    await settle();

    expect(sessionId(a)).toBe(id);
    await a.put('/a', 'x');
    expect(await b.get('/a')).toBe('x');
    server.close();
  });
});

describe('A centre that dies at a write', () => {
  test.each([
    ['applied', ['1', '2', undefined]],
    ['not-applied', ['1', undefined, undefined]],
  ] as const)('is never heard of again, that write being %s', async (outcome, values) => {
    const { clock, server, a, b } = await stage();
    await a.create('/mine', '', 'session');
    const deaths: string[] = [];

    a.faults.dieAtWrite(2, outcome, () => deaths.push('died'));
    const answers: string[] = [];
    for (const n of ['1', '2', '3']) {
      a.get('/').catch(() => undefined);
      a.put(`/${n}`, n).then(
        () => answers.push(n),
        () => undefined,
      );
    }
    await settle();

    expect(deaths).toEqual(['died']);
    expect(await Promise.all(['/1', '/2', '/3'].map((path) => b.get(path)))).toEqual(values);
    expect(answers).toEqual([]);
    await clock.advance(60_000);
    expect(await b.get('/mine')).toBeUndefined();
    server.close();
  });
});
