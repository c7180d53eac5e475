import { describe, expect, test } from '@jest/globals';
import { UnansweredCalls } from '../../../lib/registry/etcd/client/unanswered-calls.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';

describe('Calls that etcd has not answered', () => {
  const noted = (): {
    readonly calls: UnansweredCalls;
    readonly clock: ManualClock;
    readonly failed: string[];
    readonly make: (name: string) => () => void;
  } => {
    const clock = new ManualClock();
    const calls = new UnansweredCalls(clock);
    const failed: string[] = [];
    return { calls, clock, failed, make: (name) => calls.add(({ details }) => failed.push(`${name}: ${details}`)) };
  };

  test('fail half a second after another leader was elected, if they were made before', async () => {
    const { calls, clock, failed, make } = noted();
    calls.heardTerm(7);
    make('forgotten');
    const answered = make('answered late');

    calls.heardTerm(8);
    make('made afterwards');
    await clock.advance(499);
    answered();
    expect(failed).toEqual([]);
    await clock.advance(1);

    expect(failed).toEqual(['forgotten: etcd has elected another leader, which may not know of the request']);
  });

  test('are waited for while the leader stays, and a member that is behind says nothing new', async () => {
    const { calls, clock, failed, make } = noted();
    make('made before the first answer');
    for (const term of [7, 7, 6]) calls.heardTerm(term);
    await clock.advance(60_000);

    expect(failed).toEqual([]);
  });

  test('fail when the connection is closed, each once', async () => {
    const { calls, clock, failed, make } = noted();
    calls.heardTerm(7);
    make('open');
    calls.heardTerm(8);

    calls.close('the connection was closed');
    await clock.advance(1_000);

    expect(failed).toEqual(['open: the connection was closed']);
  });
});
