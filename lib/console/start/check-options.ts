import { describeValue, isMap } from '../../api/text/describe-value.js';
import { knownNames } from '../../api/text/nearest.js';
import { connectionProblems } from './connection-settings.js';
import { type Field, FIELDS, type Fields } from './option-fields.js';
import { providerIn } from '../security/callers/account.js';
import { stateRegistryProblems } from './state-registry-problems.js';

/**
 * Checks the options of the console.
 * @returns the problems, one line each, each beginning with its key path: `console.users[0].role: must be …`
 */
export function optionProblems(options: unknown): readonly string[] {
  if (!isMap(options))
    return [`console: must be keys with values (key: value), got ${describeValue(options, 'hidden')}`];
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
    return isMap(value) ? problemsInMap(at, value, field.map) : [`${at}: must be keys with values (key: value)${got}`];
  if (field.list !== undefined) {
    const { list } = field;
    if (!Array.isArray(value)) return [`${at}: must be a list${got}`];
    return value.flatMap((each: unknown, index) =>
      isMap(each)
        ? problemsInMap(`${at}[${index}]`, each, list)
        : [`${at}[${index}]: must be keys with values (key: value), got ${describeValue(each, 'hidden')}`],
    );
  }
  const problem = field.rule?.(value, owner);
  return problem === undefined ? [] : [`${at}: ${problem}${got}`];
}

/** The problems of combined options. */
function problemsTogether(options: Readonly<Record<string, unknown>>): readonly string[] {
  const users = mapsIn(options['users']);
  const providers = mapsIn(options['oidc']);
  const hasProvider = providers.length > 0 || options['casdoor'] !== undefined;
  const names = [
    ...providers.map(({ name }) => String(name)),
    ...(options['casdoor'] === undefined ? [] : ['casdoor']),
  ];
  const foreign = users.findIndex(({ username }) => providerIn(String(username), names) !== undefined);
  const without = users.findIndex((user) => user['password'] === undefined && user['passwordHash'] === undefined);
  return [
    ...(without < 0 ? [] : [`console.users[${without}]: needs a password or a passwordHash`]),
    ...(foreign < 0
      ? []
      : [
          `console.users[${foreign}].username: must not end with '@' and the name of a provider of logins: records name the users of providers so`,
        ]),
    ...twice(
      'console.users',
      users.map(({ username }) => String(username).toLowerCase()),
    ),
    ...twice('console.oidc', names),
    ...(hasProvider && options['publicUrl'] === undefined
      ? [
          'console.publicUrl: is required with logins by OpenID Connect: it is where the provider sends browsers back to',
        ]
      : []),
    ...(options['store'] !== undefined && options['stateFolder'] !== undefined
      ? ['console.store: must not be given with stateFolder: one of the two is enough']
      : []),
    ...connectionProblems(options),
    ...stateRegistryProblems(options),
  ];
}

function mapsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isMap) : [];
}

function twice(at: string, names: readonly string[]): readonly string[] {
  const found = names.find((name, index) => names.indexOf(name) !== index);
  return found === undefined ? [] : [`${at}: has '${found}' twice`];
}
