/**
 * Exclusive holds of a path, in the format of Curator's LeaderLatch, so that Java and Node processes contend with each
 * other. All children of the path are contenders; the one with the lowest number holds it.
 *
 * ```
 *  /job/leader/election/latch                                             container, created when missing
 *     ├── _c_6f0c….-latch-0000000042    the holder           session node, no data
 *     └── _c_91ab….-latch-0000000043    waits for the one before it to vanish
 * ```
 * The name of a contender begins with an id of its own, by which it finds its node if the answer to the creation is
 * lost. A hold, and the wait for it, end with the connection, since the known state of the queue is out of date then.
 * The contender always removes its node, if necessary in the background: the node would block all others as long as the
 * session lives.
 */
import { randomUUID } from 'node:crypto';
import { DeadlineExceededError, RegistryUnavailableError } from '../../api/errors/errors.js';
import { backoffMs } from '../../async/backoff.js';
import { abortable } from '../../async/wait.js';
import { type SessionState } from '../registry-center.js';
import { type Mirrors } from './mirror/mirrors.js';
import { childPath } from '../node-paths.js';
import { type NodeCreation } from './operations/node-creation.js';
import { type ZooKeeperRequests } from './transport.js';
import { type Call, perform } from './zookeeper-call.js';
import { isAnswer } from './zookeeper-failures.js';
import { type MirrorContext } from './mirror/zookeeper-mirror.js';

/** Dependencies of a hold. */
export interface HoldContext extends MirrorContext {
  readonly creation: NodeCreation;
  readonly mirrors: Mirrors;
}

/** One attempt to hold a path, and the hold that follows if it succeeds. */
export class ExclusiveHold {
  readonly #context: HoldContext;
  readonly #path: string;
  readonly #timeoutMs: number;
  readonly #prefix = `_c_${randomUUID()}-`;
  readonly #broken = new AbortController();
  /** The session in which the creation of our node was requested; `undefined` before. */
  #sessionId: string | undefined;
  /** Our node; `undefined` as long as its creation is not confirmed. */
  #node: string | undefined;
  /** True once this attempt is over; a request that is still pending must not enter the queue again. */
  #isOver = false;

  constructor(context: HoldContext, path: string, timeoutMs: number) {
    this.#context = context;
    this.#path = path;
    this.#timeoutMs = timeoutMs;
  }

  /** Waits for the hold, runs the task, gives the hold up. See `RegistryCenter.exclusively`. */
  async run<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const unsubscribe = this.#context.session.onChange((state) => this.#onSession(state));
    try {
      await this.#obtain();
      // The connection may have broken between our turn and this line.
      this.#broken.signal.throwIfAborted();
      return await task(this.#broken.signal);
    } finally {
      await this.#giveUp();
      unsubscribe();
    }
  }

  #onSession({ phase }: SessionState): void {
    // Before the creation of our node is requested, the call handles a broken connection.
    if (phase === 'connected' || this.#sessionId === undefined) return;
    const cause = new Error(`the session is ${phase}`);
    this.#broken.abort(new RegistryUnavailableError('hold', this.#path, cause));
  }

  async #obtain(): Promise<void> {
    const deadline = new AbortController();
    const signal = AbortSignal.any([this.#broken.signal, deadline.signal]);
    const cancel = this.#context.clock.after(this.#timeoutMs, () => deadline.abort());
    try {
      await abortable(this.#enter(), signal);
      await abortable(this.#reachHead(signal), signal);
    } catch (error) {
      throw deadline.signal.aborted && !this.#broken.signal.aborted ? await this.#tooLate() : error;
    } finally {
      cancel();
    }
  }

  /** Puts our node into the queue. */
  #enter(): Promise<void> {
    return this.#ask(async (call) => {
      for (let attempt = 1; ; attempt++) {
        try {
          const { path } = await call.write(({ transport, sessionId }) => {
            if (this.#isOver) throw new Error(`The wait for ${this.#path} is over`);
            this.#sessionId = sessionId;
            this.#node = undefined;
            const path = this.#context.namespace.at(childPath(this.#path, `${this.#prefix}latch-`));
            return transport.create(path, Buffer.alloc(0), 'ephemeral-sequential');
          });
          this.#node = path;
          return;
        } catch (error) {
          if (!isAnswer(error, 'NO_NODE')) throw error;
          // The server removes a container that has become empty, at any moment.
          if (attempt > 1) await call.pause(error);
          await this.#context.creation.createContainers(call, childPath(this.#path, this.#prefix));
        }
      }
    });
  }

  async #reachHead(signal: AbortSignal): Promise<void> {
    if ((await this.#nextAhead()) === undefined) return;
    const gone = new Set<string>();
    let wake = (): void => undefined;
    const release = await this.#context.mirrors.watch(this.#path, ({ type, path }) => {
      if (type === 'deleted') gone.add(path);
      wake();
    });
    try {
      // Asks again, since the contender ahead may have left before the watch was set. Serial: one turn per contender
      // ahead.
      for (let ahead = await this.#nextAhead(); ahead !== undefined; ahead = await this.#nextAhead()) {
        const path = childPath(this.#path, ahead);
        while (!gone.has(path)) await abortable(new Promise<void>((resolve) => (wake = resolve)), signal);
      }
    } finally {
      release();
    }
  }

  /**
   * Name of the contender just ahead of us; `undefined` if we are the first. Enters the queue again if our node is
   * gone.
   */
  async #nextAhead(): Promise<string | undefined> {
    const queue = await this.#queue();
    const place = queue.findIndex((name) => name.startsWith(this.#prefix));
    if (place >= 0) return queue[place - 1];
    await this.#enter();
    return this.#nextAhead();
  }

  /** All contenders in the order of their turns. */
  async #queue(): Promise<readonly string[]> {
    const names = await this.#ask((call) =>
      call.read(async ({ transport }) => {
        try {
          return await transport.getChildren(this.#context.namespace.at(this.#path));
        } catch (error) {
          if (isAnswer(error, 'NO_NODE')) return [];
          throw error;
        }
      }),
    );
    return [...names].sort((a, b) => (turnOf(a) < turnOf(b) ? -1 : 1));
  }

  async #tooLate(): Promise<DeadlineExceededError> {
    let holder = '';
    try {
      const [first] = await this.#queue();
      if (first !== undefined && !first.startsWith(this.#prefix)) {
        const path = this.#context.namespace.at(childPath(this.#path, first));
        const stat = await this.#ask((call) => call.read(({ transport }) => transport.exists(path)));
        holder = `, which session ${stat?.ephemeralOwner ?? '(unknown)'} has by ${first}`;
      }
    } catch (error) {
      this.#context.logger.debug(`The holder of ${this.#path} could not be found out: ${String(error)}`);
    }
    return new DeadlineExceededError(`the hold of ${this.#path}${holder}`, this.#timeoutMs);
  }

  /** Removes our node, now or in the background. */
  async #giveUp(): Promise<void> {
    this.#isOver = true;
    if (this.#sessionId === undefined) return;
    try {
      const connected = this.#context.session.connected;
      if (connected?.sessionId !== this.#sessionId || this.#broken.signal.aborted) throw new Error('not connected');
      await abortable(this.#removeNode(connected.transport), this.#broken.signal);
    } catch {
      void this.#removeInBackground();
    }
  }

  async #removeNode(transport: ZooKeeperRequests): Promise<void> {
    const nodes = this.#node === undefined ? await this.#ownNodes(transport) : [this.#node];
    await Promise.all(nodes.map((node) => transport.delete(node).catch(absentAs(undefined))));
  }

  /** Paths at the servers of our node, if its creation was not confirmed: one or none. */
  async #ownNodes(transport: ZooKeeperRequests): Promise<readonly string[]> {
    const { namespace } = this.#context;
    const names = await transport.getChildren(namespace.at(this.#path)).catch(absentAs<readonly string[]>([]));
    const own = names.filter((name) => name.startsWith(this.#prefix));
    return own.map((name) => namespace.at(childPath(this.#path, name)));
  }

  async #removeInBackground(): Promise<void> {
    const { session, settings, logger } = this.#context;
    for (let failures = 1; ; failures++) {
      const { connected, state } = session;
      // Our node ends with its session.
      const isOver = connected ? connected.sessionId !== this.#sessionId : state.phase !== 'suspended';
      if (isOver) return;
      try {
        if (connected) return await this.#removeNode(connected.transport);
      } catch (error) {
        logger.warn(`The place in the queue for ${this.#path} could not be given up yet: ${String(error)}`);
      }
      await this.#stateChangeOr(backoffMs(failures, settings.retry));
    }
  }

  #stateChangeOr(delayMs: number): Promise<void> {
    const { session, clock } = this.#context;
    return new Promise((resolve) => {
      const done = (): void => {
        leave();
        cancel();
        resolve();
      };
      const leave = session.onChange(done);
      const cancel = clock.after(delayMs, done);
    });
  }

  #ask<T>(task: (call: Call) => Promise<T>): Promise<T> {
    return perform(this.#context, { operation: 'hold', path: this.#path }, task);
  }
}

/** The text by which Curator orders the queue: the part after the last `latch-`, or the whole name. */
function turnOf(name: string): string {
  const at = name.lastIndexOf('latch-');
  return at < 0 ? name : name.slice(at + 'latch-'.length);
}

function absentAs<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAnswer(error, 'NO_NODE')) return value;
    throw error;
  };
}
