import { type JobLogger } from '../api/text/logger.js';
import { type OperationRecord } from '../api/events/operation-record.js';
import { type OperationsOptions } from '../operations/operation-audit.js';
import { type RegistryCenter } from '../registry/registry-center.js';
import { createRegistryCenter } from '../settings/create-registry-center.js';
import { type RegCenterSettings } from '../settings/reg-center-settings.js';
import { openRegistry } from './connection/open-registry.js';
import { registrySettings } from './connection/registry-settings.js';
import { type SettingsFound, settingsFound } from './connection/settings-sources.js';
import { CommandError, EXIT } from './exit-codes.js';
import { type ChangeOptions, type CommonOptions, type Surroundings } from './surroundings.js';
import { Output } from './terminal/output.js';

/** One call of a command: its options, output, settings and connection. */
export class Invocation implements AsyncDisposable {
  readonly output: Output;
  #record: OperationRecord | undefined;
  #settings: SettingsFound | undefined;
  #registry: RegistryCenter | undefined;
  /** Registry centres besides that of the settings. */
  readonly #others: RegistryCenter[] = [];

  constructor(
    readonly options: CommonOptions,
    readonly surroundings: Surroundings,
  ) {
    this.output = new Output(options, surroundings);
  }

  /**
   * The settings of the application, as far as a file and the environment have them.
   * @throws InvalidConfigurationError
   */
  get settings(): SettingsFound {
    return (this.#settings ??= settingsFound(this.options, this.surroundings));
  }

  /** The settings of the registry centre. @throws InvalidConfigurationError, or CommandError if something is missing */
  get registrySettings(): RegCenterSettings {
    return registrySettings(this.options, this.settings, this.surroundings);
  }

  /** The registry centre, if the command has connected to it. */
  get opened(): RegistryCenter | undefined {
    return this.#registry;
  }

  /** The record of the latest operation, for `--json`, without secrets; `undefined` if the command changed nothing. */
  get record(): OperationRecord | undefined {
    return this.#record;
  }

  /** Options for operations, which keep the latest record. */
  get operations(): OperationsOptions {
    const listener = { onOperation: (record: OperationRecord) => void (this.#record = record) };
    return { clock: this.surroundings.clock, listeners: [listener] };
  }

  /** The registry centre, connected. It is closed at the end of the command. */
  async registry(): Promise<RegistryCenter> {
    return (this.#registry ??= await this.#open(this.registrySettings));
  }

  /** A registry centre with these settings, connected. It is closed at the end of the command. */
  async registryAt(settings: RegCenterSettings): Promise<RegistryCenter> {
    const opened = await this.#open(settings);
    this.#others.push(opened);
    return opened;
  }

  /** A registry centre with these settings that is not connected. It is closed at the end of the command. */
  unconnected(settings: RegCenterSettings): RegistryCenter {
    const made = (this.surroundings.openRegistry ?? createRegistryCenter)(settings, this.#logger());
    this.#others.push(made);
    return made;
  }

  #open(settings: RegCenterSettings): Promise<RegistryCenter> {
    const { clock, openRegistry: open } = this.surroundings;
    return openRegistry(settings, { clock, open, logger: this.#logger(), timeoutMs: this.options.timeout });
  }

  /**
   * Asks for confirmation, unless `--yes` gives it.
   * @throws CommandError if the answer is not yes, or there is no terminal to ask on
   */
  async confirm(question: string, { yes = false }: ChangeOptions): Promise<void> {
    if (yes) return;
    const { terminal } = this.surroundings;
    if (!terminal.isInteractive)
      throw new CommandError(
        EXIT.notConfirmed,
        `${question} There is no terminal to ask on: give --yes to do it. Nothing was changed.`,
      );
    const answer = await terminal.ask(`${question} [y/N] `);
    if (answer === undefined) throw new CommandError(EXIT.interrupted, 'Interrupted. Nothing was changed.');
    if (!/^\s*y(es)?\s*$/i.test(answer))
      throw new CommandError(EXIT.notConfirmed, 'Not confirmed. Nothing was changed.');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = this.#registry === undefined ? this.#others : [this.#registry, ...this.#others];
    await Promise.all(opened.map((each) => each.close()));
  }

  #logger(): JobLogger {
    const { err } = this.surroundings.terminal;
    const silent = (): void => undefined;
    const write = (message: string): void => err.write(`${message}\n`);
    return this.options.verbose === true
      ? { debug: silent, log: write, warn: write, error: write }
      : { debug: silent, log: silent, warn: silent, error: silent };
  }
}
