import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';
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

/** A real etcd on free loopback ports, with a data folder of its own that is removed at the end. */
export class EtcdServer {
  readonly #process: ServerProcess;

  private constructor(
    /** Port for clients on 127.0.0.1. */
    readonly port: number,
    readonly directory: string,
    private readonly options: EtcdServerOptions & { readonly peerPort: number; readonly metricsPort: number },
  ) {
    this.#process = new ServerProcess(directory);
  }

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
    return this.#process.isRunning;
  }

  /** As `callEtcd`, of this server. */
  call(path: string, body: object, token?: string): Promise<Record<string, unknown>> {
    return callEtcd(this.address, path, body, token);
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    await this.#process.end('KILL');
  }

  /** Ends it in good order. Its data stay, for `restart()`. */
  async stop(): Promise<void> {
    await this.#process.end('TERM');
  }

  /** Freezes it: connections stay open, nothing is answered. */
  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
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

  /** Makes a backup of its data, for `loseData()`; the server is down for that moment. */
  async backUp(): Promise<void> {
    await this.stop();
    await cp(this.#data, join(this.directory, 'backup'), { recursive: true });
    await this.#spawn();
    await this.ready();
  }

  /**
   * Ends it at once and removes its data, as a pod without a volume does, or puts its backup in their place. For
   * `restart()`.
   */
  async loseData(instead: 'nothing' | 'backup' = 'nothing'): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
    if (instead === 'backup') await cp(join(this.directory, 'backup'), this.#data, { recursive: true });
  }

  get #data(): string {
    return join(this.directory, 'data');
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
      ...[`--name=${name}`, `--data-dir=${this.#data}`],
      ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
      `--initial-cluster=${member?.cluster ?? `${name}=${peer}`}`,
      `--listen-metrics-urls=http://127.0.0.1:${metricsPort}`,
    ];
    await this.#process.start([program(), ...own, ...security, ...DEFAULTS, ...args]);
  }
}

/** The program of the server: `ETCD`, or that of the path. */
function program(): string {
  return process.env['ETCD'] ?? 'etcd';
}

/** Asks the JSON gateway of a server: `callEtcd('host:port', 'kv/range', { key: … })`, keys and values in base64. */
export async function callEtcd(
  server: string,
  path: string,
  body: object,
  token?: string,
): Promise<Record<string, unknown>> {
  const headers = token === undefined ? {} : { authorization: token };
  const answer = await fetch(`http://${server}/v3/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const result = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(`etcd refused ${path}: ${JSON.stringify(result)}`);
  return result;
}
