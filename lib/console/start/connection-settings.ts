/**
 * The fields of the registry centres and databases in the settings of the console (`registries`, `dataSources`) and of
 * the registry centre of its state, and the checks of them.
 */
import { inEnglish, type Wording } from '../../wording/wording.js';
import { IntegerSetting, problemsInMap, rule, Setting, TextSetting } from '../../api/settings/setting.js';
import { describeValue, isMap, withValue } from '../../api/text/describe-value.js';
import { SECURITY_SECTIONS } from '../../registry/zookeeper/zookeeper-options.js';
import { TlsSettings } from '../../registry/zookeeper/zookeeper-security.js';
import { ConnectionSettings } from '../../settings/reg-center-settings.js';
import { registryType, registryTypeProblems } from '../../settings/registry-kind.js';
import { DRIVERS, hostProblem } from '../services/trace/data-source-description.js';
import { servernameProblem } from '../services/connections/database-tls.js';
import { connectionNameProblem } from '../services/connections/registry-changes.js';

type Tree = Readonly<Record<string, unknown>>;

/** A registry centre of the settings. */
export class RegistryDeclaration extends ConnectionSettings {
  /** Its name in the page and in paths. */
  @Setting({ kind: 'text' }, rule('name', nameProblem)) name?: string;
}

/** A database of the settings. */
export class DataSourceDeclaration {
  /** Its name in the page and in paths. */
  @Setting({ kind: 'text' }, rule('name', nameProblem)) name?: string;
  /** The driver of the database. */
  @Setting({ kind: 'text' }, rule('driver', driverProblem)) driver?: string;
  /** Default: localhost. */
  @TextSetting({}, rule('host', hostProblem), rule('file', serverProblem)) host?: string;
  /** Default: that of the driver. */
  @IntegerSetting({ min: 1, max: 65_535 }, rule('file', serverProblem)) port?: number;
  /** The name of the database; for `sqljs`, the path of the file. */
  @TextSetting({}, rule('empty', emptyProblem)) database?: string;
  /** Default: the driver's. */
  @TextSetting({}, rule('file', serverProblem)) username?: string;
  /** Default: none. */
  @TextSetting({ secrecy: 'hidden' }, rule('file', serverProblem)) password?: string;
  /** Default: connections are not encrypted. */
  @Setting({ kind: 'section' }, rule('file', serverProblem)) tls?: TlsSettings;
}

/** The classes that declare the fields of each list of connections. */
export const CONNECTION_LISTS = { registries: RegistryDeclaration, dataSources: DataSourceDeclaration } as const;

/**
 * Checks the lists `registries` and `dataSources` of the options.
 * @returns the problems, one line each
 */
export function connectionProblems(options: Tree): readonly string[] {
  return [
    ...listProblems('console.registries', options['registries'], { given: 'registryCenter', problems: centerProblems }),
    ...listProblems('console.dataSources', options['dataSources'], { given: 'dataSource', problems: databaseProblems }),
  ];
}

/**
 * Checks the settings of a registry centre.
 * @param at the start of each line, such as `console.registries[0]`
 */
export function registryProblems(at: string, settings: Tree, type: new () => ConnectionSettings): readonly string[] {
  const place = { serverLists: "like 'host1:2181,host2:2181'; or url for PostgreSQL, or endpoints for etcd" };
  return [
    ...fieldProblems(at, settings, {
      needed: { ...(isOfKnownKind(settings) ? {} : place), namespace: "like 'orders'" },
      type,
    }),
    ...(isOfKnownKind(settings) ? registryTypeProblems(settings, at) : []),
    ...(['tls', 'sasl'] as const).flatMap((section) =>
      sectionProblems(`${at}.${section}`, settings[section], SECURITY_SECTIONS[section]),
    ),
  ];
}

/** True if the kind is named, or follows from a place. A wrong one is reported with the other fields. */
function isOfKnownKind(settings: Tree): boolean {
  const { type, serverLists } = settings;
  if (type !== undefined && typeof type !== 'string') return false;
  return serverLists !== '' && registryType(settings) !== undefined;
}

/** @returns the problem with a registry centre that code has made, or nothing */
export function givenCenterProblems(at: string, { registryCenter }: Tree): readonly string[] {
  const isCenter = typeof (registryCenter as Tree | null)?.['commit'] === 'function';
  return isCenter
    ? []
    : [`${at}.registryCenter: must be a RegistryCenter, got ${describeValue(registryCenter, 'hidden')}`];
}

function centerProblems(at: string, settings: Tree): readonly string[] {
  const name = isMissing(settings['name']) ? [`${at}.name: is required, for the page and for paths`] : [];
  return [...name, ...registryProblems(at, settings, RegistryDeclaration)];
}

function databaseProblems(at: string, settings: Tree): readonly string[] {
  const { driver, host, tls } = settings;
  const needed = {
    name: 'for the page and for paths',
    driver: `one of ${DRIVERS.join(', ')}`,
    database: driver === 'sqljs' ? 'the path of the file' : 'the name of the database',
  };
  const name = isMap(tls) ? servernameProblem({ driver, host, tls }) : undefined;
  return [
    ...fieldProblems(at, settings, { needed, type: DataSourceDeclaration }),
    ...sectionProblems(`${at}.tls`, tls, TlsSettings),
    ...(name === undefined ? [] : [`${at}.tls.servername: ${inEnglish(name)}`]),
  ];
}

function givenSourceProblems(at: string, { dataSource }: Tree): readonly string[] {
  const isSource = typeof (dataSource as Tree | null)?.['initialize'] === 'function';
  return isSource
    ? []
    : [`${at}.dataSource: must be a DataSource of TypeORM, got ${describeValue(dataSource, 'hidden')}`];
}

function listProblems(
  at: string,
  list: unknown,
  kind: {
    readonly given: 'registryCenter' | 'dataSource';
    readonly problems: (at: string, settings: Tree) => readonly string[];
  },
): readonly string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [`${at}: must be a list, got ${describeValue(list, 'hidden')}`];
  const problems = list.flatMap((each: unknown, index) => {
    const place = `${at}[${index}]`;
    if (!isMap(each)) return [`${place}: must be keys with values (key: value), got ${describeValue(each, 'hidden')}`];
    return kind.given in each ? givenProblems(place, each, kind.given) : kind.problems(place, each);
  });
  const names = list.filter(isMap).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return [...problems, ...(twice === undefined ? [] : [`${at}: has '${twice}' twice`])];
}

/** The problems of a connection that code has made: it may have a name, but no other settings. */
function givenProblems(at: string, each: Tree, given: 'registryCenter' | 'dataSource'): readonly string[] {
  const others = Object.keys(each).filter((key) => key !== 'name' && key !== given && each[key] !== undefined);
  const name = connectionNameProblem(each['name']);
  return [
    ...(name === undefined ? [] : [`${at}.name: ${inEnglish(withValue(name, each['name']))}`]),
    ...(given === 'registryCenter' ? givenCenterProblems(at, each) : givenSourceProblems(at, each)),
    ...others.map((key) => `${at}.${key}: must not be given with ${given}, which has it already`),
  ];
}

/** @param needed the fields that must be given, with the requirement of each */
function fieldProblems(
  at: string,
  settings: Tree,
  { needed, type }: { readonly needed: Readonly<Record<string, string>>; readonly type: new () => object },
): readonly string[] {
  const missing = Object.entries(needed).filter(([name]) => isMissing(settings[name]));
  const given = Object.entries(settings).filter(([name]) => !missing.some(([each]) => each === name));
  return [
    ...missing.map(([name, meaning]) => `${at}.${name}: is required, ${meaning}`),
    ...problemsInMap(Object.fromEntries(given), type, at),
  ];
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === '';
}

function sectionProblems(at: string, section: unknown, type: new () => object): readonly string[] {
  if (section === undefined) return [];
  // The settings of an application come as objects of the declaring class.
  const map: unknown = section instanceof type ? { ...section } : section;
  if (!isMap(map)) return [`${at}: must be keys with values (key: value), got ${describeValue(section, 'hidden')}`];
  return problemsInMap(map, type, at);
}

/** An empty name is not reported here, as the check for missing fields reports it. */
function nameProblem(name: unknown): Wording | undefined {
  return name === '' ? undefined : connectionNameProblem(name);
}

function driverProblem(driver: unknown): string | undefined {
  return (DRIVERS as readonly unknown[]).includes(driver) ? undefined : `must be one of ${DRIVERS.join(', ')}`;
}

function emptyProblem(text: string): string | undefined {
  return text.trim() === '' ? 'must not be empty' : undefined;
}

function serverProblem(_: unknown, { driver }: DataSourceDeclaration): string | undefined {
  return driver === 'sqljs' ? "must not be given with the driver sqljs: 'database' is the path of its file" : undefined;
}
