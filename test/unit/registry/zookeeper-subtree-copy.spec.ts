import { expect, test } from '@jest/globals';
import { MirroredTree } from '../../../lib/registry/mirrored-tree.js';
import { type MirroredNode } from '../../../lib/registry/registry-center.js';
import { type ReadNode, SubtreeCopy } from '../../../lib/registry/zookeeper/mirror/subtree-copy.js';

const node = (value: string, mzxid: bigint, numChildren = 0): ReadNode => ({
  data: Buffer.from(value),
  stat: {
    czxid: 1n,
    mzxid,
    ctime: 0,
    mtime: 0,
    version: 0,
    cversion: 0,
    ephemeralOwner: undefined,
    numChildren,
  },
});

const own = (value: string, revision: number) => ({ value, version: 0, revision, session: undefined });
const write = (path: string) => ({ events: new Map([[path, 1]]) });

/** A copy that has been read and shown: `/job` with the child `/job/a`. */
function shownCopy(tree = new MirroredTree()): SubtreeCopy {
  const copy = new SubtreeCopy('/job', new Map(), () => false);
  copy.startReading()(new Map([['/job', node('root', 1n, 1)]]), new Map());
  copy.startReading()(new Map(), new Map([['/job', ['a']]]));
  copy.startReading()(new Map([['/job/a', node('0', 2n)]]), new Map());
  expect(copy.work.type).toBe('none');
  copy.publishIn(tree);
  return copy;
}

test('an answer that was overtaken by a removal does not bring the node back', () => {
  const copy = shownCopy();
  copy.onEvent({ type: 'changed', path: '/job/a' });

  const answered = copy.startReading();
  copy.onEvent({ type: 'deleted', path: '/job/a' });
  answered(new Map([['/job/a', node('1', 3n)]]), new Map());

  expect(copy.get('/job/a')).toBeUndefined();
  expect(copy.work.type).toBe('barrier');
});

test('an answer that was overtaken by a change is not shown, but read again', () => {
  const copy = shownCopy();
  copy.onEvent({ type: 'changed', path: '/job/a' });

  const answered = copy.startReading();
  copy.onEvent({ type: 'changed', path: '/job/a' });
  answered(new Map([['/job/a', node('1', 3n)]]), new Map());

  expect(copy.get('/job/a')?.value).toBe('0');
  expect(copy.work).toEqual({ type: 'read', paths: ['/job/a'], lists: [] });
});

test('our own write is taken from its answer, without a reading', () => {
  const copy = shownCopy();
  const ours = write('/job/a');

  copy.onWriteSent(ours);
  copy.onEvent({ type: 'changed', path: '/job/a' });
  expect(copy.work.type).toBe('wait');
  copy.onWriteDone(ours, new Map([['/job/a', own('ours', 5)]]));

  expect(copy.work.type).toBe('none');
  expect(copy.get('/job/a')).toEqual(own('ours', 5));
});

test('our own write is read again if a peer wrote the node as well', () => {
  const copy = shownCopy();
  const ours = write('/job/a');

  copy.onWriteSent(ours);
  copy.onEvent({ type: 'changed', path: '/job/a' });
  copy.onEvent({ type: 'changed', path: '/job/a' });
  copy.onWriteDone(ours, new Map([['/job/a', own('ours', 5)]]));

  expect(copy.get('/job/a')?.value).toBe('0');
  expect(copy.work).toEqual({ type: 'read', paths: ['/job/a'], lists: [] });
});

test.each(['refused', 'unknown'] as const)('after a write whose outcome is %s the node is read', (fate) => {
  const copy = shownCopy();
  const ours = write('/job/a');

  copy.onWriteSent(ours);
  copy.onEvent({ type: 'changed', path: '/job/a' });
  copy.onWriteFailed(ours, fate);

  expect(copy.work).toEqual({ type: 'read', paths: ['/job/a'], lists: [] });
});

test('two writes of our own to one node at the same time end with the later one', () => {
  const copy = shownCopy();
  const [first, second] = [write('/job/a'), write('/job/a')];

  copy.onWriteSent(first);
  copy.onWriteSent(second);
  copy.onEvent({ type: 'changed', path: '/job/a' });
  copy.onWriteDone(first, new Map([['/job/a', own('1', 5)]]));
  expect(copy.work.type).toBe('wait');
  copy.onEvent({ type: 'changed', path: '/job/a' });
  copy.onWriteDone(second, new Map([['/job/a', own('2', 6)]]));

  expect(copy.work.type).toBe('none');
  expect(copy.get('/job/a')?.value).toBe('2');
});

test('a removal by a peer is complete only after an answer', () => {
  const copy = shownCopy();

  copy.onEvent({ type: 'deleted', path: '/job/a' });
  expect(copy.work.type).toBe('barrier');
  copy.startReading()(new Map(), new Map());

  expect(copy.work.type).toBe('none');
  expect([copy.get('/job')?.value, copy.get('/job/a')]).toEqual(['root', undefined]);
});

test('the tree shows what has changed when that is one moment, and not before', () => {
  const tree = new MirroredTree();
  const copy = shownCopy(tree);
  const before = { nodes: tree.nodes, moment: tree.moment, root: tree.nodes.get('/job') };

  copy.onEvent({ type: 'deleted', path: '/job/a' });
  copy.onEvent({ type: 'created', path: '/job/b' });
  copy.startReading()(new Map([['/job/b', node('new', 3n)]]), new Map());
  expect(copy.hasChanged).toBe(true);
  expect([...tree.nodes.keys()]).toEqual(['/job', '/job/a']);
  copy.publishIn(tree);

  expect(copy.hasChanged).toBe(false);
  expect(tree.changesSince(before.moment)).toEqual(['/job/a', '/job/b']);
  expect([...tree.nodes].map(([path, { value }]) => [path, value])).toEqual([
    ['/job', 'root'],
    ['/job/b', 'new'],
  ]);
  expect(tree.nodes).toBe(before.nodes);
  expect(copy.get('/job')).toBe(before.root);
});

test('a node that is read again and has not changed is no change', () => {
  const copy = shownCopy();

  copy.onEvent({ type: 'changed', path: '/job/a' });
  copy.startReading()(new Map([['/job/a', node('0', 2n)]]), new Map());

  expect(copy.hasChanged).toBe(false);
});

test('a copy that begins again shows the nodes that have not changed as the same objects, and lacks what is gone', () => {
  const tree = new MirroredTree();
  shownCopy(tree);
  const root = tree.nodes.get('/job');
  const copy = new SubtreeCopy('/job', tree.nodes, () => false);
  expect([copy.isNew, copy.hasChanged, copy.get('/job')]).toEqual([true, true, undefined]);

  copy.startReading()(new Map([['/job', node('root', 1n)]]), new Map());
  expect([...tree.nodes.keys()]).toEqual(['/job', '/job/a']);
  copy.publishIn(tree);

  expect([...tree.nodes]).toEqual([['/job', root]]);
  expect(tree.nodes.get('/job')).toBe(root);
});

test('values are wanted of nodes too that the tree does not show yet', () => {
  const tree = new MirroredTree();
  const copy = new SubtreeCopy('/job', new Map(), (path) => path !== '/job');
  copy.startReading()(new Map([['/job', node('root', 1n)]]), new Map());
  copy.publishIn(tree);
  copy.onEvent({ type: 'created', path: '/job/mark' });

  copy.wantValues();

  expect(copy.work).toEqual({ type: 'read', paths: ['/job/mark'], lists: [] });
});

test('a presence-only node that was removed and created again has changed, although it looks the same', () => {
  const tree = new MirroredTree();
  const copy = new SubtreeCopy('/job', new Map(), (path) => path !== '/job');
  copy.startReading()(new Map([['/job', node('root', 1n)]]), new Map());
  copy.onEvent({ type: 'created', path: '/job/mark' });
  copy.publishIn(tree);
  copy.onEvent({ type: 'created', path: '/job/mark' });
  copy.publishIn(tree);
  const before = tree.moment;

  copy.onEvent({ type: 'deleted', path: '/job/mark' });
  copy.onEvent({ type: 'created', path: '/job/mark' });
  copy.publishIn(tree);

  expect(tree.changesSince(before)).toEqual(['/job/mark']);
});

test('a wanted value is read although its node is removed and created again meanwhile', () => {
  const copy = new SubtreeCopy('/job', new Map(), () => true);
  copy.startReading()(new Map([['/job', node('old', 1n)]]), new Map());
  copy.publishIn(new MirroredTree());
  copy.wantValues();

  const answered = copy.startReading();
  copy.onEvent({ type: 'deleted', path: '/job' });
  copy.onEvent({ type: 'created', path: '/job' });
  answered(new Map([['/job', node('old', 1n)]]), new Map());
  const { work } = copy;
  copy.startReading()(new Map([['/job', node('new', 2n)]]), new Map());

  expect(work).toEqual({ type: 'read', paths: ['/job'], lists: [] });
  expect(copy.get('/job')?.value).toBe('new');
});

test('a node with the numbers of a former one is taken as it is: servers that have lost their data count from the beginning', () => {
  const stat = { ...node('', 2n).stat, ephemeralOwner: 'new' };
  const former = new Map<string, MirroredNode>([
    ['/job/text', own('old', 2)],
    ['/job/mark', { ...own('old', 2), session: 'old' }],
  ]);
  const copy = new SubtreeCopy('/job', former, (path) => path === '/job/mark');
  copy.startReading()(new Map([['/job', node('root', 1n, 2)]]), new Map());
  copy.startReading()(new Map(), new Map([['/job', ['text', 'mark']]]));

  copy.startReading()(
    new Map([
      ['/job/text', node('new', 2n)],
      ['/job/mark', { data: Buffer.from('old'), stat }],
    ]),
    new Map(),
  );

  expect(copy.get('/job/text')?.value).toBe('new');
  expect(copy.get('/job/mark')).toEqual({ ...own('old', 2), value: undefined, session: 'new' });
});
