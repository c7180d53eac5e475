/**
 * Reads settings from environment variables, by Spring's rules of relaxed binding, which ignore case and separators:
 * `ELASTICJOB_REGCENTER_SERVERLISTS`, `ELASTICJOB_REG_CENTER_SERVER_LISTS` and `elasticjob.reg-center.server-lists`
 * are the same setting.
 *
 * A variable cannot spell every name of a job or of a property, so:
 * - `ELASTICJOB_JOBS_SYNCORDERS_…` or `…_SYNC_ORDERS_…` means the known job whose name is the same if case and separators
 *   are ignored (`syncOrders`, `sync-orders`). If there is none, it means a new job of that name in lower case
 *   (`syncorders`, `sync_orders`).
 * - `…_PROPS_EMAIL_HOST` means the known property whose key is the same if case and separators are ignored. If there is
 *   none, it means a new one in lower case with a dot for each `_` (`email.host`).
 */
import { isNearly, relaxed, suggestion } from '../api/text/nearest.js';
import { settingsOf } from '../api/settings/setting.js';
import { SECURITY_SECTIONS } from '../registry/zookeeper/zookeeper-options.js';
import { JobSettings } from './job-settings.js';
import { DumpSettings } from './dump-settings.js';
import { ModuleSettings } from './module-settings.js';
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
  readonly strangers: readonly string[];
  /** Variables whose names begin almost like those of settings, such as `ELASTIC_JOB_…`. */
  readonly lookalikes: readonly string[];
}

/** A setting's place in the tree, outermost name first. */
type Place = readonly string[];

/** Known names of jobs, with the keys of their properties. */
export type KnownJobs = ReadonlyMap<string, readonly string[]>;

const SECTIONS = ['regCenter', 'jobs', 'tracing', 'dump'];

/** Reads all variables of `environment` that begin with `ELASTICJOB_`. */
export function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  known: KnownJobs,
): EnvironmentReading {
  const tree: Record<string, unknown> = {};
  const origins = new Map<string, string>();
  const problems: string[] = [];
  const strangers: string[] = [];
  const lookalikes: string[] = [];
  for (const variable of Object.keys(environment).sort()) {
    const parts = partsOf(variable);
    const value = environment[variable];
    if (value === undefined) continue;
    if (parts === undefined) {
      if (isLookalike(variable)) lookalikes.push(variable);
      continue;
    }
    const place = placeOf(parts, known);
    if (place === undefined) strangers.push(variable);
    else if ('problem' in place) problems.push(`${variable}: ${place.problem}`);
    else if (origins.has(originKey(place))) {
      problems.push(
        `elasticjob.${place.join('.')}: is given twice, by ${origins.get(originKey(place))} and ${variable}`,
      );
    } else {
      origins.set(originKey(place), variable);
      put(tree, place, value);
    }
  }
  return { tree, origins, problems, strangers, lookalikes };
}

/** Whether the first word or two of a name are `elasticjob`, with at most one letter wrong. */
function isLookalike(variable: string): boolean {
  const [first = '', second = ''] = variable.split(/[-._]+/);
  return [first, first + second].some((start) => isNearly(start, 'elasticjob'));
}

/** The key of a place in `EnvironmentReading.origins`: its names below `elasticjob`, joined by NUL. */
export function originKey(place: Place): string {
  return place.join('\0');
}

function partsOf(variable: string): readonly string[] | undefined {
  const rest = /^elasticjob[._](.+)$/i.exec(variable)?.[1];
  const parts = rest
    ?.split(/[._]+/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
  return parts === undefined || parts.length === 0 ? undefined : parts;
}

function placeOf(parts: readonly string[], known: KnownJobs): Place | { readonly problem: string } | undefined {
  const scalars = [...settingsOf(ModuleSettings)].flatMap(([name, { kind }]) =>
    kind === 'section' || kind === 'code' ? [] : [name],
  );
  const scalar = named(parts, scalars);
  if (scalar !== undefined) return [scalar];
  for (let length = 1; length < parts.length; length++) {
    const section = named(parts.slice(0, length), SECTIONS);
    const rest = parts.slice(length);
    if (section === 'jobs') return placeInJobs(rest, known);
    const inner =
      rest.length === 1 && section === 'regCenter' ? named(rest, Object.keys(SECURITY_SECTIONS)) : undefined;
    if (inner !== undefined) return { problem: isSection(inner, `regCenter_${inner}`) };
    if (section !== undefined) return [section, ...inSection(section, rest)];
  }
  return stranger(parts, scalars);
}

function inSection(section: string, parts: readonly string[]): Place {
  if (section === 'tracing') return [named(parts, settingsOf(TracingSettings).keys()) ?? parts.join('-')];
  if (section === 'dump') return [named(parts, settingsOf(DumpSettings).keys()) ?? parts.join('-')];
  const inner = Object.entries(SECURITY_SECTIONS).find(([name]) => name === parts[0] && parts.length > 1);
  const rest = inner === undefined ? parts : parts.slice(1);
  const setting = named(rest, settingsOf(inner?.[1] ?? RegCenterSettings).keys()) ?? rest.join('-');
  return inner === undefined ? [setting] : [inner[0], setting];
}

function stranger(parts: readonly string[], scalars: readonly string[]): { readonly problem: string } | undefined {
  const whole = parts.join('-');
  const section = named(parts, SECTIONS);
  if (section !== undefined) return { problem: isSection(section, section) };
  const meant =
    suggestion(whole, scalars) ||
    suggestion(String(parts[0]), SECTIONS) ||
    suggestion(parts.slice(0, 2).join(''), ['regCenter']);
  return meant === '' ? undefined : { problem: `unknown key '${whole}'${meant}` };
}

function isSection(name: string, path: string): string {
  return `'${name}' is a section; its settings are ${settingsIn(path)}`;
}

function settingsIn(path: string): string {
  return `ELASTICJOB_${path.toUpperCase()}_${path === 'jobs' ? '<NAME>_' : ''}<SETTING>`;
}

function placeInJobs(parts: readonly string[], known: KnownJobs): Place | { readonly problem: string } {
  const splits = parts.slice(1).map((_, index) => ({ name: parts.slice(0, index + 1), rest: parts.slice(index + 1) }));
  const ofKnown = splits.flatMap(({ name, rest }) =>
    [...known].filter(([job]) => relaxed(job) === relaxed(name.join(''))).map(([job, props]) => ({ job, props, rest })),
  );
  const fitting = ofKnown.flatMap(({ job, props, rest }) => {
    const setting = settingOf(rest, props);
    return setting === undefined ? [] : [['jobs', job, ...setting]];
  });
  const [place, another] = fitting;
  if (place !== undefined && another !== undefined) {
    return { problem: `may mean the job '${place[1]}' or the job '${another[1]}'; set it in code or in a file` };
  }
  if (place !== undefined) return place;
  for (const { name, rest } of splits) {
    const setting = settingOf(rest, []);
    if (setting !== undefined) return ['jobs', name.join('_'), ...setting];
  }
  const [job] = ofKnown;
  if (job !== undefined) return ['jobs', job.job, job.rest.join('-')];
  return { problem: `is not a setting of a job; a job's settings are ${settingsIn('jobs')}` };
}

function settingOf(parts: readonly string[], props: readonly string[]): Place | undefined {
  const [first, ...rest] = parts;
  if (first === 'props' && rest.length > 0) return ['props', named(rest, props) ?? rest.join('.')];
  const setting = named(parts, settingsOf(JobSettings).keys());
  return setting === undefined || setting === 'props' ? undefined : [setting];
}

function named(parts: readonly string[], names: Iterable<string>): string | undefined {
  const wanted = relaxed(parts.join(''));
  for (const name of names) if (relaxed(name) === wanted) return name;
  return undefined;
}

function put(tree: Record<string, unknown>, [name = '', ...rest]: Place, value: string): void {
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
