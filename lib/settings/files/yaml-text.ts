import { isCollection, isNode, isScalar, type Pair, type Scalar, visit, type YAMLError } from 'yaml';
import { InvalidConfigurationError } from '../../api/errors/errors.js';
import { legible } from '../../api/text/describe-value.js';
import { composedYaml, TOO_DEEP } from '../../layout/yaml-document.js';

// The parser would compare each key with all keys before it, and its pretty errors would quote the lines around a
// problem.
const OPTIONS = { merge: true, uniqueKeys: false, prettyErrors: false } as const;

/**
 * Parses YAML. Numbers that are not written as JavaScript would write them (`007`) stay texts.
 * @param name of the text, with which errors begin: `Configuration file 'elasticjob.yaml'`. They never quote the text,
 *   as it may hold a password
 * @throws InvalidConfigurationError if it is not valid YAML
 */
export function parseYaml(name: string, text: string): unknown {
  const refuse = (complaint: string, cause?: unknown): never => {
    throw new InvalidConfigurationError([`${name} is not valid YAML: ${complaint}`], { cause });
  };
  const { document, second, tooDeepAt, place } = composedYaml(text, OPTIONS);
  if (tooDeepAt !== undefined) refuse(`${TOO_DEEP} ${place(tooDeepAt)}`);
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) refuse(`${messageOf(error)} ${place(error.pos[0])}${hint(error, text)}`, error);
  if (second !== undefined) refuse(`it has more than one document ${place(second)}`);
  // A search of the document for each alias would take time with the square of its length.
  const anchored = new Map<string, unknown>();
  const noteAnchor = (node: { readonly anchor?: string | undefined }): void => {
    if (node.anchor !== undefined) anchored.set(node.anchor, node);
  };
  visit(document, {
    Seq: (_, node) => noteAnchor(node),
    Map: (_, node) => {
      const { items } = node;
      noteAnchor(node);
      const nameless = items.find(({ key }) => key === null || (isScalar(key) && key.value === null));
      if (nameless !== undefined)
        refuse(
          `a key is empty or null ${place(rangeStart(nameless))}; a key of the name null is written in quotes: 'null'`,
        );
      const odd = items.find(({ key }) => isCollection(key));
      if (odd !== undefined) refuse(`a key must be a text ${place(rangeStart(odd))}`);
      const key = repeatedKey(items.map((each) => each.key));
      if (key !== undefined) refuse(`Map keys must be unique ${place(key.range?.[0] ?? 0)}`);
    },
    Alias: (_, { source, range }, ancestors) => {
      if ((ancestors as readonly unknown[]).includes(anchored.get(source)))
        refuse(`*${legible(source)} lies within its own anchor &${legible(source)} ${place(range?.[0] ?? 0)}`);
    },
    Scalar: (_, node) => {
      noteAnchor(node);
      // `007` may be a number or a text; only the binding knows the type of the setting.
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source;
    },
  });
  try {
    return document.toJS();
  } catch (unusable) {
    return refuse(`${messageOf(unusable)}${aliasHint(unusable)}`, unusable);
  }
}

function rangeStart({ key, value }: Pair): number {
  const node = isNode(key) ? key : isNode(value) ? value : undefined;
  return node?.range?.[0] ?? 0;
}

/** `<<` may be there several times: it is no key, and merges a map that stands elsewhere. */
function repeatedKey(keys: readonly unknown[]): Scalar | undefined {
  const seen = new Set<unknown>();
  return keys.filter(isScalar).find(({ value }) => {
    const isRepeated = seen.has(value) && value !== '<<';
    seen.add(value);
    return isRepeated;
  });
}

function hint(error: YAMLError, text: string): string {
  const start = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const [line = ''] = text.slice(start).split('\n', 1);
  return aliasHint(error) || quotesHint(line);
}

/** YAML takes a cron expression that begins with `*` for a reference to an anchor. */
function aliasHint(error: unknown): string {
  return /\balias\b/i.test(messageOf(error)) ? mustBeQuoted('*') : '';
}

/** A value that begins with a sign which has a meaning in YAML, such as the cron expression `? * * * * *`. */
function quotesHint(line: string): string {
  const sign = /:\s+([?*&!|>%@`])/.exec(line)?.[1];
  return sign === undefined ? '' : mustBeQuoted(sign);
}

function mustBeQuoted(sign: string): string {
  return `; a text that begins with '${sign}' must be quoted`;
}

function messageOf(error: unknown): string {
  return (error as { readonly message?: string } | null)?.message?.trim() ?? String(error);
}
