import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPostgresDriver } from '../../../lib/registry/postgresql/connection/driver.js';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';
import { asUser, installIfMissing } from './servers.js';

/** Of Debian's package pgbouncer. */
const PROGRAM = '/usr/sbin/pgbouncer';

/** A PgBouncer that gives a connection to each transaction. */
export class PgBouncer implements AsyncDisposable {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'elasticjob-pgbouncer-'));
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** Starts one in front of the PostgreSQL at that port, and waits until it answers. Installs it if it is missing. */
  static async start(serverPort: number): Promise<PgBouncer> {
    installIfMissing(PROGRAM, 'pgbouncer');
    const pooler = new PgBouncer(await freePort());
    const { uid, gid } = asUser('postgres');
    if (uid !== undefined && gid !== undefined) chownSync(pooler.#folder, uid, gid);
    pooler.#configure(serverPort);
    const log = openSync(join(pooler.#folder, 'pgbouncer.log'), 'a');
    pooler.#child = spawn(PROGRAM, [pooler.#file], { ...asUser('postgres'), stdio: ['ignore', log, log] });
    const answers = async (): Promise<boolean> =>
      pooler.ask('SHOW VERSION').then(
        () => true,
        () => false,
      );
    await until(answers, 'PgBouncer answers');
    return pooler;
  }

  /** Holds back all transactions while `change` is made, and then sends them to the PostgreSQL at that port. */
  async switchTo(serverPort: number, change: () => Promise<void>): Promise<void> {
    await this.ask('PAUSE');
    await change();
    this.#configure(serverPort);
    await this.ask('RELOAD');
    await this.ask('RESUME');
  }

  /** Carries out a command of its console. */
  async ask(command: string): Promise<void> {
    const { Client } = await loadPostgresDriver();
    const client = new Client({
      connectionString: `postgres://postgres@127.0.0.1:${this.port}/pgbouncer`,
      ...{ connectionTimeoutMillis: 10_000, application_name: 'test', keepAlive: false },
    });
    await client.connect();
    try {
      await client.query({ text: command });
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'pgbouncer.ini');
  }

  #configure(serverPort: number): void {
    const users = join(this.#folder, 'users.txt');
    writeFileSync(users, '"postgres" ""\n', { mode: 0o644 });
    const settings = [
      '[databases]',
      `postgres = host=127.0.0.1 port=${serverPort} dbname=postgres user=postgres`,
      '[pgbouncer]',
      ...['listen_addr = 127.0.0.1', `listen_port = ${this.port}`, 'unix_socket_dir =', 'auth_type = trust'],
      ...[`auth_file = ${users}`, 'admin_users = postgres'],
      ...['pool_mode = transaction', 'server_login_retry = 1', ''],
    ];
    writeFileSync(this.#file, settings.join('\n'), { mode: 0o644 });
  }
}
