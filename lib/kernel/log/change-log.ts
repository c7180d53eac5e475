import { type InstanceCrash, type JavaInstanceGone } from '../../api/events/run-events.js';
import { type JobView } from '../../layout/job-view.js';
import { type JobContext } from '../job/job-context.js';
import { jobChanges } from './job-changes.js';
import { type RunObservers } from '../run/run-observers.js';
import { type DoubtLog } from '../types/doubt-log.js';
import { peerChanges } from './peer-changes.js';

interface ChangeLogDeps extends JobContext {
  readonly observers: RunObservers;
  readonly doubts: DoubtLog;
}

/**
 * Logs the changes in a job: instances that come and go, and interventions of operators. Observers are notified of
 * instances that are gone.
 */
export class ChangeLog {
  readonly #context: ChangeLogDeps;
  #before: JobView | undefined;
  #session: string | undefined;
  /** Ids of Java instances that are gone and may still run items: observers are notified once those have ended. */
  readonly #gone = new Set<string>();

  constructor(context: ChangeLogDeps) {
    this.#context = context;
  }

  /** Logs the changes since the last call. `session`: id of the session in which this instance is registered. */
  note(session: string): void {
    const { view: now } = this.#context.watch;
    const before = this.#before;
    if (before === now) return;
    // Settings that cannot be read for a while have not changed.
    this.#before = now.config === undefined && before?.config !== undefined ? { ...now, config: before.config } : now;
    this.#noteOwn(before, now);
    if (
      now.config !== undefined &&
      (now.config !== before?.config || now.javaPeers.size > 0 !== before.javaPeers.size > 0)
    )
      this.#context.doubts.note(now.config, now.javaPeers);
    // Other instances have reported the peers that came and went while this instance was away.
    if (before !== undefined && this.#session === session) this.#notePeers(before, now);
    this.#session = session;
    this.#noteGone(now);
  }

  #noteOwn(before: JobView | undefined, now: JobView): void {
    const { registry, paths, instance, me, logger } = this.#context;
    const fullPath = (path: string): string => registry.fullPath(path);
    const change = { before, now, me, myIp: instance.serverIp, paths, fullPath };
    for (const event of jobChanges(change)) logger.event(event);
  }

  #notePeers(before: JobView, now: JobView): void {
    const { me, logger, observers } = this.#context;
    for (const { event, reporter } of peerChanges(before, now)) {
      if (reporter !== me) continue;
      logger.event(event);
      if (event.type === 'crashed') observers.notifyOfCrash(this.#notice(event.peer));
      if (event.type === 'gone') this.#gone.add(event.peer);
    }
  }

  #noteGone({ instances, items }: JobView): void {
    for (const id of this.#gone) {
      // A Java job that is shut down removes its node before its items have ended. Peers remove the marks of dead
      // instances.
      if (items.some(({ runningOn }) => runningOn === id)) continue;
      this.#gone.delete(id);
      if (!instances.has(id)) this.#context.observers.notifyOfJavaInstance(this.#notice(id));
    }
  }

  #notice(instance: string): InstanceCrash & JavaInstanceGone {
    const { clock, paths } = this.#context;
    return { jobName: paths.jobName, instance, at: new Date(clock.now()) };
  }
}
