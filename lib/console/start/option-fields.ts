import { isAbsolute } from 'node:path';
import { inEnglish, type Wording } from '../../wording/wording.js';
import { isMap, type Secrecy } from '../../api/text/describe-value.js';
import { MOST_FILES } from '../security/audit/audit-folder.js';
import { certificateProblem, isSampleClient } from '../options/oidc-settings.js';
import { issuerProblem } from '../security/oidc/oidc-provider.js';
import { isPasswordHash, isShippedDefault, passwordProblem } from '../security/passwords/password-hash.js';
import { isRole, ROLES } from '../security/callers/roles.js';
import { proxyProblem } from '../security/callers/trusted-proxies.js';
import { usernameProblem } from '../security/users/users.js';

/** Checks a value. @returns the requirement that it does not meet, or `undefined` */
type Rule = (value: unknown, owner: Readonly<Record<string, unknown>>) => string | undefined;

/** The rules of an option. */
export interface Field {
  readonly rule?: Rule;
  readonly isRequired?: boolean;
  readonly secrecy?: Secrecy;
  /** The kind of value that a text of a file is converted to. Default: it stays a text. */
  readonly kind?: 'number' | 'boolean' | 'list';
  /** The value is a map with these fields, or a list of such maps. */
  readonly map?: Fields;
  readonly list?: Fields;
}

/** Options by name. */
export type Fields = Readonly<Record<string, Field>>;

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
  typeof value === 'string' &&
  value.trim() !== '' &&
  !value.includes('\0') &&
  (isAbsolute(value) || !value.startsWith('~'))
    ? undefined
    : "must be the path of a folder; '~' is not known here";

const inWords = (problem: Wording | undefined): string | undefined => problem && inEnglish(problem);

const password: Rule = (value, { username, passwordHash }) => {
  if (passwordHash !== undefined) return 'must not be given with passwordHash: one of the two is enough';
  // A shipped default is allowed only on some addresses, which is checked later.
  const isDefault = typeof value === 'string' && isShippedDefault(String(username), value);
  return isDefault ? undefined : inWords(passwordProblem(String(username), value));
};

const passwordHash: Rule = (value) =>
  isPasswordHash(value) ? undefined : 'must be what `npx elasticjob hash-password` prints, $scrypt$…';

const store: Rule = (value) =>
  ['read', 'write'].every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function')
    ? undefined
    : 'must be a ConsoleStore, with read() and write()';

const claims: Rule = (value) =>
  isMap(value) && Object.values(value).every((each) => typeof each === 'string')
    ? undefined
    : 'must be keys with texts (key: text)';

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

const integerBetween =
  (least: number, most: number): Rule =>
  (value) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`;

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

/** The options of the console. */
export const FIELDS: Fields = {
  path: { rule: path },
  publicUrl: { rule: publicUrl },
  environment: { rule: text },
  stateFolder: { rule: folder },
  stateRegistry: {},
  store: { rule: store },
  users: {
    list: {
      username: { rule: (value) => inWords(usernameProblem(value)), isRequired: true },
      role: { rule: role, isRequired: true },
      password: { rule: password, secrecy: 'hidden' },
      passwordHash: { rule: passwordHash, secrecy: 'hidden' },
    },
  },
  sessionKeys: { rule: listOf(key), secrecy: 'hidden', kind: 'list' },
  secretKey: { rule: key, secrecy: 'hidden' },
  sessionIdleMinutes: { rule: between(1, 24 * 60), kind: 'number' },
  sessionHours: { rule: between(1, 24 * 30), kind: 'number' },
  trustedProxies: { rule: listOf(proxyProblem), kind: 'list' },
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
  audit: {
    map: {
      key: { rule: key, secrecy: 'hidden' },
      files: { rule: integerBetween(1, MOST_FILES) },
      megabytes: { rule: integerBetween(1, 1_000) },
      days: { rule: integerBetween(1, 3_650) },
    },
  },
  onAudit: { rule: method },
  // The fields of registry centres (stateRegistry too) and databases are declared in connection-settings.ts.
  registries: {},
  dataSources: {},
  connections: { map: { allow: { rule: listOf(text), kind: 'list' } } },
  dump: { map: { ports: { rule: ports } } },
  hideParameters: { rule: yesOrNo, kind: 'boolean' },
  compat: { map: { always200: { rule: yesOrNo, kind: 'boolean' }, unsafeGet: { rule: yesOrNo, kind: 'boolean' } } },
  events: {
    map: {
      perSession: { rule: between(1, 1_000), kind: 'number' },
      total: { rule: between(1, 100_000), kind: 'number' },
    },
  },
  decorators: { rule: listOf(method) },
  pageFolder: { rule: folder },
  clock: { rule: (value) => (isMap(value) || typeof value === 'object' ? undefined : 'must be a Clock') },
};

/** Options for tests, which the documentation of the console does not list. */
const FOR_TESTS = ['clock', 'pageFolder'];

/** The names of the options that users may set; in sections of switches, each switch: `events.total`. */
export function knownOptions(): readonly string[] {
  const names = Object.entries(FIELDS).flatMap(([name, { map }]) =>
    map === undefined || name === 'casdoor' ? [name] : Object.keys(map).map((inner) => `${name}.${inner}`),
  );
  return names.filter((name) => !FOR_TESTS.includes(name));
}
