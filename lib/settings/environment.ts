/**
 * Reads settings from environment variables, by Spring's rules of relaxed binding, which ignore case and separators:
 * `ELASTICJOB_REGCENTER_SERVERLISTS`, `ELASTICJOB_REG_CENTER_SERVER_LISTS` and `elasticjob.reg-center.server-lists`
 * are the same setting.
 *
 * A variable in capitals cannot spell every name of a job or of a property, so:
 * - `ELASTICJOB_JOBS_SYNCORDERS_…` or `…_SYNC_ORDERS_…` means the known job whose name is the same if case and
 *   separators are ignored (`syncOrders`, `sync-orders`). If there is none, it means a new job of that name in lower
 *   case (`syncorders`, `sync_orders`).
 * - `…_PROPS_EMAIL_USESSL` means the known property whose key is the same if case and separators are ignored: that of a
 *   weaker source, or of the library (`email.useSsl`). If there is none, it means a new one in lower case with a dot
 *   for each `_` (`my.key`).
 *
 * A name with dots is exact, as in Java: `elasticjob.jobs.syncOrders.cron`. Other programs write into the environment
 * too, and Kubernetes does for each Service: only a variable that resembles a setting can be a mistake.
 */
import { isNearly, relaxed, suggestion } from '../api/text/nearest.js';
import { PROPERTY_KEYS } from '../api/settings/property-keys.js';
import { settingsOf } from '../api/settings/setting.js';
import { SECURITY_SECTIONS } from '../registry/zookeeper/zookeeper-options.js';
import { JobSettings } from './job-settings.js';
import { DumpSettings } from './dump-settings.js';
import { ModuleSettings } from './module-settings.js';
import { COMMAND_LINE, isQuoted, QUOTED, type RefusedText } from './files/refused-text.js';
import { RegCenterSettings } from './reg-center-settings.js';
import { TracingSettings } from './tracing-settings.js';

/** The settings of the environment. */
export interface EnvironmentReading {
  /** The tree under `elasticjob`. */
  readonly tree: Readonly<Record<string, unknown>>;
  /** The variable from which each setting came, by its place (see `originKey`). */
  readonly origins: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
  /** Variables that begin with `ELASTICJOB_` but resemble no setting; they may belong to another program. */
  readonly unrelatedVariables: readonly string[];
  /** Variables whose names begin almost like those of settings, such as `ELASTIC_JOB_…`. */
  readonly misspeltVariables: readonly string[];
  /**
   * New jobs whose names are in lower case only because capitals cannot spell them, with one of their variables each.
   */
  readonly folded: ReadonlyMap<string, string>;
}

/** A setting's place in the tree, outermost name first. */
type Place = readonly string[];

/** Known names of jobs, with the keys of their properties. */
export type KnownJobs = ReadonlyMap<string, readonly string[]>;

/** The variables of a process by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const SECTIONS = ['regCenter', 'regCenters', 'jobs', 'tracing', 'dump'];

/** The names that the other sources have; a variable in capitals means one of them if it can. */
export interface KnownNames {
  readonly jobs: KnownJobs;
  /** Registry centres of `elasticjob.regCenters`. Default: none. */
  readonly regCenters?: readonly string[];
}

/**
 * Reads all variables of `environment` that begin with `ELASTICJOB_`. A variable that is empty, or blank, counts as not
 * set.
 */
export function readEnvironment(environment: Environment, known: KnownNames): EnvironmentReading {
  const reading = {
    ...{ tree: {}, origins: new Map<string, string>(), folded: new Map<string, string>() },
    ...{ problems: [] as string[], unrelatedVariables: [] as string[], misspeltVariables: [] as string[] },
  };
  const jobs = new Map(known.jobs);
  const regCenters = new Set(known.regCenters);
  const names: Names = { jobs, regCenters };
  const unclear: string[] = [];
  for (const variable of exactFirst(ownVariables(environment))) {
    const parts = partsOf(variable);
    const place = parts && settingMeant(parts, names);
    if (place === undefined) {
      unclear.push(variable);
      continue;
    }
    const [section, name = ''] = place;
    if (section === 'jobs' && !jobs.has(name)) {
      jobs.set(name, []);
      if (!variable.includes(name)) reading.folded.set(name, variable);
    }
    if (section === 'regCenters') regCenters.add(name);
    add(reading, { place, variable, value: environment[variable] ?? '' });
  }
  // Only now are all names known, also those that the environment alone defines.
  for (const variable of unclear.sort()) judge(reading, { variable, value: environment[variable] ?? '', names });
  reading.problems.sort();
  return reading;
}

/** The names that are known so far. */
interface Names {
  readonly jobs: KnownJobs;
  readonly regCenters: ReadonlySet<string>;
}

type Draft = {
  -readonly [Key in keyof EnvironmentReading]: EnvironmentReading[Key] extends readonly string[]
    ? string[]
    : EnvironmentReading[Key] extends ReadonlyMap<string, string>
      ? Map<string, string>
      : Record<string, unknown>;
};

function add(
  { tree, origins, problems }: Draft,
  { place, variable, value }: { readonly place: Place; readonly variable: string; readonly value: string },
): void {
  const key = originKey(place);
  const other = origins.get(key);
  if (other !== undefined) {
    const [first, second] = [other, variable].sort();
    problems.push(`elasticjob.${place.join('.')}: is given twice, by ${first} and ${second}`);
    return;
  }
  origins.set(key, variable);
  put(tree, place, isQuoted(value) && place.at(-1) !== COMMAND_LINE ? QUOTED : value);
}

/** A variable that means no setting: one that resembles a setting is a mistake. */
function judge(
  reading: Draft,
  { variable, value, names }: { readonly variable: string; readonly value: string; readonly names: Names },
): void {
  const parts = partsOf(variable);
  if (parts === undefined) {
    if (isMisspelt(variable)) reading.misspeltVariables.push(variable);
    return;
  }
  const place = resembled(parts, names);
  if (place === undefined) reading.unrelatedVariables.push(variable);
  else if ('problem' in place) reading.problems.push(`${variable}: ${place.problem}`);
  else add(reading, { place, variable, value });
}

/** The variables that have a value, which may not be blanks only, without those that Kubernetes makes for Services. */
function ownVariables(environment: Environment): readonly string[] {
  const set = Object.keys(environment).filter((variable) => (environment[variable] ?? '').trim() !== '');
  const services = set.flatMap((variable) => /^(.+)_SERVICE_HOST$/.exec(variable)?.[1] ?? []);
  const isLink = (variable: string): boolean =>
    services.some(
      (service) =>
        variable.startsWith(`${service}_`) &&
        isServiceLink(variable.slice(service.length), environment[variable] ?? ''),
    );
  return set.filter((variable) => !isLink(variable));
}

/**
 * `ELASTICJOB_DUMP_PORT` is the port of a Service `elasticjob-dump` only if it is an address: a setting is a number.
 */
function isServiceLink(suffix: string, value: string): boolean {
  if (suffix === '_PORT') return /^(tcp|udp|sctp):/.test(value);
  return /^_(SERVICE_(HOST|PORT(_.+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/.test(suffix);
}

/** In alphabetical order, but variables with small letters first: they can spell the names of new jobs. */
function exactFirst(variables: readonly string[]): readonly string[] {
  const capitals = (variable: string): number => Number(!/\p{Ll}/u.test(variable));
  return [...variables].sort().sort((one, other) => capitals(one) - capitals(other));
}

/** True if the first word or two of a name are `elasticjob`, with at most one letter wrong. */
function isMisspelt(variable: string): boolean {
  const [first = '', second = ''] = variable.split(/[-._]+/);
  return [first, first + second].some((start) => isNearly(start, 'elasticjob'));
}

/** The key of a place in `EnvironmentReading.origins`: its names below `elasticjob`, joined by NUL. */
export function originKey(place: Place): string {
  return place.join('\0');
}

/**
 * The words of a name after `elasticjob`. Only a name with dots is exact; other words in capitals are taken in lower
 * case.
 */
function partsOf(variable: string): readonly string[] | undefined {
  const [, separator, rest = ''] = /^elasticjob([._])(.+)$/i.exec(variable) ?? [];
  const words = separator === '.' ? rest.split('.') : rest.split(/[._]+/).map(folded);
  const parts = words.filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts;
}

function folded(word: string): string {
  return /\p{Ll}/u.test(word) ? word : word.toLowerCase();
}

function scalars(): readonly string[] {
  return [...settingsOf(ModuleSettings)].flatMap(([name, { kind }]) =>
    kind === 'section' || kind === 'code' ? [] : [name],
  );
}

/** No setting has a name of as many words. Each word may be the end of a job's name. */
const MOST_WORDS = 100;

/** The setting that a name means, perhaps a setting of a job that no other source names. */
function settingMeant(parts: readonly string[], { jobs, regCenters }: Names): Place | undefined {
  if (parts.length > MOST_WORDS) return undefined;
  const scalar = named(parts, scalars());
  if (scalar !== undefined) return [scalar];
  const { section, rest } = sectionOf(parts);
  if (section === 'jobs') return jobSettingMeant(rest, jobs);
  if (section === 'regCenters') return regCenterSettingMeant(rest, regCenters);
  const place = section === undefined ? undefined : inSection(section, rest);
  return place?.setting === undefined ? undefined : [...place.section, place.setting];
}

/** The section that the first words mean. */
function sectionOf(parts: readonly string[]): {
  readonly section: string | undefined;
  readonly rest: readonly string[];
} {
  for (let length = 1; length < parts.length; length++) {
    const section = named(parts.slice(0, length), SECTIONS);
    if (section !== undefined) return { section, rest: parts.slice(length) };
  }
  return { section: undefined, rest: parts };
}

/** The declared settings of a section, and the one that the words mean; `undefined` if they mean none. */
function inSection(
  section: string,
  parts: readonly string[],
): {
  readonly section: Place;
  readonly rest: readonly string[];
  readonly names: readonly string[];
  readonly setting: string | undefined;
} {
  const [first = '', ...others] = parts;
  const inner = Object.entries(SECURITY_SECTIONS).find(([name]) => section === 'regCenter' && name === relaxed(first));
  const isInner = inner !== undefined && others.length > 0;
  const type = isInner ? inner[1] : TYPES[section as keyof typeof TYPES];
  const rest = isInner ? others : parts;
  const names = [...settingsOf(type)].flatMap(([name, { kind }]) => (kind === 'section' ? [] : [name]));
  return { section: isInner ? [section, inner[0]] : [section], rest, names, setting: named(rest, names) };
}

/** The sections besides the jobs. */
const TYPES = { regCenter: RegCenterSettings, tracing: TracingSettings, dump: DumpSettings } as const;

/** The setting that was probably meant by a name that means none; `undefined` if the name resembles no setting. */
function resembled(
  parts: readonly string[],
  { jobs, regCenters }: Names,
): Place | { readonly problem: string } | undefined {
  if (parts.length > MOST_WORDS) return undefined;
  const whole = named(parts, SECTIONS);
  if (whole !== undefined) return { problem: isSection(whole, whole) };
  const { section, rest } = sectionOf(parts);
  if (section === 'jobs') return resembledInJobs(rest, jobs);
  if (section === 'regCenters') return resembledInRegCenters(rest, regCenters);
  if (section === undefined) return resembledAtTop(parts);
  const inner = section === 'regCenter' ? named(rest, Object.keys(SECURITY_SECTIONS)) : undefined;
  if (inner !== undefined) return { problem: isSection(inner, `regCenter_${inner}`) };
  const place = inSection(section, rest);
  const name = place.rest.join('-');
  return suggestion(name, place.names) === '' ? undefined : [...place.section, name];
}

/** The setting of a known registry centre; otherwise that of a new one, whose name has as few words as possible. */
function regCenterSettingMeant(parts: readonly string[], known: ReadonlySet<string>): Place | undefined {
  const meant = splitsOf(parts).flatMap(({ name, rest }): readonly [string | undefined, Place][] => {
    const { section, setting } = inSection('regCenter', rest);
    if (setting === undefined) return [];
    const found = named(name, known);
    return [[found, ['regCenters', found ?? name.join('_'), ...section.slice(1), setting]]];
  });
  const [, place] = meant.find(([found]) => found !== undefined) ?? meant[0] ?? [];
  return place;
}

function resembledInRegCenters(
  parts: readonly string[],
  known: ReadonlySet<string>,
): Place | { readonly problem: string } | undefined {
  if (named(parts, known) !== undefined)
    return { problem: `is not a setting of a registry centre; its settings are ${settingsIn('regCenters')}` };
  return splitsOf(parts).flatMap(({ name, rest }): readonly Place[] => {
    const found = named(name, known);
    const { section, rest: words, names } = inSection('regCenter', rest);
    const key = words.join('-');
    if (found === undefined || suggestion(key, names) === '') return [];
    return [['regCenters', found, ...section.slice(1), key]];
  })[0];
}

function resembledAtTop(parts: readonly string[]): { readonly problem: string } | undefined {
  const whole = parts.join('-');
  const meant =
    suggestion(whole, scalars()) ||
    suggestion(String(parts[0]), SECTIONS) ||
    suggestion(parts.slice(0, 2).join(''), ['regCenter']);
  return meant === '' ? undefined : { problem: `unknown key '${whole}'${meant}` };
}

function isSection(name: string, path: string): string {
  return `'${name}' is a section; its settings are ${settingsIn(path)}`;
}

function settingsIn(path: string): string {
  return `ELASTICJOB_${path.toUpperCase()}_${['jobs', 'regCenters'].includes(path) ? '<NAME>_' : ''}<SETTING>`;
}

interface Split {
  readonly name: readonly string[];
  readonly rest: readonly string[];
}

/** Each way to take the first words as the name of a job. */
function splitsOf(parts: readonly string[]): readonly Split[] {
  return parts.slice(1).map((_, index) => ({ name: parts.slice(0, index + 1), rest: parts.slice(index + 1) }));
}

function ofKnownJobs(
  parts: readonly string[],
  jobs: KnownJobs,
): readonly { readonly job: string; readonly props: readonly string[]; readonly rest: readonly string[] }[] {
  const splits = new Map(splitsOf(parts).map(({ name, rest }) => [relaxed(name.join('')), rest]));
  return [...jobs].flatMap(([job, props]) => {
    const rest = splits.get(relaxed(job));
    return rest === undefined ? [] : [{ job, props, rest }];
  });
}

function placesInJobs(parts: readonly string[], jobs: KnownJobs): readonly Place[] {
  return ofKnownJobs(parts, jobs).flatMap(({ job, props, rest }) => {
    const setting = settingOf(rest, props);
    return setting === undefined ? [] : [['jobs', job, ...setting]];
  });
}

function jobSettingMeant(parts: readonly string[], jobs: KnownJobs): Place | undefined {
  const [place, another] = placesInJobs(parts, jobs);
  if (place !== undefined) return another === undefined ? place : undefined;
  for (const { name, rest } of splitsOf(parts)) {
    const setting = settingOf(rest, []);
    if (setting !== undefined) return ['jobs', name.join('_'), ...setting];
  }
  return undefined;
}

function resembledInJobs(parts: readonly string[], jobs: KnownJobs): Place | { readonly problem: string } | undefined {
  const [place, another] = placesInJobs(parts, jobs);
  if (place !== undefined && another !== undefined)
    return { problem: `may mean the job '${place[1]}' or the job '${another[1]}'; set it in code or in a file` };
  if (named(parts, jobs.keys()) !== undefined)
    return { problem: `is not a setting of a job; a job's settings are ${settingsIn('jobs')}` };
  const settings = [...settingsOf(JobSettings).keys()];
  const near = ofKnownJobs(parts, jobs).find(
    ({ rest }) => named(rest, settings) !== undefined || suggestion(rest.join('-'), settings) !== '',
  );
  return near && ['jobs', near.job, near.rest.join('-')];
}

function settingOf(parts: readonly string[], props: readonly string[]): Place | undefined {
  const [first, ...rest] = parts;
  if (first === 'props' && rest.length > 0)
    return ['props', named(rest, [...props, ...PROPERTY_KEYS]) ?? rest.join('.')];
  const setting = named(parts, settingsOf(JobSettings).keys());
  return setting === undefined || setting === 'props' ? undefined : [setting];
}

function named(parts: readonly string[], names: Iterable<string>): string | undefined {
  const wanted = relaxed(parts.join(''));
  for (const name of names) if (relaxed(name) === wanted) return name;
  return undefined;
}

function put(tree: Record<string, unknown>, [name = '', ...rest]: Place, value: string | RefusedText): void {
  const inner = Object.hasOwn(tree, name) ? (tree[name] as Record<string, unknown>) : {};
  if (rest.length > 0) put(inner, rest, value);
  // An assignment to `__proto__` would change the prototype instead of adding a key.
  Object.defineProperty(tree, name, {
    value: rest.length > 0 ? inner : value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
