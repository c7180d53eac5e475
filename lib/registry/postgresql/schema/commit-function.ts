/**
 * `ej_commit`: all operations of a commit, or none. An operation is `[type, path, value, lifetime, version]`; besides
 * the types of the port there are `make` and `put`, which create missing parents, and `purge`, which removes a subtree.
 * The answer is one of
 *
 *     {"revision": …, "previous": {changed job: revision before}, "done": whether something was there to do}
 *     {"conflict": "exists" | "absent" | "changed", "path": …}
 *     {"refused": why, "path": …}
 *     {"session": "gone"}
 *
 * A misfit is raised and caught in here: that undoes what came before it, and is no error in the server's log.
 *
 * @param s the quoted name of the schema
 */
export function commitFunction(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.ej_commit(ns text, sid uuid, ep integer, cid bigint, operations jsonb, channel text)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  revisions jsonb;
  rev bigint;
  operation jsonb;
  kind text;
  p text;
  wanted integer;
  found_version integer;
  found_session uuid;
  owner uuid;
  above text;
  missing text;
  gone text;
  names text[] := '{}';
  entries jsonb[] := '{}';
  topmost integer := 0;
  done boolean := true;
  answer jsonb;
  misfit text;
  misfit_path text;
BEGIN
  -- An earlier connection of this session has another epoch: what it has sent has no effect once another is there. A
  -- pooler may have gone on to another server without a word: there, the session must come back first.
  PERFORM 1 FROM ${s}.ej_session
    WHERE id = sid AND epoch = ep AND timeline = ${s}.ej_timeline() AND expires_at > clock_timestamp() FOR KEY SHARE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('session', 'gone');
  END IF;
  revisions := ${s}.ej_lock(ns, ARRAY(
    SELECT DISTINCT split_part(each ->> 1, '/', 2) FROM jsonb_array_elements(operations) AS each WHERE each ->> 1 <> '/'
  ));
  rev := ${s}.ej_revision(ns, revisions);
  answer := ${s}.ej_commit_at_once(ns, sid, cid, operations, rev, revisions, channel);
  IF answer IS NOT NULL THEN
    RETURN answer;
  END IF;
  BEGIN
    FOR operation IN SELECT each FROM jsonb_array_elements(operations) AS each LOOP
      kind := operation ->> 0;
      p := operation ->> 1;
      owner := CASE WHEN operation ->> 3 = 'session' THEN sid END;
      wanted := (operation ->> 4)::integer;
      IF p = '/' THEN
        CONTINUE WHEN kind = 'check' AND coalesce(wanted, 0) = 0;
        CONTINUE WHEN kind = 'put' AND operation ->> 2 = '';
        IF kind = 'make' THEN
          done := false;
          CONTINUE;
        END IF;
        RAISE EXCEPTION USING ERRCODE = CASE kind WHEN 'create' THEN 'EJ001' WHEN 'check' THEN 'EJ001' ELSE 'EJ002' END,
          MESSAGE = CASE kind WHEN 'create' THEN 'exists' WHEN 'check' THEN 'changed' ELSE 'it is the root of the namespace' END,
          DETAIL = p;
      END IF;
      SELECT version, session INTO found_version, found_session FROM ${s}.ej_node WHERE namespace = ns AND path = p;
      IF NOT FOUND THEN
        IF kind = 'purge' THEN
          done := false;
          CONTINUE;
        END IF;
        IF kind NOT IN ('create', 'make', 'put') THEN
          RAISE EXCEPTION USING ERRCODE = 'EJ001', MESSAGE = 'absent', DETAIL = p;
        END IF;
        above := ${s}.ej_parent(p);
        IF kind <> 'create' THEN
          -- From the top down; a session node on the way is refused below.
          FOR missing IN
            SELECT string_agg(part, '/') OVER (ORDER BY number) FROM unnest(string_to_array(above, '/'))
            WITH ORDINALITY AS parts (part, number) OFFSET 1
          LOOP
            INSERT INTO ${s}.ej_node VALUES (ns, missing, ${s}.ej_parent(missing), '', 0, rev, NULL)
              ON CONFLICT DO NOTHING;
            IF FOUND THEN
              names := names || split_part(p, '/', 2);
              entries := entries || jsonb_build_array(missing, '', 0, NULL);
              topmost := topmost + (${s}.ej_parent(missing) = '')::integer;
            END IF;
            PERFORM 1 FROM ${s}.ej_node WHERE namespace = ns AND path = missing AND session IS NOT NULL;
            IF FOUND THEN
              RAISE EXCEPTION USING ERRCODE = 'EJ002', DETAIL = p,
                MESSAGE = missing || ' lives with a session and cannot have children';
            END IF;
          END LOOP;
        ELSIF above <> '' THEN
          SELECT session INTO found_session FROM ${s}.ej_node WHERE namespace = ns AND path = above;
          IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'EJ001', MESSAGE = 'absent', DETAIL = p;
          ELSIF found_session IS NOT NULL THEN
            RAISE EXCEPTION USING ERRCODE = 'EJ002', DETAIL = p,
              MESSAGE = above || ' lives with a session and cannot have children';
          END IF;
        END IF;
        INSERT INTO ${s}.ej_node VALUES (ns, p, above, operation ->> 2, 0, rev, owner);
        names := names || split_part(p, '/', 2);
        entries := entries || jsonb_build_array(p, operation ->> 2, 0, owner);
        topmost := topmost + (above = '')::integer;
        CONTINUE;
      END IF;
      IF kind = 'create' THEN
        RAISE EXCEPTION USING ERRCODE = 'EJ001', MESSAGE = 'exists', DETAIL = p;
      ELSIF kind = 'make' THEN
        done := false;
      ELSIF wanted <> found_version THEN
        RAISE EXCEPTION USING ERRCODE = 'EJ001', MESSAGE = 'changed', DETAIL = p;
      ELSIF kind IN ('set', 'put') THEN
        UPDATE ${s}.ej_node SET value = operation ->> 2, version = version + 1, revision = rev
          WHERE namespace = ns AND path = p;
        names := names || split_part(p, '/', 2);
        entries := entries || jsonb_build_array(p, operation ->> 2, found_version + 1, found_session);
      ELSIF kind = 'purge' THEN
        -- '0' follows '/': the range is what is below the node. Between that and the node are siblings such as p || '-x'.
        FOR gone IN
          WITH below AS (
            DELETE FROM ${s}.ej_node WHERE namespace = ns AND path > p || '/' AND path < p || '0' RETURNING path
          ), itself AS (
            DELETE FROM ${s}.ej_node WHERE namespace = ns AND path = p RETURNING path
          )
          TABLE itself UNION ALL TABLE below
        LOOP
          names := names || split_part(p, '/', 2);
          entries := entries || jsonb_build_array(gone);
        END LOOP;
        topmost := topmost + (${s}.ej_parent(p) = '')::integer;
      ELSIF kind IN ('remove', 'replace') THEN
        PERFORM 1 FROM ${s}.ej_node WHERE namespace = ns AND parent = p LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION USING ERRCODE = 'EJ001', MESSAGE = 'changed', DETAIL = p;
        END IF;
        names := names || split_part(p, '/', 2);
        IF kind = 'remove' THEN
          DELETE FROM ${s}.ej_node WHERE namespace = ns AND path = p;
          entries := entries || jsonb_build_array(p);
          topmost := topmost + (${s}.ej_parent(p) = '')::integer;
        ELSE
          UPDATE ${s}.ej_node SET value = operation ->> 2, version = 0, revision = rev, session = owner
            WHERE namespace = ns AND path = p;
          entries := entries || jsonb_build_array(p, operation ->> 2, 0, owner);
        END IF;
      END IF;
    END LOOP;
    IF cardinality(entries) > 0 THEN
      PERFORM ${s}.ej_publish(ns, sid, cid, rev, revisions, names, entries, topmost, channel);
    END IF;
  EXCEPTION
    WHEN SQLSTATE 'EJ001' OR SQLSTATE 'EJ002' THEN
      GET STACKED DIAGNOSTICS misfit = MESSAGE_TEXT, misfit_path = PG_EXCEPTION_DETAIL;
      RETURN jsonb_build_object(CASE SQLSTATE WHEN 'EJ001' THEN 'conflict' ELSE 'refused' END, misfit, 'path', misfit_path);
  END;
  RETURN jsonb_build_object('revision', rev, 'previous', ${s}.ej_only(revisions, names), 'done', done,
    'changed', cardinality(entries) > 0);
END $$;

-- The journal of a job in between, as [[job, revision, previous, changes]]. By the index, also before the tables are
-- analyzed: the jobs are locked meanwhile.
CREATE OR REPLACE FUNCTION ${s}.ej_missed(ns text, of_job text, shown bigint, newest bigint) RETURNS jsonb[]
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT jsonb_build_array(job, revision, previous, changes) FROM ${s}.ej_change
    WHERE namespace = ns AND job = of_job AND revision > shown AND revision <= newest
    ORDER BY revision
  );
END $$;

-- Several commits of one session, each carried out or refused by itself. All jobs are locked first: one commit after the
-- other would lock them in any order. known: revisions of jobs that the process shows. The answer is
-- {"answers": those of ej_commit, "missed": [[job, revision, previous, changes]], the journal in between}.
CREATE OR REPLACE FUNCTION ${s}.ej_commits(ns text, sid uuid, ep integer, commits jsonb, known jsonb, channel text)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  one jsonb;
  answer jsonb;
  answers jsonb[] := '{}';
  -- The revisions of the changed jobs before this transaction.
  before jsonb := '{}';
  shown record;
  missed jsonb[] := '{}';
BEGIN
  IF jsonb_array_length(commits) > 1 THEN
    PERFORM 1 FROM ${s}.ej_session WHERE id = sid FOR KEY SHARE;
    PERFORM ${s}.ej_lock(ns, ARRAY(
      SELECT DISTINCT split_part(operation ->> 1, '/', 2)
      FROM jsonb_array_elements(commits) AS each, jsonb_array_elements(each -> 1) AS operation
      WHERE operation ->> 1 <> '/'
    ));
  END IF;
  FOR one IN SELECT each FROM jsonb_array_elements(commits) AS each LOOP
    answer := ${s}.ej_commit(
      ns, sid, ep, (one ->> 0)::bigint, one -> 1, CASE WHEN (one ->> 2)::boolean THEN channel END
    );
    answers := answers || answer;
    before := coalesce(answer -> 'previous', '{}') || before;
  END LOOP;
  FOR shown IN
    SELECT key AS name, value::bigint AS position, (before ->> key)::bigint AS newest FROM jsonb_each_text(known)
    WHERE value::bigint < (before ->> key)::bigint
  LOOP
    missed := missed || ${s}.ej_missed(ns, shown.name, shown.position, shown.newest);
  END LOOP;
  RETURN jsonb_build_object('answers', to_jsonb(answers), 'missed', to_jsonb(missed));
END $$;
`;
}
