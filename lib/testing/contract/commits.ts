import { expect, rejection } from './expect.js';
import { operationBytes } from '../../registry/commit-limits.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { type Contract, expectRejection, nodeOf, sessionId, shown } from './stage.js';

/** Commits: as a whole or not at all, versions and revisions. */
export function commitPromises({ test, stage }: Contract): void {
  const node = async (centre: RegistryCenter, ...names: readonly string[]) => {
    const mirror = await centre.mirror(stage.at());
    return mirror.nodes.get(stage.at(...names));
  };

  test('all operations of a commit are carried out, at the one revision that is returned', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('changed'), 'old');
    await centre.create(stage.at('removed'), '');

    const revision = await centre.commit([
      { type: 'create', path: stage.at('created'), value: 'new' },
      { type: 'set', path: stage.at('changed'), value: 'new' },
      { type: 'remove', path: stage.at('removed') },
    ]);

    expect(await node(centre, 'created')).toEqual({ value: 'new', version: 0, revision, session: undefined });
    expect(await node(centre, 'changed')).toEqual({ value: 'new', version: 1, revision, session: undefined });
    expect(await node(centre, 'removed')).toBeUndefined();
  });

  test('revisions grow along the history of a child of the namespace, with any writer, over removal and re-creation', async () => {
    const [a, b] = [await stage.open(), await stage.open()];
    const mirror = await a.mirror(stage.at());
    const revisions: number[] = [];
    const noteRevision = async (): Promise<void> => {
      await mirror.sync();
      revisions.push(nodeOf(mirror, stage.at('x')).revision);
    };

    await a.create(stage.at('x'), '');
    await noteRevision();
    await b.put(stage.at('x'), '1');
    await noteRevision();
    await b.remove(stage.at('x'));
    await a.put(stage.at('x'), '2');
    await noteRevision();
    revisions.push(await b.commit([{ type: 'create', path: stage.at('y'), value: '' }]));

    expect(new Set(revisions).size).toBe(4);
    expect([...revisions].sort((x, y) => x - y)).toEqual(revisions);
  });

  test('a version counts the writes of the value and starts at 0 again with a new node', async () => {
    const centre = await stage.open();
    const mirror = await centre.mirror(stage.at());
    const version = async (): Promise<number | undefined> => {
      await mirror.sync();
      return mirror.nodes.get(stage.at('x'))?.version;
    };

    await centre.put(stage.at('x'), 'same');
    expect(await version()).toBe(0);
    await centre.put(stage.at('x'), 'same');
    expect(await version()).toBe(1);
    await centre.create(stage.at('x', 'child'), 'a child is no write of the value');
    expect(await version()).toBe(1);
    await centre.remove(stage.at('x'));
    await centre.put(stage.at('x'), 'same');
    expect(await version()).toBe(0);
  });

  test('operations on different paths of a commit see what earlier ones did', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('old', 'child'), '');
    await centre.create(stage.at('emptied', 'child'), '');

    const revision = await centre.commit([
      { type: 'check', path: stage.at('emptied'), version: 0 },
      { type: 'create', path: stage.at('new'), value: '' },
      { type: 'create', path: stage.at('new', 'child'), value: 'first' },
      { type: 'remove', path: stage.at('old', 'child') },
      { type: 'remove', path: stage.at('old') },
      { type: 'remove', path: stage.at('emptied', 'child') },
      { type: 'replace', path: stage.at('emptied'), value: 'another node' },
    ]);

    const mirror = await centre.mirror(stage.at());
    expect(shown(mirror)).toEqual({ '': '', '/new': '', '/new/child': 'first', '/emptied': 'another node' });
    expect(mirror.nodes.get(stage.at('new', 'child'))).toMatchObject({ version: 0, revision });
    expect(mirror.nodes.get(stage.at('emptied'))).toMatchObject({ revision });
  });

  test('a node that is replaced lives with the session that the new one names, or with none', async () => {
    const [former, owner] = [await stage.open(), await stage.open()];
    for (const name of ['taken', 'kept']) await former.create(stage.at(name), 'old', 'session');

    const revision = await owner.commit([
      { type: 'replace', path: stage.at('taken'), value: 'new', lifetime: 'session', version: 0 },
      { type: 'replace', path: stage.at('kept'), value: 'new' },
    ]);

    const mirror = await former.mirror(stage.at());
    const [taken, kept] = [nodeOf(mirror, stage.at('taken')), nodeOf(mirror, stage.at('kept'))];
    expect(taken).toMatchObject({ value: 'new', revision, session: sessionId(owner) });
    expect(kept).toMatchObject({ value: 'new', revision, session: undefined });
    await stage.expire(former);
    expect([...(await owner.children(stage.at()))].sort()).toEqual(['kept', 'taken']);
    await owner.commit([
      { type: 'set', path: stage.at('taken'), value: 'later', version: taken.version },
      { type: 'check', path: stage.at('kept'), version: kept.version },
    ]);
  });

  const misfits: readonly [string, string, 'exists' | 'absent' | 'changed', (path: string) => Operation][] = [
    ['a check of a missing node', 'none', 'absent', (path) => ({ type: 'check', path })],
    ['a check of another version', 'there', 'changed', (path) => ({ type: 'check', path, version: 7 })],
    ['a check of a version of a missing node', 'none', 'absent', (path) => ({ type: 'check', path, version: 0 })],
    ['a create of a node that is there', 'there', 'exists', (path) => ({ type: 'create', path, value: '' })],
    ['a create below a missing parent', 'none/x', 'absent', (path) => ({ type: 'create', path, value: '' })],
    ['a set of a missing node', 'none', 'absent', (path) => ({ type: 'set', path, value: '' })],
    ['a set at another version', 'there', 'changed', (path) => ({ type: 'set', path, value: '', version: 7 })],
    ['a remove of a missing node', 'none', 'absent', (path) => ({ type: 'remove', path })],
    ['a remove at another version', 'there', 'changed', (path) => ({ type: 'remove', path, version: 7 })],
    ['a remove of a node with children', 'parent', 'changed', (path) => ({ type: 'remove', path })],
    ['a replace of a missing node', 'none', 'absent', (path) => ({ type: 'replace', path, value: '' })],
    ['a replace at another version', 'there', 'changed', (path) => ({ type: 'replace', path, value: '', version: 7 })],
    ['a replace of a node with children', 'full', 'changed', (path) => ({ type: 'replace', path, value: '' })],
  ];
  for (const [name, where, reason, misfit] of misfits)
    test(`because of ${name} the whole commit is refused, and the error names its path`, async () => {
      const centre = await stage.open();
      for (const each of ['there', 'written']) await centre.create(stage.at(each), '');
      await centre.create(stage.at('parent', 'child'), '');
      await centre.create(stage.at('full', 'child'), '');
      const path = stage.at(where);

      const commit = centre.commit([
        { type: 'create', path: stage.at('before'), value: '' },
        { type: 'set', path: stage.at('written'), value: 'written' },
        misfit(path),
        { type: 'create', path: stage.at('after'), value: '' },
      ]);

      expect(await rejection(commit)).toMatchObject({ code: 'REGISTRY_CONFLICT', path, reason });
      const mirror = await centre.mirror(stage.at());
      const before = ['', '/full', '/full/child', '/parent', '/parent/child', '/there', '/written'];
      expect(shown(mirror)).toEqual(Object.fromEntries(before.map((each) => [each, ''])));
      expect(mirror.nodes.get(stage.at('written'))?.version).toBe(0);
    });

  test('operations that name the present version fit', async () => {
    const centre = await stage.open();
    await centre.put(stage.at('a'), '0');
    await centre.put(stage.at('a'), '1');
    await centre.put(stage.at('b'), '0');

    await centre.commit([
      { type: 'check', path: stage.at('a'), version: 1 },
      { type: 'set', path: stage.at('a'), value: '2', version: 1 },
      { type: 'remove', path: stage.at('b'), version: 0 },
    ]);

    expect(await centre.get(stage.at('a'))).toBe('2');
    expect(await centre.get(stage.at('b'))).toBeUndefined();
  });

  test('of many sessions that write at the same version, exactly one wins', async () => {
    const reader = await stage.open();
    const centres = [reader, await stage.open(), await stage.open()];
    const path = stage.at('raced');
    await reader.create(path, '');

    const outcomes = await Promise.allSettled(
      centres.map((centre, index) => centre.commit([{ type: 'set', path, value: String(index), version: 0 }])),
    );

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(await reader.get(path)).toBe(String(winner));
  });

  test('session nodes of a commit belong to the session that committed', async () => {
    const [owner, other] = [await stage.open(), await stage.open()];
    await owner.create(stage.at(), '');

    await owner.commit([{ type: 'create', path: stage.at('mine'), value: 'x', lifetime: 'session' }]);

    expect(await node(other, 'mine')).toMatchObject({ value: 'x', session: sessionId(owner) });
    await owner.close();
    expect(await node(other, 'mine')).toBeUndefined();
  });

  test('a commit of as many nodes as the limit says, or of a thousand, is accepted', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('items'), '');

    const length = Math.min(1_000, centre.limits.operations);

    await centre.commit(
      Array.from({ length }, (_, item) => ({
        type: 'create',
        path: stage.at('items', item),
        value: `value of item ${item}`,
      })),
    );

    expect((await centre.children(stage.at('items'))).length).toBe(length);
  });

  test('a commit of exactly as many operations as the limit says is accepted, one more is refused and changes nothing', async () => {
    const centre = await stage.open();
    await centre.create(stage.at(), '');
    const create = (name: string): Operation => ({ type: 'create', path: stage.at(name), value: '' });
    const checks: readonly Operation[] = Array.from({ length: centre.limits.operations - 2 }, () => ({
      type: 'check',
      path: '/',
    }));

    await expectRejection(centre.commit([create('a'), ...checks, create('b'), create('c')]), 'REGISTRY_REFUSED');
    expect(await centre.children(stage.at())).toEqual([]);

    await centre.commit([create('a'), ...checks, create('b')]);
    expect([...(await centre.children(stage.at()))].sort()).toEqual(['a', 'b']);
  });

  test('a commit of exactly as many bytes as the limit says is accepted, one more is refused and changes nothing', async () => {
    const centre = await stage.open();
    await centre.create(stage.at(), '');
    const { limits } = centre;
    const nodes = (bytes: number): readonly Operation[] =>
      Array.from({ length: 8 }, (_, index) => {
        const create = { type: 'create', path: stage.at(index), value: '' } as const;
        const room = Math.floor(bytes / 8) + (index < bytes % 8 ? 1 : 0) - operationBytes(create, limits);
        return { ...create, value: `é${'x'.repeat(room - 2)}` };
      });

    await expectRejection(centre.commit(nodes(limits.bytes + 1)), 'REGISTRY_REFUSED');
    expect(await centre.children(stage.at())).toEqual([]);

    await centre.commit(nodes(limits.bytes));
    expect((await centre.children(stage.at())).length).toBe(8);
  });

  test('a commit sent to a registry that cannot be reached has no effect later', async () => {
    const [centre, other] = [await stage.open(), await stage.open()];
    await other.create(stage.at(), '');
    await stage.disconnect(centre);
    await expectRejection(
      centre.commit([{ type: 'create', path: stage.at('late'), value: '' }]),
      'REGISTRY_UNAVAILABLE',
    );

    await stage.reconnect(centre);

    expect(await other.children(stage.at())).toEqual([]);
  });
}
