/**
 * The settings of the console in a YAML file: what stands under `console` at its top, with the names of
 * `ElasticJobConsoleModule.forRoot()`, and the keys `auth` and `casdoor` of ElasticJob's own console:
 *
 * ```yaml
 * console:
 *   stateFolder: /var/lib/elasticjob
 *   users: [{ username: anna, role: admin, passwordHash: '$scrypt$…' }]
 * auth: { root_username: anna, root_password: ${ROOT_PASSWORD}, guest_username: gina, guest_password: … }
 * ```
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { relaxed } from '../../api/text/nearest.js';
import { ROOT_KEY } from '../../settings/yaml-file.js';
import { describeCause } from '../../api/text/describe-cause.js';
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';

type Tree = Readonly<Record<string, unknown>>;

/** The settings as the file has them, unchecked. */
export interface ConsoleSettings {
  /** Options of the module. */
  readonly options: Tree;
  /** `console.tls`. */
  readonly tls: unknown;
  /** Whether the file also has settings of an application, under `elasticjob`. */
  readonly hasJobs: boolean;
}

/**
 * Reads the settings of the console.
 * @param file path of the YAML file; `undefined` if there is none
 * @param environment whose variables stand in the file as `${NAME}`
 * @throws InvalidConfigurationError if the file cannot be read, or a variable is not set
 */
export function consoleSettings(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ConsoleSettings {
  const root = file === undefined ? {} : mapIn(file);
  const ours = { console: root['console'] ?? {}, auth: root['auth'] ?? {}, casdoor: root['casdoor'] };
  const { console: own, auth, casdoor } = resolved(ours, { environment, path: '' }) as Tree;
  if (!isMap(own)) throw new InvalidConfigurationError([`console: must be a map, got ${describeValue(own, 'hidden')}`]);
  if (!isMap(auth)) throw new InvalidConfigurationError([`auth: must be a map, got ${describeValue(auth, 'hidden')}`]);
  const { tls, ...options } = own;
  const users = [...(Array.isArray(options['users']) ? (options['users'] as unknown[]) : []), ...olderUsers(auth)];
  return {
    tls,
    hasJobs: Object.keys(root).some((key) => relaxed(key) === ROOT_KEY),
    options: {
      ...options,
      ...(users.length > 0 && { users }),
      ...(isMap(casdoor) && options['casdoor'] === undefined && { casdoor: camelCased(casdoor) }),
    },
  };
}

function mapIn(file: string): Tree {
  try {
    const root: unknown = parse(readFileSync(file, 'utf8'), { prettyErrors: false });
    if (isMap(root)) return root;
  } catch (cause) {
    throw new InvalidConfigurationError([`Configuration file '${file}' cannot be read: ${describeCause(cause)}`], {
      cause,
    });
  }
  throw new InvalidConfigurationError([`Configuration file '${file}' must be a map`]);
}

/** The users as the older consoles name them. Release 3.0.2 has one account alone, `username` and `password`. */
function olderUsers(auth: Tree): readonly Tree[] {
  const kinds = [
    ['username', 'password', 'admin'],
    ['root_username', 'root_password', 'admin'],
    ['guest_username', 'guest_password', 'guest'],
  ] as const;
  return kinds.flatMap(([name, password, role]) =>
    auth[name] === undefined ? [] : [{ username: textOf(auth[name]), password: textOf(auth[password]), role }],
  );
}

/** A password of digits is a number to YAML. */
function textOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value;
}

function camelCased(map: Tree): Tree {
  const named = (key: string): string => key.replaceAll(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [named(key), value]));
}

/** The tree with variables in the place of `${NAME}`, where that is a whole text. */
function resolved(
  value: unknown,
  { environment, path }: { readonly environment: Readonly<Record<string, string | undefined>>; readonly path: string },
): unknown {
  const inner = (each: unknown, key: string | number): unknown =>
    resolved(each, {
      environment,
      path: typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`,
    });
  if (Array.isArray(value)) return value.map(inner);
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each, key)]));
  const [, name] = typeof value === 'string' ? (/^\$\{(\w+)\}$/.exec(value) ?? []) : [];
  if (name === undefined) return value;
  const variable = environment[name];
  if (variable !== undefined) return variable;
  throw new InvalidConfigurationError([`${path}: the environment has no variable ${name}`]);
}
