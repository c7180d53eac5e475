import { describeCause } from '../../api/text/describe-cause.js';
import { ElasticJobError, JobStoppedError } from '../../api/errors/errors.js';
import { runCode } from '../../api/job/running-code.js';
import { isLostRace, isTransient } from '../../api/errors/registry-errors.js';
import { Abort } from '../../async/abort.js';
import { timedCall } from '../../async/timed-call.js';
import { sleep } from '../../async/wait.js';
import { type GuaranteeStage } from '../../layout/job-paths.js';
import { isGone, type JobView } from '../../layout/job-view.js';
import { describeRound, encodeCall, encodeCalled } from '../../layout/x-node/arrival-record.js';
import { commitSizeProblem } from '../../registry/commit-limits.js';
import { type Operation } from '../../registry/registry-center.js';
import { liveSessionId, whenConnected } from '../../registry/session-state.js';
import { type JobContext } from '../job/job-context.js';
import { nodesToRemove, underJavaLatch } from './java.js';
import { type BarrierRound, isClaimed } from './round.js';

/** How long a callback may take if its listener sets no limit. */
export const CALLBACK_DEADLINE_MS = 600_000;

/** Time between two attempts if the registry centre did not answer. */
const PAUSE_MS = 200;

/** User code that is called once in the cluster. */
export interface OnceCall {
  readonly make: (signal: AbortSignal) => void | Promise<void>;
  /** Milliseconds; 0 or less: no limit of the listener's own. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The callbacks of one listener at a barrier. */
export interface BarrierCall extends OnceCall {
  /** The last callback of an earlier firing, whose round was abandoned. */
  readonly makeAbandoned: (signal: AbortSignal, round: BarrierRound) => void | Promise<void>;
}

/**
 * The callback of a round that is complete. The instance whose commit claims the round, by entering it into the record
 * of calls, makes the callback, and no other one; a session node shows that it is in progress. Java peers know neither
 * the record nor that node: our instances hold Java's latch meanwhile, and the missing node of the stage shows Java
 * peers that the callback was made.
 */
export class OnceCallback {
  readonly #context: JobContext;
  /** The round whose callback this instance has begun last, by stage: there is one callback of a stage at a time. */
  readonly #begun = new Map<GuaranteeStage, string>();
  readonly #stopping = new Abort();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /**
   * State of the round's callback:
   *
   * - `not-called`: no instance has begun it
   * - `in-progress`: another living instance makes it
   * - `called`: it was begun, and no living instance is in it any more
   * - `claimed-by-us`: our commit succeeded, and its answer was lost
   */
  state(view: JobView, round: BarrierRound): 'not-called' | 'in-progress' | 'called' | 'claimed-by-us' {
    const { stage, key } = round;
    const { call } = view.guarantee[stage];
    if (!isClaimed(view, round)) return 'not-called';
    if (call?.key !== key) return 'called';
    if (call.instance !== this.#context.me) return isGone(view, call.instance) ? 'called' : 'in-progress';
    return this.#begun.get(stage) === key ? 'called' : 'claimed-by-us';
  }

  /**
   * Makes the callback, if no other instance does.
   * @returns false if another instance was faster, or nothing could be decided; then the view has to be read again
   * @throws the error of the callback, and OnceCallbackTimeoutError if it takes too long; the reason of `call.signal`
   */
  async attempt(round: BarrierRound, call: OnceCall): Promise<boolean> {
    call.signal.throwIfAborted();
    const isMade = await underJavaLatch(this.#context, round.stage, (wasCalled) =>
      wasCalled ? this.close(round).then(() => true) : this.#attempt(round, call),
    );
    if (isMade === undefined) await this.#pause(call.signal);
    return isMade ?? false;
  }

  async #attempt(round: BarrierRound, call: OnceCall): Promise<boolean> {
    const { watch, registry } = this.#context;
    const isOurs =
      this.state(watch.view, round) === 'claimed-by-us' || (await this.#claim(round, 'to-call', call.signal));
    if (!isOurs) return false;
    this.#begun.set(round.stage, round.key);
    const session = liveSessionId(registry.session.state);
    try {
      await this.#invoke(round, call);
      return true;
    } finally {
      await this.#end(round, session);
    }
  }

  /** Claims the round without making its callback: no instance will make it any more. */
  async close(round: BarrierRound): Promise<void> {
    const { registry, paths } = this.#context;
    const session = liveSessionId(registry.session.state);
    if (await this.#claim(round, 'to-close', this.#stopping.signal))
      await this.#soon(session, () => registry.remove(paths.guarantee(round.stage)));
  }

  /** Ends the background work. */
  stop(): void {
    this.#stopping.abort(new JobStoppedError(this.#context.paths.jobName, 'its listeners are not called any more'));
  }

  /** Claims the round. @returns true if this very commit claimed it */
  async #claim(round: BarrierRound, purpose: 'to-call' | 'to-close', signal: AbortSignal): Promise<boolean> {
    const { registry, watch, paths, me } = this.#context;
    const { view } = watch;
    if (isClaimed(view, round)) return false;
    try {
      if (!watch.nodes.has(paths.called(round.stage))) {
        await registry.create(paths.called(round.stage), '');
        await watch.sync();
        return false;
      }
      await registry.commit([
        // An instance that was frozen for longer than its session begins nothing before it has registered again.
        { type: 'check', path: paths.live(me) },
        ...this.#entry(view, round),
        ...(purpose === 'to-call' ? this.#inProgress(view, round) : []),
      ]);
      return true;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!isLostRace(error)) await this.#pause(signal);
      // The view shows the outcome in any case, see `state`.
      await watch.sync().catch(() => this.#pause(signal));
      return false;
    }
  }

  #entry({ guarantee: { started, completed } }: JobView, { stage, key }: BarrierRound): readonly Operation[] {
    const write = (which: GuaranteeStage, keys: readonly string[]): Operation => {
      const path = this.#context.paths.called(which);
      const version = this.#context.watch.nodes.get(path)?.version ?? 0;
      return { type: 'set', path, value: encodeCalled(keys), version };
    };
    if (stage === 'started') return [write('started', [...started.called, key])];
    const open = started.called.filter((each) => each !== key);
    return [
      write('completed', [...completed.called, key]),
      // A round whose last callback is claimed is no longer open.
      ...(open.length < started.called.length ? [write('started', open)] : []),
    ];
  }

  /** Shows that the callback is being made. */
  #inProgress(view: JobView, { stage, key }: BarrierRound): readonly Operation[] {
    const { paths, me } = this.#context;
    const { call } = view.guarantee[stage];
    const path = paths.call(stage);
    const value = encodeCall({ key, instance: me });
    // The node of an instance that has withdrawn, or an earlier one of our own.
    const isLeft = call !== undefined && (call.instance === me || isGone(view, call.instance));
    return [{ type: isLeft ? 'replace' : 'create', path, value, lifetime: 'session' }];
  }

  async #invoke({ stage, key }: BarrierRound, { make, timeoutMs, signal }: OnceCall): Promise<void> {
    const { clock, paths, me } = this.#context;
    const limitMs = timeoutMs > 0 ? timeoutMs : CALLBACK_DEADLINE_MS;
    const what = `The callback of job '${paths.jobName}' for ${describeRound(key)}, when all items had ${stage}, has not returned and is left behind`;
    const who = 'a listener that is called once in the cluster';
    const code = { jobName: paths.jobName, instanceId: me, part: 'listener', what: who } as const;
    const error = (): Error => new OnceCallbackTimeoutError(limitMs, what);
    await timedCall((each) => runCode(code, () => make(each)), { clock, signal, limitMs, error });
  }

  /**
   * Ends the callback, so that all waiting instances go on, now or as soon as the registry centre answers. Never
   * rejects.
   */
  async #end(round: BarrierRound, session: string | undefined): Promise<void> {
    if (await this.#removeAtOnce(round.stage, session)) return;
    await this.#soon(session, () => this.#removeInOrder(round));
  }

  /**
   * Removes our node, and the stage's with all items, in one commit. @returns false if the nodes are not as this
   * instance sees them
   */
  async #removeAtOnce(stage: GuaranteeStage, session: string | undefined): Promise<boolean> {
    const { registry, paths, logger } = this.#context;
    const nodes = nodesToRemove(this.#context, stage);
    if (nodes === undefined || liveSessionId(registry.session.state) !== session) return false;
    const operations = [...nodes, paths.call(stage)].map((path): Operation => ({ type: 'remove', path }));
    if (commitSizeProblem(operations, registry.limits) !== undefined) return false;
    try {
      await registry.commit(operations);
      return true;
    } catch (error) {
      logger.debug(describeCause(error));
      return false;
    }
  }

  /** Removes the stage's node first: an instance that goes on may soon report to the next round, in that node. */
  async #removeInOrder({ stage, key }: BarrierRound): Promise<void> {
    const { registry, paths, me } = this.#context;
    // If a removal has lost its answer, the node may be that of another instance's next callback by now.
    if ((await registry.get(paths.call(stage))) !== encodeCall({ key, instance: me })) return;
    await registry.remove(paths.guarantee(stage));
    await registry.remove(paths.call(stage));
  }

  /** Removes nodes now, or in the background as soon as the session is connected again. Never rejects. */
  async #soon(session: string | undefined, removal: () => Promise<unknown>): Promise<void> {
    const { registry, logger } = this.#context;
    try {
      // After the session our node is gone, and a node there is another instance's.
      if (liveSessionId(registry.session.state) === session) await removal();
    } catch (error) {
      logger.debug(describeCause(error));
      if (!isTransient(error)) return;
      const isStopped = (): undefined => undefined;
      void this.#pause(this.#stopping.signal).then(() => this.#soon(session, removal), isStopped);
    }
  }

  /** Waits until the registry centre can be asked again. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, registry } = this.#context;
    await sleep(clock, PAUSE_MS, signal);
    await whenConnected(registry.session, signal);
  }
}

/** A once-listener took too long, or was not called because items did not arrive in time. */
export class OnceCallbackTimeoutError extends ElasticJobError {
  override readonly name = 'OnceCallbackTimeoutError';
  constructor(timeoutMs: number, what: string) {
    // The words of Java's message, because people search for them.
    super('DEADLINE_EXCEEDED', `Job timeout. timeout mills is ${timeoutMs}. ${what}.`);
  }
}
