import {
  loadPostgresDriver,
  type PostgresClient,
  type PostgresStatement,
} from '../../../lib/registry/postgresql/connection/driver.js';

/** A part of a plan that reads a table, and the rows that it has read, those that it dropped included. */
export interface TableScan {
  /** Such as `Index Scan`. */
  readonly type: string;
  /** The table, or for a part that reads an index alone, the index. */
  readonly relation: string;
  readonly rows: number;
}

/** One statement as the server carried it out: the given one, or one within a function that it calls. */
export interface ExecutedPlan {
  readonly text: string;
  readonly scans: readonly TableScan[];
  /** Pages that were found in memory, or read. */
  readonly buffers: number;
}

/** The parts of a plan in `auto_explain`'s format that matter here. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement with its plan. */
interface ExplainedQuery {
  readonly 'Query Text': string;
  readonly Plan: PlanNode;
}

/** As `pg` gives what the server says besides its answers. */
type NoticingClient = PostgresClient & {
  on(event: 'notice', listener: (notice: { readonly message?: string }) => void): unknown;
};

/**
 * A connection of an administrator that reports the plans of its statements, those within functions included:
 * PostgreSQL itself explains the outermost statement alone.
 */
export class ExplainedConnection implements AsyncDisposable {
  readonly #client: NoticingClient;
  #plans: ExecutedPlan[] = [];

  private constructor(client: NoticingClient) {
    this.#client = client;
    client.on('notice', ({ message = '' }) => {
      const start = message.indexOf('{');
      if (/^duration: .* plan:/.test(message))
        this.#plans.push(planOf(JSON.parse(message.slice(start)) as ExplainedQuery));
    });
  }

  static async open(port: number): Promise<ExplainedConnection> {
    const { Client } = await loadPostgresDriver();
    const client = new Client({
      connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
      ...{ connectionTimeoutMillis: 10_000, application_name: 'test', keepAlive: false },
    });
    await client.connect();
    const text = `LOAD 'auto_explain';
      SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on;
      SET auto_explain.log_nested_statements = on; SET auto_explain.log_format = json; SET auto_explain.log_level = notice`;
    await client.query({ text });
    // Its types know no notices.
    return new ExplainedConnection(client as NoticingClient);
  }

  /** Carries out a statement, which is prepared if it has a name. @returns its rows and all plans */
  async run(
    statement: PostgresStatement,
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly plans: readonly ExecutedPlan[] }> {
    this.#plans = [];
    const { rows } = await this.#client.query(statement);
    return { rows, plans: this.#plans };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

function planOf(explained: ExplainedQuery): ExecutedPlan {
  const { 'Query Text': text, Plan: plan } = explained;
  const buffers = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  return { text: text.replaceAll(/\s+/g, ' ').trim(), scans: [...scansOf(plan)], buffers };
}

function* scansOf(node: PlanNode): Generator<TableScan> {
  const relation = node['Relation Name'] ?? node['Index Name'];
  const isWrite = node['Node Type'] === 'ModifyTable';
  if (relation !== undefined && !isWrite) {
    const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    yield { type: node['Node Type'], relation, rows: (node['Actual Rows'] + dropped) * node['Actual Loops'] };
  }
  for (const each of node.Plans ?? []) yield* scansOf(each);
}
