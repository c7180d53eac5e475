import { type JobLogger } from '../../../api/text/logger.js';
import { Listeners } from '../../../async/listeners.js';
import { type Clock } from '../../../time/clock.js';
import { soon } from '../../../time/event-loop.js';
import { type SessionState } from '../../registry-center.js';

/** The parts that the states of a session need. */
export interface SessionStatesOptions {
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** The timeout that is asked for, in milliseconds. */
  readonly timeoutMs: number;
  /** Called when a session is lost, before the listeners. */
  readonly onLost: (id: string, reason: string) => void;
}

/** The part of the timeout that may pass without an answer until the session is in doubt. */
const DOUBTFUL_AFTER = 2 / 3;

/** The state of a session, which is lost by our own clock when its time has passed, and those who are to know. */
export class SessionStates {
  readonly #options: SessionStatesOptions;
  readonly #parts: Listeners<SessionState>;
  readonly #listeners: Listeners<SessionState>;
  #state: SessionState = { phase: 'connecting' };
  #timeoutMs: number;
  /** When the newest request was sent that has prolonged the lease, on the monotonic scale. */
  #renewedAt = 0;
  #remark: string | undefined;
  #cancelLoss = (): void => undefined;

  constructor(options: SessionStatesOptions) {
    const onError = (error: unknown): void =>
      options.logger.error(`A listener of the session failed: ${String(error)}`);
    this.#options = options;
    this.#parts = new Listeners({ onError });
    this.#listeners = new Listeners({ onError });
    this.#timeoutMs = options.timeoutMs;
  }

  /** The state as of now: each reading checks the clock. */
  get state(): SessionState {
    if (this.#hasTimePassed) {
      const lost = this.#becomeLost(this.#silenceInWords);
      if (lost) soon(() => this.#notify(lost));
    }
    return this.#state;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** As `Session.isSilent`. */
  get isSilent(): boolean {
    return this.#lives && this.#silentMs >= DOUBTFUL_AFTER * this.#timeoutMs;
  }

  /** The reason for which the session was suspended or lost last. */
  get remark(): string | undefined {
    return this.#remark;
  }

  onChange(listener: (state: SessionState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** As `onChange`, but called before all listeners of `onChange`. */
  onChangeFirst(listener: (state: SessionState) => void): () => void {
    return this.#parts.add(listener);
  }

  /** The lease was prolonged by a request that was sent at this moment. */
  renewed(sentAt: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, sentAt);
    this.#watchTheClock();
  }

  /** etcd grants whole seconds, and no less than one and a half times its election timeout. */
  grant(timeoutMs: number, askedMs: number): void {
    if (timeoutMs !== askedMs && timeoutMs !== this.#timeoutMs)
      this.#options.logger.log(
        `etcd grants a session timeout of ${timeoutMs} ms instead of the ${askedMs} ms asked for ` +
          '(sessionTimeoutMilliseconds): its leases last whole seconds, and longer than an election of a leader.',
      );
    this.#timeoutMs = timeoutMs;
  }

  /** The session is in this state from now on. */
  enter(state: SessionState, remark = ''): void {
    this.#become(state, remark);
    this.#notify(state);
  }

  /** The session is over. */
  lose(reason: string): void {
    const lost = this.#becomeLost(reason);
    if (lost) this.#notify(lost);
  }

  /** @returns the state to notify the listeners of; `undefined` if there was nothing to lose */
  #becomeLost(reason: string): SessionState | undefined {
    const state = this.#state;
    if (state.phase !== 'connected' && state.phase !== 'suspended') return undefined;
    const lost: SessionState = { phase: 'lost', id: state.id, reason };
    this.#become(lost, reason);
    this.#options.onLost(state.id, reason);
    return lost;
  }

  #become(state: SessionState, remark: string): void {
    this.#state = state;
    if (state.phase === 'suspended' || state.phase === 'lost') this.#remark = remark;
    const line = `The session with etcd is ${state.phase}${remark && `: ${remark}`}`;
    if (state.phase === 'suspended') this.#options.logger.warn(line);
    else this.#options.logger.debug(line);
    this.#watchTheClock();
  }

  #notify(state: SessionState): void {
    this.#parts.notify(state);
    this.#listeners.notify(state);
  }

  get #lives(): boolean {
    return this.#state.phase === 'connected' || this.#state.phase === 'suspended';
  }

  get #silentMs(): number {
    return this.#options.clock.monotonic() - this.#renewedAt;
  }

  get #hasTimePassed(): boolean {
    return this.#lives && this.#silentMs >= this.#timeoutMs;
  }

  get #silenceInWords(): string {
    const silentMs = Math.round(this.#silentMs);
    return `etcd has confirmed nothing for ${silentMs} ms, and may have ended it after ${this.#timeoutMs} ms`;
  }

  #watchTheClock(): void {
    this.#cancelLoss();
    if (!this.#lives) return;
    this.#cancelLoss = this.#options.clock.after(Math.max(1, this.#timeoutMs - this.#silentMs), () => {
      if (this.#hasTimePassed) this.lose(this.#silenceInWords);
      else this.#watchTheClock();
    });
  }
}
