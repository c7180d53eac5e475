/**
 * The identity of the server, and the refusal of a `TRUNCATE` of the tables.
 *
 * A replica that is promoted writes on another timeline than the server before, and may lack its latest commits, whose
 * revisions nobody knows. So the first transaction that finds another timeline, or another database system, raises the
 * floor by a day: above all revisions that the former server can have given, if the replica was less than a day behind
 * it, or the clocks of both differ by less. Commits read the floor with the namespace's row after their jobs, in the
 * common order of locks.
 *
 * A namespace without a noted timeline may be of tables that were made again after promotions, each of which had raised
 * the floor by a day. So its floor begins as many days ahead as there were promotions.
 *
 * @param s the quoted name of the schema
 */
export function serverFunctions(s: string): string {
  return `
-- The timeline of the write-ahead log; empty where a service does not tell it. Not that of pg_control_checkpoint(), which
-- is the former one until the first checkpoint after a promotion.
CREATE OR REPLACE FUNCTION ${s}.ej_timeline() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN left(pg_walfile_name(pg_current_wal_lsn()), 8);
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR undefined_function THEN
  RETURN '';
END $$;

CREATE OR REPLACE FUNCTION ${s}.ej_system() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT system_identifier FROM pg_control_system());
EXCEPTION WHEN feature_not_supported OR insufficient_privilege OR undefined_function THEN
  RETURN '';
END $$;

-- Notes which server this is and since when, and raises the floor if it is another one. system_now: null if it was not
-- asked for. A role may lack the right to ask: an empty answer is no other server.
CREATE OR REPLACE FUNCTION ${s}.ej_meet(ns text, system_now text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  timeline_now text := ${s}.ej_timeline();
  clock bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
  noted ${s}.ej_namespace;
BEGIN
  SELECT * INTO noted FROM ${s}.ej_namespace WHERE name = ns;
  IF NOT FOUND OR timeline_now IN ('', noted.timeline) AND coalesce(system_now, '') IN ('', noted.system) THEN
    RETURN;
  END IF;
  SELECT * INTO noted FROM ${s}.ej_namespace WHERE name = ns FOR UPDATE;
  timeline_now := coalesce(nullif(timeline_now, ''), noted.timeline);
  system_now := coalesce(nullif(system_now, ''), noted.system);
  UPDATE ${s}.ej_namespace SET timeline = timeline_now, system = system_now,
    met_at = CASE noted.timeline WHEN timeline_now THEN met_at ELSE clock_timestamp() END,
    floor = CASE
      WHEN noted.timeline NOT IN ('', timeline_now) OR noted.system NOT IN ('', system_now) THEN
        86400000000 + greatest(floor, clock, (SELECT max(revision) FROM ${s}.ej_job WHERE namespace = ns))
      WHEN noted.timeline = '' AND timeline_now > '00000001' THEN
        greatest(floor, clock + (('x' || timeline_now)::bit(32)::integer - 1) * 86400000000)
      ELSE floor
    END WHERE name = ns AND (timeline, system) <> (timeline_now, system_now);
END $$;

CREATE OR REPLACE FUNCTION ${s}.ej_refuse_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the processes of nestjs-elasticjob would not notice that % is empty', TG_TABLE_NAME
    USING ERRCODE = 'object_not_in_prerequisite_state',
    HINT = 'End them all, drop the schema, and start them again: they create it, and register their jobs.';
END $$;

${['ej_namespace', 'ej_job', 'ej_session', 'ej_node', 'ej_change']
  .map(
    (table) => `DROP TRIGGER IF EXISTS ${table}_truncate ON ${s}.${table};
CREATE TRIGGER ${table}_truncate BEFORE TRUNCATE ON ${s}.${table} EXECUTE FUNCTION ${s}.ej_refuse_truncate();`,
  )
  .join('\n')}
`;
}
