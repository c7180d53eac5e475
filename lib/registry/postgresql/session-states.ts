import { type JobLogger } from '../../api/text/logger.js';
import { Listeners } from '../../async/listeners.js';
import { type Clock } from '../../time/clock.js';
import { soon } from '../../time/event-loop.js';
import { type SessionState } from '../registry-center.js';

/** The parts that the states of a session need. */
export interface SessionStatesOptions {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: JobLogger;
  /** Called when the session is lost, before the listeners are notified. */
  readonly onLost: (reason: string) => void;
  /** Called when a connected session has been silent for most of its timeout. */
  readonly onDoubt: (silentMs: number) => void;
}

/** The share of the session timeout after which a silent server is in doubt. */
const DOUBTFUL_AFTER = 2 / 3;

/** The state of a session, which is lost by our own clock when its time has passed, and those that hear of it. */
export class SessionStates {
  readonly #options: SessionStatesOptions;
  /** Mirrors and holds come before all other listeners. */
  readonly #parts: Listeners<SessionState>;
  readonly #listeners: Listeners<SessionState>;
  readonly #unreported: SessionState[] = [];
  #state: SessionState = { phase: 'connecting' };
  /** When the newest request was sent that has prolonged the session, by the monotonic clock. */
  #renewedAt = 0;
  #cancelCheck: () => void = () => undefined;

  constructor(options: SessionStatesOptions) {
    this.#options = options;
    const onError = (error: unknown): void =>
      options.logger.error(`A listener of the session failed: ${String(error)}`);
    this.#parts = new Listeners({ onError });
    this.#listeners = new Listeners({ onError });
  }

  /** The state as of now: each reading checks the clock. */
  get now(): SessionState {
    if (this.loseIfTimePassed()) soon(() => this.notify());
    return this.#state;
  }

  /** The state that was entered last. */
  get latest(): SessionState {
    return this.#state;
  }

  /** As `Session.isSilent`. */
  get isSilent(): boolean {
    return this.#silentMs >= DOUBTFUL_AFTER * this.#options.timeoutMs;
  }

  onChange(listener: (state: SessionState) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** As `onChange`, but called before all listeners of `onChange`. */
  onChangeFirst(listener: (state: SessionState) => void): () => void {
    return this.#parts.add(listener);
  }

  /** The session was prolonged by a request that was sent at this time of the monotonic clock. */
  renewed(sentAt: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, sentAt);
  }

  /** The session is in this state from now on; `notify()` passes it on. */
  enter(state: SessionState, remark = ''): void {
    this.#state = state;
    this.#unreported.push(state);
    const line = `The session with PostgreSQL is ${state.phase}${remark && `: ${remark}`}`;
    if (state.phase === 'suspended') this.#options.logger.warn(line);
    else this.#options.logger.debug(line);
    this.#checkLater();
  }

  /** The session is over, if there is one. */
  lose(reason: string): void {
    if (!this.#lives || !('id' in this.#state)) return;
    this.enter({ phase: 'lost', id: this.#state.id, reason }, reason);
    this.#options.onLost(reason);
  }

  /** Loses the session if its time has passed. If it returns true, the caller must notify the listeners. */
  loseIfTimePassed(): boolean {
    const silentMs = this.#silentMs;
    const { timeoutMs } = this.#options;
    if (!this.#lives || silentMs < timeoutMs) return false;
    this.lose(
      `PostgreSQL has confirmed nothing for ${Math.round(silentMs)} ms, and may have ended it after ${timeoutMs} ms`,
    );
    return true;
  }

  /** Notifies the listeners of the states that were entered. */
  notify(): void {
    for (let state = this.#unreported.shift(); state; state = this.#unreported.shift()) {
      this.#parts.notify(state);
      this.#listeners.notify(state);
    }
  }

  get #lives(): boolean {
    return this.#state.phase === 'connected' || this.#state.phase === 'suspended';
  }

  get #silentMs(): number {
    return this.#lives ? this.#options.clock.monotonic() - this.#renewedAt : 0;
  }

  #checkLater(): void {
    this.#cancelCheck();
    if (!this.#lives) return;
    const { timeoutMs, clock, onDoubt } = this.#options;
    const share = this.#state.phase === 'connected' ? DOUBTFUL_AFTER : 1;
    this.#cancelCheck = clock.after(Math.max(1, share * timeoutMs - this.#silentMs), () => {
      this.loseIfTimePassed();
      if (this.#state.phase === 'connected' && this.isSilent) onDoubt(this.#silentMs);
      this.notify();
      this.#checkLater();
    });
  }
}
