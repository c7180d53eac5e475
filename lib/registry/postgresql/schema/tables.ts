/**
 * The tables of the registry centre. All text that is compared has the collation "C": then a subtree is a range of
 * paths in any language of the database, and no upgrade of the system's libraries reorders an index.
 *
 * No index begins with the namespace. As long as a table is empty, or has no statistics, the planner takes an index by
 * its first column to be as good as by all, and a connection keeps that plan: then each look-up would read the whole
 * namespace until the tables are analyzed.
 *
 * ```
 *  ej_namespace   name → lineage, how many jobs came and went
 *  ej_job         the lock and the clock of one job's history: each write below the job locks this row first
 *  ej_session     the sessions, and their ends by the database's clock; epoch: which of its connections counts
 *  ej_node        the tree
 *  ej_change      what each commit changed, for ten minutes: mirrors follow it, and lost answers are settled by it
 * ```
 */

/**
 * The version of the tables and functions that this file and `functions.ts` create. Raise it with each change, and add
 * the statements to `MIGRATIONS`. A test compares a hash of both with the one recorded for the version.
 */
export const SCHEMA_VERSION = 3;

/** The tables, by name. */
export const TABLES = ['ej_schema', 'ej_namespace', 'ej_job', 'ej_session', 'ej_node', 'ej_change'] as const;

/** Columns that version 2 has added. */
const NAMESPACE_SINCE_2 = [
  "system text NOT NULL DEFAULT ''",
  "timeline text NOT NULL DEFAULT ''",
  'floor bigint NOT NULL DEFAULT 0',
];
const SESSION_SINCE_2 = ['beats bigint NOT NULL DEFAULT 0', "timeline text NOT NULL DEFAULT ''"];

/** The column that version 3 has added. */
const NAMESPACE_SINCE_3 = ['met_at timestamptz NOT NULL DEFAULT clock_timestamp()'];

const added = (columns: readonly string[]): string => columns.map((column) => `ADD COLUMN ${column}`).join(', ');

/** Statements that bring the tables of a version to the next one, by version; the functions are created afterwards. */
export const MIGRATIONS: Readonly<Partial<Record<number, (s: string) => string>>> = {
  1: (s) => `
ALTER TABLE ${s}.ej_namespace ${added(NAMESPACE_SINCE_2)};
ALTER TABLE ${s}.ej_session ${added(SESSION_SINCE_2)};
ALTER TABLE ${s}.ej_job DROP CONSTRAINT ej_job_pkey, ADD PRIMARY KEY (job, namespace);
ALTER TABLE ${s}.ej_node DROP CONSTRAINT ej_node_pkey, ADD PRIMARY KEY (path, namespace);
ALTER TABLE ${s}.ej_change DROP CONSTRAINT ej_change_pkey, ADD PRIMARY KEY (job, namespace, revision);
DROP INDEX ${s}.ej_node_parent;
CREATE INDEX ej_node_parent ON ${s}.ej_node (parent, namespace);
`,
  2: (s) => `ALTER TABLE ${s}.ej_namespace ${added(NAMESPACE_SINCE_3)};`,
};

/** Statements that create the tables. @param s the quoted name of the schema */
export function tables(s: string): string {
  return `
CREATE TABLE ${s}.ej_schema (version integer NOT NULL);

-- system, timeline: the server that wrote last. met_at: when the first transaction on that timeline noted it. floor: revisions are above it, see ej_meet.
CREATE TABLE ${s}.ej_namespace (
  name text COLLATE "C" PRIMARY KEY,
  lineage uuid NOT NULL DEFAULT gen_random_uuid(),
  changes bigint NOT NULL DEFAULT 0,
  ${[...NAMESPACE_SINCE_2, ...NAMESPACE_SINCE_3].join(',\n  ')}
);

-- Written by each commit: free space in each page keeps the new version of a row beside the old one.
CREATE TABLE ${s}.ej_job (
  namespace text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  -- The transaction that wrote the revision. A polling process finds by it all later commits, in any order.
  xact xid8 NOT NULL,
  PRIMARY KEY (job, namespace)
) WITH (fillfactor = 50);

-- beats: how many heartbeats were confirmed. timeline: that of the server on which it was attached last.
-- No index on expires_at: it would make each heartbeat write an index, and there are hundreds of rows at most.
CREATE TABLE ${s}.ej_session (
  id uuid PRIMARY KEY,
  namespace text COLLATE "C" NOT NULL,
  epoch integer NOT NULL,
  timeout_ms integer NOT NULL,
  expires_at timestamptz NOT NULL,
  ${SESSION_SINCE_2.join(',\n  ')}
) WITH (fillfactor = 30);

CREATE TABLE ${s}.ej_node (
  namespace text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  parent text COLLATE "C" NOT NULL,
  value text NOT NULL,
  version integer NOT NULL,
  revision bigint NOT NULL,
  session uuid,
  PRIMARY KEY (path, namespace)
) WITH (fillfactor = 80);
CREATE INDEX ej_node_parent ON ${s}.ej_node (parent, namespace);
CREATE INDEX ej_node_session ON ${s}.ej_node (session) WHERE session IS NOT NULL;

-- previous: the job's revision before. A mirror that shows that revision has missed no commit in between.
CREATE TABLE ${s}.ej_change (
  namespace text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  previous bigint NOT NULL,
  session uuid NOT NULL,
  commit_id bigint,
  changes jsonb NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job, namespace, revision)
);
CREATE INDEX ej_change_at ON ${s}.ej_change (at);
`;
}
