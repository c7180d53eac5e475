import { expect } from './expect.js';
import { type Mirror } from '../../registry/registry-center.js';
import { until } from './until.js';
import { type Contract, nodeOf, sessionId, shown } from './stage.js';

/** Mirrors without faults: complete, in order, one commit as a whole. */
export function mirrorPromises({ test, stage }: Contract): void {
  /** The states of a mirror at each call of its listeners. */
  const moments = (mirror: Mirror): Record<string, string | undefined>[] => {
    const seen: Record<string, string | undefined>[] = [];
    mirror.onChange(() => seen.push(shown(mirror)));
    return seen;
  };

  test('a new mirror is complete: the whole subtree, its root, values, versions, and the sessions of session nodes', async () => {
    const [owner, reader] = [await stage.open(), await stage.open()];
    await owner.create(stage.at('1', 'a', 'b'), 'deep');
    await owner.put(stage.at('1'), 'root');
    await owner.create(stage.at('1', 'mine'), 'x', 'session');
    await owner.create(stage.at('10'), 'a sibling whose name begins alike');

    const mirror = await reader.mirror(stage.at('1'));

    expect(mirror.path).toBe(stage.at('1'));
    expect(mirror.isCurrent).toBe(true);
    expect(shown(mirror)).toEqual({ '': 'root', '/a': '', '/a/b': 'deep', '/mine': 'x' });
    expect(mirror.nodes.get(stage.at('1'))).toMatchObject({ version: 1, session: undefined });
    expect(mirror.nodes.get(stage.at('1', 'mine'))).toMatchObject({ version: 0, session: sessionId(owner) });
  });

  test('a mirror of a root that does not exist is empty, and shows the root once it does', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await reader.mirror(stage.at('a', 'b'));
    expect(mirror.isCurrent).toBe(true);
    expect(mirror.nodes.size).toBe(0);

    await writer.create(stage.at('a', 'b', 'c'), 'x');

    await until(() => mirror.nodes.size > 0, 'the mirror shows the new root');
    expect(shown(mirror)).toEqual({ '': '', '/c': 'x' });
  });

  test('a mirror follows what any session creates, writes and removes, and notifies its listeners', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await reader.mirror(stage.at());
    const seen = moments(mirror);
    const follows = (expected: Record<string, string>): Promise<void> =>
      until(
        () => JSON.stringify(seen.at(-1)) === JSON.stringify(expected),
        `the mirror shows ${JSON.stringify(expected)}`,
      );

    await writer.create(stage.at('a', 'b'), '1');
    await follows({ '': '', '/a': '', '/a/b': '1' });
    await writer.put(stage.at('a', 'b'), '2');
    await follows({ '': '', '/a': '', '/a/b': '2' });
    await reader.create(stage.at('c'), '3', 'session');
    await follows({ '': '', '/a': '', '/a/b': '2', '/c': '3' });
    await writer.remove(stage.at('a'));
    await follows({ '': '', '/c': '3' });
    await writer.remove(stage.at());
    await follows({});
    await writer.create(stage.at('a'), 'again');
    await follows({ '': '', '/a': 'again' });
  });

  test('a mirror never shows a later change without an earlier one', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('a'), '0');
    await writer.put(stage.at('b'), '0');
    const mirror = await reader.mirror(stage.at());
    const seen = moments(mirror);

    // Each write waits for the one before: b is written only after a.
    for (let n = 1; n <= 100; n++) {
      await writer.put(stage.at('a'), String(n));
      await writer.put(stage.at('b'), String(n));
    }
    await until(() => mirror.nodes.get(stage.at('b'))?.value === '100', 'the mirror shows the last write');

    const lead = seen.map((moment) => Number(moment['/a']) - Number(moment['/b']));
    expect(lead.filter((difference) => difference !== 0 && difference !== 1)).toEqual([]);
    const order = seen.map((moment) => Number(moment['/b']));
    expect([...order].sort((x, y) => x - y)).toEqual(order);
  });

  test('a mirror shows a commit as a whole', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.create(stage.at('a'), '0');
    await writer.create(stage.at('b'), '0');
    await writer.create(stage.at('c0'), '');
    const mirror = await reader.mirror(stage.at());
    const seen = moments(mirror);

    for (let n = 1; n <= 50; n++) {
      await writer.commit([
        { type: 'set', path: stage.at('a'), value: String(n) },
        { type: 'remove', path: stage.at(`c${n - 1}`) },
        { type: 'create', path: stage.at(`c${n}`), value: '' },
        { type: 'set', path: stage.at('b'), value: String(n) },
      ]);
    }
    await until(() => mirror.nodes.get(stage.at('b'))?.value === '50', 'the mirror shows the last commit');

    const mixtures = seen.filter((moment) => {
      const n = moment['/a'];
      return JSON.stringify(moment) !== JSON.stringify({ '': '', '/a': n, '/b': n, [`/c${n}`]: '' });
    });
    expect(mixtures).toEqual([]);
  });

  test('a node that was shown never changes', async () => {
    const centre = await stage.open();
    await centre.put(stage.at('a'), 'before');
    const mirror = await centre.mirror(stage.at());
    const node = mirror.nodes.get(stage.at('a'));

    await centre.put(stage.at('a'), 'after');
    await mirror.sync();

    expect(node?.value).toBe('before');
    expect(mirror.nodes.get(stage.at('a'))?.value).toBe('after');
  });

  test('says which nodes have changed since a moment, and that nothing has changed since the present one', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    for (const name of ['kept', 'changed', 'removed']) await writer.put(stage.at(name), '1');
    const mirror = await reader.mirror(stage.at());
    const { moment } = mirror;
    expect(mirror.changesSince(moment)).toEqual([]);

    await writer.put(stage.at('changed'), '2');
    await writer.remove(stage.at('removed'));
    await writer.put(stage.at('new'), '1');
    await mirror.sync();

    expect(mirror.moment).toBeGreaterThan(moment);
    expect(new Set(mirror.changesSince(moment))).toEqual(
      new Set([stage.at('changed'), stage.at('removed'), stage.at('new')]),
    );
    expect(mirror.changesSince(mirror.moment)).toEqual([]);
  });

  test('names all nodes that have changed since a moment, or admits that it does not know them any more', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('a'), '0');
    const mirror = await reader.mirror(stage.at());
    const before = new Map(mirror.nodes);
    const { moment } = mirror;

    for (let n = 1; n <= 200; n++) {
      await writer.put(stage.at(`n${n % 7}`), String(n));
      await mirror.sync();
      const changes = mirror.changesSince(moment);
      const paths = [...new Set([...before.keys(), ...mirror.nodes.keys()])];
      const changed = paths.filter((path) => before.get(path) !== mirror.nodes.get(path));
      if (changes !== undefined) expect(changed.filter((path) => !changes.includes(path))).toEqual([]);
    }
    expect(mirror.changesSince(moment)).toBeUndefined();
    expect(mirror.changesSince(mirror.moment)).toEqual([]);
  });

  test('a node that was removed and created again has another revision', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.create(stage.at('a'), 'same');
    const mirror = await reader.mirror(stage.at());
    const before = nodeOf(mirror, stage.at('a'));

    await writer.remove(stage.at('a'));
    await writer.create(stage.at('a'), 'same');
    await mirror.sync();

    const after = nodeOf(mirror, stage.at('a'));
    expect(after).toMatchObject({ value: 'same', version: 0 });
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  test('sync shows everything that another session had committed before', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await reader.mirror(stage.at());

    for (let n = 0; n < 30; n++) {
      await writer.put(stage.at('n'), String(n));
      await mirror.sync();
      expect(mirror.nodes.get(stage.at('n'))?.value).toBe(String(n));
    }
  });

  test('sync shows our own commit', async () => {
    const centre = await stage.open();
    const mirror = await centre.mirror(stage.at());
    await centre.create(stage.at(), '');

    const revision = await centre.commit([{ type: 'create', path: stage.at('a'), value: 'x' }]);
    await mirror.sync();

    expect(mirror.nodes.get(stage.at('a'))).toMatchObject({ value: 'x', revision });
  });

  test('of presence-only nodes the values may be missing until load, of all others they are shown', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.create(stage.at('running'), 'early');
    const mirror = await reader.mirror(stage.at(), { presenceOnly: (path) => path === stage.at('running') });
    expect([undefined, 'early']).toContain(shown(mirror)['/running']);

    await writer.put(stage.at('config'), 'read');
    await writer.remove(stage.at('running'));
    await writer.create(stage.at('running'), 'late');
    await mirror.sync();
    expect(shown(mirror)).toMatchObject({ '': '', '/config': 'read' });
    expect([undefined, 'late']).toContain(shown(mirror)['/running']);

    await mirror.load();
    expect(shown(mirror)).toEqual({ '': '', '/config': 'read', '/running': 'late' });
    expect(mirror.nodes.get(stage.at('running'))).toMatchObject({ version: 0, session: undefined });
  });

  test('a presence-only value that was loaded is never shown after another session has written the node', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('running'), 'first');
    const mirror = await reader.mirror(stage.at(), { presenceOnly: () => true });
    await mirror.load();

    await writer.put(stage.at('running'), 'second');
    await mirror.sync();
    expect(mirror.nodes.get(stage.at('running'))?.value).notToBe('first');
    await mirror.load();
    expect(mirror.nodes.get(stage.at('running'))?.value).toBe('second');

    await writer.remove(stage.at('running'));
    await writer.create(stage.at('running'), 'third');
    await mirror.sync();
    expect(mirror.nodes.get(stage.at('running'))?.value).notToBe('second');
    await mirror.load();
    expect(mirror.nodes.get(stage.at('running'))?.value).toBe('third');
  });

  test('values of presence-only nodes that this centre wrote itself are known without load', async () => {
    const centre = await stage.open();
    const mirror = await centre.mirror(stage.at(), { presenceOnly: (path) => path !== stage.at() });

    await centre.create(stage.at('created'), 'a', 'session');
    await centre.commit([{ type: 'create', path: stage.at('committed'), value: 'b' }]);
    await mirror.sync();

    expect(shown(mirror)).toEqual({ '': '', '/committed': 'b', '/created': 'a' });
  });

  test('a closed mirror calls no listener and stays as it was', async () => {
    const centre = await stage.open();
    const [closed, open] = [await centre.mirror(stage.at()), await centre.mirror(stage.at())];
    const seen = moments(closed);

    closed.close();
    closed.close();
    await centre.create(stage.at('a'), '');
    await until(() => open.nodes.size > 0, 'the other mirror of the same path goes on');

    expect(seen).toEqual([]);
    expect(closed.nodes.size).toBe(0);
    expect(closed.isCurrent).toBe(false);
  });

  test('closing a mirror leaves mirrors above and below it alone', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const [outer, middle, inner] = [
      await reader.mirror(stage.at()),
      await reader.mirror(stage.at('a')),
      await reader.mirror(stage.at('a', 'b')),
    ];

    middle.close();
    await writer.create(stage.at('a', 'b', 'c'), 'x');

    await until(() => outer.nodes.has(stage.at('a', 'b', 'c')), 'the outer mirror follows');
    await until(() => inner.nodes.has(stage.at('a', 'b', 'c')), 'the inner mirror follows');
  });

  test('a listener that throws does not keep others from being called, and one that left is not called', async () => {
    const centre = await stage.open();
    const mirror = await centre.mirror(stage.at());
    const told: string[] = [];
    const leave = mirror.onChange(() => told.push('left'));
    mirror.onChange(() => {
      throw new Error('a listener of the contract throws');
    });
    mirror.onChange(() => told.push('stayed'));

    leave();
    await centre.create(stage.at('a'), '');
    await mirror.sync();

    expect(new Set(told)).toEqual(new Set(['stayed']));
  });
}
