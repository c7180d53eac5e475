import { type Clock } from '../../time/clock.js';
import { type PostgresqlReport } from '../../api/servers/server-report.js';
import { type PostgresResult, type PostgresStatement } from './connection/driver.js';

/** The parts that a report needs. */
export interface ReportOptions {
  /** Asks on the connection that listens. */
  readonly ask: (statement: PostgresStatement) => Promise<PostgresResult>;
  readonly schema: string;
  /** The channel that this connection listens to; `undefined`: changes are polled. */
  readonly channel: string | undefined;
  readonly clock: Clock;
}

const SERVER = `SELECT pg_is_in_recovery() AS standby,
  array(SELECT name FROM unnest(ARRAY['fsync', 'synchronous_commit', 'full_page_writes']) AS name
    WHERE current_setting(name) = 'off') AS unsafe,
  (SELECT count(*) FROM pg_stat_replication) AS followers,
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') IN ('on', 'remote_apply')
    AS confirms,
  (SELECT sum(numbackends) FROM pg_stat_database) AS used,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
  current_setting('autovacuum')::boolean AS vacuums,
  array(SELECT pg_listening_channels()) AS channels`;

const DEAD = `SELECT relname AS "table", n_dead_tup AS dead, n_live_tup AS living FROM pg_stat_user_tables
  WHERE schemaname = $1 ORDER BY n_dead_tup DESC LIMIT 1`;

/** Asks a PostgreSQL for its state. @throws what the server answers */
export async function postgresqlReport({ ask, schema, channel, clock }: ReportOptions): Promise<PostgresqlReport> {
  const { rows: servers } = await ask({ text: SERVER });
  const { rows: tables } = await ask({ text: DEAD, values: [schema] });
  const began = clock.monotonic();
  await ask({ text: 'SELECT 1' });
  const latencyMs = Math.round(clock.monotonic() - began);
  const [server = {}, table] = [servers[0], tables[0]];
  const channels = server['channels'] as readonly string[];
  return {
    ...{ kind: 'POSTGRESQL', latencyMs, unknown: [] },
    isStandby: server['standby'] === true,
    unsafeSettings: server['unsafe'] as readonly string[],
    asynchronousStandbys: server['confirms'] === true ? 0 : Number(server['followers']),
    connections: { used: Number(server['used']), most: Number(server['most']) },
    notifications: channel === undefined ? 'polled' : channels.includes(channel) ? 'notified' : 'lost',
    isAutovacuumOn: server['vacuums'] === true,
    dead: table && { table: String(table['table']), rows: Number(table['dead']), living: Number(table['living']) },
  };
}
