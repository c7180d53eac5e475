import { describeValue, isMap } from '../../api/text/describe-value.js';
import { ConnectionSettings } from '../../settings/reg-center-settings.js';
import { givenCenterProblems, registryProblems } from './connection-settings.js';

const AT = 'console.stateRegistry';

/**
 * Checks `stateRegistry`, and the other options that it requires.
 * @returns the problems, one line each
 */
export function stateRegistryProblems(options: Readonly<Record<string, unknown>>): readonly string[] {
  const { stateRegistry: settings } = options;
  if (settings === undefined) return [];
  if (!isMap(settings))
    return [
      `${AT}: must be keys with values (serverLists: 'zoo1:2181', namespace: 'console'), got ${describeValue(settings, 'hidden')}`,
    ];
  return [
    ...('registryCenter' in settings
      ? givenCenterProblems(AT, settings)
      : registryProblems(AT, settings, ConnectionSettings)),
    ...namespaceProblems(settings, options['registries']),
    ...missingKeys(options),
    ...(options['store'] === undefined
      ? []
      : ['console.store: must not be given with stateRegistry: one of the two is enough']),
  ];
}

/** The settings that say where a registry centre is, one for each kind. */
const PLACES = ['serverLists', 'url', 'endpoints', 'schema'] as const;

/** The problems of the namespace: Java would take a node in a namespace of jobs for a job. */
function namespaceProblems(settings: Readonly<Record<string, unknown>>, registries: unknown): readonly string[] {
  const { namespace } = settings;
  if (typeof namespace !== 'string' || !Array.isArray(registries)) return [];
  const around = registries
    .filter(isMap)
    .filter((each) => PLACES.every((place) => each[place] === settings[place]) && typeof each['namespace'] === 'string')
    .map((each) => String(each['namespace']))
    .find((jobs) => namespace === jobs || namespace.startsWith(`${jobs}/`));
  return around === undefined
    ? []
    : [
        `${AT}.namespace: must not be in the namespace '${around}', which has jobs; use one of its own, such as '${around}-console', got ${describeValue(namespace)}`,
      ];
}

/**
 * The problems of missing keys, which must be the same for all replicas and must not be stored beside the data that
 * they protect.
 */
function missingKeys({ sessionKeys, secretKey }: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...(sessionKeys === undefined || (Array.isArray(sessionKeys) && sessionKeys.length === 0)
      ? [
          'console.sessionKeys: is required with stateRegistry: all replicas accept the same cookies only with the same keys; set it, or EJC_SESSION_KEYS, to a random text of at least 32 characters, the same at each replica',
        ]
      : []),
    ...(secretKey === undefined
      ? [
          'console.secretKey: is required with stateRegistry: it encrypts the secrets that replicas share; set it, or EJC_SECRET_KEY, to a random text of at least 32 characters, the same at each replica',
        ]
      : []),
  ];
}
