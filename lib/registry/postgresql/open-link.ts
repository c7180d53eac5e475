import { type Clock } from '../../time/clock.js';
import { loadPostgresDriver } from './connection/driver.js';
import { PostgresLink } from './connection/link.js';
import { type PostgresqlSettings } from './postgresql-configuration.js';
import { provideTables } from './schema/migration.js';
import { type Statements } from './statements.js';

/** The parts that a link needs besides the settings. */
export interface OpenLinkOptions {
  readonly statements: Statements;
  readonly clock: Clock;
  readonly onNotification: (payload: string) => void;
}

/**
 * Opens a link, and makes sure of the tables.
 * @throws the error of `pg` or of the server if that is not possible
 */
export async function openLink(settings: PostgresqlSettings, options: OpenLinkOptions): Promise<PostgresLink> {
  const { statements, clock, onNotification } = options;
  const link = await PostgresLink.open({
    driver: await loadPostgresDriver(),
    client: {
      connectionString: settings.url,
      connectionTimeoutMillis: settings.connectionTimeoutMs,
      application_name: 'nestjs-elasticjob',
      keepAlive: true,
    },
    connections: settings.connections,
    channel: statements.channel,
    statementMs: settings.connectionTimeoutMs,
    ...{ clock, onNotification },
  });
  try {
    await provideTables({ query: (statement) => link.control(statement) }, settings.schema);
    return link;
  } catch (error) {
    link.break('its tables could not be used');
    throw error;
  }
}
