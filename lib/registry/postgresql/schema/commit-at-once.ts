/**
 * `ej_commit_at_once`: the commits of firings, whose operations do not depend on one another. They are checked by one
 * statement, and carried out by another one, so that a commit of a thousand operations takes the server a fraction of
 * the time that a thousand times three statements take.
 *
 * The jobs are locked: no other transaction changes a node between the check and the writes. If any operation does not
 * fit, or depends on another one, nothing is changed and the answer is null: `ej_commit` then takes one operation after
 * the other, and finds the first misfit.
 *
 * With these settings the planner looks each node up by an index. It would otherwise read a table that is small, or has
 * no statistics yet, as a whole, and go on to do so for a while after the table has grown.
 *
 * @param s the quoted name of the schema
 */
export function commitAtOnce(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.ej_commit_at_once(
  ns text, sid uuid, cid bigint, operations jsonb, rev bigint, revisions jsonb, channel text
) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  kinds text[];
  paths text[];
  parents text[];
  contents text[];
  owners uuid[];
  versions integer[];
  names text[];
BEGIN
  SELECT array_agg(each ->> 0), array_agg(each ->> 1), array_agg(${s}.ej_parent(each ->> 1)), array_agg(each ->> 2),
      array_agg(CASE WHEN each ->> 3 = 'session' THEN sid END), array_agg((each ->> 4)::integer)
    INTO kinds, paths, parents, contents, owners, versions FROM jsonb_array_elements(operations) AS each;
  IF NOT kinds <@ '{check,create,set,remove}'
    OR (SELECT count(DISTINCT path COLLATE "C") FROM unnest(paths) AS path) < cardinality(paths)
    OR EXISTS (
      SELECT FROM unnest(kinds, paths, parents, versions) AS operation (kind, path, parent, wanted)
      LEFT JOIN ${s}.ej_node AS node ON node.namespace = ns AND node.path = operation.path
      WHERE (kind = 'create') = (node.path IS NOT NULL)
        OR wanted <> node.version
        -- ej_commit counts the jobs that come and go.
        OR (kind IN ('create', 'remove') AND operation.parent = '')
        -- One look-up each: with EXISTS, the planner may read the whole namespace first.
        OR (kind = 'create' AND (
          SELECT above.session IS NULL FROM ${s}.ej_node AS above
          WHERE above.namespace = ns AND above.path = operation.parent
        ) IS NOT TRUE)
        OR (kind = 'remove' AND (
          SELECT true FROM ${s}.ej_node AS below
          WHERE below.namespace = ns AND below.parent = operation.path LIMIT 1
        ))
    )
    OR ('{create,remove}' <@ kinds AND EXISTS (
      SELECT parent COLLATE "C" FROM unnest(kinds, parents) AS operation (kind, parent) WHERE kind = 'create'
      INTERSECT SELECT path COLLATE "C" FROM unnest(kinds, paths) AS operation (kind, path) WHERE kind = 'remove'
    ))
  THEN
    RETURN NULL;
  END IF;
  WITH operation AS MATERIALIZED (
    SELECT * FROM unnest(kinds, paths, parents, contents, owners) AS operation (kind, path, parent, value, owner)
  ), created AS (
    INSERT INTO ${s}.ej_node SELECT ns, path, parent, value, 0, rev, owner FROM operation WHERE kind = 'create'
    RETURNING path, jsonb_build_array(path, value, 0, session) AS entry
  ), changed AS (
    UPDATE ${s}.ej_node AS node SET value = operation.value, version = version + 1, revision = rev
    FROM operation WHERE kind = 'set' AND node.namespace = ns AND node.path = operation.path
    RETURNING node.path, jsonb_build_array(node.path, node.value, version, session) AS entry
  ), removed AS (
    DELETE FROM ${s}.ej_node AS node USING operation
    WHERE kind = 'remove' AND node.namespace = ns AND node.path = operation.path
    RETURNING node.path, jsonb_build_array(node.path) AS entry
  ), written AS (
    INSERT INTO ${s}.ej_change (namespace, job, revision, previous, session, commit_id, changes)
      SELECT ns, name, rev, (revisions ->> name)::bigint, sid, cid, jsonb_agg(entry) FROM (
        SELECT split_part(path, '/', 2) AS name, entry
        FROM (TABLE created UNION ALL TABLE changed UNION ALL TABLE removed) AS change
      ) AS change GROUP BY name
    RETURNING job
  )
  SELECT array_agg(job) INTO names FROM written;
  IF names IS NOT NULL THEN
    PERFORM ${s}.ej_announce(ns, rev, names, 0, channel);
  END IF;
  RETURN jsonb_build_object('revision', rev, 'previous', ${s}.ej_only(revisions, names), 'done', true, 'changed', names IS NOT NULL);
END $$;
`;
}
