/**
 * Who comes and who goes, and which instance of the cluster reports it, so that the log of the cluster has one entry for each.
 * The reporter is the first one of our instances, by id, that was there before and is there after the change. It need not
 * lead: the leader may be the very instance that is gone. If the reporter is gone soon afterwards, as when two instances crash
 * together, the next one reports what the former can hardly have reported.
 */
import { isGone, type JobView } from '../../layout/job-view.js';
import { type JobEvent } from './job-events.js';

/** A change among peers, and the instance that is to report it. */
export interface PeerChange {
  readonly event: JobEvent;
  /** `undefined`: no instance has seen the change. */
  readonly reporter: string | undefined;
  /** When this instance saw it, in milliseconds by the monotonic clock. */
  readonly at: number;
}

/** The instances that have come and gone between two moments. `at`: the second one. */
export function peerChanges(before: JobView, now: JobView, at: number): readonly PeerChange[] {
  // Most views differ in what items do.
  if (before.instances === now.instances && before.live === now.live) return [];
  const reporter = reporterOf(before, now);
  const joined = present(now).filter((id) => isGone(before, id));
  const gone = present(before).filter((id) => isGone(now, id));
  const events = [
    ...joined.map((peer) => ({ type: 'joined', peer }) as const),
    ...gone.map((peer) => ({ type: endOf(before, now, peer), peer })),
  ];
  return events.map((event) => ({ event, reporter, at }));
}

/** How long before it stops a reporter may have left a change unreported, in milliseconds. */
const WHILE_STOPPING_MS = 1_000;

/**
 * The changes of `pending` that come to another reporter, because theirs is gone since `before`. One that has crashed may have
 * been dead as long as its session lasted (`sessionTimeoutMs`).
 */
export function inheritedChanges(
  pending: readonly PeerChange[],
  { before, now, at, sessionTimeoutMs }: Inheritance,
): readonly PeerChange[] {
  if (pending.length === 0) return [];
  const reporter = reporterOf(before, now);
  return pending
    .filter((change) => {
      const former = change.reporter;
      if (former === undefined || isGone(before, former) || !isGone(now, former)) return false;
      return at - change.at <= (endOf(before, now, former) === 'left' ? WHILE_STOPPING_MS : sessionTimeoutMs);
    })
    .map((change) => ({ ...change, reporter }));
}

/** The change by which a reporter goes. */
export interface Inheritance {
  readonly before: JobView;
  readonly now: JobView;
  /** In milliseconds by the monotonic clock. */
  readonly at: number;
  readonly sessionTimeoutMs: number;
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
