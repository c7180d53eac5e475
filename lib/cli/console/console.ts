import { inEnglish } from '../../wording/wording.js';
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { knownNames } from '../../api/text/nearest.js';
import { refuseIfAny } from '../../api/settings/call-options.js';
import { optionProblems } from '../../console/start/check-options.js';
import { environmentProblems, withEnvironment, withVariable } from '../../console/start/environment.js';
import { type ElasticJobConsoleOptions, type StateRegistrySettings } from '../../console/options/console-options.js';
import { type RegistrySettings } from '../../console/options/console-service-options.js';
import { type StandaloneOptions } from '../../console/standalone.js';
import { type ConnectionSettings, type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { registryType } from '../../settings/registry-kind.js';
import { MissingRegistrySettingError, registrySettings } from '../connection/registry-settings.js';
import { environmentFound, settingsFound, settingsPath } from '../connection/settings-sources.js';
import { CommandError, EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type Terminal } from '../terminal/terminal.js';
import { type CommonOptions, type Surroundings } from '../surroundings.js';
import { consoleSettings } from './console-settings.js';

/** Options of `elasticjob console`. */
export interface ConsoleCommandOptions {
  readonly port: number;
  readonly host: string;
  readonly state?: string;
  readonly stateNamespace?: string;
  readonly insecureHttp?: boolean;
}

/** Runs the console until a signal ends the process. */
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
  const environment = environmentFound(options, surroundings);
  const settings = consoleSettings(path, environment);
  const { registries = [], ...own } = settings.options as ElasticJobConsoleOptions;
  const center = settings.hasJobs || path === undefined ? registrySettingsOf(invocation) : undefined;
  const registry = center && named(center);
  const console = {
    ...own,
    ...(given.state !== undefined && { stateFolder: given.state }),
    ...(given.stateNamespace !== undefined && { stateRegistry: stateRegistryOf(center, given.stateNamespace) }),
    registries: registries instanceof Array && registry !== undefined ? [...registries, registry] : registries,
  };
  const problems = [...settings.problems, ...tlsProblems(settings.tls)];
  refuseIfAny([...problems, ...problemsOf(console, environment).filter((each) => !isKnown(each, problems))]);
  return {
    port: given.port,
    host: given.host,
    allowsInsecureHttp: given.insecureHttp === true,
    ...(settings.tls !== undefined && { tls: settings.tls as NonNullable<StandaloneOptions['tls']> }),
    console: withEnvironment(console, environment),
  };
}

function problemsOf(console: ElasticJobConsoleOptions, environment: Surroundings['environment']): readonly string[] {
  const problems = optionProblems(withEnvironment(console, environment));
  return [
    ...problems.map((problem) => withVariable(problem, console, environment)),
    ...environmentProblems(environment),
  ];
}

/** True if another problem of the same option is reported already, such as a placeholder without a value. */
function isKnown(problem: string, problems: readonly string[]): boolean {
  const [path = ''] = problem.split(': ', 1);
  return problems.some((each) => each.startsWith(`${path}: `));
}

/** The registry centre of the application whose settings these are; `undefined` if they name none. */
function registrySettingsOf({ options, surroundings }: Invocation): RegCenterSettings | undefined {
  try {
    return registrySettings(options, settingsFound(options, surroundings), surroundings);
  } catch (error) {
    // Without servers or a namespace, the console takes the registry centres from its own settings or from its page.
    if (error instanceof MissingRegistrySettingError && !namesRegistry(options)) return undefined;
    throw error;
  }
}

/** The registry centre of the jobs, named after its namespace; a slash would split the name in a path. */
function named(center: RegCenterSettings): RegistrySettings {
  const { namespace = 'default' } = center;
  return { ...optional(center), name: namespace.replace(/[^\p{L}\p{N}_. -]/gu, '-').slice(0, 64) };
}

/** True if an option names the registry centre, or how to connect to it. */
function namesRegistry(options: CommonOptions): boolean {
  return Object.keys(options).some((name) => /^(registry|servers|namespace|digestFile|tls.*|sasl.*)$/.test(name));
}

/** Removes `required`, which has a meaning only for applications. */
function optional({ required: _, ...center }: RegCenterSettings): ConnectionSettings {
  return center;
}

/** The same servers as those of the jobs, with another namespace. */
function stateRegistryOf(center: RegCenterSettings | undefined, namespace: string): StateRegistrySettings {
  if (center !== undefined && registryType(center) !== undefined) return { ...optional(center), namespace };
  throw new CommandError(
    EXIT.usage,
    '--state-namespace needs the registry centre of the jobs. Name it by --registry host:2181, and its namespace by --namespace orders; or set console.stateRegistry in the file.',
  );
}

function tlsProblems(tls: unknown): readonly string[] {
  if (tls === undefined) return [];
  if (!isMap(tls)) return [`console.tls: must have 'cert' and 'key', got ${describeValue(tls, 'hidden')}`];
  const unknown = Object.keys(tls).filter((name) => !TLS_KEYS.includes(name));
  const wrong = TLS_KEYS.filter((name) => typeof tls[name] !== 'string');
  return [
    ...unknown.map((name) => `console.tls.${name}: unknown key${knownNames(name, TLS_KEYS)}`),
    ...wrong.map((name) =>
      tls[name] === undefined
        ? `console.tls.${name}: is required, the path of a PEM file`
        : `console.tls.${name}: must be the path of a PEM file, got ${describeValue(tls[name], 'hidden')}`,
    ),
  ];
}

const TLS_KEYS = ['cert', 'key'];

function loggerOf({ surroundings }: Invocation): StandaloneOptions['logger'] {
  const { terminal, clock } = surroundings;
  const write =
    (level: string) =>
    (message: unknown, ...details: readonly unknown[]): void => {
      const context = details.at(-1);
      // Nest's messages about its modules and routes are dropped, and a failed start is reported as any failure.
      if (level === 'LOG' && context !== 'ElasticJobConsole') return;
      if (context === 'ExceptionHandler' || context === 'NestApplication') return;
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
  const { hashPassword: hashOf, passwordProblem } = await import('../../console/security/passwords/password-hash.js');
  const password = await terminal.askSecret('Password: ');
  if (password === undefined) throw new CommandError(EXIT.interrupted, 'Interrupted.');
  const problem = passwordProblem('', password);
  if (problem !== undefined) throw new CommandError(EXIT.usage, `The password ${inEnglish(problem)}.`);
  terminal.out.write(`${await hashOf(password)}\n`);
  return EXIT.done;
}
