import { expect } from './expect.js';
import { type Mirror, type MirrorOptions, type RegistryCenter } from '../../registry/registry-center.js';
import { until } from './until.js';
import { type Contract, shown } from './stage.js';

/** Mirrors that follow only a part of their subtree, as long as only what is routine happens there. */
export function narrowedMirrorPromises({ test, stage }: Contract): void {
  const options: MirrorOptions = { isRoutine: (path) => path.endsWith('/mark') };
  const scope = (): readonly string[] => [stage.at('mine'), stage.at('rare')];

  /** A narrowed mirror, whose subtree has nodes within its scope and outside of it. */
  async function narrowed(reader: RegistryCenter, writer: RegistryCenter): Promise<Mirror> {
    for (const name of ['mine', 'rare', 'theirs']) await writer.put(stage.at(name), 'before');
    const mirror = await reader.mirror(stage.at(), options);
    await mirror.sync();
    expect(await mirror.narrow(scope())).toBe(true);
    expect(mirror.isNarrowed).toBe(true);
    return mirror;
  }

  /** A routine change within the scope, and that the mirror shows it: all that was told before has arrived by then. */
  async function passRoutine(mirror: Mirror, writer: RegistryCenter, value: string): Promise<void> {
    const path = stage.at('mine', 'mark');
    await writer.put(path, value);
    await until(() => mirror.nodes.get(path)?.value === value, 'the mirror shows a routine change within its scope');
  }

  test('a narrowed mirror shows routine changes within its scope, and nothing that happens outside of it', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);

    await writer.put(stage.at('theirs'), 'after');
    await writer.create(stage.at('theirs', 'mark'), '');
    await passRoutine(mirror, writer, '1');
    await passRoutine(mirror, writer, '2');

    expect(mirror.isNarrowed).toBe(true);
    expect(mirror.isCurrent).toBe(true);
    expect(shown(mirror)).toEqual({
      '': '',
      '/mine': 'before',
      '/mine/mark': '2',
      '/rare': 'before',
      '/theirs': 'before',
    });
  });

  test('a change that is not routine widens the mirror, which shows it together with all that it has missed', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);
    const seen: unknown[] = [];
    mirror.onChange(() => seen.push(shown(mirror)));

    await writer.put(stage.at('theirs'), 'after');
    await writer.put(stage.at('rare'), 'after');
    await until(() => mirror.nodes.get(stage.at('rare'))?.value === 'after', 'the mirror shows what widened it');

    expect(mirror.isNarrowed).toBe(false);
    expect(seen).toEqual([{ '': '', '/mine': 'before', '/rare': 'after', '/theirs': 'after' }]);
    await writer.put(stage.at('theirs'), 'later');
    await until(() => mirror.nodes.get(stage.at('theirs'))?.value === 'later', 'the mirror follows everything again');
  });

  const changes: Readonly<Record<string, (path: string, writer: RegistryCenter) => Promise<unknown>>> = {
    comes: (path, writer) => writer.create(`${path}/child`, ''),
    goes: (path, writer) => writer.remove(path),
  };
  for (const [name, change] of Object.entries(changes))
    test(`a node within the scope that ${name} widens the mirror`, async () => {
      const [writer, reader] = [await stage.open(), await stage.open()];
      const mirror = await narrowed(reader, writer);

      await writer.put(stage.at('theirs'), 'after');
      await change(stage.at('rare'), writer);

      await until(() => mirror.nodes.get(stage.at('theirs'))?.value === 'after', 'the mirror shows what it has missed');
      expect(mirror.isNarrowed).toBe(false);
    });

  const waysToCatchUp: Readonly<Record<string, (mirror: Mirror) => Promise<void>>> = {
    sync: (mirror) => mirror.sync(),
    load: (mirror) => mirror.load(),
    'widen, followed by sync': (mirror) => (mirror.widen(), mirror.sync()),
  };
  for (const [name, catchUp] of Object.entries(waysToCatchUp))
    test(`${name} shows what was committed outside of the scope before`, async () => {
      const [writer, reader] = [await stage.open(), await stage.open()];
      const mirror = await narrowed(reader, writer);
      await writer.put(stage.at('theirs'), 'after');

      await catchUp(mirror);

      expect(mirror.isNarrowed).toBe(false);
      expect(mirror.nodes.get(stage.at('theirs'))?.value).toBe('after');
      expect(mirror.isCurrent).toBe(true);
    });

  test('load reads the values that a narrowed mirror has left unread', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('mine', 'mark'), 'value');
    await writer.put(stage.at('theirs', 'mark'), 'value');
    const mirror = await reader.mirror(stage.at(), { ...options, presenceOnly: (path) => path.endsWith('/mark') });
    expect(await mirror.narrow(scope())).toBe(true);

    await mirror.load();

    expect(mirror.isNarrowed).toBe(false);
    expect(mirror.nodes.get(stage.at('mine', 'mark'))?.value).toBe('value');
    expect(mirror.nodes.get(stage.at('theirs', 'mark'))?.value).toBe('value');
  });

  test('a narrowed mirror whose whole subtree is removed shows that, and notifies of it', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);
    const seen: number[] = [];
    mirror.onChange(() => seen.push(mirror.nodes.size));

    await writer.remove(stage.at());

    await until(() => seen.at(-1) === 0, 'the mirror notifies that nothing is left');
    expect(mirror.isNarrowed).toBe(false);
  });

  test('a mirror that widens says so until it has read everything', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);
    expect(mirror.isWidening).toBe(false);
    const seen: unknown[] = [];
    mirror.onChange(() => seen.push([mirror.isWidening, mirror.nodes.get(stage.at('theirs'))?.value]));

    await writer.put(stage.at('theirs'), 'after');
    mirror.widen();
    expect([mirror.isWidening, mirror.isNarrowed, mirror.isCurrent]).toEqual([true, false, true]);
    expect(await mirror.narrow(scope())).toBe(false);
    await mirror.sync();

    expect(seen).toEqual([[false, 'after']]);
    expect(mirror.isWidening).toBe(false);
    mirror.close();
    expect(mirror.isWidening).toBe(false);
  });

  test('routine writes of our own within the scope leave the mirror narrowed', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);
    const own = stage.at('mine', 'mark');

    await reader.commit([{ type: 'create', path: own, value: 'own', lifetime: 'session' }]);
    await until(() => mirror.nodes.get(own)?.value === 'own', 'the mirror shows our own commit');
    await reader.commit([{ type: 'remove', path: own }]);
    await until(() => !mirror.nodes.has(own), 'the mirror shows that the node is gone');

    expect(mirror.isNarrowed).toBe(true);
  });

  test('a write of our own outside of the scope widens the mirror, which shows it', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);

    await reader.put(stage.at('theirs'), 'ours');

    await until(() => mirror.nodes.get(stage.at('theirs'))?.value === 'ours', 'the mirror shows our own write');
    expect(mirror.isNarrowed).toBe(false);
  });

  test('after a disconnection the mirror follows everything', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);
    await stage.disconnect(reader);
    expect(mirror.isNarrowed).toBe(false);
    await writer.put(stage.at('theirs'), 'meanwhile');

    await stage.reconnect(reader);
    await until(() => mirror.isCurrent, 'the mirror has caught up');

    expect(mirror.nodes.get(stage.at('theirs'))?.value).toBe('meanwhile');
    await writer.put(stage.at('theirs'), 'later');
    await until(() => mirror.nodes.get(stage.at('theirs'))?.value === 'later', 'the mirror follows everything');
  });

  test('a mirror can be narrowed again after it was widened, and not twice at once', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const mirror = await narrowed(reader, writer);
    expect(await mirror.narrow(scope())).toBe(false);
    await mirror.sync();

    expect(await mirror.narrow(scope())).toBe(true);
    await writer.put(stage.at('theirs'), 'unseen');
    await passRoutine(mirror, writer, '1');
    expect(mirror.nodes.get(stage.at('theirs'))?.value).toBe('before');
  });

  test('a mirror that is out of date or closed cannot be narrowed', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('mine'), 'before');
    const mirror = await reader.mirror(stage.at(), options);
    await stage.disconnect(reader);
    expect(await mirror.narrow(scope())).toBe(false);
    await stage.reconnect(reader);
    await until(() => mirror.isCurrent, 'the mirror has caught up');
    mirror.close();
    expect(await mirror.narrow(scope())).toBe(false);
  });

  test('a second mirror of the same subtree follows everything beside a narrowed one', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    const first = await narrowed(reader, writer);
    const second = await reader.mirror(stage.at(), options);

    await writer.put(stage.at('theirs'), 'after');
    await until(() => second.nodes.get(stage.at('theirs'))?.value === 'after', 'the second mirror shows everything');
    await passRoutine(first, writer, '1');
    expect(first.nodes.get(stage.at('theirs'))?.value).toBe('before');

    second.close();
    await first.sync();
    await writer.put(stage.at('theirs'), 'later');
    await until(
      () => first.nodes.get(stage.at('theirs'))?.value === 'later',
      'the first mirror follows everything again',
    );
  });
}

/** Mirrors of an implementation that always follows everything. */
export function unnarrowedMirrorPromises({ test, stage }: Contract): void {
  test('a mirror that cannot be narrowed says so, and goes on following everything', async () => {
    const [writer, reader] = [await stage.open(), await stage.open()];
    await writer.put(stage.at('mine'), 'before');
    const mirror = await reader.mirror(stage.at());

    expect(await mirror.narrow([stage.at('mine')])).toBe(false);
    mirror.widen();
    expect([mirror.isNarrowed, mirror.isWidening, mirror.isCurrent]).toEqual([false, false, true]);

    await writer.put(stage.at('theirs'), 'after');
    await until(() => mirror.nodes.get(stage.at('theirs'))?.value === 'after', 'the mirror shows everything');
    expect([mirror.isNarrowed, mirror.isWidening]).toEqual([false, false]);
  });
}
