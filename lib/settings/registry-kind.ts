import { describeValue } from '../api/text/describe-value.js';
import { namespaceProblem, tlsSchemeProblem } from '../registry/etcd/etcd-options.js';
import { REGISTRY_TYPES, type RegCenterSettings } from './reg-center-settings.js';

export type RegistryType = (typeof REGISTRY_TYPES)[number];

type Setting = Exclude<keyof RegCenterSettings, 'type' | 'required'>;

/** Settings of a registry centre of an application, or of another part of one, which has no `dataSource`. */
type Settings = Omit<RegCenterSettings, 'required'>;

/** The setting that says where a registry centre is. */
const PLACES: Readonly<Record<RegistryType, Setting>> = {
  ZOOKEEPER: 'serverLists',
  POSTGRESQL: 'url',
  ETCD: 'endpoints',
};

const NAMES: Readonly<Record<RegistryType, string>> = {
  ZOOKEEPER: 'ZooKeeper',
  POSTGRESQL: 'PostgreSQL',
  ETCD: 'etcd',
};

const EXAMPLES: Readonly<Record<RegistryType, string>> = {
  ZOOKEEPER: "a list of servers like 'host1:2181,host2:2181'",
  POSTGRESQL: "a URL like 'postgres://user:password@host:5432/database'",
  ETCD: "a list of members like 'http://host1:2379,http://host2:2379'",
};

/** The settings that not every kind has. */
const OWN: Readonly<Record<RegistryType, readonly Setting[]>> = {
  ZOOKEEPER: [
    ...(['serverLists', 'baseSleepTimeMilliseconds', 'maxSleepTimeMilliseconds', 'maxRetries'] as const),
    ...(['digest', 'tls', 'sasl'] as const),
  ],
  POSTGRESQL: ['url', 'dataSource', 'schema', 'connections', 'notify'],
  ETCD: ['endpoints', 'username', 'password', 'maxTxnOps', 'tls'],
};

/** The kind that the settings name, or that follows from them; `undefined`: none, jobs stay inside this process. */
export function registryType({ type, url, dataSource, endpoints, serverLists }: Settings): RegistryType | undefined {
  if (type !== undefined) return REGISTRY_TYPES.find((each) => each === type.toUpperCase());
  if (url !== undefined || dataSource !== undefined) return 'POSTGRESQL';
  if (endpoints !== undefined) return 'ETCD';
  return serverLists === undefined ? undefined : 'ZOOKEEPER';
}

/** The names of the settings that a registry centre of that kind does not have, and of those that name a kind. */
export function settingsOfOtherKinds(type: RegistryType): readonly string[] {
  const others = REGISTRY_TYPES.filter((each) => each !== type).flatMap((each) => OWN[each]);
  return ['type', ...new Set(others.filter((setting) => !OWN[type].includes(setting)))];
}

/** The setting that an address belongs to, by its scheme: servers of ZooKeeper have none. */
export function placeOfAddress(address: string): 'url' | 'endpoints' | 'serverLists' {
  if (/^postgres(ql)?:/i.test(address)) return 'url';
  return /^https?:/i.test(address) ? 'endpoints' : 'serverLists';
}

/**
 * @param path the key path of the settings, such as `elasticjob.regCenter` or `console.registries[0]`
 * @returns what is wrong with the settings together: place and requirement, one line each
 */
export function registryTypeProblems(settings: Settings, path: string): readonly string[] {
  const type = registryType(settings);
  if (type === undefined) return [];
  const place = PLACES[type];
  const { dataSource } = settings;
  const missing = settings[place] === undefined && !(type === 'POSTGRESQL' && dataSource !== undefined);
  const others = REGISTRY_TYPES.filter((each) => each !== type).flatMap((each) =>
    OWN[each]
      .filter((setting) => settings[setting] !== undefined && !OWN[type].includes(setting))
      .map(
        (setting) =>
          `${path}.${setting}: is a setting of ${NAMES[each]}, and the registry centre is ${NAMES[type]}; remove it`,
      ),
  );
  return [
    ...(missing ? [`${path}.${place}: is required with type ${type} and must be ${EXAMPLES[type]}`] : []),
    ...(settings.url !== undefined && dataSource !== undefined
      ? [`${path}.dataSource: must not be set beside url, as both say where PostgreSQL is; give only one of them`]
      : []),
    ...others,
    ...(type === 'ETCD' ? etcdProblems(settings, path) : []),
  ];
}

/** Checks texts that etcd does not accept although other registry centres do. */
function etcdProblems({ namespace, endpoints, tls }: Settings, path: string): readonly string[] {
  const problem = namespace === undefined ? undefined : namespaceProblem(namespace);
  const scheme = tls === undefined ? undefined : tlsSchemeProblem(endpoints);
  return [
    ...(problem === undefined ? [] : [`${path}.namespace: ${problem}, got ${describeValue(namespace)}`]),
    ...(scheme === undefined ? [] : [`${path}.tls: ${scheme}`]),
  ];
}
