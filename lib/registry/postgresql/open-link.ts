import { type JobLogger } from '../../api/text/logger.js';
import { type Clock } from '../../time/clock.js';
import { loadPostgresDriver, type PostgresClientOptions } from './connection/driver.js';
import { errorOfHosts, FormerPrimaryError } from './connection/faults.js';
import { PostgresLink } from './connection/link.js';
import { Timelines } from './connection/timelines.js';
import { attemptAll, type FailedHost, leave, type OpenedHost } from './host-attempts.js';
import { type PostgresqlHost, type PostgresqlSettings } from './postgresql-configuration.js';
import { provideTables } from './schema/migration.js';
import { type Statements } from './statements.js';

/** The parts that a link needs besides the settings. */
export interface OpenLinkOptions {
  readonly tls: PostgresClientOptions['ssl'] | undefined;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly logger: JobLogger;
  readonly onNotification: (payload: string) => void;
}

/**
 * Opens links to the host that takes writes. All hosts are asked at once: if several take writes, those on a lower
 * timeline are former primaries. Of equals, the one that served last is taken, unless it failed to serve.
 */
export class LinkOpener {
  readonly #settings: PostgresqlSettings;
  readonly #options: OpenLinkOptions;
  readonly #timelines = new Timelines();
  /** The former primaries that are logged, by place. */
  readonly #logged = new Set<string>();
  #first = 0;

  constructor(settings: PostgresqlSettings, options: OpenLinkOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /**
   * Opens a link, and makes sure of the tables.
   * @throws the error of `pg` or of the server if that is not possible; HostsError if there are several
   */
  async open(): Promise<PostgresLink> {
    const { hosts } = this.#settings;
    const turn = [...hosts.slice(this.#first), ...hosts.slice(0, this.#first)];
    const attempts = this.#withoutFormerPrimaries(
      await attemptAll(turn, (host) => this.#openTo(host), this.#options.clock),
    );
    const failed = attempts.filter((attempt) => 'error' in attempt);
    let chosen: OpenedHost | undefined;
    for (const attempt of attempts) {
      if ('error' in attempt) continue;
      if (chosen !== undefined) void leave(attempt.link, this.#options.clock);
      else {
        // One after the other: only one of them gets the tables.
        const error = await this.#provideTables(attempt.link);
        if (error === undefined) chosen = attempt;
        else failed.push({ host: attempt.host, error });
      }
    }
    if (chosen === undefined) throw errorOfHosts(failed.map(({ host, error }) => ({ place: host.place, error })));
    this.#first = hosts.indexOf(chosen.host);
    return chosen.link;
  }

  /** The host of the last link cannot serve: among equals, the others come first. */
  moveOn(): void {
    this.#first = (this.#first + 1) % this.#settings.hosts.length;
  }

  #withoutFormerPrimaries(attempts: readonly (OpenedHost | FailedHost)[]): readonly (OpenedHost | FailedHost)[] {
    for (const attempt of attempts) if ('link' in attempt) this.#timelines.note(attempt.link.identity);
    return attempts.map((attempt) => {
      if ('error' in attempt) return attempt;
      const { host, link } = attempt;
      const successor = this.#timelines.successorOf(link.identity);
      if (successor === undefined) {
        this.#logged.delete(host.place);
        return attempt;
      }
      const error = new FormerPrimaryError(link.identity?.timeline ?? 0, successor);
      this.#logOnce(host, error);
      void leave(link, this.#options.clock);
      return { host, error };
    });
  }

  #logOnce({ place }: PostgresqlHost, { message }: FormerPrimaryError): void {
    if (this.#logged.has(place)) return;
    this.#logged.add(place);
    this.#options.logger.warn(
      `PostgreSQL at ${place} ${message.replace('it is', 'is')}. It is passed over: end it, or make it a standby.`,
    );
  }

  /** @returns the error if the tables cannot be used; then the link is broken */
  async #provideTables(link: PostgresLink): Promise<unknown> {
    try {
      await provideTables({ query: (statement) => link.control(statement) }, this.#settings.schema);
      return undefined;
    } catch (error) {
      link.break('its tables could not be used');
      return error;
    }
  }

  async #openTo({ url, place }: PostgresqlHost): Promise<PostgresLink> {
    const { connectionTimeoutMs, connections } = this.#settings;
    const { statements, clock, onNotification, tls: ssl = this.#settings.ssl } = this.#options;
    return PostgresLink.open({
      driver: await loadPostgresDriver(),
      client: {
        connectionString: url,
        connectionTimeoutMillis: connectionTimeoutMs,
        application_name: 'nestjs-elasticjob',
        keepAlive: true,
        ...(ssl !== undefined && { ssl }),
      },
      channel: statements.channel,
      statementMs: connectionTimeoutMs,
      ...{ place, connections, clock, onNotification },
    });
  }
}
