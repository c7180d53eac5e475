/**
 * Where the registry centre is, for a command: the settings under `elasticjob.regCenter` that the application has, from
 * the same file and the same environment; what is given on the command line wins. All other settings of the
 * application, be they right or wrong, do not matter here.
 */
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { relaxed } from '../../api/text/nearest.js';
import { originKey, readEnvironment } from '../../settings/environment.js';
import { mergeSettings } from '../../settings/merge-settings.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type CommonOptions, type Surroundings } from '../surroundings.js';
import { secretIn, type SettingsFound } from './settings-sources.js';

/** A setting that is given on the command line. */
interface GivenSetting {
  /** Its names below `elasticjob.regCenter`. */
  readonly place: readonly string[];
  readonly flag: string;
  readonly value: string;
}

const MISSING = {
  serverLists:
    'Which ZooKeeper? Name its servers by --servers host:2181, in the environment by ELASTICJOB_REGCENTER_SERVERLISTS, ' +
    'or as elasticjob.regCenter.serverLists in a file (--config elasticjob.yaml).',
  namespace:
    'Which namespace? Name it by --namespace orders, in the environment by ELASTICJOB_REGCENTER_NAMESPACE, ' +
    'or as elasticjob.regCenter.namespace in a file (--config elasticjob.yaml).',
} as const;

/** Nothing says which servers, or which namespace. */
export class MissingPlaceError extends CommandError {
  constructor(name: keyof typeof MISSING) {
    super(EXIT.usage, MISSING[name]);
  }
}

/**
 * Merges and checks the settings of the registry centre.
 * @throws InvalidConfigurationError naming everything that is wrong
 * @throws CommandError if the servers or the namespace are given nowhere
 */
export function registrySettings(
  options: CommonOptions,
  { file, environment }: SettingsFound,
  surroundings: Pick<Surroundings, 'directory'>,
): RegCenterSettings {
  const given = givenSettings(options, surroundings);
  const merged = mergeSettings({
    code: [],
    file: withGiven(ownEntries(file), options.tls === true ? [...given, TLS] : given),
    environment: withoutGiven(environment, given),
  });
  const { regCenter, problems } = merged ?? { regCenter: {}, problems: [] };
  for (const name of ['serverLists', 'namespace'] as const)
    if (regCenter[name] === undefined) throw new MissingPlaceError(name);
  if (problems.length > 0) throw new InvalidConfigurationError(problems.map((problem) => withFlag(problem, given)));
  return regCenter;
}

/** TLS with the certificate authorities that Node knows. */
const TLS = { place: ['tls'], flag: '--tls', value: undefined } as const;

function givenSettings(options: CommonOptions, surroundings: Pick<Surroundings, 'directory'>): readonly GivenSetting[] {
  const { servers, namespace, digestFile, tlsPassphraseFile, saslPasswordFile } = options;
  const secret = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : secretIn(path, surroundings);
  const all: readonly { readonly [K in keyof GivenSetting]: GivenSetting[K] | undefined }[] = [
    { place: ['serverLists'], flag: '--servers', value: servers },
    { place: ['namespace'], flag: '--namespace', value: namespace },
    { place: ['digest'], flag: '--digest-file', value: secret(digestFile) },
    { place: ['tls', 'ca'], flag: '--tls-ca', value: options.tlsCa },
    { place: ['tls', 'cert'], flag: '--tls-cert', value: options.tlsCert },
    { place: ['tls', 'key'], flag: '--tls-key', value: options.tlsKey },
    { place: ['tls', 'passphrase'], flag: '--tls-passphrase-file', value: secret(tlsPassphraseFile) },
    { place: ['tls', 'servername'], flag: '--tls-servername', value: options.tlsServername },
    { place: ['sasl', 'username'], flag: '--sasl-username', value: options.saslUsername },
    { place: ['sasl', 'password'], flag: '--sasl-password-file', value: secret(saslPasswordFile) },
  ];
  return all.filter((each): each is GivenSetting => each.value !== undefined);
}

/** The entries of the file about the registry centre, however its name is spelt. */
function ownEntries(file: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(file).filter(([key]) => relaxed(key) === 'regcenter'));
}

function withGiven(
  file: Readonly<Record<string, unknown>>,
  given: readonly (GivenSetting | typeof TLS)[],
): Readonly<Record<string, unknown>> {
  return given.reduce((tree, { place, value }) => withValue(tree, ['regCenter', ...place], value), file);
}

/** The tree with another value at that place. A section that is none is left for the check of the settings. */
function withValue(
  tree: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  value: string | undefined,
): Readonly<Record<string, unknown>> {
  const key = Object.keys(tree).find((each) => relaxed(each) === relaxed(name)) ?? name;
  const inner = tree[key] ?? {};
  if (rest.length === 0) return { ...tree, [key]: value ?? inner };
  return isMap(inner) ? { ...tree, [key]: withValue(inner, rest, value) } : tree;
}

/** The variables about the registry centre, without those of settings that the command line gives. */
function withoutGiven(
  environment: SettingsFound['environment'],
  given: readonly GivenSetting[],
): Readonly<Record<string, string | undefined>> {
  const own = Object.entries(environment).filter(([name]) => relaxed(name).startsWith('elasticjobregcenter'));
  const variables = Object.fromEntries(own);
  const { origins } = readEnvironment(variables, new Map());
  const replaced = given.map(({ place }) => origins.get(originKey(['regCenter', ...place])));
  return Object.fromEntries(own.filter(([name]) => !replaced.includes(name)));
}

function withFlag(problem: string, given: readonly GivenSetting[]): string {
  const found = given.find(({ place }) => problem.startsWith(`elasticjob.regCenter.${place.join('.')}: `));
  return found === undefined ? problem : `${problem} (from ${found.flag})`;
}
