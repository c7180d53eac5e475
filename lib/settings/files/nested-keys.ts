/**
 * Takes keys with dots and brackets for nested ones, as Spring does: `jobs.syncOrders.cron`, `jobListenerTypes[0]`.
 *
 * The names of jobs and of properties may have dots themselves, so that below `jobs` a key counts as a path only if its
 * value cannot be a job, and the rest after `props` is one key.
 */
import { isMap } from '../../api/text/describe-value.js';
import { relaxed } from '../../api/text/nearest.js';

type Tree = Readonly<Record<string, unknown>>;

/** A value, and the names that lead to it from the top; a number is an index of a list. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** A map that is being built. A list is one whose keys are the numbers from 0 on. */
type Draft = Map<string | number, unknown>;

/**
 * The settings under `elasticjob` with nested keys only.
 * @param refuse is called with the path of a setting that is there twice, and throws
 */
export function nestedSettings(entries: Iterable<readonly [string, unknown]>, refuse: (path: string) => never): Tree {
  return treeOf(
    [...entries].flatMap(([key, value]) => settingsIn([], key, value)),
    refuse,
  );
}

/** A map with nested keys only; the keys need not be settings. */
export function nestedTree(entries: Iterable<readonly [string, unknown]>, refuse: (path: string) => never): Tree {
  return treeOf(
    [...entries].map(([key, value]) => ({ path: pathIn(key), value })),
    refuse,
  );
}

function treeOf(leaves: readonly Leaf[], refuse: (path: string) => never): Tree {
  const root: Draft = new Map();
  for (const leaf of leaves) insert(root, leaf, refuse);
  return Object.fromEntries([...root].map(([key, value]) => [key, finished(value)]));
}

function settingsIn(above: readonly string[], key: string, value: unknown): readonly Leaf[] {
  const path = [...above, ...(isPath(above, value) ? pathIn(key) : [key])];
  const whole = isJobs(path) ? withWholeProperty(path) : path;
  const names = whole.filter((name): name is string => typeof name === 'string');
  if (!isMap(value) || names.length < whole.length || !isSection(names) || Object.keys(value).length === 0)
    return [{ path: whole, value }];
  return Object.entries(value).flatMap(([inner, each]) => settingsIn(names, inner, each));
}

/** True if keys at that place may be paths. */
function isPath(above: readonly string[], value: unknown): boolean {
  if (!isJobs(above)) return true;
  if (above.length === 1) return value !== null && !isMap(value);
  return above.length === 2;
}

const isJobs = ([section]: readonly (string | number)[]): boolean =>
  typeof section === 'string' && relaxed(section) === 'jobs';

/** The rest after `props` is the key of one property. */
function withWholeProperty(path: readonly (string | number)[]): readonly (string | number)[] {
  const [jobs = '', name = '', setting, ...rest] = path;
  const isProperty = typeof setting === 'string' && relaxed(setting) === 'props' && rest.length > 0;
  return isProperty ? [jobs, name, setting, rest.join('.')] : path;
}

/** True if a map at that place has settings, and is not a value itself. */
function isSection(path: readonly string[]): boolean {
  if (!isJobs(path)) return true;
  return path.length <= 2 || (path.length === 3 && relaxed(path[2] ?? '') === 'props');
}

/** No setting is nested as deep. Each level takes a call within a call. */
const DEEPEST = 50;

/** `jobs.[sync orders].jobListenerTypes[0]` → `jobs`, `[sync orders]`, `jobListenerTypes`, 0 */
function pathIn(key: string): readonly (string | number)[] {
  if (!/^[^[\].]+(?:\.?\[[^[\]]+\]|\.[^[\].]+)*$/.test(key)) return [key];
  const names = key.match(/\[[^[\]]+\]|[^.[\]]+/g) ?? [key];
  if (names.length > DEEPEST) return [key];
  return names.map((name) => (/^\[\d+\]$/.test(name) ? Number(name.slice(1, -1)) : name));
}

function insert(into: Draft, { path: [name = '', ...rest], value }: Leaf, refuse: (path: string) => never): void {
  const former = into.get(name);
  if (rest.length === 0) {
    if (former === undefined) into.set(name, isMap(value) && Object.keys(value).length === 0 ? new Map() : value);
    else if (!(former instanceof Map && isMap(value) && Object.keys(value).length === 0)) refuse(String(name));
    return;
  }
  if (former !== undefined && former !== null && !(former instanceof Map)) refuse(String(name));
  const inner = former instanceof Map ? (former as Draft) : new Map<string | number, unknown>();
  into.set(name, inner);
  insert(inner, { path: rest, value }, (below) => refuse(`${String(name)}.${below}`));
}

function finished(value: unknown): unknown {
  if (!(value instanceof Map)) return value;
  const entries = [...(value as Draft)].map(([key, each]) => [key, finished(each)] as const);
  const isIndexed = entries.length > 0 && entries.every(([key]) => typeof key === 'number');
  if (isIndexed) entries.sort(([one], [other]) => Number(one) - Number(other));
  // With gaps it is no list: its entries would move to other indexes.
  const isList = isIndexed && entries.every(([key], index) => key === index);
  return isList ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}
