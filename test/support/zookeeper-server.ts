import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';
import { until } from './until.js';

/** How to start a server. */
export interface ZooKeeperServerOptions {
  /** Client port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
  /** Further lines of the configuration file, `name=value`; they win over the defaults. */
  readonly configuration?: readonly string[];
  /** Greatest size of its heap. A few thousand nodes fit the default. */
  readonly heapMb?: number;
  /** Java system properties, without `-D`. */
  readonly systemProperties?: Readonly<Record<string, string>>;
  /** Number in an ensemble; makes the `myid` file. */
  readonly id?: number;
  /**
   * Files to be put into the server's folder before it starts, by name. `{dir}` in configuration and properties is that
   * folder.
   */
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

const DEFAULTS: readonly string[] = [
  'tickTime=200',
  'clientPortAddress=127.0.0.1',
  // Without this every server would want port 8080.
  'admin.enableServer=false',
  'maxClientCnxns=0',
  '4lw.commands.whitelist=*',
  'extendedTypesEnabled=true',
  'minSessionTimeout=400',
  'maxSessionTimeout=120000',
];

const DEFAULT_HEAP_MB = 128;

const JVM = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dzookeeper.preAllocSize=4096'];

/** A real ZooKeeper server on a free loopback port, with a data folder of its own that is removed at the end. */
export class ZooKeeperServer {
  readonly #process: ServerProcess;

  private constructor(
    /** Client port on 127.0.0.1. */
    readonly port: number,
    /** The server's folder: configuration, data, log. */
    readonly directory: string,
    private readonly options: ZooKeeperServerOptions,
  ) {
    this.#process = new ServerProcess(directory);
  }

  /** Starts a server and waits until it serves clients. */
  static async start(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    const server = await ZooKeeperServer.launch(options);
    await server.ready();
    return server;
  }

  /** Starts a server without waiting for it: members of an ensemble become ready together. */
  static async launch(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    const directory = await mkdtemp(join(tmpdir(), 'zookeeper-'));
    const server = new ZooKeeperServer(options.port ?? (await freePort()), directory, options);
    await server.#prepare();
    await server.#spawn();
    return server;
  }

  /** `127.0.0.1:port`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** Resolves when the server serves clients; rejects with the end of its log after a minute. */
  async ready(): Promise<void> {
    try {
      await until(async () => (await this.mode()) !== undefined, `ZooKeeper at ${this.address} serves`);
    } catch (error) {
      const log = await readFile(join(this.directory, 'out.log'), 'utf8');
      await this.dispose();
      throw new Error(`ZooKeeper at ${this.address} did not start. The end of its log:\n${log.slice(-2000)}`, {
        cause: error,
      });
    }
  }

  /** `standalone`, `leader` or `follower`; `undefined` if it does not serve. */
  async mode(): Promise<string | undefined> {
    return /^Mode: (\w+)$/m.exec(await this.ask('srvr'))?.[1];
  }

  /** Sends a four-letter word; the answer is empty if the server does not answer within two seconds. */
  ask(word: string): Promise<string> {
    return new Promise((resolve) => {
      let answer = '';
      const socket = connect(this.port, '127.0.0.1', () => socket.write(word));
      socket.setTimeout(2_000, () => socket.destroy());
      socket.on('data', (data) => (answer += data.toString()));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(answer));
    });
  }

  /** Ends the server in good order. Its data stay, for `restart()`. */
  async stop(): Promise<void> {
    await this.#process.end('TERM');
  }

  /** Ends the server as a power failure would. Its data stay, for `restart()`. */
  async kill(): Promise<void> {
    await this.#process.end('KILL');
  }

  /** Freezes the server: connections stay open, nothing is answered. */
  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }

  /** Starts it again on the same port and data (stopping it first if it runs) and waits until it serves. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#spawn();
    await this.ready();
  }

  /** Makes a backup of its data, for `loseData()`. */
  async backUp(): Promise<void> {
    await cp(this.#data, join(this.directory, 'backup'), { recursive: true });
  }

  /**
   * Ends the server at once and removes its data, as a pod without a volume does, or puts its backup in their place.
   * For `restart()`.
   */
  async loseData(instead: 'nothing' | 'backup' = 'nothing'): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
    if (instead === 'backup') await cp(join(this.directory, 'backup'), this.#data, { recursive: true });
  }

  get #data(): string {
    return join(this.directory, 'data', 'version-2');
  }

  /** Starts it again without waiting for it. */
  async relaunch(): Promise<void> {
    await this.stop();
    await this.#spawn();
  }

  /** Ends the server and removes its folder. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #prepare(): Promise<void> {
    const data = join(this.directory, 'data');
    await mkdir(data);
    const { configuration = [], files = {}, id } = this.options;
    const own = [`dataDir=${data}`, `clientPort=${this.port}`];
    const lines = [...DEFAULTS, ...own, ...configuration].map((line) => this.#inPlace(line));
    await writeFile(join(this.directory, 'zoo.cfg'), lines.join('\n'));
    if (id !== undefined) await writeFile(join(data, 'myid'), String(id));
    for (const [name, content] of Object.entries(files)) await writeFile(join(this.directory, name), content);
  }

  async #spawn(): Promise<void> {
    const { heapMb = DEFAULT_HEAP_MB, systemProperties = {} } = this.options;
    const properties = Object.entries(systemProperties);
    const jvm = [`-Xmx${heapMb}m`, ...JVM, ...properties.map(([name, value]) => `-D${name}=${this.#inPlace(value)}`)];
    const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
    await this.#process.start(['java', ...jvm, '-cp', classPath(), main, join(this.directory, 'zoo.cfg')]);
  }

  #inPlace(text: string): string {
    return text.replaceAll('{dir}', this.directory);
  }
}

/**
 * The class path of a ZooKeeper server on this machine: `ZOOKEEPER_CLASSPATH`, else the libraries of `ZOOKEEPER_HOME`,
 * else Debian's package, else a distribution unpacked below `/opt`.
 * @throws if there is none; the message says what to do
 */
function classPath(): string {
  const { ZOOKEEPER_CLASSPATH, ZOOKEEPER_HOME } = process.env;
  if (ZOOKEEPER_CLASSPATH) return ZOOKEEPER_CLASSPATH;
  if (ZOOKEEPER_HOME) return join(ZOOKEEPER_HOME, 'lib', '*');
  const debian = '/usr/share/java';
  if (existsSync(join(debian, 'zookeeper.jar'))) {
    // Two of Netty's jars are needed for TLS and missing in the manifest of Debian's jar.
    return ['zookeeper.jar', 'netty-codec.jar', 'netty-resolver.jar'].map((jar) => join(debian, jar)).join(delimiter);
  }
  const unpacked = existsSync('/opt') ? readdirSync('/opt').find((name) => name.includes('zookeeper')) : undefined;
  if (unpacked) return join('/opt', unpacked, 'lib', '*');
  throw new Error(
    'These tests need a ZooKeeper server and found none on this machine. Install one ' +
      '(apt-get install -y --no-install-recommends zookeeper), name an unpacked distribution by ZOOKEEPER_HOME, ' +
      'or name a running server by ZOOKEEPER_SERVERS=host:port (enough for all tests but those that stop servers).',
  );
}
