/** Checks descriptions of registry centres that come from the page. */
import { type Wording, wording } from '../../../wording/wording.js';
import { isMap } from '../../../api/text/describe-value.js';
import { settingProblems } from '../../../api/settings/setting.js';
import { EtcdOptions } from '../../../registry/etcd/etcd-options.js';
import { PostgresqlOptions } from '../../../registry/postgresql/postgresql-options.js';
import { namespaceProblem } from '../../../registry/zookeeper/namespace.js';
import { serverListsProblem } from '../../../registry/zookeeper/server-lists.js';
import { REGISTRY_TYPES } from '../../../settings/reg-center-settings.js';
import { type SettingProblem } from '../../contract/common.js';
import { type RegistryChange, type RegistryType } from '../../contract/registries.js';
import { ConsoleProblem } from '../../answers/console-problem.js';
import { settingProblem } from '../../answers/setting-problem.js';
import { readPostgresAddress, typeOfChange } from './registry-address.js';
import { tlsChangeProblems } from './stored-tls.js';

/** Names that can stand in a URL path without special treatment. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_. -]{0,62}[\p{L}\p{N}]$|^[\p{L}\p{N}]$/u;

/** The problem with the name of a registry centre or data source, or undefined. */
export function connectionNameProblem(name: unknown): Wording | undefined {
  if (typeof name === 'string' && NAME.test(name)) return undefined;
  return wording('connection-name');
}

/** @throws ConsoleProblem 422 naming all problems */
export function checkRegistryChange(change: RegistryChange): void {
  const { name, type, tls } = change;
  const wrongName = connectionNameProblem(name);
  const isType = type === undefined || REGISTRY_TYPES.includes(type);
  const problems = [
    ...(wrongName === undefined ? [] : [settingProblem('name', wrongName)]),
    ...(isType ? [] : [settingProblem('type', wording('one-of', { words: REGISTRY_TYPES.join(', ') }))]),
    ...(isType ? problemsOfType(change, typeOfChange(change)) : []),
    ...tlsChangeProblems(tls),
  ];
  requireUsable(problems, 'The registry centre');
}

/** @throws ConsoleProblem 422 with these problems, if there are any */
export function requireUsable(problems: readonly SettingProblem[], thing: string): void {
  if (problems.length > 0) throw invalid(`${thing} cannot be used as it is described`, problems);
}

function problemsOfType(change: RegistryChange, type: RegistryType): readonly SettingProblem[] {
  switch (type) {
    case 'ZOOKEEPER':
      return [...zookeeperProblems(change), ...unwanted(change, 'schema', 'notify', 'credentials')];
    case 'POSTGRESQL':
      return [...postgresProblems(change), ...unwanted(change, 'digest', 'sasl')];
    case 'ETCD':
      return [...etcdProblems(change), ...unwanted(change, 'schema', 'notify', 'digest', 'sasl')];
    default:
      return type satisfies never;
  }
}

function zookeeperProblems({ serverLists, namespace, digest, sasl }: RegistryChange): readonly SettingProblem[] {
  const wrongServers = typeof serverLists === 'string' ? serverListsProblem(serverLists) : wording('servers-text');
  const isDigest = digest === undefined || digest === '' || (typeof digest === 'string' && /^[^:]+:.+$/s.test(digest));
  return [
    ...(wrongServers === undefined ? [] : [settingProblem('serverLists', wrongServers)]),
    ...namespaceProblems(namespace, namespaceProblem(namespace)),
    ...(isDigest ? [] : [settingProblem('digest', wording('digest'))]),
    ...credentialsProblems('sasl', sasl),
  ];
}

function postgresProblems({
  serverLists,
  namespace,
  schema = '',
  notify = true,
  credentials,
}: RegistryChange): readonly SettingProblem[] {
  const given = { namespace, ...(schema !== '' && { schema }) };
  const wrong = wrongNames(Object.assign(new PostgresqlOptions(), given));
  return [
    ...(readPostgresAddress(serverLists) === undefined
      ? [settingProblem('serverLists', wording('postgresql-url'))]
      : []),
    ...namespaceProblems(namespace, wrong.has('namespace') ? wording('namespace') : undefined),
    ...(wrong.has('schema') ? [settingProblem('schema', wording('schema'))] : []),
    ...(typeof notify === 'boolean' ? [] : [settingProblem('notify', wording('boolean'))]),
    ...credentialsProblems('credentials', credentials),
  ];
}

function etcdProblems({ serverLists, namespace, credentials, tls }: RegistryChange): readonly SettingProblem[] {
  const wrong = wrongNames(Object.assign(new EtcdOptions(), { endpoints: serverLists, namespace }));
  const isPlain = tls !== undefined && tls !== null && !/^\s*https:/i.test(serverLists);
  return [
    ...(wrong.has('endpoints') ? [settingProblem('serverLists', wording('etcd-endpoints'))] : []),
    ...namespaceProblems(namespace, wrong.has('namespace') ? wording('etcd-namespace') : undefined),
    ...(isPlain && !wrong.has('endpoints') ? [settingProblem('serverLists', wording('https-for-tls'))] : []),
    ...credentialsProblems('credentials', credentials),
  ];
}

function namespaceProblems(namespace: unknown, problem: Wording | undefined): readonly SettingProblem[] {
  const isMissing = typeof namespace !== 'string' || namespace === '';
  const wrong = isMissing ? wording('not-empty') : problem;
  return wrong === undefined ? [] : [settingProblem('namespace', wrong)];
}

/** The names of the settings whose values are wrong. */
function wrongNames(settings: object): ReadonlySet<string> {
  return new Set(settingProblems(settings).map(({ place }) => place.join('.')));
}

/** Fields that a registry centre of that kind does not have, unless they are empty or remove what is not there. */
function unwanted(change: RegistryChange, ...names: readonly (keyof RegistryChange)[]): readonly SettingProblem[] {
  const given = names.filter((name) => change[name] !== undefined && change[name] !== null && change[name] !== '');
  const type = typeOfChange(change);
  return given.map((name) => settingProblem(name, wording('not-of-type', { type })));
}

function credentialsProblems(setting: 'sasl' | 'credentials', given: unknown): readonly SettingProblem[] {
  if (given === undefined || given === null) return [];
  const { username, password = '' } = isMap(given) ? given : {};
  const isUser = typeof username === 'string' && username !== '' && username.length <= LONGEST_CREDENTIAL;
  const isPassword = typeof password === 'string' && password.length <= LONGEST_CREDENTIAL;
  return [
    ...(isUser ? [] : [settingProblem(`${setting}.username`, wording('not-empty'))]),
    ...(isPassword ? [] : [settingProblem(`${setting}.password`, wording('text'))]),
  ];
}

const LONGEST_CREDENTIAL = 1_000;

function invalid(what: string, problems: readonly SettingProblem[]): ConsoleProblem {
  return new ConsoleProblem(422, 'invalid-settings', `${what}: ${problems.map(({ message }) => message).join(' ')}`, {
    problems,
  });
}
