import { Deferred } from '../../../async/deferred.js';
import { type Clock } from '../../../time/clock.js';
import {
  type PostgresClient,
  type PostgresClientOptions,
  type PostgresDriver,
  type PostgresResult,
  type PostgresStatement,
} from './driver.js';
import { isServerAnswer, LinkBrokenError, StandbyError } from './faults.js';
import { askForIdentity, type ServerIdentity } from './timelines.js';

/** The parts that a link needs. */
export interface LinkOptions {
  readonly driver: PostgresDriver;
  /** `host:port` of the server, for messages. */
  readonly place: string;
  readonly client: PostgresClientOptions;
  /** Most connections, that for heartbeats and notifications included. */
  readonly connections: number;
  /** The channel to listen to; `undefined`: none, as a pooler lends connections. */
  readonly channel: string | undefined;
  /** How long one statement may take, in milliseconds. */
  readonly statementMs: number;
  readonly clock: Clock;
  readonly onNotification: (payload: string) => void;
}

/** A statement that waits for a connection. */
interface Waiting {
  readonly statement: PostgresStatement;
  readonly resolve: (result: PostgresResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The connections of a registry centre to the server, as one: when one of them breaks, all are given up. So the
 * registry can be reached or not, never in part, and a new link begins with nothing under way. One connection has the
 * heartbeats and the notifications, so that no commit delays them; the others are made when needed.
 */
export class PostgresLink {
  readonly #options: LinkOptions;
  readonly #control: PostgresClient;
  readonly #idle: PostgresClient[] = [];
  readonly #all = new Set<PostgresClient>();
  readonly #waiting: Waiting[] = [];
  readonly #broken = new Deferred();
  #breakReason: string | undefined;
  #identity: ServerIdentity | undefined;
  #connecting = 0;

  private constructor(options: LinkOptions) {
    this.#options = options;
    this.#control = this.#newClient();
  }

  /**
   * Makes the first connection.
   * @throws what `pg` throws if that is not possible; StandbyError if the server takes no writes
   */
  static async open(options: LinkOptions): Promise<PostgresLink> {
    const link = new PostgresLink(options);
    try {
      await link.#connect(link.#control);
      const { rows } = await link.control({ text: 'SELECT pg_is_in_recovery() AS "isStandby"' });
      if (rows[0]?.['isStandby'] === true) throw new StandbyError();
      link.#identity = await askForIdentity((statement) => link.control(statement));
      if (options.channel !== undefined) await link.control({ text: `LISTEN "${options.channel}"` });
      return link;
    } catch (error) {
      link.break('it could not be opened');
      throw error;
    }
  }

  /** `host:port` of the server. */
  get place(): string {
    return this.#options.place;
  }

  /** The identity of the server; `undefined` if a service does not report it. */
  get identity(): ServerIdentity | undefined {
    return this.#identity;
  }

  /** Resolves when the link is broken, by whomever. */
  get whenBroken(): Promise<void> {
    return this.#broken.promise;
  }

  get isBroken(): boolean {
    return this.#breakReason !== undefined;
  }

  /** The reason for which it is broken. */
  get breakReason(): string | undefined {
    return this.#breakReason;
  }

  /** Carries out a statement on the connection for heartbeats, besides all others. */
  control(statement: PostgresStatement): Promise<PostgresResult> {
    return this.#run(this.#control, statement);
  }

  /**
   * Carries out a statement as soon as a connection is free.
   * @throws LinkBrokenError if the answer was lost; what the server answers otherwise
   */
  query(statement: PostgresStatement): Promise<PostgresResult> {
    if (this.#breakReason !== undefined) return Promise.reject(new LinkBrokenError(this.#breakReason, 'not sent'));
    if (this.#options.connections < 2) return this.control(statement);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statement, resolve, reject });
      this.#startWaiting();
    });
  }

  /** Gives up all connections at once, with all statements under way. */
  break(reason: string): void {
    if (this.isBroken) return;
    this.#breakReason = reason;
    for (const { reject } of this.#waiting.splice(0)) reject(new LinkBrokenError(reason, 'not sent'));
    for (const client of this.#all) client.connection?.stream?.destroy?.();
    this.#all.clear();
    this.#broken.resolve();
  }

  /** Says good-bye to the server, which then need not find out by itself that the connections are gone. */
  async end(): Promise<void> {
    const clients = [...this.#all];
    this.#all.clear();
    await Promise.allSettled(clients.map((client) => client.end()));
    this.break('it was closed');
  }

  #startWaiting(): void {
    while (this.#waiting.length > 0) {
      const client = this.#idle.pop();
      if (client === undefined) break;
      const next = this.#waiting.shift();
      if (next === undefined) break;
      const { statement, resolve, reject } = next;
      void this.#run(client, statement)
        .then(resolve, reject)
        .finally(() => {
          if (this.isBroken) return;
          this.#idle.push(client);
          this.#startWaiting();
        });
    }
    const room = this.#options.connections - this.#all.size;
    if (this.#waiting.length > this.#connecting && room > 0) void this.#addWorker();
  }

  async #addWorker(): Promise<void> {
    const client = this.#newClient();
    this.#connecting++;
    try {
      await this.#connect(client);
      this.#idle.push(client);
    } catch (error) {
      this.#all.delete(client);
      // With no connection for statements at all, the statements that wait would get no answer.
      if (this.#all.size < 2) this.break(error instanceof Error ? error.message : String(error));
    } finally {
      this.#connecting--;
    }
    if (!this.isBroken) this.#startWaiting();
  }

  #newClient(): PostgresClient {
    const client = new this.#options.driver.Client(this.#options.client);
    this.#all.add(client);
    const onEnd = (why: string): void => {
      if (this.#all.has(client)) this.break(why);
    };
    client.on('error', (error) => onEnd(error.message));
    client.on('end', () => onEnd('the server has closed the connection'));
    client.on('notification', ({ payload = '' }) => this.#options.onNotification(payload));
    return client;
  }

  async #connect(client: PostgresClient): Promise<void> {
    await client.connect();
    // A pooler would give such settings to the client that comes next.
    if (this.#options.channel === undefined) return;
    await this.#run(client, {
      text:
        'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; ' +
        `SET statement_timeout = ${this.#options.statementMs}`,
    });
  }

  async #run(client: PostgresClient, statement: PostgresStatement): Promise<PostgresResult> {
    if (this.#breakReason !== undefined) throw new LinkBrokenError(this.#breakReason, 'not sent');
    const { statementMs, clock, channel } = this.#options;
    // The server is to give up first, and to say so.
    const cancel = clock.after(statementMs + 1_000, () => this.break(`no answer came for ${statementMs + 1_000} ms`));
    // A pooler may send each statement to another connection, which knows nothing of those that were prepared.
    const { text, values = [] } = statement;
    try {
      return await client.query(channel === undefined ? { text, values } : statement);
    } catch (error) {
      if (isServerAnswer(error)) throw error;
      this.break(error instanceof Error ? error.message : String(error));
      throw new LinkBrokenError(this.breakReason ?? '', 'sent');
    } finally {
      cancel();
    }
  }
}
