import { describe, expect, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type Session, type SessionState } from '../../../lib/registry/registry-center.js';
import { liveSessionId, whenConnected, NOT_ASKED_TO_CONNECT } from '../../../lib/registry/session-state.js';
import { describeCause } from '../../../lib/api/text/describe-cause.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';

describe('The session that our nodes live in', () => {
  test.each<[SessionState, string | undefined]>([
    [{ phase: 'connecting' }, undefined],
    [{ phase: 'connected', id: 'a' }, 'a'],
    [{ phase: 'suspended', id: 'a' }, 'a'],
    [{ phase: 'lost', id: 'a', reason: 'expired' }, undefined],
    [{ phase: 'closed', reason: 'close() was called' }, undefined],
  ])('is there while it may live: %j', (state, id) => {
    expect(liveSessionId(state)).toBe(id);
  });
});

describe('Waiting for a connected session', () => {
  function aCentre(): EmbeddedRegistryCenter {
    return new EmbeddedRegistryCenter({ server: new EmbeddedRegistryServer() });
  }

  test('ends when the session is connected, at once if it is', async () => {
    const centre = aCentre();
    const { signal } = new AbortController();
    const connected = whenConnected(centre.session, signal);

    centre.connect();
    await connected;

    expect(centre.session.state.phase).toBe('connected');
    await expect(whenConnected(centre.session, signal)).resolves.toBeUndefined();
    await centre.close();
  });

  test('goes on over the loss of a session', async () => {
    const centre = aCentre();
    centre.connect();
    await whenConnected(centre.session, new AbortController().signal);
    centre.faults.disconnect();
    const phases: string[] = [];
    const connected = whenConnected(centre.session, new AbortController().signal).then(() => phases.push('resolved'));
    centre.session.onChange(({ phase }) => phases.push(phase));

    centre.faults.expire();
    centre.faults.resume();
    await connected;

    expect(phases).toEqual(['lost', 'connecting', 'connected', 'resolved']);
    await centre.close();
  });

  test('ends with the reason of the signal', async () => {
    const abort = new AbortController();
    const waiting = whenConnected(aCentre().session, abort.signal);
    const reason = new Error('the job is being stopped');

    abort.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await expect(whenConnected(aCentre().session, abort.signal)).rejects.toBe(reason);
  });

  test.each(['connected', 'aborted'])('listens to nothing any more once it has ended: %s', async (end) => {
    const centre = aCentre();
    const abort = new AbortController();
    const { session, subscriptions } = counting(centre.session);
    const waiting = Promise.allSettled([whenConnected(session, abort.signal)]);
    expect([subscriptions(), getEventListeners(abort.signal, 'abort')]).toEqual([1, [expect.anything()]]);

    if (end === 'connected') centre.connect();
    else abort.abort();
    await waiting;

    expect([subscriptions(), getEventListeners(abort.signal, 'abort')]).toEqual([0, []]);
    await centre.close();
  });
});

/** A session that counts its subscriptions. */
function counting(real: Session): { readonly session: Session; readonly subscriptions: () => number } {
  let subscriptions = 0;
  const session: Session = {
    get state() {
      return real.state;
    },
    timeoutMs: real.timeoutMs,
    isSilent: real.isSilent,
    onChange(listener) {
      const unsubscribe = real.onChange(listener);
      subscriptions++;
      return () => {
        subscriptions--;
        unsubscribe();
      };
    },
  };
  return { session, subscriptions: () => subscriptions };
}

describe('A registry centre that nobody has asked to connect', () => {
  const refusalOf = (asked: Promise<unknown>): Promise<unknown> => asked.then(() => 'it answers', describeCause);

  test('says so when it is asked for a node, embedded', async () => {
    expect(await refusalOf(new EmbeddedRegistryCenter().get('/job'))).toContain(NOT_ASKED_TO_CONNECT);
  });

  test('says so when it is asked for a node, on ZooKeeper', async () => {
    const center = new ZookeeperRegistryCenter({
      ...{ serverLists: '127.0.0.1:1', namespace: 'a' },
      ...{
        connectionTimeoutMilliseconds: 100,
        baseSleepTimeMilliseconds: 1,
        maxSleepTimeMilliseconds: 1,
        maxRetries: 1,
      },
    });

    expect(await refusalOf(center.get('/job'))).toContain(NOT_ASKED_TO_CONNECT);
    expect(center.session.reason).toBe(NOT_ASKED_TO_CONNECT);
  });
});
