import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** How to start a member. */
export interface EtcdServerOptions {
  /** Further arguments, such as `--max-txn-ops=1000`; they win over the defaults. */
  readonly args?: readonly string[];
  /** Of a cluster: the member's name and peer port, and all members. Default: it is alone. */
  readonly member?: { readonly name: string; readonly peerPort: number; readonly cluster: string };
  /** Port for clients on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Files in PEM format: the server's certificate and key, and the certificates of the clients that it trusts. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clients: string };
}

/**
 * Leases of one second, and an election within half a second: so sessions expire within a test. No test survives a loss
 * of power: the server need not wait for the disk.
 */
const DEFAULTS = ['--heartbeat-interval=20', '--election-timeout=200', '--unsafe-no-fsync', '--logger=zap'];

/**
 * The shell between us and the server: when our end of its input closes, however we ended, it kills the server and
 * removes its folder; so no test run leaves anything behind.
 */
const GUARD = `"$@" >>"$SERVER_DIR/out.log" 2>&1 & echo $!
if read -r order; then kill -CONT $!; kill -"$order" $!; wait $!
else kill -CONT $!; kill -KILL $!; wait $!; rm -rf "$SERVER_DIR"; fi`;

/** A real etcd on free loopback ports, with a data folder of its own that is removed at the end. */
export class EtcdServer {
  #guard: ChildProcess | undefined;
  #pid = 0;

  private constructor(
    /** Port for clients on 127.0.0.1. */
    readonly port: number,
    readonly directory: string,
    private readonly options: EtcdServerOptions & { readonly peerPort: number; readonly metricsPort: number },
  ) {}

  /** Starts a member that is alone, and waits until it serves clients. */
  static async start(options: EtcdServerOptions = {}): Promise<EtcdServer> {
    const server = await EtcdServer.launch(options);
    await server.ready();
    return server;
  }

  /** Starts a member without waiting for it: those of a cluster become ready together. */
  static async launch(options: EtcdServerOptions = {}): Promise<EtcdServer> {
    const directory = await mkdtemp(join(tmpdir(), 'etcd-'));
    const peerPort = options.member?.peerPort ?? (await freePort());
    const server = new EtcdServer(options.port ?? (await freePort()), directory, {
      ...{ ...options, peerPort },
      metricsPort: await freePort(),
    });
    await server.#spawn();
    return server;
  }

  /** `127.0.0.1:port`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Resolves when the server serves clients; rejects with the end of its log after 15 s. */
  async ready(): Promise<void> {
    try {
      await until(() => this.isHealthy(), `etcd at ${this.address} serves`, 15_000);
    } catch (error) {
      const log = await readFile(join(this.directory, 'out.log'), 'utf8');
      await this.dispose();
      throw new Error(`etcd at ${this.address} did not start. The end of its log:\n${log.slice(-2000)}`, {
        cause: error,
      });
    }
  }

  /** Whether it serves clients and its cluster has a leader. */
  async isHealthy(): Promise<boolean> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.options.metricsPort}/health`, {
        signal: AbortSignal.timeout(1_000),
      });
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** Whether it was started and not ended. */
  get isRunning(): boolean {
    return this.#guard !== undefined;
  }

  /**
   * Asks etcd's JSON gateway: `call('kv/range', { key: … })`, keys and values in base64.
   * @throws if the member refuses, or does not answer within five seconds
   */
  async call(path: string, body: object, token?: string): Promise<Record<string, unknown>> {
    const headers = token === undefined ? {} : { authorization: token };
    const answer = await fetch(`http://${this.address}/v3/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    });
    const result = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`etcd refused ${path}: ${JSON.stringify(result)}`);
    return result;
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    await this.#end('KILL');
  }

  /** Freezes it: connections stay open, nothing is answered. */
  pause(): void {
    process.kill(this.#pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.#pid, 'SIGCONT');
  }

  /** Starts it again on the same ports and data, killing it first if it runs, and waits until it serves. */
  async restart(): Promise<void> {
    await this.relaunch();
    await this.ready();
  }

  /** Starts it again without waiting for it. */
  async relaunch(): Promise<void> {
    await this.kill();
    await this.#spawn();
  }

  /** Ends it and removes its data, as a pod without a volume does. For `restart()`. */
  async loseData(): Promise<void> {
    await this.kill();
    await rm(join(this.directory, 'data'), { recursive: true, force: true });
  }

  /** Ends it and removes its folder. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #spawn(): Promise<void> {
    const { member, args = [], peerPort, metricsPort, tls } = this.options;
    const name = member?.name ?? 'alone';
    const [client, peer] = [`${tls ? 'https' : 'http'}://${this.address}`, `http://127.0.0.1:${peerPort}`];
    const security = tls
      ? [`--cert-file=${tls.cert}`, `--key-file=${tls.key}`, `--trusted-ca-file=${tls.clients}`, '--client-cert-auth']
      : [];
    const own = [
      ...[`--name=${name}`, `--data-dir=${join(this.directory, 'data')}`],
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
      `--initial-cluster=${member?.cluster ?? `${name}=${peer}`}`,
      `--listen-metrics-urls=http://127.0.0.1:${metricsPort}`,
    ];
    const guard = spawn('sh', ['-c', GUARD, 'sh', program(), ...own, ...security, ...DEFAULTS, ...args], {
      env: { ...process.env, SERVER_DIR: this.directory },
      stdio: ['pipe', 'pipe', 'ignore'],
      // In a process group of its own, or Ctrl-C would end the guard before it has cleaned up.
      detached: true,
    });
    this.#guard = guard;
    const [line] = (await once(guard.stdout, 'data')) as [Buffer];
    this.#pid = Number(line.toString());
  }

  async #end(signal: 'TERM' | 'KILL'): Promise<void> {
    const guard = this.#guard;
    if (!guard) return;
    this.#guard = undefined;
    const ended = once(guard, 'exit');
    guard.stdin?.end(`${signal}\n`);
    await ended;
  }
}

/** The program of the server: `ETCD`, or that of the path. */
function program(): string {
  return process.env['ETCD'] ?? 'etcd';
}
