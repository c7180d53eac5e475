import { RegistryOutcomeUnknownError, RegistryUnavailableError } from '../../api/errors/errors.js';
import { type EmbeddedRegistryServer, type ServerConnection } from './embedded-registry-server.js';

/** A request of a centre to the server. */
export interface EmbeddedRequest<T> {
  /** A verb, for messages: `create`. */
  readonly operation: string;
  readonly path: string;
  /** Only a write whose answer is lost has an unknown outcome. */
  readonly kind: 'read' | 'write';
  /** Carries out the request at the server, at once. */
  readonly run: () => T;
}

/**
 * Receiver of an answer: `answered` is called when it arrives, `failed` when it is an error or can no longer arrive.
 */
export interface AnswerTo<T> {
  readonly answered: (answer: T) => void;
  readonly failed: (error: unknown) => void;
}

/** `applied`: the server carries out a write whose answer is lost. `not-applied`: it does not. */
export type LostWrite = 'applied' | 'not-applied';

/** The direction of messages, as the centre sees it. */
export type MessageDirection = 'both' | 'sending' | 'receiving';

interface Outcome<T> {
  readonly passTo: (to: AnswerTo<T>) => void;
}

/**
 * One connection between a centre and the server. A broken connection stays broken: a centre that reconnects makes a
 * new one. Messages that are on their way when it breaks are lost. The server's messages arrive in the order in which
 * it sent them: answers, in the order of the requests, and the changes that it pushes.
 */
export class EmbeddedConnection implements ServerConnection {
  readonly #server: EmbeddedRegistryServer;
  readonly #toServerChannel: string;
  readonly #toCentreChannel: string;
  readonly #whenBroken: () => void;
  readonly #unanswered = new Set<(cause: Error) => void>();
  readonly #whenSevered = new Set<() => void>();
  #serverEnd: 'open' | 'closed' = 'open';
  #centreEnd: 'open' | 'closed' = 'open';
  readonly #dropped = new Set<MessageDirection>();
  #writeToLose: LostWrite | undefined;

  /** @param whenBroken called once at the centre's end when the connection breaks, before unanswered requests fail */
  constructor(server: EmbeddedRegistryServer, name: string, whenBroken: () => void) {
    this.#server = server;
    this.#toServerChannel = `${name} → server`;
    this.#toCentreChannel = `server → ${name}`;
    this.#whenBroken = whenBroken;
  }

  /** Sends a request and waits for its answer. */
  request<T>(request: EmbeddedRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => this.send(request, { answered: resolve, failed: reject }));
  }

  /** As `request`, but calls `to` within the delivery of the answer: before any message that was sent later arrives. */
  send<T>(request: EmbeddedRequest<T>, to: AnswerTo<T>): void {
    const { operation, path, kind } = request;
    if (this.#centreEnd === 'closed') return to.failed(new RegistryUnavailableError(operation, path));
    const fail = (cause: Error): void =>
      to.failed(
        kind === 'write'
          ? new RegistryOutcomeUnknownError(operation, path, cause)
          : new RegistryUnavailableError(operation, path, cause),
      );
    this.#unanswered.add(fail);
    this.#toServer(`${operation} ${path}`, () => {
      const outcome = this.#carryOut(request);
      if (!outcome) return;
      this.#toCentre(`answer to ${operation} ${path}`, () => {
        this.#unanswered.delete(fail);
        outcome.passTo(to);
      });
    });
  }

  /** Sends something from the server to the centre. */
  push(what: string, arrive: () => void): void {
    if (this.#serverEnd === 'open') this.#toCentre(what, arrive);
  }

  /** Calls `task` when the server's end closes. */
  whenSevered(task: () => void): void {
    this.#whenSevered.add(task);
  }

  /** Forgets a task given to `whenSevered`. */
  forget(task: () => void): void {
    this.#whenSevered.delete(task);
  }

  /** Breaks the connection; both ends notice at once. */
  cut(reason: string): void {
    if (this.#centreEnd === 'closed') return;
    this.#centreEnd = 'closed';
    // The centre's end first: the centre must start its countdown of the session before the server starts its own.
    this.#whenBroken();
    if (this.#serverEnd === 'open') this.#sever();
    const cause = new Error(reason);
    for (const fail of [...this.#unanswered]) fail(cause);
    this.#unanswered.clear();
  }

  /** Drops all messages that are sent from now on in this direction; neither end notices. */
  dropMessages(direction: MessageDirection): void {
    this.#dropped.add(direction);
    if (direction !== 'receiving' && this.#serverEnd === 'open') this.#server.hearsNothingFrom(this);
  }

  /** Closes the server's end; the centre notices when the message about it arrives. */
  closeFromServer(): void {
    if (this.#serverEnd === 'closed') return;
    this.#sever();
    this.#toCentre('connection closed', () => this.cut('the server closed the connection'));
  }

  /** Breaks the connection when the next write arrives, so that its outcome remains unknown to the centre. */
  loseNextWrite(outcome: LostWrite): void {
    this.#writeToLose = outcome;
  }

  #carryOut<T>(request: EmbeddedRequest<T>): Outcome<T> | undefined {
    const lost = request.kind === 'write' ? this.#writeToLose : undefined;
    if (lost !== 'not-applied') {
      const outcome = attempt(request.run);
      if (lost === undefined) return outcome;
    }
    this.cut('the connection broke while a write was under way');
    return undefined;
  }

  #sever(): void {
    this.#serverEnd = 'closed';
    for (const task of this.#whenSevered) task();
    this.#whenSevered.clear();
    this.#server.hearsNothingFrom(this);
  }

  #toServer(what: string, arrive: () => void): void {
    this.#deliver('sending', this.#toServerChannel, what, () => {
      if (this.#serverEnd === 'open') arrive();
    });
  }

  #toCentre(what: string, arrive: () => void): void {
    this.#deliver('receiving', this.#toCentreChannel, what, () => {
      if (this.#centreEnd === 'open') arrive();
    });
  }

  #deliver(direction: MessageDirection, channel: string, what: string, arrive: () => void): void {
    if (this.#drops(direction)) return;
    this.#server.deliver({
      channel,
      what,
      arrive: () => {
        if (!this.#drops(direction)) arrive();
      },
    });
  }

  #drops(direction: MessageDirection): boolean {
    return this.#dropped.has('both') || this.#dropped.has(direction);
  }
}

/** Carries out `run`; its result or its error becomes the answer. */
function attempt<T>(run: () => T): Outcome<T> {
  try {
    const answer = run();
    return { passTo: ({ answered }) => answered(answer) };
  } catch (error) {
    return { passTo: ({ failed }) => failed(error) };
  }
}
