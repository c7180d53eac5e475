import { commitAtOnce } from './commit-at-once.js';
import { commitFunction } from './commit-function.js';
import { serverFunctions } from './server-functions.js';
import { sessionFunctions } from './session-functions.js';

/**
 * The functions of the registry centre, each one transaction and one round trip. They run under READ COMMITTED: each
 * statement within them sees what was committed before it began, and so, after the lock of a job's row, everything
 * that the former holders of that lock have written.
 *
 * **The order of locks is the same everywhere, so that no transaction waits in a circle:** the row of one session, then
 * the rows of jobs in the order of their names, then the row of the namespace. A commit holds its session's row with
 * FOR KEY SHARE, which lets heartbeats pass, but neither the end of the session nor a new connection of it (FOR
 * UPDATE). The table of sessions is the first that each function touches: a migration locks the tables as a whole, in
 * that order.
 *
 * @param s the quoted name of the schema
 */
export function functions(s: string): string {
  return `${serverFunctions(s)}${common(s)}${commitAtOnce(s)}${commitFunction(s)}${sessionFunctions(s)}`;
}

function common(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.ej_parent(path text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT left(path, length(path) - strpos(reverse(path), '/')) $$;

-- Locks the jobs in the order of their names, creating their rows. Returns the revision of each.
CREATE OR REPLACE FUNCTION ${s}.ej_lock(ns text, names text[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  each record;
  revisions jsonb := '{}';
BEGIN
  -- Not locked one by one as they are found: who locks those that are there, and then creates the others, has no order.
  IF (SELECT count(*) FROM ${s}.ej_job WHERE namespace = ns AND job = ANY (names)) < cardinality(names) THEN
    INSERT INTO ${s}.ej_job (namespace, job, revision, xact)
      SELECT ns, name, 0, pg_current_xact_id() FROM unnest(names) AS name ORDER BY name COLLATE "C"
      ON CONFLICT DO NOTHING;
  END IF;
  FOR each IN
    SELECT job, revision FROM ${s}.ej_job WHERE namespace = ns AND job = ANY (names) ORDER BY job FOR UPDATE
  LOOP
    revisions := revisions || jsonb_build_object(each.job, each.revision);
  END LOOP;
  RETURN revisions;
END $$;

-- The revisions of these jobs alone.
CREATE OR REPLACE FUNCTION ${s}.ej_only(revisions jsonb, names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(jsonb_object_agg(name, revisions -> name), '{}') FROM unnest(names) AS name $$;

-- A revision after those of the locked jobs. By the clock, and above the floor, so that a server that has lost its
-- latest commits gives none of their revisions a second time; never below the last one, so that a clock that is set back
-- does no harm.
CREATE OR REPLACE FUNCTION ${s}.ej_revision(ns text, revisions jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ${s}.ej_meet(ns, NULL);
  RETURN greatest(
    (SELECT max(value::bigint) FROM jsonb_each_text(revisions)) + 1,
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    (SELECT floor + 1 FROM ${s}.ej_namespace WHERE name = ns)
  );
END $$;

-- Writes down what a transaction has changed in jobs that it has locked, and notifies the mirrors.
CREATE OR REPLACE FUNCTION ${s}.ej_publish(
  ns text, sid uuid, cid bigint, rev bigint, revisions jsonb, names text[], entries jsonb[], topmost integer, channel text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${s}.ej_change (namespace, job, revision, previous, session, commit_id, changes)
    SELECT ns, name, rev, (revisions ->> name)::bigint, sid, cid, jsonb_agg(entry ORDER BY number)
    FROM unnest(names, entries) WITH ORDINALITY AS change (name, entry, number) GROUP BY name;
  PERFORM ${s}.ej_announce(ns, rev, names, topmost, channel);
END $$;

-- Gives the jobs their new revision, counts those that came or went, and notifies the mirrors.
CREATE OR REPLACE FUNCTION ${s}.ej_announce(ns text, rev bigint, names text[], topmost integer, channel text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ${s}.ej_job SET revision = rev, xact = pg_current_xact_id() WHERE namespace = ns AND job = ANY (names);
  IF topmost > 0 THEN
    UPDATE ${s}.ej_namespace SET changes = changes + topmost WHERE name = ns;
  END IF;
  IF channel IS NOT NULL THEN
    PERFORM pg_notify(channel, rev || ' ' || name) FROM unnest(names) AS name GROUP BY name;
  END IF;
END $$;
`;
}
