import { describeCause } from '../../api/text/describe-cause.js';
import { type Clock } from '../../time/clock.js';
import { type PostgresqlReport } from '../../api/servers/server-report.js';
import { type PostgresResult, type PostgresStatement } from './connection/driver.js';
import { isMissingRight, isServerAnswer } from './connection/faults.js';

/** The parts that a report needs. */
export interface ReportOptions {
  /** Asks on the connection that listens. */
  readonly ask: (statement: PostgresStatement) => Promise<PostgresResult>;
  readonly schema: string;
  /** The channel that this connection listens to; `undefined`: changes are polled. */
  readonly channel: string | undefined;
  readonly clock: Clock;
}

/** One question to the server, which it may refuse without refusing the others. */
interface Question {
  /** The fact that is asked for, after "PostgreSQL does not report". */
  readonly subject: string;
  readonly text: string;
  /** The right that it needs, as in `GRANT … TO role`. */
  readonly right: string;
}

const setting = (name: string): string => `current_setting('${name}')`;

const QUESTIONS = {
  standby: {
    subject: 'whether it is a standby',
    text: 'SELECT pg_is_in_recovery() AS standby',
    right: 'EXECUTE ON FUNCTION pg_is_in_recovery()',
  },
  settings: {
    subject: 'its settings',
    // autovacuum works with the counts only.
    text: `SELECT ${setting('autovacuum')}::boolean AND ${setting('track_counts')}::boolean AS vacuums,
      ${setting('track_counts')}::boolean AS counts,
      array(SELECT name FROM unnest(ARRAY['fsync', 'synchronous_commit', 'full_page_writes']) AS name
        WHERE current_setting(name) = 'off') AS unsafe`,
    right: 'EXECUTE ON FUNCTION current_setting(text)',
  },
  standbys: {
    subject: 'its standbys',
    text: `SELECT (SELECT count(*) FROM pg_stat_replication) AS followers,
      ${setting('synchronous_standby_names')} <> '' AND ${setting('synchronous_commit')} IN ('on', 'remote_apply')
        AS confirms`,
    right: 'SELECT ON pg_stat_replication',
  },
  connections: {
    subject: 'how many of its connections are in use',
    text: `SELECT (SELECT sum(numbackends) FROM pg_stat_database) AS used,
      ${setting('max_connections')}::int - ${setting('superuser_reserved_connections')}::int AS most`,
    right: 'SELECT ON pg_stat_database',
  },
  channels: {
    subject: 'whether this connection listens to changes',
    text: 'SELECT array(SELECT pg_listening_channels()) AS channels',
    right: 'EXECUTE ON FUNCTION pg_listening_channels()',
  },
  dead: {
    subject: 'the dead rows of its tables',
    text: `SELECT relname AS "table", n_dead_tup AS dead, n_live_tup AS living FROM pg_stat_user_tables
      WHERE schemaname = $1 ORDER BY n_dead_tup DESC LIMIT 1`,
    right: 'SELECT ON pg_stat_user_tables',
  },
} as const satisfies Readonly<Record<string, Question>>;

/**
 * Asks a PostgreSQL for its state, one question after the other: a question that the server refuses is unknown, with
 * the right that is missing.
 * @throws LinkBrokenError if the server does not answer at all
 */
export async function postgresqlReport({ ask, schema, channel, clock }: ReportOptions): Promise<PostgresqlReport> {
  const began = clock.monotonic();
  const { rows } = await ask({ text: 'SELECT quote_ident(current_user) AS role' });
  const latencyMs = Math.round(clock.monotonic() - began);
  const unknown: string[] = [];
  const answerTo = async (
    { subject, text, right }: Question,
    values?: readonly unknown[],
  ): Promise<Row | undefined> => {
    try {
      const answer = await ask({ text, ...(values && { values }) });
      return answer.rows[0];
    } catch (error) {
      if (!isServerAnswer(error)) throw error;
      const cure = isMissingRight(error) ? `. To permit it: GRANT ${right} TO ${String(rows[0]?.['role'])};` : '';
      unknown.push(
        `PostgreSQL does not report ${subject}: ${error instanceof Error ? error.message : describeCause(error)}${cure}`,
      );
      return undefined;
    }
  };
  // One after the other, as they share the connection with the heartbeats.
  const standby = await answerTo(QUESTIONS.standby);
  const settings = await answerTo(QUESTIONS.settings);
  const standbys = await answerTo(QUESTIONS.standbys);
  const connections = await answerTo(QUESTIONS.connections);
  const listening = channel === undefined ? undefined : await answerTo(QUESTIONS.channels);
  const dead = await answerTo(QUESTIONS.dead, [schema]);
  if (settings?.['counts'] === false)
    unknown.push(`PostgreSQL does not report ${QUESTIONS.dead.subject}, as track_counts is off. Switch it on.`);
  return {
    ...{ kind: 'POSTGRESQL', latencyMs, unknown },
    ...(standby && { isStandby: standby['standby'] === true }),
    ...(settings && {
      unsafeSettings: settings['unsafe'] as readonly string[],
      isAutovacuumOn: settings['vacuums'] === true,
    }),
    ...(standbys && { asynchronousStandbys: standbys['confirms'] === true ? 0 : Number(standbys['followers']) }),
    ...(connections && { connections: { used: Number(connections['used']), most: Number(connections['most']) } }),
    ...notificationsOf(channel, listening),
    ...(dead && { dead: { table: String(dead['table']), rows: Number(dead['dead']), living: Number(dead['living']) } }),
  };
}

type Row = PostgresResult['rows'][number];

function notificationsOf(
  channel: string | undefined,
  listening: Row | undefined,
): Pick<PostgresqlReport, 'notifications'> {
  if (channel === undefined) return { notifications: 'polled' };
  if (listening === undefined) return {};
  return { notifications: (listening['channels'] as readonly string[]).includes(channel) ? 'notified' : 'lost' };
}
