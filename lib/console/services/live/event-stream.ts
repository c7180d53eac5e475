import { type Caller } from '../../security/callers/caller.js';
import { NamedTimers } from '../../../async/named-timers.js';
import { type Clock } from '../../../time/clock.js';
import { type LiveEvent } from '../../contract/live.js';
import { type EventLog, type LoggedEvent } from './event-log.js';
import { mergedShards } from './shard-changes.js';

/** The request for a stream. */
export interface StreamRequest {
  readonly log: EventLog;
  readonly caller: Caller;
  /** The job whose items are sent too, when they change. */
  readonly jobName?: string | undefined;
  /** The `Last-Event-ID` of the request. */
  readonly lastEventId?: string | undefined;
}

/** The output of a stream: a response of Node's. */
export interface StreamOutput {
  /** @returns true if more can be written at once */
  write(text: string): boolean;
  end(): void;
  /** Calls back when more can be written. */
  onDrain(callback: () => void): void;
}

/** The pause between two writes: at most four a second. */
const PAUSE_MS = 250;

/** The milliseconds between two comments, which keep proxies from closing the connection. */
const COMMENT_MS = 15_000;

/** If more merged events are pending, the client reads everything again. */
const MOST_PENDING = 1_000;

/** The milliseconds that the browser waits before it connects again. */
const RETRY_MS = 3_000;

/**
 * One stream of server-sent events: events of one key are merged, so that a client gets each key at most four times a
 * second.
 */
export class EventStream {
  readonly #clock: Clock;
  readonly #log: EventLog;
  readonly #request: StreamRequest;
  readonly #output: StreamOutput;
  readonly #timers: NamedTimers<'flush' | 'comment'>;
  readonly #pending = new Map<string, LoggedEvent>();
  readonly #onEnd: (() => void)[] = [];
  #lastFlush = -Infinity;
  #isBlocked = false;
  #isEnded = false;

  constructor(clock: Clock, request: StreamRequest, output: StreamOutput) {
    this.#clock = clock;
    this.#log = request.log;
    this.#request = request;
    this.#output = output;
    this.#timers = new NamedTimers(clock);
  }

  start(): void {
    const { caller, jobName, lastEventId } = this.#request;
    if (jobName !== undefined) this.#onEnd.push(this.#log.follow(jobName));
    this.#onEnd.push(this.#log.onEvent((event) => (event === 'closed' ? this.#leave() : this.#take(event))));
    const onSessionEnd = (): void => this.end('logged-out');
    caller.ended.addEventListener('abort', onSessionEnd, { once: true });
    this.#onEnd.push(() => caller.ended.removeEventListener('abort', onSessionEnd));
    this.#write(`retry: ${RETRY_MS}\n\n`);
    this.#take(this.#log.status());
    this.#resume(lastEventId);
    // The log has no changes of items from the time without followers.
    const shards = jobName === undefined ? undefined : this.#log.shardsOf(jobName);
    if (shards !== undefined) this.#take(shards);
    this.#flush();
    this.#commentLater();
    if (caller.ended.aborted) this.end('logged-out');
  }

  /** Calls back when the stream has ended. */
  onEnd(callback: () => void): void {
    this.#onEnd.push(callback);
  }

  /** Ends the stream, and asks the client not to connect again. */
  end(reason: Extract<LiveEvent, { type: 'bye' }>['reason']): void {
    if (this.#isEnded) return;
    this.#write(eventText({ type: 'bye', reason }));
    this.closed();
    this.#output.end();
  }

  /** Ends the stream after the client has gone. */
  closed(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timers.cancelAll();
    for (const callback of this.#onEnd) callback();
  }

  /**
   * Ends the stream when the registry centre is disconnected or connected again: the client comes back with a number
   * that is then unknown.
   */
  #leave(): void {
    this.#flush();
    this.closed();
    this.#output.end();
  }

  #resume(lastEventId: string | undefined): void {
    if (lastEventId === undefined || lastEventId === '') return;
    const [epoch, number] = lastEventId.split('.');
    const missed = epoch === this.#log.epoch ? this.#log.after(Number(number ?? NaN)) : undefined;
    if (missed === undefined) return this.#take({ number: this.#log.number, key: 'resync', event: { type: 'resync' } });
    for (const event of missed) this.#take(event);
  }

  #take(event: LoggedEvent): void {
    if (event.event.type === 'shards' && event.event.jobName !== this.#request.jobName) return;
    // The latest event of a key comes last, so that the sent numbers only grow.
    const merged = mergedWith(this.#pending.get(event.key), event);
    this.#pending.delete(event.key);
    this.#pending.set(event.key, merged);
    if (this.#pending.has('resync') || this.#pending.size > MOST_PENDING)
      // Data that the client reads again is newer than all pending events.
      this.#onlyResync({ number: event.number, key: 'resync', event: { type: 'resync' } });
    if (this.#isBlocked || this.#timers.isSet('flush')) return;
    const wait = this.#lastFlush + PAUSE_MS - this.#clock.monotonic();
    this.#timers.set('flush', Math.max(0, wait), () => this.#flush());
  }

  #onlyResync(event: LoggedEvent): void {
    const registry = this.#pending.get('registry');
    this.#pending.clear();
    if (registry !== undefined) this.#pending.set('registry', registry);
    this.#pending.set('resync', event);
  }

  #flush(): void {
    this.#timers.cancel('flush');
    if (this.#isEnded || this.#isBlocked || this.#pending.size === 0) return;
    const events = [...this.#pending.values()];
    this.#pending.clear();
    this.#lastFlush = this.#clock.monotonic();
    this.#write(events.map(({ number, event }) => eventText(event, `${this.#log.epoch}.${number}`)).join(''));
  }

  #write(text: string): void {
    if (this.#isEnded || this.#output.write(text) || this.#isBlocked) return;
    this.#isBlocked = true;
    this.#output.onDrain(() => {
      this.#isBlocked = false;
      this.#flush();
    });
  }

  #commentLater(): void {
    this.#timers.set('comment', COMMENT_MS, () => {
      if (!this.#isBlocked) this.#write(': still here\n\n');
      this.#commentLater();
    });
  }
}

/**
 * Events of items contain changes, so both are merged; for all other events, the later one replaces the earlier one.
 */
function mergedWith(earlier: LoggedEvent | undefined, later: LoggedEvent): LoggedEvent {
  if (earlier?.event.type !== 'shards' || later.event.type !== 'shards') return later;
  return { ...later, event: mergedShards(earlier.event, later.event) };
}

/** One event as text. JSON text contains no line breaks. */
function eventText({ type, ...data }: LiveEvent, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
