import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { describeValue, isMap } from '../api/text/describe-value.js';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { relaxed, suggestion } from '../api/text/nearest.js';

/** The key of ElasticJob's settings at the top of a file, and in the configuration of an application. */
export const ROOT_KEY = 'elasticjob';

/**
 * Reads settings from a YAML file, unchecked: what stands under the top-level key `elasticjob`; other top-level keys
 * are ignored. Numbers that are not written as JavaScript would write them (`007`) stay texts.
 * @param file absolute, or relative to the working directory of the process
 * @throws InvalidConfigurationError, naming the file, if it cannot be read or is not such YAML
 */
export function readYamlFile(file: string): Readonly<Record<string, unknown>> {
  const root = parse(file, read(file));
  if (!isMap(root))
    throw refusal(file, `must be a map with the key '${ROOT_KEY}', got ${describeValue(root, 'hidden')}`);
  const keys = Object.keys(root).filter((key) => relaxed(key) === ROOT_KEY);
  const [key, another] = keys;
  if (key === undefined) {
    const meant = Object.keys(root).find((candidate) => suggestion(candidate, [ROOT_KEY]) !== '');
    const hint = meant === undefined ? '' : `, but '${meant}'; did you mean '${ROOT_KEY}'?`;
    throw refusal(file, `has no top-level key '${ROOT_KEY}'${hint}`);
  }
  if (another !== undefined) throw refusal(file, `has both '${key}' and '${another}' at the top`);
  const settings = root[key];
  if (settings === null) return {};
  if (!isMap(settings)) throw refusal(file, `must have a map under '${key}', got ${describeValue(settings, 'hidden')}`);
  return { ...settings };
}

function read(file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (error) {
    throw refusal(file, `could not be read: ${messageOf(error)}`, error);
  }
}

function parse(file: string, text: string): unknown {
  try {
    // Pretty errors would quote the lines around the problem, and these may hold a password.
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { merge: true, prettyErrors: false, lineCounter });
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) throw refusal(file, `is not valid YAML: ${complaint(error, lineCounter)}`, error);
    visit(document, {
      Scalar: (_, node) => {
        // `007` may be a number or a text; only the binding knows which of them the setting is.
        if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
          node.value = node.source;
      },
    });
    return document.toJS();
  } catch (error) {
    if (error instanceof InvalidConfigurationError) throw error;
    throw refusal(file, `is not valid YAML: ${messageOf(error)}${hintOn(error)}`, error);
  }
}

function complaint(error: YAMLError, lines: LineCounter): string {
  const { line, col } = lines.linePos(error.pos[0]);
  const reason = error.code === 'MULTIPLE_DOCS' ? 'it has more than one document' : messageOf(error);
  return `${reason} at line ${line}, column ${col}${hintOn(error)}`;
}

/** YAML takes a cron expression that begins with `*` for a reference to an anchor. */
function hintOn(error: unknown): string {
  return /\balias\b/i.test(messageOf(error)) ? "; a text that begins with '*' must be quoted" : '';
}

function refusal(file: string, what: string, cause?: unknown): InvalidConfigurationError {
  return new InvalidConfigurationError([`Configuration file '${file}' ${what}`], { cause });
}

function messageOf(error: unknown): string {
  return (error as { readonly message?: string } | null)?.message?.trim() ?? String(error);
}
