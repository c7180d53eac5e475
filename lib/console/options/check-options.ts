import { isAbsolute } from 'node:path';
import { describeValue, isMap, type Secrecy } from '../../api/text/describe-value.js';
import { knownNames } from '../../api/text/nearest.js';
import { certificateProblem, isSampleClient } from '../security/oidc/oidc-settings.js';
import { issuerProblem } from '../security/oidc/oidc-provider.js';
import { isPasswordHash, isShippedDefault, passwordProblem } from '../security/password-hash.js';
import { isRole, ROLES } from '../security/roles.js';
import { proxyProblem } from '../security/trusted-proxies.js';
import { usernameProblem } from '../security/users.js';

/** A requirement that a value must meet. @returns it if it does not; `undefined` if it does */
type Rule = (value: unknown, owner: Readonly<Record<string, unknown>>) => string | undefined;

interface Field {
  readonly rule?: Rule;
  readonly isRequired?: boolean;
  readonly secrecy?: Secrecy;
  /** The value is a map with these fields, or a list of such maps. */
  readonly map?: Fields;
  readonly list?: Fields;
}

type Fields = Readonly<Record<string, Field>>;

const text: Rule = (value) => (typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a text');
const method: Rule = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const key: Rule = (value) =>
  typeof value === 'string' && value.length >= 32 ? undefined : 'must be a random text of at least 32 characters';
const role: Rule = (value) => (isRole(value) ? undefined : `must be one of ${ROLES.join(', ')}`);

const between =
  (least: number, most: number): Rule =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most
      ? undefined
      : `must be a number from ${least} to ${most}`;

const listOf =
  (rule: Rule): Rule =>
  (value, owner) => {
    if (!Array.isArray(value)) return 'must be a list';
    const problem = value.map((each) => rule(each, owner)).find((each) => each !== undefined);
    return problem === undefined ? undefined : `must be a list of which each ${problem}`;
  };

const path: Rule = (value) =>
  typeof value === 'string' && /^\/([\w.-]+(\/[\w.-]+)*)?$/.test(value)
    ? undefined
    : "must be a path such as '/elasticjob', without a slash at its end";

const publicUrl: Rule = (value) => {
  const requirement = "must be a URL such as 'https://ops.example.com/elasticjob', without query";
  if (typeof value !== 'string' || !URL.canParse(value)) return requirement;
  const { protocol, search, hash, username } = new URL(value);
  return ['https:', 'http:'].includes(protocol) && search + hash + username === '' ? undefined : requirement;
};

const folder: Rule = (value) =>
  typeof value === 'string' && value.trim() !== '' && (isAbsolute(value) || !value.startsWith('~'))
    ? undefined
    : "must be the path of a folder; '~' is not known here";

const password: Rule = (value, { username, passwordHash }) => {
  if (passwordHash !== undefined) return 'must not be given with passwordHash: one of the two is enough';
  // Whether a shipped default may be used depends on where the console listens; that is checked later.
  const isDefault = typeof value === 'string' && isShippedDefault(String(username), value);
  return isDefault ? undefined : passwordProblem(String(username), value);
};

const passwordHash: Rule = (value) =>
  isPasswordHash(value) ? undefined : 'must be what `npx elasticjob hash-password` prints, $scrypt$…';

const store: Rule = (value) =>
  ['read', 'write'].every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
    ? undefined
    : 'must be a ConsoleStore, with read() and write()';

const claims: Rule = (value) =>
  isMap(value) && Object.values(value).every((each) => typeof each === 'string') ? undefined : 'must be a map of texts';

const client: Rule = (value, owner) =>
  text(value, owner) ??
  (isSampleClient(owner)
    ? 'must be that of your own application: this one is the sample of ElasticJob’s console, which everybody knows'
    : undefined);

const url: Rule = (value) => (typeof value === 'string' ? issuerProblem(value) : 'must be a URL');
const certificate: Rule = (value) => (typeof value === 'string' ? certificateProblem(value) : 'must be a text');
const defaultRole: Rule = (value) =>
  ['guest', 'operator', 'none'].includes(value as string) ? undefined : 'must be guest, operator or none, never admin';

const yesOrNo: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const ports: Rule = (value) =>
  Array.isArray(value) && value.length === 2 && value.every((port) => between(1, 65_535)(port, {}) === undefined)
    ? undefined
    : 'must be the first and the last of the ports, [9888, 9899]';

const ROLE_RULES: Fields = {
  claim: { rule: text, isRequired: true },
  value: { rule: text, isRequired: true },
  role: { rule: role, isRequired: true },
};

const CLIENT: Fields = {
  clientId: { rule: client, isRequired: true },
  certificate: { rule: certificate, secrecy: 'hidden' },
  roles: { list: ROLE_RULES },
  defaultRole: { rule: defaultRole },
};

const FIELDS: Fields = {
  path: { rule: path },
  publicUrl: { rule: publicUrl },
  environment: { rule: text },
  stateFolder: { rule: folder },
  store: { rule: store },
  users: {
    list: {
      username: { rule: usernameProblem, isRequired: true },
      role: { rule: role, isRequired: true },
      password: { rule: password, secrecy: 'hidden' },
      passwordHash: { rule: passwordHash, secrecy: 'hidden' },
    },
  },
  sessionKeys: { rule: listOf(key), secrecy: 'hidden' },
  secretKey: { rule: key, secrecy: 'hidden' },
  sessionIdleMinutes: { rule: between(1, 24 * 60) },
  sessionHours: { rule: between(1, 24 * 30) },
  trustedProxies: { rule: listOf(proxyProblem) },
  oidc: {
    list: {
      name: {
        rule: (value) =>
          typeof value === 'string' && /^[a-z\d][a-z\d-]{0,31}$/.test(value) && value !== 'local'
            ? undefined
            : "must be lower-case letters, digits and hyphens, and not 'local'",
        isRequired: true,
      },
      title: { rule: text },
      issuer: { rule: url, isRequired: true },
      ...CLIENT,
      clientSecret: { rule: client, secrecy: 'hidden' },
      scope: { rule: text },
      usernameClaim: { rule: text },
      requiredClaims: { rule: claims },
    },
  },
  casdoor: {
    map: {
      endpoint: { rule: url, isRequired: true },
      ...CLIENT,
      clientSecret: { rule: client, isRequired: true, secrecy: 'hidden' },
      organizationName: { rule: text, isRequired: true },
      applicationName: { rule: text, isRequired: true },
    },
  },
  onAudit: { rule: method },
  registries: { rule: listOf((each) => (isMap(each) ? undefined : 'must be a map')), secrecy: 'hidden' },
  dataSources: { rule: listOf((each) => (isMap(each) ? undefined : 'must be a map')), secrecy: 'hidden' },
  connections: { map: { allow: { rule: listOf(text) } } },
  dump: { map: { ports: { rule: ports } } },
  compat: { map: { always200: { rule: yesOrNo }, unsafeGet: { rule: yesOrNo } } },
  events: { map: { perSession: { rule: between(1, 1_000) }, total: { rule: between(1, 100_000) } } },
  decorators: { rule: listOf(method) },
  pageFolder: { rule: folder },
  clock: { rule: (value) => (isMap(value) || typeof value === 'object' ? undefined : 'must be a Clock') },
};

/**
 * Checks the options of the console.
 * @returns the problems, one line each, each beginning with its key path: `console.users[0].role: must be …`
 */
export function optionProblems(options: unknown): readonly string[] {
  if (!isMap(options)) return [`console: must be a map of options, got ${describeValue(options, 'hidden')}`];
  return [...problemsInMap('console', options, FIELDS), ...problemsTogether(options)];
}

function problemsInMap(at: string, map: Readonly<Record<string, unknown>>, fields: Fields): readonly string[] {
  const names = Object.keys(fields);
  const unknown = Object.keys(map)
    .filter((name) => !names.includes(name) && map[name] !== undefined)
    .map((name) => `${at}.${name}: unknown key${knownNames(name, names)}`);
  const own = Object.entries(fields).flatMap(([name, field]) =>
    problemsOf(`${at}.${name}`, { value: map[name], owner: map, field }),
  );
  return [...unknown, ...own];
}

function problemsOf(
  at: string,
  {
    value,
    owner,
    field,
  }: { readonly value: unknown; readonly owner: Readonly<Record<string, unknown>>; readonly field: Field },
): readonly string[] {
  if (value === undefined) return field.isRequired === true ? [`${at}: is required`] : [];
  const got = `, got ${describeValue(value, field.secrecy)}`;
  if (field.map !== undefined)
    return isMap(value) ? problemsInMap(at, value, field.map) : [`${at}: must be a map${got}`];
  if (field.list !== undefined) {
    const { list } = field;
    if (!Array.isArray(value)) return [`${at}: must be a list${got}`];
    return value.flatMap((each: unknown, index) =>
      isMap(each)
        ? problemsInMap(`${at}[${index}]`, each, list)
        : [`${at}[${index}]: must be a map, got ${describeValue(each, 'hidden')}`],
    );
  }
  const problem = field.rule?.(value, owner);
  return problem === undefined ? [] : [`${at}: ${problem}${got}`];
}

/** Problems of options with each other. */
function problemsTogether(options: Readonly<Record<string, unknown>>): readonly string[] {
  const users = mapsIn(options['users']);
  const providers = mapsIn(options['oidc']);
  const hasProvider = providers.length > 0 || options['casdoor'] !== undefined;
  const without = users.findIndex((user) => user['password'] === undefined && user['passwordHash'] === undefined);
  return [
    ...(without < 0 ? [] : [`console.users[${without}]: needs a password or a passwordHash`]),
    ...twice(
      'console.users',
      users.map(({ username }) => String(username).toLowerCase()),
    ),
    ...twice('console.oidc', [
      ...providers.map(({ name }) => String(name)),
      ...(options['casdoor'] === undefined ? [] : ['casdoor']),
    ]),
    ...(hasProvider && options['publicUrl'] === undefined
      ? [
          'console.publicUrl: is required with logins by OpenID Connect: it is where the provider sends browsers back to',
        ]
      : []),
    ...(options['store'] !== undefined && options['stateFolder'] !== undefined
      ? ['console.store: must not be given with stateFolder: one of the two is enough']
      : []),
  ];
}

function mapsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isMap) : [];
}

function twice(at: string, names: readonly string[]): readonly string[] {
  const found = names.find((name, index) => names.indexOf(name) !== index);
  return found === undefined ? [] : [`${at}: has '${found}' twice`];
}
