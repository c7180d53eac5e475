import { describe, expect, test } from '@jest/globals';
import { type StreamListener } from '../../lib/registry/etcd/client/etcd-client.js';
import { type WatchEvent, type WatchResponse } from '../../lib/registry/etcd/client/messages.js';
import { EtcdKeys } from '../../lib/registry/etcd/etcd-keys.js';
import { TreeWatch, type TreeWatchOptions } from '../../lib/registry/etcd/tree-watch.js';
import { nextTurn } from '../../lib/time/event-loop.js';

const keys = new EtcdKeys('orders');
const SESSION = '00000000000000aa';
const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };

/** A member whose answers and events come when a test says so. */
function scripted() {
  let listener: StreamListener<WatchResponse> | undefined;
  const answers: ((revision: number) => void)[] = [];
  const client = {
    open: (_: string, each: unknown) => {
      listener = each as StreamListener<WatchResponse>;
      return { send: () => undefined, close: () => undefined };
    },
    call: () =>
      new Promise((resolve) => answers.push((revision) => resolve({ header: { revision: String(revision) } }))),
  } as unknown as TreeWatchOptions['client'];
  const ended: string[] = [];
  const watch = new TreeWatch({
    ...{ client, keys, logger, session: SESSION, revision: 10 },
    onSessionEnd: () => ended.push('session'),
    onEnd: ({ details }) => ended.push(details),
  });
  const answer = { created: false, canceled: false, compactRevision: '0', cancelReason: '', events: [], watchId: '1' };
  const respond = (response: Partial<WatchResponse>): void =>
    listener?.onMessage({
      header: { clusterId: '1', memberId: '1', revision: '99', raftTerm: '2' },
      ...answer,
      ...response,
    });
  return { watch, answers, respond, ended };
}

function put(key: string, revision: number): WatchEvent {
  const kv = { key, version: '1', value: Buffer.from('x'), lease: '0' };
  return { type: 0, kv: { ...kv, createRevision: String(revision), modRevision: String(revision) } };
}

describe('The watch of a tree on etcd', () => {
  test('has reached what was committed before a mark only when the event of the mark has arrived', async () => {
    const { watch, answers, respond } = scripted();
    const seen: string[] = [];
    watch.follow('/job', (changes) => seen.push(...changes.map(({ path }) => path)));
    const reached = watch.reach().then(() => seen.push('reached'));

    answers[0]?.(12);
    await nextTurn();
    expect(seen).toEqual([]);
    respond({ events: [put(keys.node('/job/a'), 11), put(keys.mark(SESSION), 12)] });
    await reached;

    expect(seen).toEqual(['/job/a', 'reached']);
  });

  test('writes one mark for all that ask while another one is under way', async () => {
    const { watch, answers, respond } = scripted();
    const reached = [watch.reach(), watch.reach(), watch.reach()];

    await nextTurn();
    expect(answers).toHaveLength(1);
    answers[0]?.(11);
    respond({ events: [put(keys.mark(SESSION), 11)] });
    await reached[0];
    await nextTurn();
    expect(answers).toHaveLength(2);
    answers[1]?.(12);
    respond({ events: [put(keys.mark(SESSION), 12)] });

    await Promise.all(reached);
    expect(answers).toHaveLength(2);
  });

  test('ends with its reason if etcd has compacted what it needs, and refuses those who wait', async () => {
    const { watch, answers, respond, ended } = scripted();
    const reached = watch.reach();
    answers[0]?.(12);
    await nextTurn();

    respond({ canceled: true, compactRevision: '50' });

    await expect(reached).rejects.toThrow(/compacted/);
    expect(ended).toEqual(['etcd has compacted what this watch needs (up to 50)']);
    await expect(watch.reach()).rejects.toThrow(/compacted/);
  });
});
