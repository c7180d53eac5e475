import { type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { jobChanges } from '../job/job-changes.js';
import { inheritedChanges, type PeerChange, peerChanges } from '../job/peer-changes.js';

/** Logs what changes in a job: who comes and goes, and what operators do. */
export class ChangeLog {
  readonly #context: JobContext;
  #before: JobView | undefined;
  #session: string | undefined;
  /** Changes that a peer is to report. */
  #pending: readonly PeerChange[] = [];

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Logs what has changed since the last call. `session`: id of the session in which this instance is registered. */
  note(session: string): void {
    const { view: now } = this.#context.watch;
    const before = this.#before;
    if (before === now) return;
    // Settings that cannot be read for a while have not changed.
    this.#before = now.config === undefined && before?.config !== undefined ? { ...now, config: before.config } : now;
    this.#noteOwn(before, now);
    // Of peers that came and went while this instance was away, others have reported.
    if (before !== undefined && this.#session === session) this.#notePeers(before, now);
    this.#session = session;
  }

  #noteOwn(before: JobView | undefined, now: JobView): void {
    const { registry, paths, instance, me, logger } = this.#context;
    const fullPath = (path: string): string => registry.fullPath(path);
    const change = { before, now, me, myIp: instance.serverIp, paths, fullPath };
    for (const event of jobChanges(change)) logger.event(event);
  }

  #notePeers(before: JobView, now: JobView): void {
    const { clock, registry, me, logger } = this.#context;
    const at = clock.monotonic();
    const sessionTimeoutMs = registry.session.timeoutMs;
    const pending = this.#pending.filter((change) => at - change.at <= sessionTimeoutMs);
    const inherited = inheritedChanges(pending, { before, now, at, sessionTimeoutMs });
    const changes = [...inherited, ...peerChanges(before, now, at)];
    for (const { event, reporter } of changes) if (reporter === me) logger.event(event);
    this.#pending = [...pending, ...changes].filter(({ reporter }) => reporter !== me && reporter !== undefined);
  }
}
