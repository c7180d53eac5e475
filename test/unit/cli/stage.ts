import { tmpdir } from 'node:os';
import { type ExitCode } from '../../../lib/cli/exit-codes.js';
import { runCommandLine } from '../../../lib/cli/run.js';
import { type Surroundings } from '../../../lib/cli/surroundings.js';
import { type Terminal, type TextStream } from '../../../lib/cli/terminal/terminal.js';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { instanceYaml, jobInstanceOn } from '../../../lib/layout/job-instance.js';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { EmbeddedRegistryServer } from '../../../lib/registry/embedded/embedded-registry-server.js';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { systemClock } from '../../../lib/time/clock.js';
import { until } from '../../support/until.js';
import { aConfiguration } from '../../support/views.js';

/** An answer to a question; what happens meanwhile may come before it. `undefined` is Ctrl-C. */
type Answer = string | undefined | (() => Promise<string>);

/** The person at the terminal, and the terminal's width. */
export interface Seat {
  /** The answers to questions, in order. Default: there is no terminal to ask on. */
  readonly answers?: readonly Answer[];
  /** Default: the output goes to a file. */
  readonly columns?: number;
  readonly rows?: number;
}

/** The output of a command, and its exit code. */
export interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly exitCode: ExitCode;
}

/** A terminal that a test sits at. */
export class TestTerminal implements Terminal {
  readonly questions: string[] = [];
  readonly out: TextStream & { text: string };
  readonly err: TextStream & { text: string };
  readonly #answers: Answer[];
  readonly #ends = new Set<() => void>();
  readonly #resizes = new Set<() => void>();
  readonly isInteractive: boolean;

  constructor({ answers, columns, rows }: Seat = {}) {
    this.isInteractive = answers !== undefined;
    this.#answers = [...(answers ?? [])];
    this.out = stream(columns, rows);
    this.err = stream(columns, rows);
  }

  ask(question: string): Promise<string | undefined> {
    this.questions.push(question);
    const answer = this.#answers.shift();
    return typeof answer === 'function' ? answer() : Promise.resolve(answer);
  }

  askSecret(question: string): Promise<string | undefined> {
    return this.ask(question);
  }

  onEnd(listener: () => void): () => void {
    this.#ends.add(listener);
    return () => void this.#ends.delete(listener);
  }

  onResize(listener: () => void): () => void {
    this.#resizes.add(listener);
    return () => void this.#resizes.delete(listener);
  }

  /** Presses Ctrl-C, or closes the pipe. */
  end(): void {
    for (const listener of this.#ends) listener();
  }
}

function stream(columns: number | undefined, rows: number | undefined): TextStream & { text: string } {
  return {
    text: '',
    isTerminal: columns !== undefined,
    columns,
    rows,
    write(chunk) {
      this.text += chunk;
    },
  };
}

/** The namespace `orders` in a registry inside this process, and commands on it. */
export class CommandStage implements AsyncDisposable {
  readonly server = new EmbeddedRegistryServer();
  readonly registry: RegistryCenter;

  private constructor() {
    this.registry = new EmbeddedRegistryCenter({ server: this.server, namespace: 'orders' });
  }

  static async open(): Promise<CommandStage> {
    const stage = new CommandStage();
    stage.registry.connect();
    await until(() => stage.registry.session.state.phase === 'connected');
    return stage;
  }

  /** Carries out a command line; words are separated by blanks. */
  async run(line: string | readonly string[], seat: Seat = {}, more: Partial<Surroundings> = {}): Promise<Outcome> {
    const terminal = new TestTerminal(seat);
    const exitCode = await this.runOn(terminal, line, more);
    return { out: terminal.out.text, err: terminal.err.text, exitCode };
  }

  /** The same, on a terminal that the test has made. */
  runOn(terminal: Terminal, line: string | readonly string[], more: Partial<Surroundings> = {}): Promise<ExitCode> {
    const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
    return runCommandLine(words, {
      terminal,
      environment: { ELASTICJOB_REGCENTER_SERVERLISTS: 'zoo:2181', ELASTICJOB_REGCENTER_NAMESPACE: 'orders' },
      directory: tmpdir(),
      clock: systemClock,
      version: () => '1.2.3',
      openRegistry: ({ namespace = '' }) => new EmbeddedRegistryCenter({ server: this.server, namespace }),
      ...more,
    });
  }

  /** Stores a job of one server for each item, all of which live. */
  async store(changes: Parameters<typeof aConfiguration>[0] = {}): Promise<void> {
    const configuration = aConfiguration({ cron: '0 0 2 * * ?', timeZone: 'GMT', ...changes });
    const root = `/${configuration.jobName}`;
    await this.registry.put(root, 'org.acme.Job');
    await this.registry.put(`${root}/config`, toYaml(configuration));
    for (let item = 0; item < configuration.shardingTotalCount; item++) {
      const instance = jobInstanceOn(`10.0.0.${item + 1}`, `${item + 1}-a`);
      await this.registry.put(`${root}/servers/${instance.serverIp}`, 'ENABLED');
      await this.registry.put(`${root}/instances/${instance.jobInstanceId}`, instanceYaml(instance));
      await this.registry.put(`${root}/sharding/${item}/instance`, instance.jobInstanceId);
    }
  }

  /** The value of a node below the namespace. */
  get(path: string): Promise<string | undefined> {
    return this.registry.get(path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.registry.close();
  }
}
