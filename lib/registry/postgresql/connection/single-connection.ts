import { DeadlineExceededError } from '../../../api/errors/errors.js';
import { withDeadline } from '../../../async/wait.js';
import { systemClock } from '../../../time/clock.js';
import { loadPostgresDriver, type PostgresClient, type PostgresResult, type PostgresStatement } from './driver.js';

/** How much longer than the server's own deadline an answer may take, in milliseconds. */
const GRACE_MS = 1_000;
/** How long a good-bye may take, in milliseconds. */
const END_MS = 1_000;

/** One connection of a command that ends by itself: it waits for nothing without a deadline. */
export class SingleConnection {
  readonly #client: PostgresClient;
  readonly #timeoutMs: number;

  private constructor(client: PostgresClient, timeoutMs: number) {
    this.#client = client;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param url `postgres://user:password@host:5432/database`
   * @param timeoutMs how long connecting, and each statement, may take, in milliseconds
   * @param name `application_name` for the server
   * @throws the error of `pg` or of the server if it refuses, or cannot be reached
   */
  static async open(url: string, timeoutMs: number, name: string): Promise<SingleConnection> {
    const { Client } = await loadPostgresDriver();
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: timeoutMs,
      application_name: name,
      keepAlive: true,
    });
    // A connection that ends by itself fails the statement that runs; without a listener it would end the process, too.
    client.on('error', () => undefined);
    await client.connect();
    const connection = new SingleConnection(client, timeoutMs);
    try {
      // The server is to give up first, and to say so.
      await connection.query({ text: `SET statement_timeout = ${Math.ceil(timeoutMs)}` });
      return connection;
    } catch (error) {
      await connection.end();
      throw error;
    }
  }

  /** @throws DeadlineExceededError if no answer comes; what the server answers otherwise */
  async query(statement: PostgresStatement): Promise<PostgresResult> {
    const mostMs = this.#timeoutMs + GRACE_MS;
    const late = (): Error => {
      this.#leave();
      return new DeadlineExceededError('an answer of PostgreSQL', mostMs);
    };
    return withDeadline(systemClock, this.#client.query(statement), mostMs, late);
  }

  /** Says good-bye to the server. One that does not answer is left. */
  async end(): Promise<void> {
    const late = (): Error => new DeadlineExceededError('the end of the connection', END_MS);
    await withDeadline(systemClock, this.#client.end(), END_MS, late).catch(() => this.#leave());
  }

  #leave(): void {
    this.#client.connection?.stream?.destroy?.();
  }
}
