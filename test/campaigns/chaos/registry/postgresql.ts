import { type RegCenterSettings } from '../../../../lib/settings/reg-center-settings.js';
import { asAdministrator } from '../../../databases/support/postgresql-centres.js';
import { ReplicatedPostgresql } from '../../../databases/support/replicated-postgresql.js';
import { type PlannedFault } from '../fault-plan.js';
import { monotonicMs, pause } from '../monotonic.js';
import { type RegistryUnderFaults, type ServerFault } from './registry-under-faults.js';

/** The statement that ends the connections of all clients but its own. */
const END_CONNECTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

/** A PostgreSQL with a synchronous standby, behind an address that follows the primary. */
export class PostgresqlUnderFaults implements RegistryUnderFaults {
  private constructor(private readonly cluster: ReplicatedPostgresql) {}

  /** Starts both servers. */
  static async start(): Promise<PostgresqlUnderFaults> {
    const cluster = await ReplicatedPostgresql.start();
    // However this process ends, the servers end too.
    process.once('exit', () => cluster.abandon());
    return new PostgresqlUnderFaults(cluster);
  }

  get servers(): readonly string[] {
    return [this.cluster.address];
  }

  settings(addresses: readonly string[]): RegCenterSettings {
    return { url: `postgres://postgres@${addresses[0]}/postgres` };
  }

  async meet({ kind, durationMs }: PlannedFault): Promise<ServerFault> {
    const { cluster } = this;
    const target = cluster.primaryName;
    const from = monotonicMs();
    switch (kind) {
      case 'end all connections':
        await asAdministrator(cluster.primary.port, END_CONNECTIONS);
        return { target, from };
      case 'restart the server':
      case 'crash the server':
        await cluster.primary.end(kind === 'crash the server' ? 'SIGKILL' : 'SIGINT');
        await pause(durationMs);
        await cluster.restartPrimary();
        break;
      case 'freeze the server':
        cluster.signalPrimary('SIGSTOP');
        await pause(durationMs);
        cluster.signalPrimary('SIGCONT');
        break;
      case 'fail over to the standby':
        await cluster.primary.end('SIGKILL');
        await pause(durationMs);
        await cluster.promoteStandby();
        return await this.#withNewStandby({ target, from, outageTo: monotonicMs() });
      default:
        throw new Error(`PostgreSQL has no fault '${kind}'`);
    }
    return { target, from, outageTo: monotonicMs() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }

  async #withNewStandby(fault: ServerFault): Promise<ServerFault> {
    await this.cluster.addStandby();
    return fault;
  }
}
