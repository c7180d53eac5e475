/**
 * The dump port: a TCP service that answers `dump@{jobName}` with the job's nodes in the registry centre. ElasticJob's
 * `SnapshotService` has the same commands and the same answers.
 */
import { createServer, connect, type Server, type Socket } from 'node:net';
import { describeFailure } from '../api/text/describe-cause.js';
import { describeValue } from '../api/text/describe-value.js';
import { DeadlineExceededError, InvalidConfigurationError } from '../api/errors/errors.js';
import {
  aClock,
  aFunction,
  aLogger,
  aRegistryCenter,
  checkOptions,
  nonEmptyText,
  type OptionRules,
} from '../api/settings/call-options.js';
import { jobNameProblem } from '../api/job/job-name.js';
import { type JobLogger } from '../api/text/logger.js';
import { withDeadline } from '../async/wait.js';
import { JobPaths } from '../layout/job-paths.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock, systemClock } from '../time/clock.js';
import { type DumpedNode, jobDump } from './job-dump.js';

/** The most milliseconds that a client may take to send its command, and to read the answer. */
const CLIENT_TIMEOUT_MS = 5_000;

/** The most milliseconds that the registry centre may take to answer. */
const READING_TIMEOUT_MS = 20_000;

/** The most milliseconds that `dumpJob` waits for the whole answer. */
const ANSWER_TIMEOUT_MS = READING_TIMEOUT_MS + 2 * CLIENT_TIMEOUT_MS;

/** Greatest length of a command, in bytes. */
const LONGEST_COMMAND = 1_024;

/** The most clients that are served at once; more are refused. */
const MOST_CLIENTS = 64;

const PREFIX = 'dump@';
const HELP = 'This is the dump port of ElasticJob. Send one line, dump@ and the name of a job: dump@syncOrders';

/** Options of a `SnapshotService`. */
export interface SnapshotServiceOptions {
  /** TCP port, 0 to 65535. 0 takes a free port, which `port` returns. */
  readonly port: number;
  /** Address to listen on. Default: `127.0.0.1`, so that only programs on this machine reach it. */
  readonly host?: string;
  /**
   * The nodes of a job as this process sees them, by absolute path; `undefined` if the job does not run here. Default:
   * no job runs here.
   */
  readonly localNodes?: (jobName: string) => ReadonlyMap<string, DumpedNode> | undefined;
  /**
   * The registry centre of a job that runs here; `undefined`: the one that the constructor was given. Default: that one
   * for all jobs.
   */
  readonly registryCenterOf?: (jobName: string) => RegistryCenter | undefined;
  /** Logs that the port cannot be used. Default: nothing is logged. */
  readonly logger?: JobLogger;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

const CALL = 'new SnapshotService()';

const SNAPSHOT_RULES: OptionRules<SnapshotServiceOptions> = {
  port: (value) => (value === undefined ? 'must be a TCP port' : undefined),
  host: nonEmptyText,
  localNodes: aFunction,
  registryCenterOf: aFunction,
  logger: aLogger,
  clock: aClock,
};

/** Answers `dump@{jobName}` on a TCP port with the job's nodes, one a line (manual, "Dump job information"). */
export class SnapshotService {
  readonly #registry: RegistryCenter;
  readonly #options: SnapshotServiceOptions;
  readonly #clock: Clock;
  readonly #clients = new Set<Socket>();
  #server: Server | undefined;

  /**
   * @throws InvalidConfigurationError if the registry centre is missing; if an option is missing, unknown or of a wrong
   * kind
   * @throws RangeError if the port is no number of a port
   */
  constructor(regCenter: RegistryCenter, options: SnapshotServiceOptions) {
    const problem = aRegistryCenter(regCenter);
    if (problem !== undefined)
      throw new InvalidConfigurationError([`${CALL}: the registry centre ${problem}, got ${describeValue(regCenter)}`]);
    checkOptions(CALL, options, SNAPSHOT_RULES, { required: ['port'], example: '{ port: 9888 }' });
    const { port } = options;
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new RangeError(`Port value out of range: ${describeValue(port)}`);
    this.#registry = regCenter;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The port that it listens on; `undefined` if it does not listen. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  /**
   * Begins to listen. A port that cannot be used, because it is taken for instance, is logged; the process goes on
   * without it.
   */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const { port, host = '127.0.0.1', logger } = this.#options;
    const server = createServer((client) => this.#serve(client));
    server.maxConnections = MOST_CLIENTS;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host }, resolve);
      });
    } catch (error) {
      logger?.warn(
        `The dump port ${port} on ${host} cannot be used, so that jobs cannot be dumped from this process: ` +
          `${describeFailure(error)}. Set elasticjob.dump.port to a free port, or elasticjob.dump.enabled to false.`,
      );
      return;
    }
    server.on('error', (error) => logger?.warn(`The dump port has failed: ${describeFailure(error)}.`));
    // The dump port alone does not keep the process alive.
    server.unref();
    this.#server = server;
    logger?.log(`The dump port is open: it answers "dump@<job name>" on ${host}, port ${this.port}.`);
  }

  /** Stops listening, and ends the connections. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const client of this.#clients) client.destroy();
    await closed;
  }

  /**
   * The port's answer for a job.
   * @throws RegistryUnavailableError if the registry centre cannot be reached
   * @throws DeadlineExceededError if it takes too long to answer
   */
  async dumpJobDirectly(jobName: string): Promise<string> {
    // A name that no job can have has no nodes either.
    if (jobNameProblem(jobName) !== undefined) return '\n';
    const { root } = new JobPaths(jobName);
    const registry = this.#options.registryCenterOf?.(jobName) ?? this.#registry;
    const reading = registry.mirror(root);
    // A mirror that opens after the deadline has no other owner that closes it.
    const late = (): Error => {
      void reading.then(
        (mirror) => mirror.close(),
        () => undefined,
      );
      return new DeadlineExceededError(`the registry centre to answer for job '${jobName}'`, READING_TIMEOUT_MS);
    };
    const mirror = await withDeadline(this.#clock, reading, READING_TIMEOUT_MS, late);
    try {
      return jobDump({ root, nodes: mirror.nodes, local: this.#options.localNodes?.(jobName) });
    } finally {
      mirror.close();
    }
  }

  /**
   * Asks the dump port of a process for a job.
   * @param host address or name of the machine
   * @throws Error if the port cannot be reached
   * @throws DeadlineExceededError if the whole answer has not come within 30 seconds
   */
  static async dumpJob(host: string, port: number, jobName: string): Promise<string> {
    const socket = connect({ host, port });
    const answer = new Promise<string>((resolve, reject) => {
      const parts: Buffer[] = [];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.once('error', reject);
      socket.once('close', () => resolve(Buffer.concat(parts).toString('utf8')));
      socket.once('connect', () => socket.write(`${PREFIX}${jobName}\n`));
    });
    const late = (): Error =>
      new DeadlineExceededError(`the dump port of ${host}:${port} to answer`, ANSWER_TIMEOUT_MS);
    try {
      return await withDeadline(systemClock, answer, ANSWER_TIMEOUT_MS, late);
    } finally {
      socket.destroy();
    }
  }

  #serve(client: Socket): void {
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    // A client that goes away is no failure of this process.
    client.on('error', () => client.destroy());
    const endPatience = this.#clock.after(CLIENT_TIMEOUT_MS, () => client.destroy());
    client.once('close', endPatience);
    let received = Buffer.alloc(0);
    const onData = (part: Buffer): void => {
      received = Buffer.concat([received, part]);
      const end = received.indexOf('\n');
      if (end < 0 && received.length <= LONGEST_COMMAND) return;
      client.off('data', onData);
      client.resume();
      endPatience();
      void this.#answer(client, end < 0 ? undefined : received.subarray(0, end).toString('utf8'));
    };
    client.on('data', onData);
  }

  async #answer(client: Socket, command: string | undefined): Promise<void> {
    const answer = await this.#answerTo(command).catch(
      (error: unknown) => `The job could not be read: ${describeFailure(error)}\n`,
    );
    if (client.destroyed) return;
    const endPatience = this.#clock.after(CLIENT_TIMEOUT_MS, () => client.destroy());
    client.once('close', endPatience);
    client.end(answer);
  }

  async #answerTo(command: string | undefined): Promise<string> {
    const text = command?.replace(/\r$/, '');
    const jobName = text?.startsWith(PREFIX) === true ? text.slice(PREFIX.length) : '';
    // As in Java: exactly two parts.
    if (jobName === '' || jobName.includes('@')) return `${HELP}\n`;
    return this.dumpJobDirectly(jobName);
  }
}
