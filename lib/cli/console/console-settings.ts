/**
 * The settings of the console in a file of settings: the section `console` at its top, with the names of
 * `ElasticJobConsoleModule.forRoot()`, and the keys `auth` and `casdoor` of ElasticJob's own console:
 *
 * ```yaml
 * console:
 *   stateFolder: /var/lib/elasticjob
 *   users: [{ username: anna, role: admin, passwordHash: '$scrypt$…' }]
 * auth: { root_username: anna, root_password: ${ROOT_PASSWORD}, guest_username: gina, guest_password: … }
 * ```
 */
import { typedOptions } from '../../console/start/typed-options.js';
import { isNearly, knownNames, relaxed } from '../../api/text/nearest.js';
import { nestedTree } from '../../settings/files/nested-keys.js';
import { withoutPlaceholders } from '../../settings/files/placeholders.js';
import { RefusedText } from '../../settings/files/refused-text.js';
import { readRoot, ROOT_KEY } from '../../settings/files/settings-file.js';
import { fileRefusal } from '../../settings/files/text-file.js';
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';

type Tree = Readonly<Record<string, unknown>>;

/** The settings as the file has them, unchecked. */
export interface ConsoleSettings {
  /** Options of the module. */
  readonly options: Tree;
  /** `console.tls`. */
  readonly tls: unknown;
  /** Other problems of the file: unknown keys, and placeholders without a value. */
  readonly problems: readonly string[];
  /** True if the file also has settings of an application, under `elasticjob`. */
  readonly hasJobs: boolean;
}

/**
 * Reads the settings of the console.
 * @param file its path; `undefined` if there is none
 * @param environment its variables replace placeholders such as `${NAME}`
 * @throws InvalidConfigurationError if the file cannot be read, or a section is no map
 */
export function consoleSettings(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ConsoleSettings {
  const root = file === undefined ? {} : mapIn(file);
  const ours = { console: root['console'] ?? {}, auth: root['auth'] ?? {}, casdoor: root['casdoor'] };
  const { console: own, auth, casdoor } = withoutPlaceholders(ours, { environment, root }) as Tree;
  const problems = [...misspeltIn(root), ...unresolvedIn({ console: own, auth, casdoor }, ''), ...unknownIn(auth)];
  if (!isMap(own))
    throw new InvalidConfigurationError([
      `console: must be keys with values (key: value), got ${describeValue(own, 'hidden')}`,
    ]);
  if (!isMap(auth))
    throw new InvalidConfigurationError([
      `auth: must be keys with values (key: value), got ${describeValue(auth, 'hidden')}`,
    ]);
  const { tls, ...options } = own;
  const users = [...(Array.isArray(options['users']) ? (options['users'] as unknown[]) : []), ...olderUsers(auth)];
  return {
    ...{ tls, problems },
    hasJobs: Object.keys(root).some((key) => relaxed(key) === ROOT_KEY),
    options: typedOptions({
      ...options,
      ...(users.length > 0 && { users }),
      ...(isMap(casdoor) && options['casdoor'] === undefined && { casdoor: camelCased(casdoor) }),
    }),
  };
}

/** The file, with the console's keys nested: `auth.root_username` is the same as a key in a map `auth`. */
function mapIn(file: string): Tree {
  const root = readRoot(file);
  const isOurs = (key: string): boolean => OWN_KEYS.includes(key.split('.')[0] ?? '');
  const own = Object.entries(root).filter(([key]) => isOurs(key));
  const others = Object.entries(root).filter(([key]) => !isOurs(key));
  const twice = (path: string): never => {
    throw fileRefusal(file, `has '${path}' twice`);
  };
  return { ...Object.fromEntries(others), ...nestedTree(own, twice) };
}

const OWN_KEYS = ['console', 'auth', 'casdoor'];

/** Keys that resemble ours. Other unknown keys may belong to other programs. */
function misspeltIn(root: Tree): readonly string[] {
  const others = Object.keys(root).flatMap((key) => key.split('.')[0] ?? []);
  return [...new Set(others)].flatMap((key) => {
    const meant = OWN_KEYS.find((each) => each !== key && each.length > SHORTEST && isNearly(key, each));
    return meant === undefined ? [] : [`${key}: unknown key; did you mean '${meant}'?`];
  });
}

/** Shorter keys are not checked: one letter more or less than in `auth` makes another word. */
const SHORTEST = 4;

/** Keys of `auth` of ElasticJob's consoles. How long a session lasts is set by `console.sessionHours`. */
const AUTH_KEYS = [
  ...['username', 'password', 'root_username', 'root_password', 'guest_username', 'guest_password'],
  'token_expires_in_seconds',
];

function unknownIn(auth: unknown): readonly string[] {
  if (!isMap(auth)) return [];
  return Object.keys(auth)
    .filter((key) => !AUTH_KEYS.includes(key))
    .map((key) => `auth.${key}: unknown key${knownNames(key, AUTH_KEYS)}`);
}

/** The users in the keys of the older consoles. Release 3.0.2 has one account alone, `username` and `password`. */
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

/** Texts whose placeholders have no value, one line each. */
function unresolvedIn(value: unknown, path: string): readonly string[] {
  if (value instanceof RefusedText) return [`${path}: ${value.problem}`];
  if (Array.isArray(value)) return value.flatMap((each, index) => unresolvedIn(each, `${path}[${index}]`));
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => unresolvedIn(each, path === '' ? key : `${path}.${key}`));
}
