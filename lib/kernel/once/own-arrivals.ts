import { describeCause } from '../../api/text/describe-cause.js';
import { isLostRace, isTransient } from '../../api/errors/registry-errors.js';
import { sleep } from '../../async/wait.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { encodeArrivals } from '../../layout/x-node/arrival-record.js';
import { commitChunks } from '../../registry/commit-chunks.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../registry/session-state.js';
import { type JobContext } from '../job/job-context.js';
import { nodesToCreate } from './java.js';
import { type BarrierRound, isClaimed } from './round.js';

/** Most unfinished rounds in which this instance goes on reporting its items. */
export const MOST_OPEN_ROUNDS = 8;

/** Most attempts at a report, which fail if other instances write at the same time, or the registry does not answer. */
export const MOST_ATTEMPTS = 50;

/** Most dropped firings that this instance goes on reporting. */
export const MOST_DROPPED = 8;

/** Time between two attempts if the registry centre did not answer. */
const PAUSE_MS = 200;

/** Items that arrive at a round. */
export interface Arrival {
  readonly round: BarrierRound;
  readonly items: readonly number[];
}

interface OwnRecord {
  readonly started: Set<number>;
  readonly completed: Set<number>;
  isLeft?: boolean;
}

/** Reports of this instance on the rounds it takes part in. The end of the session removes them. */
export class OwnArrivals {
  readonly #context: JobContext;
  readonly #rounds = new Map<string, OwnRecord>();
  readonly #dropped = new Map<number, ReadonlySet<number>>();
  #session: string | undefined;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** True if this instance has reported anything for the round, in the present session. */
  has(key: string): boolean {
    return this.#rounds.has(key);
  }

  /** Begins a run. The one before is over, even if the end of its items was never reported. */
  beginRun(): void {
    for (const [key, { started, completed }] of this.#rounds) {
      started.clear();
      if (completed.size === 0) this.#rounds.delete(key);
    }
  }

  /**
   * Reports that items have arrived at rounds of a stage: in our record, and, if the callback was not begun yet, in
   * Java's nodes.
   * @throws the reason of `signal` when it is aborted
   */
  async report(stage: GuaranteeStage, arrivals: readonly Arrival[], signal: AbortSignal): Promise<void> {
    if (arrivals.length === 0) return;
    this.#note(stage, arrivals);
    await this.#write(stage, signal, () => {
      const open = arrivals.filter(({ round }) => !isClaimed(this.#context.watch.view, round));
      return nodesToCreate(this.#context, stage, [...new Set(open.flatMap(({ items }) => items))]);
    });
  }

  /**
   * Reports that this instance, with these items, takes no part in the firing at that instant, in milliseconds since
   * 1970. Never rejects.
   */
  async drop(instant: number, items: readonly number[], signal: AbortSignal): Promise<void> {
    this.#forgetWhatIsOver();
    this.#dropped.set(instant, new Set(items));
    for (const oldest of this.#dropped.keys()) if (this.#dropped.size > MOST_DROPPED) this.#dropped.delete(oldest);
    await this.#tryToWrite(signal);
  }

  /**
   * Reports that this instance waits in these rounds no more, if their last callback is still to come. Never rejects.
   */
  async leave(keys: readonly string[], signal: AbortSignal): Promise<void> {
    this.#forgetWhatIsOver();
    const left = keys.flatMap((key) => this.#rounds.get(key) ?? []);
    for (const record of left) record.isLeft = true;
    if (left.length > 0) await this.#tryToWrite(signal);
  }

  /**
   * Withdraws all reports. That is tidiness: peers ignore those of an instance that is not registered. Never rejects.
   */
  async withdraw(): Promise<void> {
    this.#rounds.clear();
    this.#dropped.clear();
    const { registry, paths, me, watch, logger } = this.#context;
    if (!watch.nodes.has(paths.arrivals(me))) return;
    await registry.remove(paths.arrivals(me)).catch((error: unknown) => {
      logger.debug(`could not withdraw its reports of rounds: ${describeCause(error)}`);
    });
  }

  #note(stage: GuaranteeStage, arrivals: readonly Arrival[]): void {
    this.#forgetWhatIsOver();
    for (const { round, items } of arrivals) {
      const record: OwnRecord = this.#rounds.get(round.key) ?? { started: new Set(), completed: new Set() };
      record.isLeft = false;
      for (const item of items) {
        record.started.delete(item);
        record.completed.delete(item);
        record[stage].add(item);
      }
      // The latest last, see `mayBeAwaited`.
      this.#rounds.delete(round.key);
      this.#rounds.set(round.key, record);
    }
    for (const [oldest] of this.#rounds) {
      if (this.#rounds.size <= MOST_OPEN_ROUNDS) return;
      this.#rounds.delete(oldest);
      this.#context.logger.warn(`the items of ${oldest} have never all completed; its last callback is not made.`);
    }
  }

  #forgetWhatIsOver(): void {
    const { registry, watch } = this.#context;
    const session = liveSessionId(registry.session.state);
    if (this.#session !== session) {
      this.#rounds.clear();
      this.#dropped.clear();
    }
    this.#session = session;
    const { called } = watch.view.guarantee.completed;
    for (const key of this.#rounds.keys()) if (called.includes(key)) this.#rounds.delete(key);
  }

  /** Only peers need this report, and without it they go on after a while, so a failure is not an error. */
  async #tryToWrite(signal: AbortSignal): Promise<void> {
    const { logger } = this.#context;
    await this.#write('started', signal, () => []).catch((error: unknown) => {
      logger.debug(`could not report what it takes no part in; peers wait for it for a while: ${describeCause(error)}`);
    });
  }

  /** Writes our record, and creates nodes for Java peers, until that succeeds; nothing once the session has ended. */
  async #write(stage: GuaranteeStage, signal: AbortSignal, javaNodes: () => readonly Operation[]): Promise<void> {
    const { registry, watch, clock, logger } = this.#context;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      // The reports of a session end with it.
      if (liveSessionId(registry.session.state) !== this.#session) return;
      try {
        return await this.#attempt(stage, javaNodes());
      } catch (error) {
        if (!isTransient(error) || attempt === MOST_ATTEMPTS) throw error;
        if (!isLostRace(error)) await sleep(clock, PAUSE_MS, signal);
        await whenConnected(registry.session, signal);
        // If that fails, so does the next commit.
        await watch.sync().catch((failure: unknown) => logger.debug(describeCause(failure)));
      }
    }
  }

  async #attempt(stage: GuaranteeStage, creations: readonly Operation[]): Promise<void> {
    const { registry, watch, paths, me } = this.#context;
    const parents = creations.length === 0 ? [paths.arrivalRecords] : [paths.arrivalRecords, paths.guarantee(stage)];
    const missing = parents.filter((path) => !watch.nodes.has(path));
    await Promise.all(missing.map((path) => registry.create(path, '')));
    // An instance that was frozen for longer than its session reports nothing in the next one before it has registered.
    const guard: Operation[] = [{ type: 'check', path: paths.live(me) }];
    const groups = [this.#ownRecord(paths.arrivals(me)), ...creations.map((creation) => [creation])];
    const changes = groups.map((operations) => ({ operations }));
    // In order: the first commit also carries our own record, and only that one counts for our instances.
    for (const { operations } of commitChunks(changes, registry.limits, { guard })) await registry.commit(operations);
  }

  #ownRecord(path: string): readonly Operation[] {
    const { watch, registry } = this.#context;
    const { state } = registry.session;
    const value = encodeArrivals({ rounds: this.#rounds, dropped: this.#dropped });
    const node = watch.nodes.get(path);
    if (node !== undefined && state.phase === 'connected' && node.session === state.id)
      return node.value === value ? [] : [{ type: 'set', path, value }];
    // A node of an earlier session would vanish when the server notices that session's end.
    return node === undefined
      ? [{ type: 'create', path, value, lifetime: 'session' }]
      : [{ type: 'replace', path, value, lifetime: 'session', version: node.version }];
  }
}
