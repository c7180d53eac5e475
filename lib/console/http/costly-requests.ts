import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Limiter } from '../../async/limiter.js';
import { type Clock } from '../../time/clock.js';
import { CONSOLE_CLOCK } from '../options/console-tokens.js';
import { type Account, LOCAL } from '../security/callers/account.js';
import { type ConsoleRequest } from '../security/callers/caller.js';
import { ConsoleProblem } from '../answers/console-problem.js';
import { type ConsoleResponse, nodeResponse } from './responses.js';

/** The most requests of one user that are answered at the same time: half of the connections of a data source. */
const AT_ONCE = 2;
/** The most further requests of that user that wait, enough for a few open pages. */
const MOST_WAITING = 20;
const LONGEST_WAIT_MS = 15_000;
const RETRY_SECONDS = 5;

/** The running and waiting requests of one user. */
interface Turns {
  readonly limiter: Limiter;
  size: number;
}

/**
 * Prevents one user from occupying all connections to a database or a registry centre: two of the user's costly
 * requests are answered at a time, 20 wait for at most 15 seconds, and more are refused at once.
 */
@Injectable()
export class CostlyRequests implements NestInterceptor {
  readonly #users = new Map<string, Turns>();

  constructor(@Inject(CONSOLE_CLOCK) private readonly clock: Clock) {}

  /**
   * @throws ConsoleProblem 429 `too-many-requests` if too many requests of the user wait, or this one has waited too
   *   long
   */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { elasticJobCaller: caller } = http.getRequest<ConsoleRequest>();
    if (caller === undefined) return next.handle();
    return from(this.#inTurn(userOf(caller), http.getResponse<ConsoleResponse>(), next));
  }

  async #inTurn(user: string, response: ConsoleResponse, next: CallHandler): Promise<unknown> {
    const turns = this.#users.get(user) ?? { limiter: new Limiter(AT_ONCE), size: 0 };
    if (turns.size >= AT_ONCE + MOST_WAITING) throw tooMany();
    this.#users.set(user, turns);
    turns.size++;
    try {
      return await this.#waiting(response, (signal, begin) =>
        turns.limiter.run(() => {
          begin();
          return lastValueFrom(next.handle(), { defaultValue: undefined });
        }, signal),
      );
    } finally {
      if (--turns.size === 0) this.#users.delete(user);
    }
  }

  /** The signal aborts when the wait for a turn has lasted too long, or the client has gone; not after `begin`. */
  async #waiting<T>(
    response: ConsoleResponse,
    call: (signal: AbortSignal, begin: () => void) => Promise<T>,
  ): Promise<T> {
    const giveUp = new AbortController();
    const abort = (): void => giveUp.abort(tooMany());
    const cancel = this.clock.after(LONGEST_WAIT_MS, abort);
    const node = nodeResponse(response).once('close', abort);
    const begin = (): void => {
      cancel();
      node.off('close', abort);
    };
    try {
      return await call(giveUp.signal, begin);
    } finally {
      begin();
    }
  }
}

/**
 * Marks a route, or all routes of a controller, whose answers need a database, a registry centre or much processor
 * time.
 */
export function Costly(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseInterceptors(CostlyRequests));
}

function userOf({ username, provider, subject = username }: Account): string {
  return JSON.stringify(provider === LOCAL ? [provider, username.toLowerCase()] : [provider, subject]);
}

function tooMany(): ConsoleProblem {
  const detail = `Too many costly requests of this user are under way. Try again in ${RETRY_SECONDS} seconds.`;
  return new ConsoleProblem(429, 'too-many-requests', detail, { headers: { 'retry-after': String(RETRY_SECONDS) } });
}
