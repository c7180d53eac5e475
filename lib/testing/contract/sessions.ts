import { expect } from './expect.js';
import { type SessionState } from '../../registry/registry-center.js';
import { until } from './until.js';
import { type Contract, expectRejection, record, sessionId, untilConnected } from './stage.js';

/** The reason that a state of a session carries; `undefined` if that phase has none. */
const reasonOf = (state: SessionState | undefined): unknown => (state && 'reason' in state ? state.reason : undefined);

/** Sessions, and the nodes that live with them. */
export function sessionPromises({ test, stage }: Contract): void {
  test('a connected session has an id of its own and a timeout near the one asked for', async () => {
    const [a, b] = [await stage.open({ sessionTimeoutMilliseconds: 4_000 }), await stage.open()];

    expect(sessionId(a)).notToBe(sessionId(b));
    expect(a.session.timeoutMs).toBe(4_000);
    expect(a.description).notToBe('');
  });

  test('connecting twice changes nothing', async () => {
    const centre = await stage.open();
    const states = record(centre);
    const id = sessionId(centre);

    centre.connect();
    await centre.put(stage.at('a'), '');

    expect(states).toEqual([]);
    expect(sessionId(centre)).toBe(id);
  });

  test('a short disconnection suspends the session and ends nothing', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    await a.create(stage.at('mine'), 'x', 'session');
    const mirror = await b.mirror(stage.at());
    const states = record(a);
    const id = sessionId(a);

    await stage.disconnect(a);
    await stage.reconnect(a);

    expect(states).toEqual([
      { phase: 'suspended', id },
      { phase: 'connected', id },
    ]);
    await mirror.sync();
    expect(mirror.nodes.get(stage.at('mine'))).toMatchObject({ value: 'x', session: id });
  });

  test('when a session ends its nodes vanish, and only its own; their parents stay', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    await a.create(stage.at('instances', 'a'), '', 'session');
    await b.create(stage.at('instances', 'b'), '', 'session');
    await a.create(stage.at('deep', 'a'), '', 'session');
    await a.create(stage.at('kept'), '');

    await stage.expire(a);

    expect(await b.children(stage.at('instances'))).toEqual(['b']);
    expect([...(await b.children(stage.at()))].sort()).toEqual(['deep', 'instances', 'kept']);
  });

  test('a session node that is written keeps living with its session; one removed and put is persistent', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    for (const name of ['written', 'replaced']) await a.create(stage.at(name), '', 'session');

    await b.put(stage.at('written'), 'x');
    await b.remove(stage.at('replaced'));
    await b.put(stage.at('replaced'), 'x');
    await stage.expire(a);

    expect(await b.children(stage.at())).toEqual(['replaced']);
  });

  test('a session that is ended while connected is lost, and followed by a new one', async () => {
    const centre = await stage.open();
    const states = record(centre);
    const id = sessionId(centre);

    await stage.expire(centre);

    const lost = states.findIndex(({ phase }) => phase === 'lost');
    expect(states[lost]).toMatchObject({ phase: 'lost', id });
    expect(typeof reasonOf(states[lost])).toBe('string');
    expect(states.slice(0, lost).filter(({ phase }) => phase !== 'suspended')).toEqual([]);
    expect(states.slice(lost + 1)).toEqual([{ phase: 'connected', id: sessionId(centre) }]);
    expect(sessionId(centre)).notToBe(id);
    expect(await centre.create(stage.at('mine'), '', 'session')).toBe(true);
  });

  test('a session that is ended while disconnected is lost at the next contact', async () => {
    const centre = await stage.open();
    const states = record(centre);
    const id = sessionId(centre);

    await stage.disconnect(centre);
    await stage.server.expire(centre);
    expect(centre.session.state).toEqual({ phase: 'suspended', id });
    await stage.reconnect(centre);

    expect(states.map(({ phase }) => phase)).toEqual(['suspended', 'lost', 'connected']);
    expect(states[1]).toMatchObject({ id });
    expect(sessionId(centre)).notToBe(id);
  });

  test('without any contact the session is reported lost in time, before others see its nodes gone', async () => {
    const [a, b] = [await stage.open({ sessionTimeoutMilliseconds: 1_000 }), await stage.open()];
    await a.create(stage.at('mine'), '', 'session');
    const mirror = await b.mirror(stage.at());
    const events: string[] = [];
    a.session.onChange(({ phase }) => events.push(phase));
    mirror.onChange(() => {
      if (!mirror.nodes.has(stage.at('mine'))) events.push('gone');
    });

    await stage.server.disconnect(a);
    await until(() => events.includes('gone'), 'the session nodes are gone');

    expect(events).toEqual(['suspended', 'lost', 'gone']);
    await stage.reconnect(a);
    expect(await a.create(stage.at('mine'), '', 'session')).toBe(true);
  });

  test('a listener that throws does not keep others from being called, and one that left is not called', async () => {
    const centre = await stage.open();
    const told: string[] = [];
    const leave = centre.session.onChange(() => told.push('left'));
    centre.session.onChange(() => {
      throw new Error('a listener of the contract throws');
    });
    centre.session.onChange(({ phase }) => told.push(phase));

    leave();
    await stage.disconnect(centre);
    await stage.reconnect(centre);

    expect(told).toEqual(['suspended', 'connected']);
  });

  test('a change that a listener causes is reported after all listeners have been called with the one before', async () => {
    const centre = await stage.open();
    const heard: string[] = [];
    centre.session.onChange(({ phase }) => {
      if (phase === 'suspended') void centre.close();
    });
    centre.session.onChange(({ phase }) => heard.push(phase));

    await stage.server.disconnect(centre);
    await until(() => heard.includes('closed'), 'the centre is closed');

    expect(heard).toEqual(['suspended', 'closed']);
  });

  test('a listener finds the state with which it is called, and can use the registry as soon as it is connected', async () => {
    const centre = await stage.open();
    const differences: string[] = [];
    const written: Promise<void>[] = [];
    centre.session.onChange((state) => {
      if (state !== centre.session.state) differences.push(state.phase);
      if (state.phase === 'connected') written.push(centre.put(stage.at('back'), state.id));
    });

    await stage.expire(centre);
    await Promise.all(written);

    expect(differences).toEqual([]);
    expect(await centre.get(stage.at('back'))).toBe(sessionId(centre));
  });

  test('closing ends the session at once, and all later calls are refused', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    await a.create(stage.at('mine'), '', 'session');
    const states = record(a);

    await a.close();
    await a.close();

    expect(await b.children(stage.at())).toEqual([]);
    expect(states).toMatchObject([{ phase: 'closed' }]);
    expect(typeof reasonOf(states[0])).toBe('string');
    await expectRejection(a.get(stage.at()), 'REGISTRY_UNAVAILABLE');
    await expectRejection(a.put(stage.at(), ''), 'REGISTRY_UNAVAILABLE');
    await expectRejection(a.mirror(stage.at()), 'REGISTRY_UNAVAILABLE');
    a.connect();
    expect(a.session.state.phase).toBe('closed');
  });

  test('closing does not wait for a registry that cannot be reached', async () => {
    const [a, b] = [await stage.open({ sessionTimeoutMilliseconds: 1_000 }), await stage.open()];
    await a.create(stage.at('mine'), '', 'session');
    await stage.disconnect(a);

    await a.close();

    expect(a.session.state.phase).toBe('closed');
    await until(async () => (await b.children(stage.at())).length === 0, 'the session runs out at the server');
  });

  test('a session outlives many disconnections', async () => {
    const centre = await stage.open();
    const id = sessionId(centre);
    await centre.create(stage.at('mine'), '', 'session');

    for (let n = 0; n < 5; n++) {
      await stage.disconnect(centre);
      await stage.reconnect(centre);
    }

    await untilConnected(centre);
    expect(sessionId(centre)).toBe(id);
    expect(await centre.get(stage.at('mine'))).toBe('');
  });
}
