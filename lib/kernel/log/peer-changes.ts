/**
 * Finds the instances that come and go, and for each the one instance of the cluster that reports it, so that the log
 * of the cluster has one entry. The reporter is the first one of our instances, by id, that was there before and is
 * there after the change. It need not lead: the leader may be the very instance that is gone. If instances crash
 * together, it can happen that none reports one of them.
 */
import { isGone, type JobView } from '../../layout/job-view.js';
import { type JobEvent } from '../job/job-events.js';

/** A change among peers, and the instance that is to report it. */
export interface PeerChange {
  readonly event: JobEvent;
  /** `undefined`: no instance has seen the change. */
  readonly reporter: string | undefined;
}

/** The instances that have come and gone between two moments. */
export function peerChanges(before: JobView, now: JobView): readonly PeerChange[] {
  // Most views differ only in the states of items.
  if (before.instances === now.instances && before.live === now.live) return [];
  const reporter = reporterOf(before, now);
  const joined = present(now).filter((id) => isGone(before, id));
  const gone = present(before).filter((id) => isGone(now, id));
  const events = [
    ...joined.map((peer) => ({ type: 'joined', peer }) as const),
    ...gone.map((peer) => ({ type: endOf(before, now, peer), peer })),
  ];
  return events.map((event) => ({ event, reporter }));
}

function present({ instances, live }: JobView): readonly string[] {
  return [...new Set([...instances.keys(), ...live])];
}

function reporterOf(before: JobView, now: JobView): string | undefined {
  const stays = (id: string): boolean =>
    [before, now].every(({ instances, live }) => instances.has(id) && live.has(id));
  return [...now.live].filter(stays).sort()[0];
}

/** A Java instance leaves no note that it has stopped. */
function endOf(before: JobView, { withdrawn }: JobView, id: string): 'left' | 'crashed' | 'gone' {
  if (before.javaPeers.has(id)) return 'gone';
  return withdrawn.includes(id) ? 'left' : 'crashed';
}
