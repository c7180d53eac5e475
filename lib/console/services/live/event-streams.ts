import { actorOf } from '../../security/callers/account.js';
import { type Caller } from '../../security/callers/caller.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { type ProblemCode } from '../../answers/problem-codes.js';
import { type Clock } from '../../../time/clock.js';
import { EventStream, type StreamOutput, type StreamRequest } from './event-stream.js';

/** Limits of open streams. */
export interface StreamLimits {
  readonly perSession: number;
  readonly total: number;
}

/** All open streams. */
export class EventStreams {
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  readonly #open = new Map<EventStream, string>();
  #isStopping = false;

  constructor(clock: Clock, limits: StreamLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#open.size;
  }

  /** @throws ConsoleProblem 429 if too many are open */
  admit(caller: Caller): string {
    const owner = caller.sessionId ?? `token of ${actorOf(caller)}`;
    const own = [...this.#open.values()].filter((each) => each === owner).length;
    if (this.#isStopping) throw tooMany(503, 'stopping', 'The console is stopping.');
    if (own >= this.#limits.perSession)
      throw tooMany(
        429,
        'too-many-streams',
        `This session has ${own} open streams of events, which is the limit: close some pages.`,
      );
    if (this.#open.size >= this.#limits.total)
      throw tooMany(
        429,
        'too-many-streams',
        `The console has ${this.#open.size} open streams of events, which is the limit.`,
      );
    return owner;
  }

  /** Sends events to the output until the session, the output or the console ends. */
  open(request: StreamRequest, output: StreamOutput): EventStream {
    const owner = this.admit(request.caller);
    const stream = new EventStream(this.#clock, request, output);
    this.#open.set(stream, owner);
    stream.onEnd(() => this.#open.delete(stream));
    stream.start();
    return stream;
  }

  /** Ends all streams. */
  stop(): void {
    this.#isStopping = true;
    for (const stream of [...this.#open.keys()]) stream.end('stopping');
  }
}

function tooMany(status: number, code: ProblemCode, detail: string): ConsoleProblem {
  return new ConsoleProblem(status, code, detail, { headers: { 'retry-after': '10' } });
}
