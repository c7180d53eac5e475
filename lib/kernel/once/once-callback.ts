import { ElasticJobError, JobStoppedError, RegistryConflictError } from '../../api/errors.js';
import { type JobLogger } from '../../api/logger.js';
import { abortable, sleep } from '../../async/wait.js';
import { describeRound, encodeCall, encodeCalled } from '../../layout/x-node/arrival-record.js';
import { hasJavaPeers, isGone, type JobView } from '../../layout/job-view.js';
import { type GuaranteeStage, type JobPaths } from '../../layout/job-paths.js';
import { type Operation, type RegistryCenter } from '../../registry/registry-center.js';
import { type Clock } from '../../time/clock.js';
import { type JobWatch } from '../view/job-watch.js';
import { type BarrierRound, isClaimed } from './round.js';
import { liveSessionId } from '../../registry/session-state.js';
import { isTransient } from '../../api/registry-errors.js';

/** How long a call may take if its listener sets no limit. */
const CALL_LIMIT_MS = 600_000;

/** Longest wait for the latch that Java peers hold while they make the call. */
const LATCH_TIMEOUT_MS = 60_000;

/** Most nodes removed in one commit. */
const NODES_A_COMMIT = 2_000;

/** Time between two attempts at what failed because the registry did not answer. */
const PAUSE_MS = 200;

/** What making a call needs. */
export interface OnceCallbackPorts {
  readonly registry: RegistryCenter;
  readonly watch: JobWatch;
  readonly paths: JobPaths;
  readonly me: string;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Resolves as soon as the session is connected; rejects with the signal's reason when it is aborted. */
  readonly whenConnected: (signal: AbortSignal) => Promise<void>;
}

/** User code that is to be called once in the cluster. */
export interface Call {
  /** `forgotten`: it is that of an earlier firing, which nobody has made. */
  readonly callback: (signal: AbortSignal, forgotten?: BarrierRound) => void | Promise<void>;
  /** Milliseconds; 0 or less: none of its own. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The call of a meeting that is complete. Who wins the commit that enters the round into the record of calls, and no one else, makes
 * it; a session node shows that it is being made. Java peers, which know of neither, are kept out by their latch, and
 * see by the missing node of the stage that it was made.
 */
export class OnceCallback {
  readonly #ports: OnceCallbackPorts;
  /** Rounds whose call this instance has begun, the latest last. */
  readonly #begun: string[] = [];
  readonly #stopping = new AbortController();

  constructor(ports: OnceCallbackPorts) {
    this.#ports = ports;
  }

  /**
   * How the callback of the round stands. `called`: it was begun, and no living instance is in it any more.
   * `claimed-by-us`: our commit succeeded, and its answer was lost.
   */
  state(view: JobView, { stage, key }: BarrierRound): 'not-called' | 'in-progress' | 'called' | 'claimed-by-us' {
    const { call } = view.guarantee[stage];
    if (!isClaimed(view, stage, key)) return 'not-called';
    if (call?.key !== key) return 'called';
    if (call.instance !== this.#ports.me) return isGone(view, call.instance) ? 'called' : 'in-progress';
    return this.#begun.includes(`${stage} ${key}`) ? 'called' : 'claimed-by-us';
  }

  /**
   * Makes the call, if nobody else does.
   * @returns false if somebody was faster, or nothing could be decided; look again
   * @throws what the call throws, and OnceCallTimeoutError if it takes too long
   */
  async attempt(round: BarrierRound, call: Call): Promise<boolean> {
    const { registry, watch, paths, logger } = this.#ports;
    if (!hasJavaPeers(watch.view)) return this.#attempt(round, call);
    // What the call itself throws must not be taken for a failure of the latch.
    let outcome: Promise<boolean> | undefined;
    try {
      await registry.exclusively(paths.guaranteeLatch(round.stage), LATCH_TIMEOUT_MS, async () => {
        await watch.sync();
        // Who had the latch before us made the call, and has removed the node.
        const isOpen = watch.nodes.has(paths.guarantee(round.stage));
        outcome = isOpen ? this.#attempt(round, call) : this.close(round).then(() => true);
        await outcome.catch(() => undefined);
      });
    } catch (error) {
      logger.warn(`the listener's call for ${describeRound(round.key)} is delayed: ${String(error)}`);
      await this.#pause(call.signal);
    }
    return outcome ?? false;
  }

  async #attempt(round: BarrierRound, call: Call): Promise<boolean> {
    const isOurs =
      this.state(this.#ports.watch.view, round) === 'claimed-by-us' || (await this.#claim(round, 'call', call.signal));
    if (!isOurs) return false;
    this.#begun.push(`${round.stage} ${round.key}`);
    this.#begun.splice(0, this.#begun.length - 100);
    const session = liveSessionId(this.#ports.registry.session.state);
    try {
      await this.#invoke(round, call);
      return true;
    } finally {
      await this.#end(round, session);
    }
  }

  /** Enters the round as if its call had been made: nobody will make it any more. */
  async close(round: BarrierRound): Promise<void> {
    const session = liveSessionId(this.#ports.registry.session.state);
    if (await this.#claim(round, 'close', this.#stopping.signal))
      await this.#removeSoon(this.#ports.paths.guarantee(round.stage), session);
  }

  /** Ends what goes on in the background. */
  stop(): void {
    this.#stopping.abort(new JobStoppedError(this.#ports.paths.jobName, 'its listeners are not called any more'));
  }

  /** Whether this very commit entered the round. */
  async #claim({ stage, key }: BarrierRound, purpose: 'call' | 'close', signal: AbortSignal): Promise<boolean> {
    const { registry, watch, paths, me } = this.#ports;
    const { view } = watch;
    if (isClaimed(view, stage, key)) return false;
    try {
      if (!watch.nodes.has(paths.called(stage))) {
        await registry.create(paths.called(stage), '');
        await watch.sync();
        return false;
      }
      await registry.commit([
        // Who was frozen for longer than its session must not begin anything before it has heard of that.
        { type: 'check', path: paths.live(me) },
        ...this.#entry(view, { stage, key }),
        ...(purpose === 'call' ? this.#callOperations(view, { stage, key }) : []),
      ]);
      return true;
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!(error instanceof RegistryConflictError)) await this.#pause(signal);
      // Whatever the outcome was, the view will tell, see `state`.
      await watch.sync().catch(() => this.#pause(signal));
      return false;
    }
  }

  #entry(
    { guarantee: { started, completed } }: JobView,
    { stage, key }: Pick<BarrierRound, 'stage' | 'key'>,
  ): Operation[] {
    const write = (which: GuaranteeStage, rounds: readonly string[]): Operation => {
      const path = this.#ports.paths.called(which);
      return {
        type: 'set',
        path,
        value: encodeCalled(rounds),
        version: this.#ports.watch.nodes.get(path)?.version ?? 0,
      };
    };
    if (stage === 'started') return [write('started', [...started.called, key])];
    const isEntered = started.called.includes(key);
    const remaining = started.called.filter((one) => one !== key);
    return [
      write('completed', [...completed.called, key]),
      // What has completed is open no more.
      ...(isEntered ? [write('started', remaining)] : []),
    ];
  }

  #callOperations(view: JobView, { stage, key }: Pick<BarrierRound, 'stage' | 'key'>): readonly Operation[] {
    const { paths, me } = this.#ports;
    const { call } = view.guarantee[stage];
    const path = paths.call(stage);
    const creation: Operation = {
      type: 'create',
      path,
      value: encodeCall({ key, instance: me }),
      lifetime: 'session',
    };
    // One that is left of a caller that has withdrawn, or of ourselves.
    const isLeft = call !== undefined && (call.instance === me || isGone(view, call.instance));
    return isLeft ? [{ type: 'remove', path }, creation] : [creation];
  }

  async #invoke({ stage, key }: BarrierRound, { callback, timeoutMs, signal }: Call): Promise<void> {
    const { clock, paths } = this.#ports;
    const limitMs = timeoutMs > 0 ? timeoutMs : CALL_LIMIT_MS;
    const overdue = new AbortController();
    const cancel = clock.after(limitMs, () =>
      overdue.abort(
        new OnceCallTimeoutError(
          limitMs,
          `The listener's call of job '${paths.jobName}' for ${describeRound(key)}, when all items had ${stage}, has not returned and is left behind`,
        ),
      ),
    );
    const both = AbortSignal.any([signal, overdue.signal]);
    try {
      await abortable(
        Promise.resolve().then(() => callback(both)),
        both,
      );
    } finally {
      cancel();
    }
  }

  /** Lets all go on who wait for the call. Never rejects. */
  async #end({ stage }: BarrierRound, session: string | undefined): Promise<void> {
    const { paths } = this.#ports;
    if (await this.#removeAtOnce(stage, session)) return;
    // In this order: who goes on may soon report to the next meeting, in the node that is removed here.
    await this.#removeSoon(paths.guarantee(stage), session);
    await this.#removeSoon(paths.call(stage), session);
  }

  /** Our node, and the stage's with all items, in one commit. False if it is not as this instance sees it. */
  async #removeAtOnce(stage: GuaranteeStage, session: string | undefined): Promise<boolean> {
    const { registry, watch, paths } = this.#ports;
    const come = stage === 'started' ? watch.view.startedItems : watch.view.completedItems;
    const root = paths.guarantee(stage);
    if (come.size > NODES_A_COMMIT || !watch.nodes.has(root) || liveSessionId(registry.session.state) !== session)
      return false;
    const all = [...[...come].map((item) => paths.guarantee(stage, item)), root, paths.call(stage)];
    try {
      await registry.commit(all.map((path): Operation => ({ type: 'remove', path })));
      return true;
    } catch (error) {
      this.#ports.logger.debug(String(error));
      return false;
    }
  }

  /** Now, or as soon as the session is connected again. Never rejects. */
  async #removeSoon(path: string, session: string | undefined): Promise<void> {
    if (!(await this.#removeNow(path, session))) void this.#removeLater(path, session);
  }

  async #removeLater(path: string, session: string | undefined): Promise<void> {
    for (let isDone = false; !isDone;) {
      const isOver = await this.#pause(this.#stopping.signal).then(
        () => false,
        () => true,
      );
      isDone = isOver || (await this.#removeNow(path, session));
    }
  }

  /** Whether nothing is left to do. After the session, our node is gone, and what stands in its place is another's. */
  async #removeNow(path: string, session: string | undefined): Promise<boolean> {
    const { registry, logger } = this.#ports;
    try {
      if (liveSessionId(registry.session.state) === session) await registry.remove(path);
      return true;
    } catch (error) {
      logger.debug(String(error));
      return !isTransient(error);
    }
  }

  /** Until the registry can be asked again. */
  async #pause(signal: AbortSignal): Promise<void> {
    await sleep(this.#ports.clock, PAUSE_MS, signal);
    await this.#ports.whenConnected(signal);
  }
}

/** A listener that is called once in the cluster took too long, or was not called because items did not come in time. */
export class OnceCallTimeoutError extends ElasticJobError {
  override readonly name = 'OnceCallTimeoutError';
  constructor(timeoutMs: number, what: string) {
    // Java's words, by which people search.
    super('DEADLINE_EXCEEDED', `Job timeout. timeout mills is ${timeoutMs}. ${what}.`);
  }
}
