import { LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { InvalidConfigurationError } from '../api/errors/errors.js';
import { fileRefusal } from './text-file.js';

/**
 * Parses YAML. Numbers that are not written as JavaScript would write them (`007`) stay texts.
 * @param file named in errors, which never quote the text, as it may hold a password
 * @throws InvalidConfigurationError if it is not valid YAML
 */
export function parseYaml(file: string, text: string): unknown {
  try {
    // Pretty errors would quote the lines around the problem.
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { merge: true, prettyErrors: false, lineCounter });
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined)
      throw fileRefusal(file, `is not valid YAML: ${complaint(error, text, lineCounter)}`, error);
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
    throw fileRefusal(file, `is not valid YAML: ${messageOf(error)}${aliasHint(error)}`, error);
  }
}

function complaint(error: YAMLError, text: string, lines: LineCounter): string {
  const { line, col } = lines.linePos(error.pos[0]);
  const reason = error.code === 'MULTIPLE_DOCS' ? 'it has more than one document' : messageOf(error);
  return `${reason} at line ${line}, column ${col}${aliasHint(error) || quotesHint(text.split('\n')[line - 1] ?? '')}`;
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
