import { type JobLogger } from '../../../lib/api/text/logger.js';
import { PostgresqlRegistryCenter } from '../../../lib/registry/postgresql/postgresql-registry-center.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { asAdministrator, newName } from './postgresql-centres.js';
import { DatabaseServer } from './servers.js';

/** Settings of a primary whose commits wait for the replica, and of one whose commits do not. */
export const SYNCHRONOUS: readonly string[] = ['synchronous_standby_names=replica'];
export const ASYNCHRONOUS: readonly string[] = [];

/** How a centre of the stage is opened. */
export interface StageCentreOptions {
  readonly notify?: boolean;
  /** The one port that its URL names. Default: those of both servers. */
  readonly port?: number;
  readonly logger?: JobLogger;
  /** Default: 40 s. */
  readonly sessionTimeoutMilliseconds?: number;
}

/** A PostgreSQL, a streaming replica that can take its place, and registry centres of one namespace on them. */
export class FailoverStage implements AsyncDisposable {
  readonly namespace = newName();
  readonly #opened: PostgresqlRegistryCenter[] = [];

  private constructor(
    readonly primary: DatabaseServer,
    readonly replica: DatabaseServer,
    /** Between the replica and its primary. */
    readonly replication: TcpProxy,
  ) {}

  /** @param settings of the primary */
  static async start(settings: readonly string[]): Promise<FailoverStage> {
    let replication: TcpProxy | undefined;
    const { primary, replica } = await DatabaseServer.startPair(settings, async ({ port }) => {
      replication = await TcpProxy.start(port, 'other');
      return replication.port;
    });
    return new FailoverStage(primary, replica, replication!);
  }

  /** A centre that is connected. */
  async open({ port, ...options }: StageCentreOptions = {}): Promise<PostgresqlRegistryCenter> {
    const both = `127.0.0.1:${this.replica.port},127.0.0.1:${this.primary.port}`;
    const centre = this.centreAt(port === undefined ? both : `127.0.0.1:${port}`, options);
    await untilConnected(centre);
    return centre;
  }

  /** A centre that connects to these hosts. */
  centreAt(hosts: string, options: Omit<StageCentreOptions, 'port'> = {}): PostgresqlRegistryCenter {
    const { notify = true, logger, sessionTimeoutMilliseconds = 40_000 } = options;
    const centre = new PostgresqlRegistryCenter(
      {
        url: `postgres://postgres@${hosts}/postgres`,
        ...{ namespace: this.namespace, notify, sessionTimeoutMilliseconds, connectionTimeoutMilliseconds: 4_000 },
      },
      logger && { logger },
    );
    this.#opened.push(centre);
    centre.connect();
    return centre;
  }

  /** The primary dies, and the replica takes its place. */
  async failOver(): Promise<void> {
    await this.primary.end('SIGKILL');
    await asAdministrator(this.replica.port, 'SELECT pg_promote()');
  }

  /** Resolves when the replica shows the node. */
  async untilReplicated(path: string): Promise<void> {
    const text = 'SELECT 1 FROM elasticjob.ej_node WHERE namespace = $1 AND path = $2';
    const isThere = async (): Promise<boolean> =>
      (await asAdministrator(this.replica.port, text, [this.namespace, path])).length > 0;
    await until(() => isThere().catch(() => false), `the replica has ${path}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#opened.map((each) => each.close()));
    await this.primary[Symbol.asyncDispose]();
    await this.replica[Symbol.asyncDispose]();
    await this.replication.close();
  }
}

/** Resolves when the centre's session is connected. */
export const untilConnected = (centre: RegistryCenter): Promise<void> =>
  until(() => centre.session.state.phase === 'connected', 'the centre is connected');

/** The states that the centre's session enters from now on, in order. */
export function statesOf(centre: RegistryCenter): readonly string[] {
  const states: string[] = [];
  centre.session.onChange(({ phase }) => states.push(phase));
  return states;
}
