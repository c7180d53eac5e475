import { randomUUID } from 'node:crypto';
import { expect } from './expect.js';
import { type Lineage } from '../../registry/registry-center.js';
import { operationBytes } from '../../registry/commit-limits.js';
import { until } from './until.js';
import { type Contract, expectRejection, sessionId } from './stage.js';

/** Names of nodes that every implementation keeps, although some servers give their characters a meaning. */
const NAMES = ['作业 ä', 'café-ñ', '192.168.0.1@-@12345', '_unknown_ip_@-@1', 'a b', '%2F', '.hidden'];

const MALFORMED_PATHS = ['', 'relative', '/ends/', '//double', '/a//b', '/a/./b', '/a/../b', '/nul\0'];

/** Reading and writing single nodes, and the registry's time. */
export function nodePromises({ test, stage }: Contract): void {
  test('a node that is not there is undefined, and has no children', async () => {
    const centre = await stage.open();

    expect(await centre.get(stage.at('missing'))).toBeUndefined();
    expect(await centre.children(stage.at('missing'))).toEqual([]);
    expect(await centre.remove(stage.at('missing'))).toBe(false);
  });

  test('the full path of a node begins with a slash and ends with its path; that of the root has no slash at its end', async () => {
    const centre = await stage.open();

    expect(centre.fullPath('/job/config')).toMatch(/^\/.+\/job\/config$/);
    expect(`${centre.fullPath('/')}/job/config`).toBe(centre.fullPath('/job/config'));
  });

  test('a registry that cannot be reached is an error, never an absence, and nothing is changed', async () => {
    const centre = await stage.open();
    const path = stage.at('a');
    await stage.disconnect(centre);

    await expectRejection(centre.get(path), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.children(path), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.getAll([path]), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.childrenOfAll([path]), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.create(path, ''), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.put(path, ''), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.remove(path), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.commit([{ type: 'create', path, value: '' }]), 'REGISTRY_UNAVAILABLE');
    await expectRejection(centre.mirror(path), 'REGISTRY_UNAVAILABLE');
    if (centre.time) await expectRejection(centre.time(path), 'REGISTRY_UNAVAILABLE');
    await expectRejection(
      centre.exclusively(path, 5_000, () => Promise.resolve()),
      'REGISTRY_UNAVAILABLE',
    );

    await stage.reconnect(centre);
    expect(await centre.get(path)).toBeUndefined();
  });

  test('the lineage is the same for all sessions, and tells of children of the namespace that come and go', async () => {
    const path = `/lineage-${randomUUID()}`;
    const changesOf = (lineage: Lineage | undefined): number => lineage?.changes ?? Number.NaN;
    const [first, operator] = [await stage.open(), await stage.open()];
    await operator.create(`${path}/below`, '');
    const known = await first.lineage();
    await operator.put(`${path}/below`, 'changed');
    await operator.remove(`${path}/below`);
    const later = await (await stage.open()).lineage();

    expect(later?.id).toBe(known?.id);
    expect(changesOf(later) >= changesOf(known)).toBe(true);
    await operator.remove(path);
    const now = await (await stage.open()).lineage();
    expect(now?.id).toBe(known?.id);
    expect(changesOf(now)).toBeGreaterThan(changesOf(later));
  });

  test('many nodes are read at once, in the order asked for: each with its value, version and session, or undefined', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('a'), 'first');
    await centre.put(stage.at('a'), 'second');
    await centre.create(stage.at('b'), '', 'session');

    const nodes = await centre.getAll([stage.at('b'), stage.at('missing'), stage.at('a')]);

    expect(nodes).toMatchObject([
      { value: '', version: 0, session: sessionId(centre) },
      undefined,
      { value: 'second', version: 1, session: undefined },
    ]);
    expect(nodes[0]?.revision).toBeGreaterThan(nodes[2]?.revision);
    expect(await centre.getAll([])).toEqual([]);
  });

  test('the children of many nodes are listed at once, in the order asked for', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('a', 'one'), '');
    await centre.create(stage.at('a', 'two'), '');

    const [missing, ofA, ofOne] = await centre.childrenOfAll([
      stage.at('missing'),
      stage.at('a'),
      stage.at('a', 'one'),
    ]);

    expect(missing).toEqual([]);
    expect([...(ofA ?? [])].sort()).toEqual(['one', 'two']);
    expect(ofOne).toEqual([]);
  });

  test('of very many nodes, each is read', async () => {
    const centre = await stage.open();
    const names = Array.from({ length: 2_500 }, (_, index) => `n${index}`);
    await centre.create(stage.at('n7'), 'seven');
    await centre.create(stage.at('n2400', 'child'), '');

    const nodes = await centre.getAll(names.map((name) => stage.at(name)));
    const lists = await centre.childrenOfAll(names.map((name) => stage.at(name)));

    expect(nodes.flatMap((node, index) => (node ? [[index, node.value]] : []))).toEqual([
      [7, 'seven'],
      [2400, ''],
    ]);
    expect(lists.flatMap((list, index) => (list.length > 0 ? [[index, list]] : []))).toEqual([[2400, ['child']]]);
  });

  test('the empty text is a value, not an absence', async () => {
    const centre = await stage.open();

    await centre.create(stage.at('empty'), '');

    expect(await centre.get(stage.at('empty'))).toBe('');
  });

  test('create reports whether this call created the node, and leaves an existing one alone', async () => {
    const centre = await stage.open();

    expect(await centre.create(stage.at('a'), 'first')).toBe(true);
    expect(await centre.create(stage.at('a'), 'second')).toBe(false);

    expect(await centre.get(stage.at('a'))).toBe('first');
  });

  test('of many sessions that create or remove a node at the same time, exactly one gets true', async () => {
    const centres = [await stage.open(), await stage.open()];
    const path = stage.at('raced');
    const eachTenTimes = <T>(ask: (centre: (typeof centres)[number]) => Promise<T>): Promise<T[]> =>
      Promise.all(centres.flatMap((centre) => Array.from({ length: 10 }, () => ask(centre))));

    const created = await eachTenTimes((centre) => centre.create(path, ''));
    const removed = await eachTenTimes((centre) => centre.remove(path));

    expect(created.filter(Boolean).length).toBe(1);
    expect(removed.filter(Boolean).length).toBe(1);
  });

  test('missing parents are created with the node, empty', async () => {
    const centre = await stage.open();

    await centre.create(stage.at('a', 'b', 'c'), 'x');
    await centre.put(stage.at('d', 'e'), 'y');

    expect(await centre.get(stage.at('a', 'b'))).toBe('');
    expect(await centre.get(stage.at('d'))).toBe('');
    expect([...(await centre.children(stage.at()))].sort()).toEqual(['a', 'd']);
  });

  test('put writes over what is there and creates what is not', async () => {
    const centre = await stage.open();

    await centre.put(stage.at('a'), 'one');
    await centre.put(stage.at('a'), 'two');

    expect(await centre.get(stage.at('a'))).toBe('two');
  });

  test('children are names of direct children only', async () => {
    const centre = await stage.open();
    for (const name of ['1', '10', 'x']) await centre.create(stage.at('a', name, 'below'), '');

    const names = await centre.children(stage.at('a'));

    expect([...names].sort()).toEqual(['1', '10', 'x']);
  });

  test('the root of the namespace has the top nodes as its children', async () => {
    const centre = await stage.open();
    await centre.create(stage.at(), '');

    expect(await centre.children('/')).toContain(stage.at().slice(1));
  });

  test('remove takes all that is below, and no sibling whose name begins alike', async () => {
    const centre = await stage.open();
    for (const name of ['1', '10']) await centre.create(stage.at('items', name, 'running', 'deep'), '');

    expect(await centre.remove(stage.at('items', 1))).toBe(true);
    expect(await centre.remove(stage.at('items', 1))).toBe(false);

    expect(await centre.children(stage.at('items'))).toEqual(['10']);
    expect(await centre.get(stage.at('items', 10, 'running', 'deep'))).toBe('');
  });

  test('another session sees a write as soon as the writer has its answer', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('a'), 'x');
    const mirror = await reader.mirror(stage.at());

    await mirror.sync();

    expect(await reader.get(stage.at('a'))).toBe('x');
  });

  for (const name of NAMES)
    test(`a node may be called ${name}, and so may its value`, async () => {
      const centre = await stage.open();

      await centre.put(stage.at(name, 'x'), `${name}\n\t"'\\ ${name}`);

      expect(await centre.children(stage.at())).toEqual([name]);
      expect(await centre.get(stage.at(name, 'x'))).toBe(`${name}\n\t"'\\ ${name}`);
    });

  test('a value as large as the limits say is kept', async () => {
    const centre = await stage.open();
    const { limits } = centre;
    const room = limits.bytes - operationBytes({ type: 'create', path: stage.at('large'), value: '' }, limits);
    const value = '業'.repeat(Math.floor(Math.min(limits.valueBytes, room) / 3));

    await centre.put(stage.at('large'), value);

    expect((await centre.get(stage.at('large'))) === value).toBe(true);
  });

  test('a larger value is refused with a reason, and the session goes on', async () => {
    const centre = await stage.open();
    const id = sessionId(centre);
    const value = 'x'.repeat(centre.limits.valueBytes + 1);
    const path = stage.at('oversized');
    await centre.create(stage.at(), '');

    await expectRejection(centre.put(path, value), 'REGISTRY_REFUSED');
    await expectRejection(centre.create(path, value), 'REGISTRY_REFUSED');
    await expectRejection(centre.commit([{ type: 'create', path, value }]), 'REGISTRY_REFUSED');

    expect(await centre.children(stage.at())).toEqual([]);
    expect(sessionId(centre)).toBe(id);
  });

  test('a session node cannot have children', async () => {
    const centre = await stage.open();
    await centre.create(stage.at('mine'), '', 'session');
    const child = stage.at('mine', 'child');

    await expectRejection(centre.create(child, ''), 'REGISTRY_REFUSED');
    await expectRejection(centre.put(child, ''), 'REGISTRY_REFUSED');
    await expectRejection(centre.commit([{ type: 'create', path: child, value: '' }]), 'REGISTRY_REFUSED');

    expect(await centre.get(stage.at('mine'))).toBe('');
  });

  for (const path of MALFORMED_PATHS)
    test(`the path ${JSON.stringify(path)} is refused before anything is sent`, async () => {
      const centre = await stage.open();

      await expectRejection(centre.get(path), 'REGISTRY_REFUSED');
      await expectRejection(centre.put(path, ''), 'REGISTRY_REFUSED');
      await expectRejection(centre.commit([{ type: 'check', path }]), 'REGISTRY_REFUSED');
    });

  test('the time of the registry, if it can be asked for, is the same for all centres, goes on and never back, and counts milliseconds since 1970', async () => {
    const centres = [await stage.open(), await stage.open()];
    const times: number[] = [];
    const ask = async (): Promise<void> => {
      for (const centre of centres) if (centre.time) times.push(await centre.time(stage.at('time', 'now')));
    };

    for (let round = 0; round < 10; round++) await ask();
    if (times.length === 0) return;
    await until(async () => {
      await ask();
      return Math.max(...times) > (times[0] ?? Infinity);
    }, 'time to go on');

    expect([...times].sort((a, b) => a - b)).toEqual(times);
    expect(new Date(Math.min(...times)).getUTCFullYear()).toBeGreaterThan(2000);
  });
}
