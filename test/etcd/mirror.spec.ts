import { describe, expect, test } from '@jest/globals';
import { EtcdKeys } from '../../lib/registry/etcd/etcd-keys.js';
import { EtcdMirror, type EtcdMirrorContext } from '../../lib/registry/etcd/etcd-mirror.js';
import { type Snapshot } from '../../lib/registry/etcd/etcd-reads.js';
import { type Follower } from '../../lib/registry/etcd/tree-watch.js';
import { systemClock } from '../../lib/time/clock.js';

const keys = new EtcdKeys('orders');

/** A connected session whose changes arrive, and whose subtree is read, when a test says so. */
function scripted() {
  let follower: Follower = () => undefined;
  let answer: (snapshot: Snapshot) => void = () => undefined;
  const connection = {
    watch: {
      follow: (_: string, each: Follower) => {
        follower = each;
        return () => undefined;
      },
    },
  };
  const context = {
    session: { connected: { id: 'a', connection }, onChangeFirst: () => () => undefined },
    reads: { snapshot: () => new Promise<Snapshot>((resolve) => (answer = resolve)) },
    logger: { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined },
    ...{ keys, clock: systemClock, settings: { pause: { baseMs: 1, maxMs: 1 } } },
  } as unknown as EtcdMirrorContext;
  const change = (path: string, value: string, revision: number): void =>
    follower([{ path, revision, node: { value, version: 0, revision, session: undefined } }]);
  const read = (revision: number, nodes: Readonly<Record<string, string>>): void => {
    const kvs = Object.entries(nodes).map(([path, value]) => {
      const revisions = { createRevision: '1', modRevision: String(revision), version: '1', lease: '0' };
      return { key: keys.node(path), value: Buffer.from(value), ...revisions };
    });
    answer({ revision, ranges: [[], kvs] });
  };
  return { mirror: new EtcdMirror(context, '/job'), change, read };
}

function shown({ nodes }: EtcdMirror): Record<string, string | undefined> {
  return Object.fromEntries([...nodes].map(([path, { value }]) => [path, value]));
}

describe('A mirror on etcd', () => {
  test('shows changes that arrive before what it reads, if they are later than that, and no others', async () => {
    const { mirror, change, read } = scripted();
    const opened = mirror.open();

    change('/job/a', 'earlier than the reading', 10);
    change('/job/b', 'later than the reading', 12);
    expect(shown(mirror)).toEqual({});
    read(11, { '/job/a': 'as it was read' });
    await opened;

    expect(shown(mirror)).toEqual({ '/job/a': 'as it was read', '/job/b': 'later than the reading' });
  });

  test('does not go back if a change that it has read arrives afterwards', async () => {
    const { mirror, change, read } = scripted();
    const opened = mirror.open();
    read(11, { '/job/a': 'as it was read' });
    await opened;
    let calls = 0;
    mirror.onChange(() => calls++);

    change('/job/a', 'earlier than the reading', 10);
    expect(shown(mirror)).toEqual({ '/job/a': 'as it was read' });
    change('/job/a', 'later', 12);

    expect(shown(mirror)).toEqual({ '/job/a': 'later' });
    expect(calls).toBe(1);
  });
});
