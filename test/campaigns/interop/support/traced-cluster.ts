import { type DataSource } from 'typeorm';
import { type JobExecutionEvent, type JobStatusTraceEvent } from '../../../../lib/api/events/trace-events.js';
import { type DatabaseServer, dataSource, newDatabase } from '../../../databases/support/servers.js';
import { until } from '../../../support/until.js';
import { type MixedCluster } from './mixed-cluster.js';
import { type PeerRun } from './run-log.js';
import { areOver } from './triggered-job.js';

/** Of the instances. The machine and the server have another one: the tables have the wall-clock time of who writes. */
export const TIME_ZONE = 'Asia/Kathmandu';

/** The runs of the items of some firings. */
export interface Fired {
  /** When the first of them began; milliseconds since 1970. */
  readonly since: number;
  readonly runs: readonly PeerRun[];
}

/** Instances of either kind and the database that both write. */
export class TracedCluster implements AsyncDisposable {
  private constructor(
    readonly cluster: MixedCluster,
    readonly sql: DataSource,
    private readonly trace: { readonly port: number; readonly database: string },
  ) {}

  /** One without instances, with a new database. */
  static async open(cluster: MixedCluster, server: DatabaseServer): Promise<TracedCluster> {
    const database = await newDatabase(server.address);
    const sql = await dataSource(server.address, { database }).initialize();
    return new TracedCluster(cluster, sql, { port: server.port, database });
  }

  /** Starts an instance whose runs are traced; with `job: false`, without the job. */
  async start(name: string, job: false | object = {}): Promise<void> {
    await this.cluster.start(name, { job, trace: this.trace, timeZone: TIME_ZONE });
  }

  /** Another job of the same instances, which are yet to take part in it. */
  async other(jobName: string): Promise<TracedCluster> {
    return new TracedCluster(await this.cluster.with({ jobName }), this.sql, this.trace);
  }

  /** Runs the one-off job so many times. Resolves when all its items have ended. */
  async fire(times = 1): Promise<Fired> {
    const since = Date.now();
    const { shardingTotalCount } = this.cluster.job;
    for (let count = 1; count <= times; count++) {
      await this.cluster.peer('N1').execute();
      const isOver = (runs: readonly PeerRun[]): boolean => areOver(runs, count * shardingTotalCount);
      await this.cluster.untilRan('all items to run', isOver, since);
      await this.cluster.leftOver();
    }
    return { since, runs: this.cluster.runs(since) };
  }

  /**
   * The executions of the job since a time, oldest first, as Node reads them; waits until so many of them have ended.
   */
  async executions(ended: number, since = 0): Promise<readonly JobExecutionEvent[]> {
    const filter = { jobName: this.cluster.job.jobName, from: since, pageSize: 1_000 };
    return this.#read<JobExecutionEvent>('executions', filter, {
      what: `${ended} executions to have ended`,
      // Java writes concurrently: if the end of a failed item comes before its start, the row has no time of its end.
      isEnough: (rows) => rows.filter((row) => row.completeTime ?? row.failureCause).length >= ended,
    });
  }

  /** The states of a task since a time, oldest first; waits for so many. */
  async states(taskId: string, count: number, since = 0): Promise<readonly JobStatusTraceEvent[]> {
    const isEnough = (rows: readonly unknown[]): boolean => rows.length >= count;
    return this.#read<JobStatusTraceEvent>(
      'statuses',
      { taskId, from: since },
      { what: `${count} states of ${taskId}`, isEnough },
    );
  }

  /** By an instance of Node, which is in the time zone in which the rows were written. */
  async #read<Event>(
    table: 'executions' | 'statuses',
    filter: object,
    { what, isEnough }: { readonly what: string; readonly isEnough: (rows: readonly Event[]) => boolean },
  ): Promise<readonly Event[]> {
    let rows: readonly Event[] = [];
    const isThere = async (): Promise<boolean> => {
      const page = (await this.cluster.peer('N1').process.ask(table, filter)) as { readonly rows: readonly Event[] };
      return isEnough((rows = page.rows.toReversed()));
    };
    await until(isThere, what, 20_000).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(rows)}\n${this.cluster.output}`, { cause: error });
    });
    return rows;
  }

  async columns(): Promise<readonly string[]> {
    const query = `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`;
    return (await this.sql.query<readonly { readonly name: string }[]>(query)).map(({ name }) => name);
  }

  /** Names of indexes, but for those of primary keys. */
  async indexes(): Promise<readonly string[]> {
    const query = `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' ORDER BY 1`;
    return (await this.sql.query<readonly { readonly name: string }[]>(query)).map(({ name }) => name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.sql.destroy();
  }
}
