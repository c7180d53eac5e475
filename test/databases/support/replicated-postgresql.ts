import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { asAdministrator } from './postgresql-centres.js';
import { DatabaseServer, signalServer } from './servers.js';

/** Settings of both: no test survives a loss of power, and the standby comes back as soon as the primary does. */
const SETTINGS = ['fsync=off', 'max_connections=300', 'wal_keep_size=256', 'wal_retrieve_retry_interval=100'];

/** Removes from the standby's settings what only a primary with a standby must have. */
const WITHOUT_STANDBY = ['ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()'];

const WITH_STANDBY = [`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()'];

/**
 * A PostgreSQL and its synchronous standby: whatever the primary has acknowledged, the standby has too. `address`
 * always leads to the present primary, as the address of a managed database does.
 */
export class ReplicatedPostgresql implements AsyncDisposable {
  #standby: DatabaseServer | undefined;
  #started = 1;

  private constructor(
    private readonly proxy: TcpProxy,
    /** The server that takes writes. */
    public primary: DatabaseServer,
  ) {}

  /** Starts both and waits until the standby has everything. */
  static async start(): Promise<ReplicatedPostgresql> {
    const primary = await DatabaseServer.start('postgres', SETTINGS);
    const servers = new ReplicatedPostgresql(await TcpProxy.start(primary.port, 'other'), primary);
    try {
      await servers.addStandby();
    } catch (error) {
      await servers[Symbol.asyncDispose]();
      throw error;
    }
    return servers;
  }

  /** `127.0.0.1:port`, for clients. */
  get address(): string {
    return this.proxy.address;
  }

  /** `server 3`: which of those started so far is the primary. */
  get primaryName(): string {
    return `server ${this.#started - (this.#standby === undefined ? 0 : 1)}`;
  }

  /** Starts the primary again, and waits until it takes writes: until its standby is there again. */
  async restartPrimary(): Promise<void> {
    await this.primary.start();
    await this.#untilReplicated();
  }

  /** Stops or continues the primary with all its processes. */
  signalPrimary(signal: 'SIGSTOP' | 'SIGCONT'): void {
    signalServer(this.primary.address, signal);
  }

  /** Makes the standby the primary, for a primary that has ended, and removes that one. */
  async promoteStandby(): Promise<void> {
    const [former, next] = [this.primary, this.#standby];
    if (next === undefined) throw new Error('There is no standby to promote');
    for (const statement of WITHOUT_STANDBY) await asAdministrator(next.port, statement);
    await asAdministrator(next.port, 'SELECT pg_promote(true, 30)');
    this.primary = next;
    this.#standby = undefined;
    this.proxy.retarget(next.port);
    this.proxy.cut();
    await former[Symbol.asyncDispose]();
  }

  /** Starts another standby, and waits until the primary acknowledges nothing without it. */
  async addStandby(): Promise<void> {
    this.#standby = await DatabaseServer.standbyOf(this.primary, SETTINGS);
    this.#started++;
    for (const statement of WITH_STANDBY) await asAdministrator(this.primary.port, statement);
    await this.#untilReplicated();
  }

  /** Ends both, in the `exit` event of this process, which waits for nothing. */
  abandon(): void {
    this.#standby?.abandon();
    this.primary.abandon();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy.close();
    await this.#standby?.[Symbol.asyncDispose]();
    await this.primary[Symbol.asyncDispose]();
  }

  async #untilReplicated(): Promise<void> {
    const isReplicated = async (): Promise<boolean> => {
      const standbys = await asAdministrator(
        this.primary.port,
        `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'`,
      );
      return standbys.length > 0;
    };
    await until(isReplicated, 'the standby to have everything', 60_000);
  }
}
