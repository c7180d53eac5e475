import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { type ElasticJobConsoleOptions, type StateRegistrySettings } from '../../console/options/console-options.js';
import { type StandaloneOptions } from '../../console/standalone.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { registrySettings } from '../connection/registry-settings.js';
import { settingsFound, settingsPath } from '../connection/settings-sources.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Terminal } from '../terminal/terminal.js';
import { type ConsoleSettings, consoleSettings } from './console-settings.js';

/** Options of `elasticjob console`. */
export interface ConsoleCommandOptions {
  readonly port: number;
  readonly host: string;
  readonly state?: string;
  readonly stateNamespace?: string;
  readonly insecureHttp?: boolean;
}

/** Runs the console until the process is told to end. */
export async function runConsole(invocation: Invocation, options: ConsoleCommandOptions): Promise<ExitCode> {
  const { terminal } = invocation.surroundings;
  const { startConsole } = await import('../../console/standalone.js');
  const started = await startConsole({ ...listening(invocation, options), logger: loggerOf(invocation) });
  terminal.out.write(`The console listens on ${started.url}\n`);
  await signalled(terminal);
  await started.close();
  return EXIT.done;
}

function listening(invocation: Invocation, given: ConsoleCommandOptions): Omit<StandaloneOptions, 'logger'> {
  const { options, surroundings } = invocation;
  const path = settingsPath(options, surroundings);
  const settings = consoleSettings(path, surroundings.environment);
  const { registries = [], ...own } = settings.options as ElasticJobConsoleOptions;
  const center = settings.hasJobs || path === undefined ? registrySettingsOf(invocation) : undefined;
  const registry = center && { ...center, name: center.namespace ?? 'default' };
  const tls = tlsOf(settings);
  return {
    port: given.port,
    host: given.host,
    allowsInsecureHttp: given.insecureHttp === true,
    ...(tls !== undefined && { tls }),
    console: {
      ...own,
      ...(given.state !== undefined && { stateFolder: given.state }),
      ...(given.stateNamespace !== undefined && { stateRegistry: stateRegistryOf(center, given.stateNamespace) }),
      registries: registries instanceof Array && registry !== undefined ? [...registries, registry] : registries,
    },
  };
}

/** The registry centre of the application whose settings these are; `undefined` if they name none. */
function registrySettingsOf({ options, surroundings }: Invocation): RegCenterSettings | undefined {
  try {
    return registrySettings(options, settingsFound(options, surroundings), surroundings);
  } catch (error) {
    // No servers or no namespace: the console has registry centres of its own settings, or of its page.
    if (error instanceof CommandError && options.servers === undefined) return undefined;
    throw error;
  }
}

/** The same servers as those of the jobs, with another namespace. */
function stateRegistryOf(center: RegCenterSettings | undefined, namespace: string): StateRegistrySettings {
  const { serverLists, ...settings } = center ?? {};
  if (serverLists !== undefined) return { ...settings, serverLists, namespace };
  throw new CommandError(
    EXIT.usage,
    '--state-namespace needs the registry centre of the jobs. Name its servers by --servers host:2181, and its namespace by --namespace orders; or set console.stateRegistry in the file.',
  );
}

function tlsOf({ tls }: ConsoleSettings): StandaloneOptions['tls'] {
  if (tls === undefined) return undefined;
  const { cert, key } = isMap(tls) ? tls : {};
  if (typeof cert === 'string' && typeof key === 'string') return { cert, key };
  throw new InvalidConfigurationError(["console.tls: must have 'cert' and 'key', the paths of PEM files"]);
}

function loggerOf({ surroundings }: Invocation): StandaloneOptions['logger'] {
  const { terminal, clock } = surroundings;
  const write =
    (level: string) =>
    (message: unknown, context?: unknown): void => {
      // What Nest says of its own modules and routes is of no interest here.
      if (level === 'LOG' && context !== 'ElasticJobConsole') return;
      terminal.err.write(`${new Date(clock.now()).toISOString()} ${level} ${String(message)}\n`);
    };
  return { log: write('LOG'), warn: write('WARN'), error: write('ERROR'), debug: () => undefined };
}

function signalled(terminal: Terminal): Promise<void> {
  return new Promise((resolve) => {
    const stop = terminal.onEnd(() => {
      stop();
      resolve();
    });
  });
}

/** Prints the hash of a password, for the settings. */
export async function hashPassword(invocation: Invocation): Promise<ExitCode> {
  const { terminal } = invocation.surroundings;
  const { hashPassword: hashOf, passwordProblem } = await import('../../console/security/password-hash.js');
  const password = await terminal.askSecret('Password: ');
  if (password === undefined) throw new CommandError(EXIT.interrupted, 'Interrupted.');
  const problem = passwordProblem('', password);
  if (problem !== undefined) throw new CommandError(EXIT.usage, `The password ${problem}.`);
  terminal.out.write(`${await hashOf(password)}\n`);
  return EXIT.done;
}
