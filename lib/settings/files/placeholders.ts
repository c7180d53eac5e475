/**
 * Replaces placeholders in the texts of a file, by Spring's rules:
 *
 * ```
 *   ${NAME}                 the environment variable, else the setting of that name in the same file
 *   ${spring.app.name}      the variable SPRING_APP_NAME, else the same
 *   ${NAME:default}         the default if there is neither; it may have placeholders itself
 *   \${NAME}                the text ${NAME}
 * ```
 * An empty variable counts as not set if there is a default. Keys are left alone.
 */
import { isMap } from '../../api/text/describe-value.js';
import { RefusedText } from './refused-text.js';

/** The sources of the values of placeholders. */
export interface PlaceholderSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The whole file. */
  readonly root: Readonly<Record<string, unknown>>;
}

/** The same tree with values in the place of placeholders, and a `RefusedText` for each text in which one has none. */
export function withoutPlaceholders(tree: unknown, sources: PlaceholderSources): unknown {
  if (typeof tree === 'string') return resolved(tree, { ...sources, open: [] });
  if (Array.isArray(tree)) return tree.map((each) => withoutPlaceholders(each, sources));
  if (!isMap(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, each]) => [key, withoutPlaceholders(each, sources)]));
}

/** Replacing takes a call within a call for each placeholder within another. */
const DEEPEST = 50;

interface Resolution extends PlaceholderSources {
  /** Names of the placeholders that are being replaced. */
  readonly open: readonly string[];
}

function resolved(text: string, resolution: Resolution): string | RefusedText {
  let done = '';
  let rest = text;
  for (let start = rest.indexOf('${'); start >= 0; start = rest.indexOf('${')) {
    if (rest[start - 1] === '\\') {
      done += `${rest.slice(0, start - 1)}\${`;
      rest = rest.slice(start + 2);
      continue;
    }
    const end = endOf(rest, start + 2);
    if (end === undefined) break;
    const value = valueOf(rest.slice(start + 2, end), resolution);
    if (value instanceof RefusedText) return value;
    done += rest.slice(0, start) + value;
    rest = rest.slice(end + 1);
  }
  return done + rest;
}

/** The index of the brace that closes the one at `start`; there may be other pairs between them. */
function endOf(text: string, start: number): number | undefined {
  let depth = 1;
  for (let index = start; index < text.length; index++) {
    if (text[index] === '{') depth++;
    if (text[index] === '}' && --depth === 0) return index;
  }
  return undefined;
}

function valueOf(placeholder: string, resolution: Resolution): string | RefusedText {
  const colon = placeholder.indexOf(':');
  const [name, byDefault] =
    colon < 0 ? [placeholder, undefined] : [placeholder.slice(0, colon), placeholder.slice(colon + 1)];
  const variable = variableOf(name, resolution.environment);
  if (variable !== undefined && (variable !== '' || byDefault === undefined)) return variable;
  if (resolution.open.includes(name)) return new RefusedText(`must not refer to itself, as ${shown(name)} does`);
  if (resolution.open.length >= DEEPEST)
    return new RefusedText(`must not have more than ${DEEPEST} placeholders within each other`);
  const inFile = settingOf(name, resolution.root);
  const next = { ...resolution, open: [...resolution.open, name] };
  if (inFile !== undefined) return resolved(inFile, next);
  return byDefault === undefined ? missing(name) : resolved(byDefault, next);
}

/** The variable of a name, by Spring's rules for properties in the environment. */
function variableOf(name: string, environment: PlaceholderSources['environment']): string | undefined {
  const words = name.replace(/[.-]/g, '_');
  const candidates = [name, words, words.toUpperCase(), name.replace(/-/g, '').replace(/\./g, '_').toUpperCase()];
  return candidates.map((candidate) => environment[candidate]).find((value) => value !== undefined);
}

/** The text that the file has under a name, whose parts may be nested or joined by dots. */
function settingOf(name: string, tree: unknown): string | undefined {
  if (!isMap(tree)) return undefined;
  for (const [key, value] of Object.entries(tree)) {
    if (key === name && ['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    const inner = name.startsWith(`${key}.`) ? settingOf(name.slice(key.length + 1), value) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function missing(name: string): RefusedText {
  const text = shown(name);
  return new RefusedText(
    `has the placeholder ${text}, for which neither the environment nor the file has a value; set it, write ` +
      `${text.replace('}', ':default}')} to give a default, or \\${text} if this very text is meant`,
  );
}

/** A text that is not a name may be a part of a password. */
function shown(name: string): string {
  return /^[\w.-]{1,100}$/.test(name) ? `\${${name}}` : '${…}';
}
