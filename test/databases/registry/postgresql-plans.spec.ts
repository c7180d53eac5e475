/** The plans by which PostgreSQL carries out the statements of a registry centre, in a namespace with many jobs. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Statements } from '../../../lib/registry/postgresql/statements.js';
import { type PostgresStatement } from '../../../lib/registry/postgresql/connection/driver.js';
import { provideTables } from '../../../lib/registry/postgresql/schema/migration.js';
import { newName } from '../support/postgresql-centres.js';
import { type ExecutedPlan, ExplainedConnection } from '../support/query-plans.js';
import { serverOf } from '../support/servers.js';

const [JOBS, ITEMS] = [2_000, 5];
/** No statement about one job with a few nodes has to read more rows of a table. */
const MOST_ROWS = 100;
const SESSION = '11111111-1111-1111-1111-111111111111';

const schema = newName();
const statements = new Statements({ schema, namespace: 'orders', notify: true });
let connection: ExplainedConnection;
let commits = 0;

function commit(...operations: readonly unknown[]): PostgresStatement {
  const known = new Map([['job', 0]]);
  return statements.commits({ id: SESSION, epoch: 1 }, JSON.stringify([[++commits, operations, true]]), known);
}

const [ITEM, RECORD] = ['/job/sharding/0', '/job/record'];

/** The statements that firings, mirrors and holds send, on one job; each leaves that as it was. */
const STATEMENTS: Readonly<Record<string, () => PostgresStatement>> = {
  'the begin of a firing': () =>
    commit(
      ['check', '/job/config', null, null, 0],
      ['create', `${ITEM}/running`, 'me', 'session', null],
      ['set', RECORD, 'begun', null, null],
    ),
  'a commit that does not fit': () => commit(['create', `${ITEM}/running`, 'me', 'session', null]),
  'the end of a firing': () => commit(['remove', `${ITEM}/running`, null, null, null]),
  'a write with missing parents': () => commit(['put', '/job/a/b/c', '']),
  'the removal of a subtree': () => commit(['purge', '/job/a', '']),
  'the replacement of a node': () => commit(['replace', RECORD, '', null, null]),
  'a look at the outcome of a commit': () => statements.outcome(SESSION, commits, ['job']),
  'the reading of nodes': () => statements.nodes(['/job/config', ITEM]),
  'the reading of children': () => statements.children(['/job/sharding']),
  'the reading of a subtree': () => statements.subtree('/job/a'),
  'the reading of the journal': () => statements.journal(new Map([['job', Date.now() * 1_000]])),
  'the removal of old entries of the journal': () => statements.prune(5_000),
  'the search for sessions that have nodes and are gone': () => statements.sweepOrphans(),
  'the reading of the journal that announces commits': () =>
    statements.journal(new Map([['job', Date.now() * 1_000]]), ['1 job']),
};

beforeAll(async () => {
  connection = await ExplainedConnection.open(serverOf('postgres').port);
  await provideTables({ query: (statement) => connection.run(statement) }, schema);
  await connection.run(statements.attach(SESSION, 600_000, undefined));
  await connection.run(commit(['make', '/job/config', ''], ['make', RECORD, ''], ['make', ITEM, '']));
  // From the sixth time on, a connection keeps the plan.
  for (let round = 0; round < 7; round++)
    for (const statement of Object.values(STATEMENTS)) await connection.run(statement());
  await connection.run({ text: filling() });
}, 120_000);

afterAll(() => connection[Symbol.asyncDispose]());

/** Many more jobs, with the nodes of their items and the changes of a while; names that begin alike. */
function filling(): string {
  const jobs = `generate_series(1, ${JOBS}) AS job`;
  const items = `generate_series(1, ${ITEMS}) AS item`;
  const node = (path: string, parent: string, from: string, session = 'NULL'): string =>
    `INSERT INTO ${schema}.ej_node SELECT 'orders', ${path}, ${parent}, '', 0, 1, ${session} FROM ${from};`;
  return `
    INSERT INTO ${schema}.ej_job SELECT 'orders', 'job-' || job, job, pg_current_xact_id() FROM ${jobs};
    ${node("'/job/a-' || job", "'/job'", jobs)}
    ${node("'/job-' || job", "''", jobs)}
    ${node("'/job-' || job || '/instances/a'", "'/job-' || job || '/instances'", jobs, `'${SESSION}'::uuid`)}
    ${node("'/job-' || job || '/sharding'", "'/job-' || job", jobs)}
    ${node("'/job-' || job || '/sharding/' || item", "'/job-' || job || '/sharding'", `${jobs}, ${items}`)}
    INSERT INTO ${schema}.ej_change SELECT 'orders', 'job-' || job, item, item - 1, gen_random_uuid(), item, '[]'
      FROM ${jobs}, ${items};`;
}

/** The parts of the plans that read too much. Sessions are few. */
function wasteIn(plans: readonly ExecutedPlan[]): readonly string[] {
  return plans.flatMap(({ text, scans }) =>
    scans
      .filter(({ relation, rows }) => relation !== 'ej_session' && rows > MOST_ROWS)
      .map(({ type, relation, rows }) => `${type} of ${rows} rows of ${relation}: ${text}`),
  );
}

describe('In a namespace with many jobs', () => {
  test.each(Object.keys(STATEMENTS))(
    '%s reads few rows, by a plan that was made when there were no jobs',
    async (name) => {
      const { plans } = await connection.run(STATEMENTS[name]!());

      expect(plans.some(({ scans }) => scans.length > 0)).toBe(true);
      expect(wasteIn(plans)).toEqual([]);
    },
  );
});

describe('In a namespace whose tables are analyzed', () => {
  beforeAll(async () => {
    await connection.run({ text: `ANALYZE ${['job', 'node', 'change'].map((each) => `${schema}.ej_${each}`).join()}` });
  });

  test.each(Object.keys(STATEMENTS))('%s reads few rows', async (name) => {
    const { plans } = await connection.run(STATEMENTS[name]!());

    expect(wasteIn(plans)).toEqual([]);
  });
});

test('the journal that a commit has missed is read by an index, also by a plan that was made when the journal was small', async () => {
  const small = newName();
  const own = new Statements({ schema: small, namespace: 'orders', notify: true });
  await using link = await ExplainedConnection.open(serverOf('postgres').port);
  const put = (id: number): PostgresStatement =>
    own.commits({ id: SESSION, epoch: 1 }, JSON.stringify([[id, [['put', '/job', '']], true]]), new Map([['job', 0]]));
  await provideTables({ query: (statement) => link.run(statement) }, small);
  await link.run(own.attach(SESSION, 600_000, undefined));
  await link.run(put(1));
  await link.run({ text: `ANALYZE ${small}.ej_change` });
  for (let id = 2; id < 9; id++) await link.run(put(id));
  await link.run({
    text: `INSERT INTO ${small}.ej_change SELECT 'orders', 'job-' || job, 1, 0, gen_random_uuid(), 1, '[]' FROM generate_series(1, ${JOBS}) AS job`,
  });

  const { plans } = await link.run(put(9));

  expect(wasteIn(plans).filter((each) => each.includes('ej_change'))).toEqual([]);
});
