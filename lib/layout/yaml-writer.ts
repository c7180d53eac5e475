/**
 * Writes the YAML that Java ElasticJob writes, byte for byte: that of SnakeYAML 2.2 in block style with its default
 * options. Only what a job's nodes need: a flat mapping whose values are scalars, lists of text, or mappings of text.
 *
 * A text is written plain if it then comes back as the same text; else in single quotes; else, if it has several lines,
 * as a literal block; else in double quotes; and if it has characters that YAML has no place for, as `!!binary`.
 */
import { isReadAsText } from './yaml-scalars.js';

/** A value behind a key. */
export type YamlValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** Place of a scalar: the column of its first character, the indentation of its further lines. */
interface Place {
  readonly column: number;
  readonly indent: number;
  /** True for a key on the same line as its value, which must stay on that line. */
  readonly inKey?: boolean;
}

/** One entry of the outermost mapping, with its line end. Empty lists and mappings are left out, as in Java. */
export function yamlEntry(key: string, value: YamlValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `${key}: ${String(value)}\n`;
  if (typeof value === 'string') return `${key}: ${line(value, { column: key.length + 2, indent: INDENT })}`;
  if (isList(value)) {
    const items = value.map((item) => `- ${line(item, { column: 2, indent: INDENT })}`);
    return items.length === 0 ? '' : `${key}:\n${items.join('')}`;
  }
  const entries = Object.entries(value).map(([name, text]) => nestedEntry(name, text));
  return entries.length === 0 ? '' : `${key}:\n${entries.join('')}`;
}

function isList(value: YamlValue): value is readonly string[] {
  return Array.isArray(value);
}

function nestedEntry(key: string, value: string): string {
  const pad = ' '.repeat(INDENT);
  const explicit = { column: 2 * INDENT, indent: 2 * INDENT };
  if (!mayStandBeforeColon(key)) return `${pad}? ${line(key, explicit)}${pad}: ${line(value, explicit)}`;
  const written = scalar(key, { column: INDENT, indent: INDENT, inKey: true });
  const column = INDENT + written.length + 2;
  return `${pad}${written}: ${line(value, { column, indent: 2 * INDENT })}`;
}

/** SnakeYAML counts the key's tag too, even if it is not written. */
function mayStandBeforeColon(key: string): boolean {
  if (key === '') return false;
  if (!UNPRINTABLE.test(key)) return !BREAK.test(key) && '!!str'.length + key.length < 128;
  return '!!binary'.length + base64(key).length < 128;
}

/** A scalar with its line end, which a literal block has already. */
function line(text: string, place: Place): string {
  const written = scalar(text, place);
  return LITERAL.test(written) ? written : `${written}\n`;
}

function scalar(text: string, place: Place): string {
  if (UNPRINTABLE.test(text)) {
    const encoded = base64(text);
    return `!!binary ${place.inKey ? doubleQuoted(encoded, place) : literal(encoded, place)}`;
  }
  if (BREAK.test(text)) {
    return mayBeLiteral(text) ? literal(text, place) : doubleQuoted(text, place);
  }
  if (isReadAsText(text) && mayBePlain(text)) return folded(text, place);
  if (OUTSIDE_QUOTES.test(text)) return doubleQuoted(text, place);
  return `'${folded(text.replaceAll("'", "''"), { ...place, column: place.column + 1 })}'`;
}

function mayBePlain(text: string): boolean {
  return (
    !OUTSIDE_QUOTES.test(text) && !/^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@` ]|[-?:](?: |$)|0[0-9_]+$)|: |:$| #| $/.test(text)
  );
}

function mayBeLiteral(text: string): boolean {
  return !OUTSIDE_QUOTES.test(text) && !SPACE_BEFORE_BREAK.test(text);
}

/** A literal block: every line as it is, with its line end. */
function literal(text: string, { indent }: Place): string {
  const needsHint = /^[ \n\u0085\u2028\u2029]/.test(text);
  const ends = text.length - text.replace(/(?<![\n\u0085\u2028\u2029])[\n\u0085\u2028\u2029]+$/, '').length;
  const chomping = ends === 0 ? '-' : ends > 1 || text.length === 1 ? '+' : '';
  const lines = text.replace(/[^\n\u0085\u2028\u2029]+/g, `${' '.repeat(indent)}$&`);
  return `|${needsHint ? String(INDENT) : ''}${chomping}\n${lines}${ends === 0 ? '\n' : ''}`;
}

/** Breaks the line at the first single space behind the best width; the spaces at both ends are no such places. */
function folded(text: string, { column, indent, inKey }: Place): string {
  const pieces = text.match(/ +|[^ ]/g) ?? [];
  let at = column;
  let written = '';
  pieces.forEach((piece, index) => {
    const between = index > 0 && index < pieces.length - 1;
    const breaks = piece === ' ' && between && at > BEST_WIDTH && !inKey;
    written += breaks ? `\n${' '.repeat(indent)}` : piece;
    at = breaks ? indent : at + piece.length;
  });
  return written;
}

/** Like `folded`, but a line may also end, with a backslash, behind an escaped or non-ASCII character. */
function doubleQuoted(text: string, { column, indent, inKey }: Place): string {
  let written = '"';
  let at = column + 1;
  // Start of the part that is read but not yet written; one beyond `index` after a character that was written by
  // itself.
  let from = 0;
  const write = (piece: string): void => {
    written += piece;
    at += piece.length;
  };
  for (let index = 0; index < text.length; index++) {
    const char = String.fromCodePoint(text.codePointAt(index) ?? 0);
    if (!AS_IT_IS.test(char)) {
      write(text.slice(from, index) + (ESCAPES[char] ?? char));
      index += char.length - 1;
      from = index + 1;
    }
    const mayBreak = index > 0 && index < text.length - 1 && (char === ' ' || from >= index) && !inKey;
    if (mayBreak && at + index - from > BEST_WIDTH) {
      write(`${text.slice(from, index)}\\\n${' '.repeat(indent)}`);
      from = Math.max(from, index);
      at = indent;
      if (text[from] === ' ') write('\\');
    }
  }
  return `${written}${text.slice(from)}"`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const INDENT = 2;
const BEST_WIDTH = 80;

/** YAML 1.1 has four line breaks. */
const BREAK = /[\n\u0085\u2028\u2029]/;
const LITERAL = /^(?:!!binary )?\|/;
const SPACE_BEFORE_BREAK = / (?:[\n\u0085\u2028\u2029]|$)/;
/** Tab and carriage return: printable, but only in double quotes. */
const OUTSIDE_QUOTES = /[\t\r]/;
const UNPRINTABLE = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** A character that needs no escape, and no decision of its own, in double quotes. */
const AS_IT_IS = /[ !#-[\]-~]/;

const ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u00a0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
};
