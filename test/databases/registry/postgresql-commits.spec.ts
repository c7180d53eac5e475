/** Commits that PostgreSQL carries out at once: they end as if one operation came after the other. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Statements } from '../../../lib/registry/postgresql/statements.js';
import { provideTables } from '../../../lib/registry/postgresql/schema/migration.js';
import { expectAsyncProperty } from '../../support/property.js';
import { newName } from '../support/postgresql-centres.js';
import { ExplainedConnection } from '../support/query-plans.js';
import { serverOf } from '../support/servers.js';

const SESSION = '11111111-1111-1111-1111-111111111111';

/** Few paths, so that operations meet; `/one/s` lives with the session at first. */
const PATH = fc.constantFrom('/', '/one', '/one/a', '/one/a/1', '/one/a/1/x', '/one/s', '/one/s/1', '/two');
const VALUE = fc.constantFrom('', 'x');
const LIFETIME = fc.constantFrom(null, 'session');
const VERSION = fc.constantFrom(null, null, 0, 1);

/** Each as the server reads it: `[type, path, value, lifetime, version]`. */
const OPERATION = fc.oneof(
  fc.tuple(fc.constant('create'), PATH, VALUE, LIFETIME, fc.constant(null)),
  fc.tuple(fc.constantFrom('check', 'remove'), PATH, fc.constant(null), fc.constant(null), VERSION),
  fc.tuple(fc.constant('set'), PATH, VALUE, fc.constant(null), VERSION),
  fc.tuple(fc.constant('replace'), PATH, VALUE, LIFETIME, VERSION),
);

/** A tree of its own in a schema of its own. */
class Tree {
  readonly #connection: ExplainedConnection;
  readonly #schema: string;
  readonly #statements: Statements;
  #commits = 0;

  private constructor(connection: ExplainedConnection, schema: string) {
    this.#connection = connection;
    this.#schema = schema;
    this.#statements = new Statements({ schema, namespace: 'orders', notify: false });
  }

  static async open(connection: ExplainedConnection): Promise<Tree> {
    const tree = new Tree(connection, newName());
    await provideTables({ query: (statement) => connection.run(statement) }, tree.#schema);
    await connection.run(tree.#statements.attach(SESSION, 600_000, undefined));
    return tree;
  }

  /** From now on, each commit is carried out one operation after the other. */
  async forbidAtOnce(): Promise<void> {
    const parameters = 'ns text, sid uuid, cid bigint, operations jsonb, rev bigint, revisions jsonb, channel text';
    await this.#connection.run({
      text: `CREATE OR REPLACE FUNCTION ${this.#schema}.ej_commit_at_once(${parameters})
        RETURNS jsonb LANGUAGE sql AS 'SELECT NULL::jsonb'`,
    });
  }

  /** Removes all nodes, and makes a few. */
  async reset(): Promise<void> {
    const purged = ['/one', '/two', '/leaf', '/other'].map((path) => ['purge', path, '']);
    await this.commit(...purged, ['make', '/one/a/1', ''], ['make', '/other/a', ''], ['make', '/leaf', '']);
    await this.commit(['create', '/one/s', '', 'session']);
    await this.#connection.run({ text: `DELETE FROM ${this.#schema}.ej_change` });
  }

  /** @returns the answer without revisions, which are times */
  async commit(...operations: readonly unknown[]): Promise<unknown> {
    const sent = JSON.stringify([[++this.#commits, operations, false]]);
    const { rows } = await this.#connection.run(this.#statements.commits({ id: SESSION, epoch: 1 }, sent, new Map()));
    const { answers } = rows[0]?.['answer'] as { readonly answers: readonly [Record<string, unknown>] };
    const [{ revision, previous, ...answer }] = answers;
    return { ...answer, hasRevision: typeof revision === 'number', jobs: Object.keys(previous ?? {}) };
  }

  /** All nodes, what the journal says of the commits, and how many jobs came and went, without revisions. */
  async contents(): Promise<unknown> {
    const read = async (query: string): Promise<unknown> => (await this.#connection.run({ text: query })).rows;
    return {
      nodes: await read(`SELECT path, parent, value, version, session FROM ${this.#schema}.ej_node ORDER BY path`),
      changes: await read(`SELECT job, session, commit_id, entry FROM ${this.#schema}.ej_change,
        jsonb_array_elements(changes) AS entry ORDER BY revision, job, entry`),
      counts: await read(`SELECT changes FROM ${this.#schema}.ej_namespace`),
    };
  }
}

/** Commits whose operations depend on what is below or above a node, or on one another. */
const COMMITS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'that removes a node with a child': [['remove', '/one/a']],
  'that creates a node below one of the session': [['create', '/one/s/1', '']],
  'that creates a node without a parent': [['create', '/one/b/1', '']],
  'that creates a node below one that it has removed': [
    ['remove', '/one/a/1'],
    ['create', '/one/a/1/x', ''],
  ],
  'that removes a node below which it has created one': [
    ['create', '/one/a/1/x', ''],
    ['remove', '/one/a/1'],
  ],
  'that checks a node and changes it': [
    ['check', '/one/a/1', null, null, 0],
    ['set', '/one/a/1', 'x', null, 0],
  ],
  'that creates a job': [['create', '/two', '']],
  'that removes a job without nodes': [['remove', '/leaf']],
  'that removes a job with its nodes': [
    ['remove', '/one/a/1'],
    ['remove', '/one/a'],
    ['remove', '/one/s'],
    ['remove', '/one'],
  ],
  'that replaces a node': [['replace', '/one/s', 'x']],
  'that checks nothing but the root': [['check', '/', null, null, 0]],
  'of two jobs': [
    ['create', '/one/b', '', 'session'],
    ['set', '/other/a', 'x', null, 0],
    ['remove', '/one/a/1', null, null, 0],
  ],
};

describe('A commit that is carried out at once has the outcome of its operations, one after the other', () => {
  let trees: readonly Tree[];
  let connections: readonly ExplainedConnection[];

  beforeAll(async () => {
    const { port } = serverOf('postgres');
    connections = await Promise.all([ExplainedConnection.open(port), ExplainedConnection.open(port)]);
    trees = await Promise.all(connections.map((each) => Tree.open(each)));
    await trees[1]!.forbidAtOnce();
  });

  afterAll(() => Promise.all(connections.map((each) => each[Symbol.asyncDispose]())));

  async function expectSame(commits: readonly (readonly (readonly unknown[])[])[]): Promise<void> {
    const [atOnce, oneByOne] = trees;
    for (const tree of trees) await tree.reset();
    for (const operations of commits)
      expect(await atOnce!.commit(...operations)).toEqual(await oneByOne!.commit(...operations));
    expect(await atOnce!.contents()).toEqual(await oneByOne!.contents());
  }

  test.each(Object.keys(COMMITS))('%s', async (name) => {
    await expectSame([COMMITS[name]!]);
  });

  test('whatever they are', async () => {
    const commits = fc.array(fc.array(OPERATION, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });

    await expectAsyncProperty(fc.asyncProperty(commits, expectSame));
  });
});

test.each(['at once', 'one by one'])(
  'a commit that is carried out %s names the jobs that it has changed, not those it has only checked',
  async (how) => {
    await using connection = await ExplainedConnection.open(serverOf('postgres').port);
    const tree = await Tree.open(connection);
    await tree.reset();
    if (how === 'one by one') await tree.forbidAtOnce();

    const answer = await tree.commit(['check', '/other/a', null, null, 0], ['set', '/one/a', 'x']);

    expect(answer).toMatchObject({ changed: true, jobs: ['one'] });
  },
);
