/**
 * The registry centre of a command: the application's settings under `elasticjob.regCenter`, from the same file and the
 * same environment, or under `elasticjob.regCenters` if `--registry` gives a name that stands there; options of the
 * command line override them. All other settings of the application are ignored here,
 * even invalid ones.
 */
import { isMap } from '../../api/text/describe-value.js';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { keyPath } from '../../api/job/job-name.js';
import { relaxed } from '../../api/text/nearest.js';
import { bind, withoutBrackets } from '../../settings/binding.js';
import { originKey, readEnvironment } from '../../settings/environment.js';
import { placeOfAddress, registryType, settingsOfOtherKinds } from '../../settings/registry-kind.js';
import { mergeSettings } from '../../settings/merge-settings.js';
import { DEFAULT_REG_CENTER, placeOfRegCenter } from '../../settings/reg-center-names.js';
import { type RegCenterSettings } from '../../settings/reg-center-settings.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type CommonOptions, type Surroundings } from '../surroundings.js';
import { secretIn, type SettingsFound } from './settings-sources.js';

/** A setting that is given on the command line. */
interface GivenSetting {
  /** The path of its name below `elasticjob.regCenter`, or below the registry centre that `--registry` names. */
  readonly path: readonly string[];
  readonly flag: string;
  readonly value: string;
}

const MISSING = {
  serverLists:
    'Which registry centre? Name it by --registry host:2181 (ZooKeeper) or --registry postgres://user@host/database, in the ' +
    'environment by ELASTICJOB_REGCENTER_SERVERLISTS or ELASTICJOB_REGCENTER_URL, or as elasticjob.regCenter in a file ' +
    '(--config elasticjob.yaml).',
  namespace:
    'Which namespace? Name it by --namespace orders, in the environment by ELASTICJOB_REGCENTER_NAMESPACE, ' +
    'or as elasticjob.regCenter.namespace in a file (--config elasticjob.yaml).',
} as const;

/** The servers or the namespace are not given anywhere. */
export class MissingRegistrySettingError extends CommandError {
  constructor(name: keyof typeof MISSING) {
    super(EXIT.usage, MISSING[name]);
  }
}

/** The options that name a registry centre. */
export interface RegistryOptions extends CommonOptions {
  /** Namespace where neither `namespace` nor the settings of the registry centre that `registry` names have one. */
  readonly usualNamespace?: string | undefined;
}

/**
 * Merges and checks the settings of the registry centre.
 * @throws InvalidConfigurationError naming all problems
 * @throws CommandError if the registry centre or the namespace is given nowhere, or the registry centre twice
 */
export function registrySettings(
  options: RegistryOptions,
  { file, environment }: SettingsFound,
  surroundings: Pick<Surroundings, 'directory'>,
): RegCenterSettings {
  const name = nameMeant(options, { file, environment });
  const place = placeOfRegCenter(name);
  const { registry, usualNamespace } = options;
  const usual = usualNamespace === undefined ? {} : { namespace: usualNamespace };
  const isNamed = name === registry;
  const given = isNamed
    ? givenSettings(options, surroundings).filter(({ flag }) => flag !== '--registry')
    : // An address has no settings: a namespace in the file or the environment is that of another place.
      givenSettings({ ...usual, ...options }, surroundings);
  // A place on the command line means another registry centre: settings of other kinds, and a DataSource that stands
  // for its url, belong to the former one.
  const type = registryType(Object.fromEntries(given.map(({ path, value }) => [path.join('.'), value])));
  const former = type === undefined ? [] : [...settingsOfOtherKinds(type), 'dataSource'];
  const own = withoutSettings(ownEntries(file, place), former);
  const merged = mergeSettings({
    code: isNamed
      ? [place.reduceRight<Readonly<Record<string, unknown>>>((inner, key) => ({ [key]: inner }), usual)]
      : [],
    file: withGiven(own, { given: options.tls === true ? [...given, TLS] : given, place }),
    environment: withoutGiven(environment, { given, former, place }),
  });
  const { problems = [] } = merged ?? {};
  const regCenter = merged?.regCenters.get(name) ?? {};
  for (const each of ['serverLists', 'namespace'] as const)
    if (regCenter[each] === undefined && !(each === 'serverLists' && registryType(regCenter) !== undefined))
      throw new MissingRegistrySettingError(each);
  if (problems.length > 0)
    throw new InvalidConfigurationError(problems.map((problem) => withFlag(problem, { given, place })));
  return regCenter;
}

/** The registry centre of the application that `--registry` names; the default one if it gives an address. */
function nameMeant(
  { registry = '' }: CommonOptions,
  { file, environment }: Pick<SettingsFound, 'file' | 'environment'>,
): string {
  const inFile = bind([{ source: 'file', tree: ownEntries(file, ['regCenters']) }]).regCenters.has(registry);
  const isNamed = inFile || placesIn(environment, registry).some(({ place: [, name] }) => name === registry);
  return isNamed ? registry : DEFAULT_REG_CENTER;
}

/** The places of the settings in the variables about registry centres of `elasticjob.regCenters`. */
function placesIn(
  environment: SettingsFound['environment'],
  known: string,
): readonly { readonly place: readonly string[]; readonly variable: string }[] {
  const { origins } = readEnvironment(environment, { jobs: new Map(), regCenters: known === '' ? [] : [known] });
  return [...origins]
    .map(([key, variable]) => ({ place: key.split('\0'), variable }))
    .filter(({ place: [section] }) => section === 'regCenters');
}

/** TLS with the certificate authorities that Node knows. */
const TLS = { path: ['tls'], flag: '--tls', value: undefined } as const;

function givenSettings(options: CommonOptions, surroundings: Pick<Surroundings, 'directory'>): readonly GivenSetting[] {
  const { registry, servers, namespace, digestFile, tlsPassphraseFile, saslPasswordFile } = options;
  if (registry !== undefined && servers !== undefined)
    throw new CommandError(EXIT.usage, '--servers and --registry both name the registry centre: give one of them.');
  const secret = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : secretIn(path, surroundings);
  const all: readonly { readonly [K in keyof GivenSetting]: GivenSetting[K] | undefined }[] = [
    { path: ['serverLists'], flag: '--servers', value: servers },
    { path: [placeOfAddress(registry ?? '')], flag: '--registry', value: registry },
    { path: ['namespace'], flag: '--namespace', value: namespace },
    { path: ['digest'], flag: '--digest-file', value: secret(digestFile) },
    { path: ['tls', 'ca'], flag: '--tls-ca', value: options.tlsCa },
    { path: ['tls', 'cert'], flag: '--tls-cert', value: options.tlsCert },
    { path: ['tls', 'key'], flag: '--tls-key', value: options.tlsKey },
    { path: ['tls', 'passphrase'], flag: '--tls-passphrase-file', value: secret(tlsPassphraseFile) },
    { path: ['tls', 'servername'], flag: '--tls-servername', value: options.tlsServername },
    { path: ['sasl', 'username'], flag: '--sasl-username', value: options.saslUsername },
    { path: ['sasl', 'password'], flag: '--sasl-password-file', value: secret(saslPasswordFile) },
  ];
  return all.filter((each): each is GivenSetting => each.value !== undefined);
}

/** The entries of the file at that place, in any spelling of the section's name. */
function ownEntries(
  file: Readonly<Record<string, unknown>>,
  [section = '', name]: readonly string[],
): Readonly<Record<string, unknown>> {
  const isOwn = ([key]: readonly [string, unknown]): boolean => withoutBrackets(key) === name;
  const entries = Object.entries(file).filter(([key]) => relaxed(key) === relaxed(section));
  if (name === undefined) return Object.fromEntries(entries);
  return Object.fromEntries(
    entries.map(([key, named]) => [
      key,
      isMap(named) ? Object.fromEntries(Object.entries(named).filter(isOwn)) : named,
    ]),
  );
}

/** The settings on the command line, and the place below `elasticjob` of the registry centre that they belong to. */
interface Given {
  readonly given: readonly (GivenSetting | typeof TLS)[];
  readonly place: readonly string[];
}

function withGiven(
  file: Readonly<Record<string, unknown>>,
  { given, place }: Given,
): Readonly<Record<string, unknown>> {
  return given.reduce((tree, { path, value }) => withValue(tree, [...place, ...path], value), file);
}

/** The tree with another value at that path. A section that is no map is left for the check of the settings. */
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

/** The entries about the registry centre without these of its settings, in any spelling. */
function withoutSettings(
  file: Readonly<Record<string, unknown>>,
  settings: readonly string[],
): Readonly<Record<string, unknown>> {
  const dropped = new Set(settings.map(relaxed));
  const kept = (section: unknown): unknown =>
    isMap(section)
      ? Object.fromEntries(Object.entries(section).filter(([key]) => !dropped.has(relaxed(key))))
      : section;
  return Object.fromEntries(Object.entries(file).map(([key, section]) => [key, kept(section)]));
}

/**
 * The variables about the registry centre, without those of settings that the command line gives, and of settings of
 * another kind of registry centre.
 */
function withoutGiven(
  environment: SettingsFound['environment'],
  { given, former, place }: Given & { readonly former: readonly string[] },
): Readonly<Record<string, string | undefined>> {
  const [, name = ''] = place;
  const others = placesIn(environment, name).filter(({ place: [, other] }) => name === '' || other !== name);
  const own = Object.entries(environment).filter(
    ([variable]) =>
      relaxed(variable).startsWith('elasticjobregcenter') && !others.some((other) => other.variable === variable),
  );
  const variables = Object.fromEntries(own);
  const { origins } = readEnvironment(variables, { jobs: new Map(), regCenters: name === '' ? [] : [name] });
  const isOf = (key: string, setting: string): boolean => `${key}\0`.startsWith(`${originKey([...place, setting])}\0`);
  const isLeftOut = (key: string): boolean =>
    (name !== '' && !key.startsWith(`${originKey(place)}\0`)) || former.some((setting) => isOf(key, setting));
  const replaced = [
    ...given.map(({ path }) => origins.get(originKey([...place, ...path]))),
    ...[...origins].flatMap(([key, variable]) => (isLeftOut(key) ? [variable] : [])),
  ];
  return Object.fromEntries(own.filter(([variable]) => !replaced.includes(variable)));
}

function withFlag(problem: string, { given, place }: Given): string {
  const path = place.reduce(keyPath, 'elasticjob');
  const found = given.find(({ path: setting }) => problem.startsWith(`${path}.${setting.join('.')}: `));
  return found === undefined ? problem : `${problem} (from ${found.flag})`;
}
