/**
 * Reads a file of settings: YAML, or Java's properties if its name ends in `.properties`.
 *
 * ```
 *   bytes ─▶ text-file.ts ─▶ yaml-text.ts, properties-text.ts ─▶ nested-keys.ts ─▶ placeholders.ts ─▶ the tree under `elasticjob`
 * ```
 * Names and values are checked later, by `merge-settings.ts`.
 */
import { describeValue, isMap } from '../../api/text/describe-value.js';
import { relaxed, suggestion } from '../../api/text/nearest.js';
import { nestedSettings } from './nested-keys.js';
import { withoutPlaceholders } from './placeholders.js';
import { parseProperties } from './properties-text.js';
import { COMMAND_LINE, isQuoted, QUOTED } from './refused-text.js';
import { fileRefusal, readTextFile } from './text-file.js';
import { parseYaml } from './yaml-text.js';

/** The key of ElasticJob's settings at the top of a file, and in the configuration of an application. */
export const ROOT_KEY = 'elasticjob';

type Tree = Readonly<Record<string, unknown>>;

/**
 * Reads settings from a file, unchecked: the tree under the top-level key `elasticjob`; other top-level keys only give
 * placeholders their values. Texts whose placeholders have no value are a `RefusedText`.
 * @param file absolute, or relative to the working directory of the process
 * @param environment whose variables take the place of placeholders
 * @throws InvalidConfigurationError, naming the file, if it cannot be read or has no such key
 */
export function readSettingsFile(file: string, environment: Readonly<Record<string, string | undefined>>): Tree {
  const root = readRoot(file);
  const twice = (path: string): never => {
    throw fileRefusal(file, `has '${ROOT_KEY}.${path}' twice`);
  };
  const tree = nestedSettings(ownEntries(file, root), twice);
  return withoutPlaceholders(tree, { environment, root }) as Tree;
}

/**
 * The whole file, unchecked.
 * @throws InvalidConfigurationError, naming the file, if it cannot be read or is no map
 */
export function readRoot(file: string): Tree {
  const text = readTextFile(file);
  const root = /\.properties$/i.test(file)
    ? Object.fromEntries(parseProperties(text).map(([key, value]) => [key, isRefused(key, value) ? QUOTED : value]))
    : parseYaml(`Configuration file '${file}'`, text);
  if (isMap(root)) return root;
  throw fileRefusal(file, `must have the key '${ROOT_KEY}', got ${describeValue(root, 'hidden')}`);
}

function oldFormHint({ spring }: Tree): string {
  const key = isMap(spring)
    ? Object.keys(spring).find((each) => relaxed(each.split('.', 1)[0] ?? '') === ROOT_KEY)
    : undefined;
  if (key === undefined) return '';
  return `, but 'spring.${key}', as starters for ElasticJob 2 have it; docs/settings.md has the names of today`;
}

function isRefused(key: string, value: string): boolean {
  return isQuoted(value) && !relaxed(key).endsWith(relaxed(COMMAND_LINE));
}

/** The sections below `elasticjob`. */
const SECTIONS: ReadonlySet<string> = new Set(['jobs', 'regcenter', 'tracing', 'dump']);

/** The entries under `elasticjob`, with those of keys such as `elasticjob.jobs`. */
function ownEntries(file: string, root: Tree): readonly (readonly [string, unknown])[] {
  const keys = Object.keys(root);
  const [key, another] = keys.filter((each) => relaxed(each) === ROOT_KEY);
  const dotted = keys.flatMap((each) => {
    const [start = '', ...rest] = each.split('.');
    return relaxed(start) === ROOT_KEY && rest.length > 0 ? [[rest.join('.'), root[each]] as const] : [];
  });
  if (another !== undefined) throw fileRefusal(file, `has both '${key}' and '${another}' at the top`);
  if (key === undefined && dotted.length === 0) {
    const meant = keys.find((candidate) => suggestion(candidate, [ROOT_KEY]) !== '');
    const hint = meant === undefined ? oldFormHint(root) : `, but '${meant}'; did you mean '${ROOT_KEY}'?`;
    throw fileRefusal(file, `has no top-level key '${ROOT_KEY}'${hint}`);
  }
  const settings = key === undefined ? {} : (root[key] ?? {});
  const section = keys.find((each) => SECTIONS.has(relaxed(each)));
  if (key !== undefined && root[key] === null && dotted.length === 0 && section !== undefined)
    throw fileRefusal(file, `has nothing below '${key}', but '${section}' beside it: indent what belongs to '${key}'`);
  if (isMap(settings)) return [...Object.entries(settings), ...dotted];
  throw fileRefusal(
    file,
    `must have keys with values (key: value) under '${key}', got ${describeValue(settings, 'hidden')}`,
  );
}
