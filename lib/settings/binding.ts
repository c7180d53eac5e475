/**
 * Binds settings from several sources to one tree, as Spring does:
 *
 * ```
 *   @ElasticJob(name, {…})  <  forRoot({…})  <  elasticjob.yaml  <  ELASTICJOB_… variables      (the right one wins)
 * ```
 * field by field; properties (`props`) key by key. Names are relaxed: `regCenter`, `reg-center`, `reg_center` and
 * `REGCENTER` are one. Names of jobs are exact, except in the environment (see `environment.ts`).
 * In files and the environment a text that is written like a number or a boolean is converted to one; in code it is
 * not. An empty value of a file (`digest:`) counts as not set. Binding checks names and shapes. Values are checked
 * later, once all sources are merged.
 */
import { describeValue, isMap } from '../api/text/describe-value.js';
import { keyPath } from '../api/job/job-name.js';
import { knownNames, relaxed, suggestion } from '../api/text/nearest.js';
import { flattenProps } from '../api/settings/props.js';
import { settingsOf, type SettingDeclaration } from '../api/settings/setting.js';
import { SECURITY_SECTIONS } from '../registry/zookeeper/zookeeper-options.js';
import { JobSettings } from './job-settings.js';
import { ElasticJobSettings, ModuleSettings } from './module-settings.js';
import { DEFAULT_REG_CENTER, placeOfRegCenter, regCenterNameProblems } from './reg-center-names.js';
import { RegCenterSettings } from './reg-center-settings.js';
import { DumpSettings } from './dump-settings.js';
import { isQuoted, QUOTED, RefusedText } from './files/refused-text.js';
import { TracingSettings } from './tracing-settings.js';

/** One source of settings. */
export interface Layer {
  readonly source: 'code' | 'file' | 'environment';
  /** The tree under `elasticjob`, unchecked. */
  readonly tree: unknown;
  /** The origin of a key, as the end of a message, by its place below `elasticjob`. Default: nothing. */
  readonly origin?: (place: readonly string[]) => string;
}

/** Values by canonical name. */
export type Section = Map<string, unknown>;

/** Settings by canonical name; their values are unchecked. */
export interface BoundTree {
  readonly module: Section;
  /** By name; that of `elasticjob.regCenter` comes first, and is always there. */
  readonly regCenters: Map<string, Section>;
  readonly tracing: Section;
  readonly dump: Section;
  /** By job name. */
  readonly jobs: Map<string, Section>;
  /** The problems with names and shapes, one line each. */
  readonly problems: string[];
}

/** The parts that the binding of one map needs. */
interface Binding {
  readonly path: string;
  /** The names of the path below `elasticjob`. */
  readonly place: readonly string[];
  readonly origin: (place: readonly string[]) => string;
  readonly source: Layer['source'];
  readonly settings: ReadonlyMap<string, SettingDeclaration>;
  readonly problems: string[];
}

/** Binds the layers to one tree; later layers win. */
export function bind(layers: readonly Layer[]): BoundTree {
  const merged: BoundTree = {
    ...{
      module: new Map(),
      regCenters: new Map([[DEFAULT_REG_CENTER, new Map<string, unknown>()]]),
      tracing: new Map(),
      dump: new Map(),
    },
    ...{ jobs: new Map(), problems: [] },
  };
  for (const layer of layers) {
    if (layer.tree !== undefined) merge(merged, bindLayer(layer));
  }
  return merged;
}

function bindLayer({ source, tree, origin = () => '' }: Layer): BoundTree {
  const problems: string[] = [];
  const bound = (place: readonly string[], settings: Binding['settings'], raw: unknown): Section =>
    bindSection(raw, { path: pathOf(place), place, origin, source, settings, problems });
  const module = bound([], settingsOf(ElasticJobSettings), tree);
  const center = (name: string, raw: unknown): Section => {
    const place = placeOfRegCenter(name);
    const section = bound(place, settingsOf(RegCenterSettings), raw);
    for (const [inner, type] of Object.entries(SECURITY_SECTIONS))
      if (section.has(inner)) section.set(inner, bound([...place, inner], settingsOf(type), take(section, inner)));
    return section;
  };
  const named = (name: 'jobs' | 'regCenters', bindOne: (key: string, raw: unknown) => Section): Map<string, Section> =>
    bindNamed(take(module, name), { name, source, problems, bindOne });
  const others = named('regCenters', center);
  if (others.delete(DEFAULT_REG_CENTER))
    problems.push(...regCenterNameProblems(pathOf(['regCenters']), [DEFAULT_REG_CENTER]));
  const regCenters = new Map([[DEFAULT_REG_CENTER, center(DEFAULT_REG_CENTER, take(module, 'regCenter'))], ...others]);
  const jobs = named('jobs', (name, raw) => bound(['jobs', name], settingsOf(JobSettings), raw));
  const tracing = bound(['tracing'], settingsOf(TracingSettings), take(module, 'tracing'));
  const dump = bound(['dump'], settingsOf(DumpSettings), take(module, 'dump'));
  return { module, regCenters, tracing, dump, jobs, problems };
}

/** Binds a section whose keys are names: of jobs, or of registry centres. */
function bindNamed(
  raw: unknown,
  {
    name: section,
    source,
    problems,
    bindOne,
  }: Pick<Layer, 'source'> & {
    readonly name: 'jobs' | 'regCenters';
    readonly problems: string[];
    readonly bindOne: (name: string, raw: unknown) => Section;
  },
): Map<string, Section> {
  const named = new Map<string, Section>();
  for (const [key, value] of entriesOf(raw, { path: pathOf([section]), source, problems })) {
    const name = source === 'file' ? withoutBrackets(key) : key;
    const path = pathOf([section, name]);
    if (named.has(name)) problems.push(`${path}: is given twice in one place, with brackets and without`);
    else named.set(name, bindOne(name, value));
  }
  return named;
}

/** Removes Spring's brackets around names with other characters than letters and digits: `'[sync orders]'`. */
export function withoutBrackets(key: string): string {
  return /^\[([^[\]]+)\]$/.exec(key)?.[1] ?? key;
}

function pathOf(place: readonly string[]): string {
  return place.reduce(keyPath, 'elasticjob');
}

function take(section: Section, name: string): unknown {
  const value = section.get(name);
  section.delete(name);
  return value;
}

/**
 * The most unknown keys of one place that are reported with a suggestion: more are not slips of the pen. The others are
 * counted.
 */
const MOST_UNKNOWN = 100;

function bindSection(raw: unknown, binding: Binding): Section {
  const { path, place, origin, source, settings, problems } = binding;
  const names = [...settings].flatMap(([name, { kind }]) => (kind === 'code' && source !== 'code' ? [] : [name]));
  const section: Section = new Map();
  let unknown = 0;
  for (const [key, value] of entriesOf(raw, binding)) {
    const wanted = relaxed(key);
    const name = names.find((candidate) => candidate === key) ?? names.find((one) => relaxed(one) === wanted);
    const declaration = name === undefined ? undefined : settings.get(name);
    if (name === undefined || declaration === undefined) {
      // The search for the key that was meant takes a while.
      if (++unknown <= MOST_UNKNOWN)
        problems.push(
          `${keyPath(path, key)}: unknown key${hint(key, value, { place, names })}${origin([...place, key])}`,
        );
    } else if (section.has(name)) {
      problems.push(`${keyPath(path, key)}: is given twice in one place, under different spellings of '${name}'`);
    } else if (source === 'code') {
      section.set(name, value);
    } else if (!isEmpty(value, declaration.kind)) {
      if (source === 'file' && isOctal(value, declaration.kind)) problems.push(octalProblem(keyPath(path, key), value));
      section.set(name, converted(value, declaration.kind));
    }
  }
  if (unknown > MOST_UNKNOWN) problems.push(`${path}: has ${unknown - MOST_UNKNOWN} more unknown keys`);
  return section;
}

/**
 * The end of a message about an unknown key: a name that is spelt otherwise, or another place, which may have been
 * meant.
 */
function hint(
  key: string,
  value: unknown,
  { place, names }: { readonly place: readonly string[]; readonly names: readonly string[] },
): string {
  const meant = suggestion(key, names);
  if (meant !== '') return meant;
  const [section, name = ''] = place;
  if (section === 'jobs' && place.length === 2 && isMap(value))
    return `; if '${name}.${key}…' is the name of one job, write it in brackets: jobs[${name}.${key}…]`;
  if (place.length === 0) {
    if (settingsOf(ModuleSettings).get(key)?.kind === 'code') return '; it can be set in code only';
    const place = elsewhere(key);
    if (place !== undefined) return `; it belongs to ${place}`;
    if (isMap(value) && key !== '__proto__') return `; did you mean '${pathOf(['jobs', key])}'?`;
  }
  return knownNames(key, names);
}

/** The section to which a setting belongs that stands at the top; those of the registry centre first. */
function elsewhere(key: string): string | undefined {
  const sections = [
    ['elasticjob.regCenter', RegCenterSettings],
    ['elasticjob.jobs.<name>', JobSettings],
    ['elasticjob.tracing', TracingSettings],
    ['elasticjob.dump', DumpSettings],
  ] as const;
  const wanted = relaxed(key);
  return sections.find(([, type]) => [...settingsOf(type).keys()].some((name) => relaxed(name) === wanted))?.[0];
}

function entriesOf(
  raw: unknown,
  { path, source, problems }: Pick<Binding, 'path' | 'source' | 'problems'>,
): readonly (readonly [string, unknown])[] {
  if (isMap(raw)) return Object.entries(raw).filter(([, value]) => value !== undefined);
  // A key of a YAML file under which all lines are commented out has the value null.
  const isAbsent = raw === undefined || (raw === null && source === 'file');
  if (raw instanceof RefusedText) problems.push(`${path}: ${raw.problem}`);
  else if (!isAbsent)
    problems.push(`${path}: must be keys with values (key: value), got ${describeValue(raw, 'hidden')}`);
  return [];
}

/**
 * True if a value of a file or the environment counts as not set. An empty text is a value, which removes the one of a
 * weaker source.
 */
function isEmpty(value: unknown, kind: SettingDeclaration['kind']): boolean {
  return value === null || (value === '' && (kind === 'integer' || kind === 'boolean'));
}

/** True if Java's parser of YAML reads an integer as an octal number: `010` is its 8. */
function isOctal(value: unknown, kind: SettingDeclaration['kind']): value is string {
  return kind === 'integer' && typeof value === 'string' && /^[+-]?0\d{1,14}$/.test(value);
}

function octalProblem(path: string, value: string): string {
  return `${path}: must not begin with 0, got ${describeValue(value)}: Java reads it as an octal number; write ${Number(value)} if that is meant`;
}

/** The value that text in a file or the environment stands for. Text that is not written like one stays text. */
function converted(value: unknown, kind: SettingDeclaration['kind']): unknown {
  switch (kind) {
    case 'integer':
      return typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value;
    case 'boolean':
      if (typeof value !== 'string' || !/^(true|True|TRUE|false|False|FALSE)$/.test(value)) return value;
      return value.toLowerCase() === 'true';
    case 'text':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'text-list':
      if (typeof value !== 'string') return value;
      return entriesIn(value);
    case 'text-map':
      return withoutEmpty(value);
    case 'section':
    case 'code':
      return value;
    default:
      return kind satisfies never;
  }
}

/** `a,b`, or `[ a, b ]` as Java's manual writes lists in properties. */
function entriesIn(text: string): readonly (string | RefusedText)[] {
  const list = /^\s*\[(.*)\]\s*$/s.exec(text)?.[1] ?? text;
  if (list.trim() === '') return [];
  return list.split(',').map((entry) => (isQuoted(entry.trim()) ? QUOTED : entry.trim()));
}

/** Properties without those that have no value. */
function withoutEmpty(value: unknown): unknown {
  if (!isMap(value)) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([key, each]) => [key, withoutEmpty(each)]));
}

function merge(into: BoundTree, from: BoundTree): void {
  into.problems.push(...from.problems);
  mergeSection(into.module, from.module);
  mergeSection(into.tracing, from.tracing);
  mergeSection(into.dump, from.dump);
  mergeNamed(into.regCenters, from.regCenters);
  mergeNamed(into.jobs, from.jobs);
}

function mergeNamed(into: Map<string, Section>, from: ReadonlyMap<string, Section>): void {
  for (const [name, section] of from) {
    const former = into.get(name) ?? new Map<string, unknown>();
    into.set(name, former);
    mergeSection(former, section);
  }
}

function mergeSection(into: Section, from: Section): void {
  for (const [name, value] of from) into.set(name, merged(name, into.get(name), value));
}

function merged(name: string, before: unknown, after: unknown): unknown {
  if (name === 'props') return mergedProps(before, after);
  // The sections of the registry centre.
  return before instanceof Map && after instanceof Map ? new Map([...before, ...after]) : after;
}

function mergedProps(before: unknown, after: unknown): unknown {
  const [former, latter] = [flattenProps(before ?? {}), flattenProps(after)];
  if ('problem' in former) return before;
  return 'problem' in latter ? after : Object.fromEntries([...former.flat, ...latter.flat]);
}
