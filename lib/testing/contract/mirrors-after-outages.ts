import { expect } from './expect.js';
import { until } from './until.js';
import { type Contract, expectRejection, nodeOf, sessionId, shown } from './stage.js';

/** Mirrors whose connection or session breaks. */
export function mirrorRecoveryPromises({ test, stage }: Contract): void {
  test('a disconnected mirror keeps what it showed, says that it is not current, and cannot sync', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('a'), 'before');
    const mirror = await reader.mirror(stage.at());
    let toldThatItIsOutdated = false;
    mirror.onChange(() => (toldThatItIsOutdated ||= !mirror.isCurrent));

    await stage.disconnect(reader);
    await writer.put(stage.at('a'), 'meanwhile');
    await until(() => !mirror.isCurrent, 'the mirror is not current');

    expect(toldThatItIsOutdated).toBe(true);
    expect(shown(mirror)).toEqual({ '': '', '/a': 'before' });
    await expectRejection(mirror.sync(), 'REGISTRY_UNAVAILABLE');
  });

  test('after a disconnection a mirror converges on all that happened meanwhile', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    for (const name of ['unchanged', 'changed', 'removed', 'replaced']) await writer.put(stage.at(name), name);
    await writer.create(stage.at('subtree', 'deep'), '');
    const mirror = await reader.mirror(stage.at());
    const before = mirror.nodes;
    const id = sessionId(reader);

    await stage.disconnect(reader);
    await writer.create(stage.at('created', 'deep'), 'new');
    await writer.put(stage.at('changed'), 'other');
    await writer.remove(stage.at('removed'));
    await writer.remove(stage.at('subtree'));
    await writer.remove(stage.at('replaced'));
    await writer.create(stage.at('replaced'), 'replaced');
    await stage.reconnect(reader);
    await until(() => mirror.isCurrent, 'the mirror is current again');

    expect(sessionId(reader)).toBe(id);
    expect(shown(mirror)).toEqual({
      '': '',
      '/changed': 'other',
      '/created': '',
      '/created/deep': 'new',
      '/replaced': 'replaced',
      '/unchanged': 'unchanged',
    });
    const revision = (name: string, nodes = mirror.nodes): number => nodeOf({ nodes }, stage.at(name)).revision;
    expect(revision('replaced')).toBeGreaterThan(revision('replaced', before));
    expect(revision('unchanged')).toBe(revision('unchanged', before));
  });

  test('a mirror shows nothing older and no mixture while it catches up', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const write = async (n: number): Promise<void> => {
      for (const name of ['a', 'b']) await writer.put(stage.at(name), String(n));
    };
    await write(0);
    const mirror = await reader.mirror(stage.at());
    const seen: { readonly a: number; readonly b: number }[] = [];
    const number = (name: string): number => Number(mirror.nodes.get(stage.at(name))?.value);
    mirror.onChange(() => seen.push({ a: number('a'), b: number('b') }));

    for (let n = 1; n <= 5; n++) {
      await stage.disconnect(reader);
      await write(2 * n);
      await Promise.all([stage.reconnect(reader), write(2 * n + 1)]);
    }
    await until(() => mirror.isCurrent && mirror.nodes.get(stage.at('b'))?.value === '11', 'the mirror has caught up');

    expect(seen.filter(({ a, b }) => a < b)).toEqual([]);
    const order = seen.map(({ a }) => a);
    expect([...order].sort((x, y) => x - y)).toEqual(order);
  });

  test('a sync that a listener of the new connection asks for covers what happened meanwhile', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('a'), 'before');
    const synced: Promise<unknown>[] = [];
    reader.session.onChange(({ phase }) => {
      if (phase === 'connected') synced.push(mirror.sync().then(() => shown(mirror)));
    });
    const mirror = await reader.mirror(stage.at());

    await stage.disconnect(reader);
    await writer.put(stage.at('a'), 'meanwhile');
    await stage.reconnect(reader);

    expect(await Promise.all(synced)).toEqual([{ '': '', '/a': 'meanwhile' }]);
  });

  test('a mirror outlives its session and loses the nodes that lived with it', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('mine'), '', 'session');
    await centre.create(stage.at('kept'), '');
    const mirror = await centre.mirror(stage.at());

    await stage.expire(centre);
    await until(() => mirror.isCurrent && !mirror.nodes.has(stage.at('mine')), 'the mirror shows the new moment');

    expect(shown(mirror)).toEqual({ '': '', '/kept': '' });
    await centre.create(stage.at('later'), '');
    await mirror.sync();
    expect(mirror.nodes.has(stage.at('later'))).toBe(true);
  });

  test('a mirror of a root that was missing before and after an outage still notices its creation', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await reader.mirror(stage.at('root'));

    await stage.disconnect(reader);
    await stage.reconnect(reader);
    await until(() => mirror.isCurrent, 'the mirror is current again');
    expect(mirror.nodes.size).toBe(0);
    await writer.create(stage.at('root', 'a'), 'x');

    await until(() => mirror.nodes.size === 2, 'the mirror shows the new root');
  });

  test('values of presence-only nodes do not survive a change during an outage', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('running'), 'first');
    const mirror = await reader.mirror(stage.at(), { presenceOnly: () => true });
    await mirror.load();

    await stage.disconnect(reader);
    await writer.remove(stage.at('running'));
    await writer.create(stage.at('running'), 'second');
    await stage.reconnect(reader);
    await until(() => mirror.isCurrent, 'the mirror is current again');

    expect(mirror.nodes.get(stage.at('running'))?.value).notToBe('first');
    await mirror.load();
    expect(mirror.nodes.get(stage.at('running'))?.value).toBe('second');
  });

  test('closing the centre closes its mirrors', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('a'), '');
    const mirror = await centre.mirror(stage.at());

    await centre.close();

    expect(mirror.isCurrent).toBe(false);
    await expectRejection(mirror.sync(), 'REGISTRY_UNAVAILABLE');
    await expectRejection(mirror.load(), 'REGISTRY_UNAVAILABLE');
  });
}
