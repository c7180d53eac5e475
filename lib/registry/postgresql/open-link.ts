import { type Clock } from '../../time/clock.js';
import { loadPostgresDriver, type PostgresClientOptions } from './connection/driver.js';
import { faultOf, HostsError, type PostgresFault } from './connection/faults.js';
import { PostgresLink } from './connection/link.js';
import { type PostgresqlHost, type PostgresqlSettings } from './postgresql-configuration.js';
import { provideTables } from './schema/migration.js';
import { type Statements } from './statements.js';

/** The parts that a link needs besides the settings. */
export interface OpenLinkOptions {
  readonly tls: PostgresClientOptions['ssl'] | undefined;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly onNotification: (payload: string) => void;
}

/**
 * Opens links to the host that takes writes: first the one that did last, and then the others in turn, each within its
 * share of the time for connecting.
 */
export class LinkOpener {
  readonly #settings: PostgresqlSettings;
  readonly #options: OpenLinkOptions;
  #next = 0;

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
    const faults: PostgresFault[] = [];
    for (let tried = 0; tried < hosts.length; tried++) {
      const host = hosts[this.#next % hosts.length];
      if (host === undefined) break;
      try {
        // One after the other, as libpq does: only one of them takes writes.
        return await this.#openTo(host);
      } catch (error) {
        this.#next++;
        if (hosts.length === 1) throw error;
        faults.push(faultOf(error, host.place));
      }
    }
    throw new HostsError(faults);
  }

  async #openTo({ url, place }: PostgresqlHost): Promise<PostgresLink> {
    const { hosts, connectionTimeoutMs, connections, schema } = this.#settings;
    const { statements, clock, onNotification, tls: ssl = this.#settings.ssl } = this.#options;
    const link = await PostgresLink.open({
      driver: await loadPostgresDriver(),
      client: {
        connectionString: url,
        connectionTimeoutMillis: Math.ceil(connectionTimeoutMs / hosts.length),
        application_name: 'nestjs-elasticjob',
        keepAlive: true,
        ...(ssl !== undefined && { ssl }),
      },
      channel: statements.channel,
      statementMs: connectionTimeoutMs,
      ...{ place, connections, clock, onNotification },
    });
    try {
      await provideTables({ query: (statement) => link.control(statement) }, schema);
      return link;
    } catch (error) {
      link.break('its tables could not be used');
      throw error;
    }
  }
}
