import { describe, expect, test } from '@jest/globals';
import { NOTHING_BEGUN } from '../../../../lib/layout/x-node/begin-record.js';
import { hasJavaPeers, type JobView } from '../../../../lib/layout/job-view.js';
import { JAVA_RECONNECT_GRACE_MS, JavaPeers } from '../../../../lib/kernel/view/java-peers.js';
import { ManualClock, TestCluster } from '../../../../lib/testing/index.js';
import { aView, idOf } from '../../../support/views.js';

/** A, which is ours, and J, which is Java's: it has neither a sign of life nor a record. */
const withJava = (changes: Partial<JobView> = {}): JobView =>
  aView(['A', 'J'], {
    live: new Set([idOf('A')]),
    beginRecords: new Map([[idOf('A'), NOTHING_BEGUN]]),
    ...changes,
  });
const withoutJava = aView(['A']);

/** The results for views that are shown one after the other. */
function remembering(clock = new ManualClock()): (view: JobView) => JobView {
  const peers = new JavaPeers(clock);
  return (view) => peers.remember(view);
}

const java = ({ javaPeers }: JobView): string[] => [...javaPeers];

describe('a Java instance', () => {
  test('is known by having neither a sign of life nor a record of ours', () => {
    const seen = remembering()(withJava());

    expect(java(seen)).toEqual([idOf('J')]);
    expect(hasJavaPeers(seen)).toBe(true);
  });

  test('that vanishes counts as there while it may reconnect', async () => {
    const clock = new ManualClock();
    const see = remembering(clock);
    see(withJava());

    const vanished = see(withoutJava);
    await clock.advance(JAVA_RECONNECT_GRACE_MS - 1);
    const awaited = see(withoutJava);
    await clock.advance(1);
    const gone = see(withoutJava);

    expect([vanished, awaited, gone].map(({ instances }) => instances.has(idOf('J')))).toEqual([true, true, false]);
    expect([vanished, awaited, gone].map(hasJavaPeers)).toEqual([true, true, false]);
  });

  test('is waited for as long as it may reconnect, and not while it is there', async () => {
    const clock = new ManualClock();
    const peers = new JavaPeers(clock);
    const areFlapping = (view: JobView): boolean => {
      peers.remember(view);
      return peers.areFlapping;
    };

    const before = areFlapping(withJava());
    const vanished = areFlapping(withoutJava);
    await clock.advance(JAVA_RECONNECT_GRACE_MS);

    expect([before, vanished, areFlapping(withoutJava)]).toEqual([false, true, false]);
  });

  test('that vanishes while the clock is set back is gone a second later all the same', async () => {
    const clock = new ManualClock();
    const see = remembering(clock);
    see(withJava());
    see(withoutJava);

    clock.setWallClock('2029-12-31T23:00:00Z');
    const before = see(withoutJava);
    await clock.advance(JAVA_RECONNECT_GRACE_MS);

    expect(before.instances.has(idOf('J'))).toBe(true);
    expect(see(withoutJava).instances.has(idOf('J'))).toBe(false);
  });

  test('that reconnects and vanishes again may reconnect again', async () => {
    const clock = new ManualClock();
    const see = remembering(clock);
    see(withJava());
    see(withoutJava);
    await clock.advance(900);
    see(withJava());

    see(withoutJava);
    await clock.advance(900);

    expect(see(withoutJava).instances.has(idOf('J'))).toBe(true);
  });
});

describe('an instance of ours is never taken for Java’s', () => {
  const both = aView(['A', 'B']);
  const record = new Map([idOf('A'), idOf('B')].map((id) => [id, NOTHING_BEGUN] as const));

  test.each<[what: string, ...views: JobView[]]>([
    ['when its sign of life vanishes before its node', aView(['A', 'B'], { live: new Set([idOf('A')]) })],
    ['when its record has been lost', aView(['A', 'B'], { beginRecords: new Map() })],
    [
      'when an operator has removed all our own nodes',
      aView(['A', 'B'], { live: new Set(), beginRecords: new Map() }),
      aView(['A', 'B'], { live: new Set(), beginRecords: new Map() }),
    ],
    ['when it is gone without a trace', aView(['A'])],
    ['when it is gone and its record is left', aView(['A'], { beginRecords: record }), aView(['A'])],
  ])('%s', (_, ...views) => {
    const see = remembering();
    see(both);

    expect(views.map((view) => java(see(view)))).toEqual(views.map(() => []));
  });

  test('though it was seen first when its sign of life was gone', () => {
    const see = remembering();
    see(aView(['A', 'B'], { live: new Set([idOf('A')]) }));

    expect(java(see(aView(['A', 'B'], { live: new Set(), beginRecords: new Map() })))).toEqual([]);
  });
});

test('what comes with the id of a former instance of ours is judged by itself', () => {
  const see = remembering();
  see(aView(['A', 'J']));
  see(withoutJava);

  expect(java(see(withJava()))).toEqual([idOf('J')]);
});

test('who was away while a peer died does not wait for its return, nor for its own', async () => {
  await using cluster = await TestCluster.start(['A', 'B', 'C'], { job: { shardingTotalCount: 3, failover: true } });
  cluster.freeze('A');
  cluster.kill('C');
  // B has noticed that A and C are gone, and has put away their records.
  await cluster.advance('13s');
  cluster.kill('B');
  await cluster.advance('7s');

  await cluster.thaw('A');

  expect({ leader: cluster.leader, owners: cluster.owners }).toEqual({ leader: 'A', owners: { A: [0, 1, 2] } });
});
