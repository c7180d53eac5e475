/**
 * Real database servers for one run of the tests: Debian's PostgreSQL and MariaDB, installed if they are missing,
 * started on free ports of the loopback interface, each with a folder of its own that goes when the server goes. The
 * variable `POSTGRES_BIN` names the folder of another PostgreSQL's programs.
 */
import { randomUUID } from 'node:crypto';
import { type ChildProcess, execFile, execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { freePort } from '../../support/free-port.js';
import { until } from '../../support/until.js';

/** The kinds of databases of the tests. */
export const KINDS = ['postgres', 'mariadb'] as const;
export type Kind = (typeof KINDS)[number];

/** How tests reach a server, through the environment of the process. */
export interface ServerAddress {
  readonly kind: Kind;
  readonly port: number;
  readonly folder: string;
  readonly pid: number;
}

/** A server of a program of Debian's, which refuses to run as root. */
export class DatabaseServer implements AsyncDisposable {
  readonly kind: Kind;
  readonly port: number;
  readonly folder: string;
  readonly #settings: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  private constructor(
    kind: Kind,
    port: number,
    settings: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#env = env;
    this.kind = kind;
    this.port = port;
    this.#settings = settings;
    this.folder = mkdtempSync(join(tmpdir(), `elasticjob-${kind}-`));
  }

  /**
   * @param settings arguments for the server besides those that it needs
   * @param env variables for the server besides those of this process
   */
  static async start(
    kind: Kind,
    settings: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<DatabaseServer> {
    install(kind);
    return DatabaseServer.#begin(new DatabaseServer(kind, await freePort(), settings, env), (server) =>
      server.#initialise(),
    );
  }

  /**
   * A PostgreSQL that begins as a copy of another one and follows it.
   * @param settings arguments for the server besides those that it needs
   */
  static async standbyOf({ port }: DatabaseServer, settings: readonly string[] = []): Promise<DatabaseServer> {
    return DatabaseServer.#begin(new DatabaseServer('postgres', await freePort(), settings), async (server) => {
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-c', 'fast', '-N'];
      await promisify(execFile)(
        postgresProgram('pg_basebackup'),
        ['-D', server.#ownedFolder(), '-R', '-X', 'stream', ...from],
        asUser('postgres'),
      );
    });
  }

  static async #begin(
    server: DatabaseServer,
    makeData: (server: DatabaseServer) => Promise<void> | void,
  ): Promise<DatabaseServer> {
    try {
      await makeData(server);
      await server.start();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  /**
   * Starts a PostgreSQL and a streaming replica of it, which follows it at `portOf(primary)`.
   * @param settings of the primary; `synchronous_standby_names=replica` has its commits wait for the replica
   */
  static async startPair(
    settings: readonly string[],
    portOf: (primary: DatabaseServer) => Promise<number>,
  ): Promise<{ readonly primary: DatabaseServer; readonly replica: DatabaseServer }> {
    install('postgres');
    const primary = new DatabaseServer('postgres', await freePort(), settings);
    primary.#initialise();
    const follow = `host=127.0.0.1 port=${await portOf(primary)} user=postgres application_name=replica`;
    const replica = new DatabaseServer('postgres', await freePort(), [`primary_conninfo=${follow}`]);
    try {
      replica.#copy(primary);
      await primary.start();
      await replica.start();
    } catch (error) {
      await primary[Symbol.asyncDispose]();
      await replica[Symbol.asyncDispose]();
      throw error;
    }
    return { primary, replica };
  }

  get address(): ServerAddress {
    return { kind: this.kind, port: this.port, folder: this.folder, pid: this.#child?.pid ?? -1 };
  }

  /** Starts it, also again after `end`, and waits until it answers. */
  async start(): Promise<void> {
    const log = openSync(join(this.folder, 'server.log'), 'a');
    this.#child = spawn(...this.#command(), {
      ...asUser(this.kind),
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', log, log],
    });
    const child = this.#child;
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`${this.kind} has ended:\n${this.#log()}`);
        return canConnect(this.address);
      },
      `${this.kind} answers`,
      60_000,
    );
  }

  /** Ends it: by SIGKILL as a crash does, or gracefully. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // Those that serve connections notice the end of the main process only when they have nothing to do.
    const helpers = signal === 'SIGKILL' ? descendants(child.pid ?? -1) : [];
    for (const pid of helpers) send(pid, 'SIGKILL');
    child.kill('SIGCONT');
    child.kill(signal);
    await exited;
  }

  /** Ends it and removes its folder, in the `exit` event of this process, which waits for nothing. */
  abandon(): void {
    void this.end();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Makes a backup of its data, for `loseData`; the server is down for that moment. */
  async backUp(): Promise<void> {
    await this.end('SIGINT');
    execFileSync('cp', ['-a', this.#data, this.#backup]);
    await this.start();
  }

  /** Ends it at once and removes its data, or puts the backup in their place. For `start()`. */
  async loseData(instead: 'nothing' | 'backup' = 'nothing'): Promise<void> {
    await this.end();
    rmSync(this.#data, { recursive: true, force: true });
    if (instead === 'backup') execFileSync('cp', ['-a', this.#backup, this.#data]);
    else this.#initialise();
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  get #backup(): string {
    return join(this.folder, 'backup');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A base backup of a server that has not started yet: its files. Not every PostgreSQL comes with pg_basebackup. */
  #copy(primary: DatabaseServer): void {
    const data = this.#ownedFolder();
    execFileSync('cp', ['-R', '-p', join(primary.folder, 'data'), data], { ...asUser(this.kind), stdio: 'pipe' });
    writeFileSync(join(data, 'standby.signal'), '');
    this.own(join(data, 'standby.signal'));
  }

  /** Gives a file or a folder to the user that the server runs as. */
  own(path: string): void {
    const { uid, gid } = asUser(this.kind);
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }

  #initialise(): void {
    const data = this.#ownedFolder();
    const [program, ...args] =
      this.kind === 'postgres'
        ? [
            postgresProgram('initdb'),
            '-D',
            data,
            '-U',
            'postgres',
            '-A',
            'trust',
            '-E',
            'UTF8',
            '--locale=C.UTF-8',
            '-N',
          ]
        : ['mariadb-install-db', '--no-defaults', `--datadir=${data}`, '--skip-test-db', '--skip-name-resolve'];
    // A MariaDB that starts removes the temporary tables of others in a folder that they share.
    execFileSync(program, args, { ...asUser(this.kind), env: { ...process.env, TMPDIR: this.folder }, stdio: 'pipe' });
  }

  /** The folder for data, in one that belongs to the server's user. */
  #ownedFolder(): string {
    this.own(this.folder);
    return this.#data;
  }

  #command(): [string, string[]] {
    const data = this.#data;
    if (this.kind === 'postgres') {
      const options = ['listen_addresses=127.0.0.1', `unix_socket_directories=${this.folder}`];
      const settings = [...options, ...this.#settings].flatMap((setting) => ['-c', setting]);
      return [postgresProgram('postgres'), ['-D', data, '-p', String(this.port), ...settings]];
    }
    const options = [`--datadir=${data}`, `--port=${this.port}`, '--bind-address=127.0.0.1', '--skip-grant-tables'];
    const files = [`--socket=${join(this.folder, 'socket')}`, `--pid-file=${join(this.folder, 'pid')}`];
    return [mariadbProgram(), ['--no-defaults', ...options, ...files, `--tmpdir=${this.folder}`, ...this.#settings]];
  }

  #log(): string {
    return readFileSync(join(this.folder, 'server.log'), 'utf8').slice(-4_000);
  }
}

/** Stops or continues a server with all its processes, as a machine that hangs does. */
export function signalServer({ pid }: ServerAddress, signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const each of [pid, ...descendants(pid)]) send(each, signal);
}

/** The servers of this run. */
export function serverOf(kind: Kind): ServerAddress {
  const given = JSON.parse(process.env['DATABASE_SERVERS'] ?? '[]') as readonly ServerAddress[];
  const found = given.find((each) => each.kind === kind);
  if (found === undefined) throw new Error('There is no such server: start the tests by `npm run test:databases`');
  return found;
}

/** A `DataSource` of a server's own administrator. */
export function dataSource({ kind, port }: Pick<ServerAddress, 'kind' | 'port'>, options: object = {}): DataSource {
  const [type, username, database] =
    kind === 'postgres' ? ['postgres', 'postgres', 'postgres'] : ['mariadb', 'root', 'mysql'];
  return new DataSource({ type, host: '127.0.0.1', port, username, database, ...options } as DataSourceOptions);
}

/** A new, empty database of a server, by name. */
export async function newDatabase(server: ServerAddress, options = ''): Promise<string> {
  const name = `trace_${randomUUID().replaceAll('-', '')}`;
  const admin = await dataSource(server).initialize();
  // A connection that stays open would keep the tests from ending.
  await admin.query(`CREATE DATABASE ${name} ${options}`).finally(() => admin.destroy());
  return name;
}

async function canConnect(address: ServerAddress): Promise<boolean> {
  const timeout = address.kind === 'postgres' ? 'connectionTimeoutMillis' : 'connectTimeout';
  const source = dataSource(address, { extra: { [timeout]: 1_000 } });
  try {
    await source.initialize();
    await source.destroy();
    return true;
  } catch {
    return false; // not yet
  }
}

/** The user that a server runs as, if this process is root's. */
export function asUser(kind: Kind): Pick<SpawnOptions, 'uid' | 'gid' | 'cwd'> {
  if (process.getuid?.() !== 0) return {};
  const user = kind === 'postgres' ? 'postgres' : 'mysql';
  const id = (flag: string): number => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g'), cwd: tmpdir() };
}

function postgresProgram(name: string): string {
  const folder = process.env['POSTGRES_BIN'];
  if (folder !== undefined) return join(folder, name);
  const homes = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').sort() : [];
  const found = homes.map((version) => `/usr/lib/postgresql/${version}/bin/${name}`).filter((path) => existsSync(path));
  return found.at(-1) ?? name;
}

const mariadbProgram = (): string => (existsSync('/usr/sbin/mariadbd') ? '/usr/sbin/mariadbd' : 'mariadbd');

function install(kind: Kind): void {
  const [program, name] =
    kind === 'postgres' ? [postgresProgram('initdb'), 'postgresql'] : [mariadbProgram(), 'mariadb-server'];
  if (kind === 'postgres' && process.env['POSTGRES_BIN'] !== undefined && !isInstalled(program))
    throw new Error(`POSTGRES_BIN: there is no ${program}; it must be a folder that has initdb and postgres`);
  installIfMissing(program, name);
}

/** Installs a package of Debian's, unless its program is there. @throws Error if it cannot be installed here */
export function installIfMissing(program: string, name: string): void {
  if (isInstalled(program)) return;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`Install Debian's package ${name}, or run these tests as root on Debian.`);
  process.stderr.write(`Installing Debian's ${name} …\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = ['-q', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  execFileSync('apt-get', ['update', '-q'], { env, stdio: 'pipe' });
  execFileSync('apt-get', ['install', ...options, name], { env, stdio: 'pipe' });
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

/** The processes that a process has started, and those that they have. */
function descendants(pid: number): readonly number[] {
  const children = childrenOf(pid).trim().split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** The processes that a process has started; none if it has ended, even in the middle of the reading. */
function childrenOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    return '';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
