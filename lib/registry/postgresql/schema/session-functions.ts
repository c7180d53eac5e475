/**
 * Sessions: they live by the database's clock alone, and every instance ends those whose time is over. The end that a
 * former server has written is by another clock. So after a promotion, each session has its whole timeout to come back,
 * from the first transaction on the new timeline.
 *
 * @param s the quoted name of the schema
 */
export function sessionFunctions(s: string): string {
  return `
-- When the session is over, by this server's clock. met: when the present timeline was noted; null if it was not yet,
-- and then no session of a former timeline is over. As a single expression, so that it is part of the caller's plan.
CREATE OR REPLACE FUNCTION ${s}.ej_session_end(
  expires_at timestamptz, timeout_ms integer, timeline text, timeline_now text, met timestamptz
) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN timeline = timeline_now OR '' IN (timeline, timeline_now) THEN expires_at
    ELSE met + timeout_ms * interval '1 ms' END
$$;

CREATE OR REPLACE FUNCTION ${s}.ej_met_at(ns text, timeline_now text) RETURNS timestamptz LANGUAGE sql STABLE AS
$$ SELECT met_at FROM ${s}.ej_namespace WHERE name = ns AND timeline = timeline_now $$;

-- Opens a session, or comes back to one with a new connection. Waits for what the former connection still has under
-- way; what that has sent and was not begun yet has no effect any more. known: null, or of a session that is there what
-- the server has confirmed to it, {"beats": …, "commits": [[job, revision], …]}, those since the last heartbeat. The
-- epoch, or null: the session is over. That is so, too, if the server does not know what it has confirmed: a replica
-- that was promoted may lack the session's nodes.
CREATE OR REPLACE FUNCTION ${s}.ej_attach(ns text, sid uuid, timeout integer, known jsonb, channel text)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  ep integer;
  kept bigint;
  newest_lost bigint;
  timeline_now text := ${s}.ej_timeline();
  met timestamptz;
BEGIN
  IF known IS NULL THEN
    -- The answer to the first attempt may have been lost.
    INSERT INTO ${s}.ej_session (id, namespace, epoch, timeout_ms, expires_at)
      VALUES (sid, ns, 0, timeout, clock_timestamp() + timeout * interval '1 ms') ON CONFLICT DO NOTHING;
    INSERT INTO ${s}.ej_namespace (name) VALUES (ns) ON CONFLICT DO NOTHING;
    -- Somebody may have dropped the tables: then all processes that believe to live are to learn it now.
    IF FOUND AND channel IS NOT NULL THEN
      PERFORM pg_notify(channel, 'end *');
    END IF;
  END IF;
  SELECT beats INTO kept FROM ${s}.ej_session WHERE id = sid FOR UPDATE;
  PERFORM ${s}.ej_meet(ns, ${s}.ej_system());
  SELECT max((each ->> 1)::bigint) INTO newest_lost FROM jsonb_array_elements(known -> 'commits') AS each
    WHERE NOT EXISTS (
      SELECT FROM ${s}.ej_change
      WHERE namespace = ns AND job = each ->> 0 AND revision = (each ->> 1)::bigint AND session = sid
    );
  IF newest_lost > (extract(epoch FROM clock_timestamp() - interval '9 minutes') * 1000000)::bigint THEN
    -- Too new to be forgotten by ej_prune. Nodes that are missing were lost, not removed by somebody.
    UPDATE ${s}.ej_namespace SET lineage = gen_random_uuid() WHERE name = ns;
  END IF;
  IF newest_lost IS NOT NULL OR kept < (known ->> 'beats')::bigint THEN
    RETURN NULL;
  END IF;
  met := ${s}.ej_met_at(ns, timeline_now);
  UPDATE ${s}.ej_session SET epoch = epoch + 1, timeline = timeline_now,
      expires_at = clock_timestamp() + timeout_ms * interval '1 ms'
    WHERE id = sid AND ${s}.ej_session_end(expires_at, timeout_ms, timeline, timeline_now, met) > clock_timestamp()
    RETURNING epoch INTO ep;
  RETURN ep;
END $$;

-- Removes the session, whose row is locked, with all its nodes.
CREATE OR REPLACE FUNCTION ${s}.ej_end_locked(ns text, sid uuid, channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  revisions jsonb;
  rev bigint;
  gone text;
  names text[] := '{}';
  entries jsonb[] := '{}';
  topmost integer := 0;
BEGIN
  -- No other session makes nodes of this one, and it makes none while its row is locked: no job is missing here.
  revisions := ${s}.ej_lock(ns, ARRAY(
    SELECT DISTINCT split_part(path, '/', 2) FROM ${s}.ej_node WHERE namespace = ns AND session = sid
  ));
  rev := ${s}.ej_revision(ns, revisions);
  FOR gone IN DELETE FROM ${s}.ej_node WHERE namespace = ns AND session = sid RETURNING path LOOP
    names := names || split_part(gone, '/', 2);
    entries := entries || jsonb_build_array(gone);
    topmost := topmost + (${s}.ej_parent(gone) = '')::integer;
  END LOOP;
  IF cardinality(entries) > 0 THEN
    PERFORM ${s}.ej_publish(ns, sid, NULL, rev, revisions, names, entries, topmost, channel);
  END IF;
  DELETE FROM ${s}.ej_session WHERE id = sid;
  -- A process that still believes to live learns it before its next heartbeat.
  IF channel IS NOT NULL THEN
    PERFORM pg_notify(channel, 'end ' || sid);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION ${s}.ej_end(ns text, sid uuid, channel text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Without a row, because somebody has removed it by hand, there may be nodes all the same.
  PERFORM 1 FROM ${s}.ej_session WHERE id = sid AND namespace = ns FOR UPDATE;
  PERFORM ${s}.ej_end_locked(ns, sid, channel);
END $$;

-- Ends one session whose time is over: one in a transaction, so that no session waits for the jobs of another. Returns
-- true if there was one. A session that is skipped is being ended by another instance, or has a commit under way.
CREATE OR REPLACE FUNCTION ${s}.ej_sweep(ns text, channel text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  sid uuid;
  timeline_now text := ${s}.ej_timeline();
  met timestamptz;
BEGIN
  -- The table of sessions is first in the order of locks, also for this reading.
  PERFORM 1 FROM ${s}.ej_session LIMIT 1;
  met := ${s}.ej_met_at(ns, timeline_now);
  SELECT id INTO sid FROM ${s}.ej_session
    WHERE namespace = ns AND ${s}.ej_session_end(expires_at, timeout_ms, timeline, timeline_now, met) <= clock_timestamp()
    LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF sid IS NULL THEN
    RETURN false;
  END IF;
  PERFORM ${s}.ej_end_locked(ns, sid, channel);
  RETURN true;
END $$;

-- Ends one session whose row somebody has removed by hand, as if its time were over. Returns true if there was one. From
-- one session to the next, as each may have many nodes; by the index of sessions, also before the tables are analyzed.
CREATE OR REPLACE FUNCTION ${s}.ej_sweep_orphans(ns text, channel text) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  sid uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  -- The table of sessions is first in the order of locks.
  PERFORM 1 FROM ${s}.ej_session LIMIT 1;
  LOOP
    SELECT session INTO sid FROM ${s}.ej_node WHERE session > sid ORDER BY session LIMIT 1;
    IF sid IS NULL THEN
      RETURN false;
    END IF;
    PERFORM 1 FROM ${s}.ej_session WHERE id = sid;
    CONTINUE WHEN FOUND;
    PERFORM 1 FROM ${s}.ej_node WHERE namespace = ns AND session = sid LIMIT 1;
    IF FOUND THEN
      PERFORM ${s}.ej_end_locked(ns, sid, channel);
      RETURN true;
    END IF;
  END LOOP;
END $$;

-- Forgets what mirrors have read long ago. How much was forgotten. Before the tables are analyzed, the planner would read
-- the whole journal.
CREATE OR REPLACE FUNCTION ${s}.ej_prune(most integer) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  forgotten integer;
  -- As a variable, so that an index finds it: clock_timestamp() may change from row to row.
  kept_since timestamptz := clock_timestamp() - interval '10 minutes';
BEGIN
  DELETE FROM ${s}.ej_change WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${s}.ej_change WHERE at < kept_since
      ORDER BY at LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;

-- A heartbeat: prolongs the session, and answers what has changed since the heartbeat before: jobs with their
-- revisions, those that transactions since then have written and perhaps others; and when the next session is over.
CREATE OR REPLACE FUNCTION ${s}.ej_beat(ns text, sid uuid, ep integer, since xid8) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  oldest xid8;
  now_is timestamptz;
  beat bigint;
  timeline_now text := ${s}.ej_timeline();
  met timestamptz;
BEGIN
  UPDATE ${s}.ej_session SET expires_at = clock_timestamp() + timeout_ms * interval '1 ms', beats = beats + 1
    WHERE id = sid AND epoch = ep AND timeline = timeline_now AND expires_at > clock_timestamp()
    RETURNING beats INTO beat;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('session', 'gone');
  END IF;
  met := ${s}.ej_met_at(ns, timeline_now);
  -- Each transaction before the oldest one that runs has ended, and the next statement sees what it has written.
  oldest := pg_snapshot_xmin(pg_current_snapshot());
  now_is := clock_timestamp();
  RETURN jsonb_build_object(
    'since', oldest::text,
    'beats', beat,
    'jobs', (
      SELECT coalesce(jsonb_agg(jsonb_build_array(job, revision)), '[]')
      FROM ${s}.ej_job WHERE namespace = ns AND xact >= since
    ),
    'nextEndMs', (
      SELECT ceil(extract(epoch FROM
        min(${s}.ej_session_end(expires_at, timeout_ms, timeline, timeline_now, met)) - now_is
      ) * 1000) FROM ${s}.ej_session WHERE namespace = ns AND id <> sid
    )
  );
END $$;
`;
}
