/**
 * Finds names in any text, and hides the values that are assigned to secret names. Each character is read a few times
 * at most.
 */

const NAME = /[\w.$-]+/g;
/**
 * Text behind a name: the end of its quotes or brackets, and the sign of the assignment; or the blanks behind an
 * option.
 */
const AFTER_NAME = /(\\*["'])?\]?([ \t]*)(:=|=>|={1,2}|:|%3D)?/iy;

/** Place of a name in a text. */
interface Place {
  /** Start of the name. */
  readonly start: number;
  readonly end: number;
  /** The character before the name, its quote and blanks: `\n` at the beginning of a line. */
  readonly before: string;
  readonly isQuoted: boolean;
}

/** The text with `hidden` in the place of the values of all names that are secret. */
export function hideNamed(text: string, isSecret: (name: string) => boolean, hidden: string): string {
  let result = '';
  let shown = 0;
  NAME.lastIndex = 0;
  let before: readonly Range[] = [];
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [name] = match;
    const [start, resume] = [match.index, NAME.lastIndex];
    const named = name.toLowerCase() === 'value' ? nameOfPair(text, before, start) : name;
    const value = valueOf(text, { name, start, isSecret: (own) => isSecret(own === name ? named : own) });
    before = [...before.slice(-1), { start, end: resume }];
    NAME.lastIndex = resume;
    if (value === undefined || value.end <= value.start) continue;
    result += text.slice(shown, value.start) + hidden;
    NAME.lastIndex = shown = value.end;
  }
  return result + text.slice(shown);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The name whose value `value` is, in `{"name":"DB_PASSWORD","value":"x"}` and the like; `value` if there is none. */
function nameOfPair(text: string, [field, name]: readonly Range[], start: number): string {
  if (field === undefined || name === undefined) return 'value';
  const isPair =
    /^(?:name|key|field|property|variable)$/i.test(text.slice(field.start, field.end)) &&
    /^[\\"' \t]*[:=][\\"' \t]*$/.test(text.slice(field.end, name.start)) &&
    /^[\\"'\s,;]*$/.test(text.slice(name.end, start));
  return isPair ? text.slice(name.start, name.end) : 'value';
}

/** Place of the secret that is assigned to a name; `undefined` if there is none. */
function valueOf(
  text: string,
  {
    name,
    start,
    isSecret,
  }: { readonly name: string; readonly start: number; readonly isSecret: (name: string) => boolean },
): Range | undefined {
  AFTER_NAME.lastIndex = start + name.length;
  const [whole = '', quote, blanks = '', sign] = AFTER_NAME.exec(text) ?? [];
  const end = start + name.length + whole.length;
  const isTag = sign === undefined && text[start - 1] === '<' && text[end] === '>';
  const isOption = sign === undefined && name.startsWith('-') && blanks !== '';
  if (sign === undefined && !isTag && !isOption) return undefined;
  if (!isSecret(name) && !(name.toLowerCase() === 'key' && '?&'.includes(text[start - 1] ?? ' '))) return undefined;
  if (isTag) return { start: end + 1, end: endAt(text, end + 1, /[^<]*/y) };
  if (isOption) return text.startsWith('--', end) ? undefined : { start: end, end: wordEnd(text, end, /[^\s"'`;|]+/y) };
  const place = placeOf(text, { start, end, isQuoted: quote !== undefined });
  return sign === ':' ? ofColon(text, name, place) : ofEqualSign(text, place);
}

function placeOf(text: string, { start, end, isQuoted }: Omit<Place, 'before'>): Place {
  let at = start - 1;
  if (isQuoted && /["']/.test(text[at] ?? '')) for (at--; text[at] === '\\';) at--;
  const first = at + 1;
  while (text[at] === ' ' || text[at] === '\t') at--;
  const isListed = at >= 0 && text[at] === '-' && at < first - 1;
  return {
    start: first,
    end,
    isQuoted,
    before: at < 0 || text[at] === '\n' || text[at] === '\r' || isListed ? '\n' : (text[at] ?? ''),
  };
}

/** `a=x`, `?a=x`, `;a=x`, and a list of them. */
function ofEqualSign(text: string, { start, end }: Place): Range {
  const from = endAt(text, end, /[ \t]*/y);
  const before = text[start - 1] ?? '';
  const word =
    '?&'.includes(before) && before !== ''
      ? /[^\s&;"'<>`#\\]+/y
      : before === ';'
        ? /[^\s;&"'<>`\\]+/y
        : /[^\s&;,"'`)}\]<>\\]+/y;
  return {
    start: from,
    end: /%3D$/i.test(text.slice(end - 3, end)) ? endAt(text, from, /[^\s&%"']*/y) : wordEnd(text, from, word),
  };
}

/** `a: x` of YAML, of one line too, `"a":"x"` of JSON, and headers. */
function ofColon(text: string, name: string, place: Place): Range | undefined {
  const { end, before, isQuoted, start } = place;
  const from = endAt(text, end, /[ \t]*/y);
  const isCompact = from === end;
  const isAtLineStart = before === '\n';
  if (isSentence(text, name, from)) return undefined;
  if (!isQuoted && !isAtLineStart && !isCompact && !OPENS_ENTRY.test(before)) return undefined;
  const quoted = quotedEnd(text, from);
  if (quoted !== undefined) return isQuoted ? within(quoted) : { start: from, end: quoted.end };
  if (text[from] === '{' || text[from] === '[') return { start: from, end: bracketEnd(text, from) };
  if (isAtLineStart) return ofLine(text, start, from);
  const closer = /["'`;|(]/.test(before) ? before : '';
  return { start: from, end: endAt(text, from, PLAIN[closer] ?? PLAIN_IN_MAP) };
}

/** The characters that an entry within a line may follow. */
const OPENS_ENTRY = /[{,[("'`;|=]/;
const PLAIN_IN_MAP = /[^\n\r,}\]"']*/y;
/** Values up to the end of the quotes, brackets or lists that they stand in. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  '"': /[^\n\r"]*/y,
  "'": /[^\n\r']*/y,
  '`': /[^\n\r`]*/y,
  ';': /[^\n\r;]*/y,
  '|': /[^\n\r|]*/y,
  '(': /[^\n\r,)]*/y,
};

/**
 * True for our own messages about a setting: `elasticjob.jobs.a.props.email.password: must be a text`, `EJC_SECRETKEYS:
 * unknown variable`.
 */
function isSentence(text: string, name: string, from: number): boolean {
  return OWN_SETTING.test(name) && /^(?:must|is|has|needs|cannot|unknown) /.test(text.slice(from, from + 10));
}

const OWN_SETTING = /^(?:(?:elasticjob|console|auth|casdoor)\.|(?:ELASTICJOB|EJC)_)/;

interface Quoted extends Range {
  /** Length of the quotes. */
  readonly quote: number;
  readonly isClosed: boolean;
}

function within({ start, end, quote, isClosed }: Quoted): Range {
  return { start: start + quote, end: isClosed ? end - quote : end };
}

/** A value in quotes, which may be escaped. One without end goes to the end of the text. */
function quotedEnd(text: string, start: number): Quoted | undefined {
  const quoteEnd = endAt(text, start, /\\*["'`]/y);
  if (quoteEnd === start) return undefined;
  const quote = text.slice(start, quoteEnd);
  const depth = quote.length - 1;
  for (let at = text.indexOf(quote, quoteEnd); at >= 0; at = text.indexOf(quote, at)) {
    // Each level of escaping doubles the backslashes before a quote, and adds its own.
    const backslashes = depth + backslashesBefore(text, at, quoteEnd);
    const isEscaped = quote !== "'" && backslashes % (2 * quote.length) !== depth;
    const isDoubled = quote === "'" && text[at + 1] === "'";
    if (!isEscaped && !isDoubled) return { start, end: at + quote.length, quote: quote.length, isClosed: true };
    at += isDoubled ? 2 : quote.length;
  }
  return { start, end: text.length, quote: quote.length, isClosed: false };
}

function backslashesBefore(text: string, at: number, start: number): number {
  let count = 0;
  while (at - count > start && text[at - count - 1] === '\\') count++;
  return count;
}

/** The end of a word of a command line or of a list: of pieces in quotes and others, without a blank between them. */
function wordEnd(text: string, start: number, piece: RegExp): number {
  if (text[start] === '{' || text[start] === '[') return bracketEnd(text, start);
  let end = start;
  for (;;) {
    const quoted = quotedEnd(text, end);
    // This quote ends the text in which the word stands.
    if (quoted?.isClosed === false && end > start) return end;
    const next = quoted?.end ?? endAt(text, end, piece);
    if (next === end) return text[end] === '\\' && end < text.length ? wordEndBehind(text, end, piece) : end;
    if (quoted !== undefined && end > start && !isPartOfWord(text[next])) return end;
    end = next;
  }
}

function wordEndBehind(text: string, start: number, piece: RegExp): number {
  return endAt(text, Math.min(text.length, start + 2), piece);
}

function isPartOfWord(next: string | undefined): boolean {
  return next !== undefined && /[^\s,;&)}\]]/.test(next);
}

/** The end of a map or list; one without end goes to the end of the text. */
function bracketEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{' || text[at] === '[') depth++;
    else if (text[at] === '}' || text[at] === ']') depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** The rest of a line, with all lines that belong to it: blank ones, deeper ones, and a list of the same depth. */
function ofLine(text: string, start: number, from: number): Range {
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  let end = lineEnd(text, from);
  const isEmpty = from === end;
  while (end < text.length) {
    const next = lineEnd(text, end + 1);
    const depth = endAt(text, end + 1, /[ \t]*/y) - (end + 1);
    const first = text[end + 1 + depth] ?? '';
    const isBlank = first === '\n' || first === '\r';
    const isInList = isEmpty && depth === column && first === '-';
    if (!isBlank && depth <= column && !isInList) break;
    end = next;
  }
  return { start: from, end };
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function endAt(text: string, start: number, sticky: RegExp): number {
  sticky.lastIndex = start;
  return sticky.test(text) ? sticky.lastIndex : start;
}
