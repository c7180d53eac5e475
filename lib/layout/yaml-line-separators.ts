/**
 * YAML 1.1 ends a line at U+0085, U+2028 and U+2029 too, and SnakeYAML reads and writes such lines; the parser knows only the line
 * ends of version 1.2. So the parser gets a text in which each of them is a line feed, and finds where each scalar stands. A scalar
 * that has U+2028 or U+2029 in it is then read here once more, from its source, as SnakeYAML 2.2 does: other than line feeds, these two
 * are kept where lines are folded. U+0085 is a line feed to SnakeYAML as well.
 */
import { parseDocument, type Scalar } from 'yaml';

/** The text for the parser. Each character stays where it is. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/[\u0085\u2028\u2029]/g, '\n');
}

/**
 * The text of a scalar that the parser has found.
 * @param source what was parsed, before `withLineFeeds`
 */
export function scalarText(scalar: Scalar, source: string): string {
  // Stryker disable next-line ArrayDeclaration: every scalar of a document that was parsed has a range
  const [start, end] = scalar.range ?? [0, 0];
  const written = source.slice(start, end);
  // Stryker disable next-line ConditionalExpression,Regex: the others are read alike below, but slower
  if (!/[\u2028\u2029]/.test(written)) return String(scalar.value);
  const text = written.replaceAll(/\r\n|\u0085/g, '\n');
  switch (scalar.type) {
    case 'QUOTE_DOUBLE':
      return unescaped(text);
    case 'QUOTE_SINGLE':
      return folded(text.slice(1, -1)).replaceAll("''", "'");
    case 'BLOCK_FOLDED':
    case 'BLOCK_LITERAL':
      return blockText(text, parentIndent(scalar));
    default:
      return folded(text);
  }
}

/** A run of line ends, with the blanks around them. It begins at the first of them: a blank behind another one begins no run. */
const RUN = /(?:(?<![ \t])|(?<=\\[ \t]))[ \t]*((?:[\n\u2028\u2029][ \t]*)+)/;

function folded(text: string): string {
  return text.replaceAll(new RegExp(RUN, 'g'), (_, run: string) => foldedRun(run));
}

/** A single line feed is a space. Of several line ends, the first one vanishes if it is a line feed. */
function foldedRun(run: string): string {
  const ends = run.replaceAll(/[ \t]/g, '');
  if (!ends.startsWith('\n')) return ends;
  return ends.slice(1) || ' ';
}

/** Lines are folded here, and the parser reads the escapes of the one line that is left. */
function unescaped(text: string): string {
  const line = text.replaceAll(
    new RegExp(String.raw`\\([\n\u2028\u2029][ \t]*)((?:[\n\u2028\u2029][ \t]*)*)|\\[^]|${RUN.source}`, 'g'),
    (match, escaped: string | undefined, others: string, run: string | undefined) => {
      if (escaped !== undefined) return escapedEnds(others.replaceAll(/[ \t]/g, ''));
      return run === undefined ? match : escapedEnds(foldedRun(run));
    },
  );
  return String(parseDocument(line).toJS());
}

function escapedEnds(ends: string): string {
  return ends
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\u2028', String.raw`\L`)
    .replaceAll('\u2029', String.raw`\P`);
}

/** The column of the mapping or list that a block scalar belongs to. */
function parentIndent({ srcToken }: Scalar): number {
  return srcToken?.type === 'block-scalar' ? Math.max(0, srcToken.indent) : 0;
}

interface Line {
  readonly content: string;
  /** Its line end; empty at the end of the document. */
  readonly end: string;
}

/**
 * @param text a literal or folded block, with its header
 * @param parent the column of what it belongs to
 */
function blockText(text: string, parent: number): string {
  const [, ...lines] = linesOf(text);
  const [indicators = ''] = text.split(/\s/, 1);
  const [digit] = /\d/.exec(indicators) ?? [];
  const indent = digit === undefined ? detectedIndent(lines) : parent + Number(digit);
  let result = '';
  let last: Line | undefined;
  let blankEnds = '';
  for (const line of lines) {
    // A shorter line with a text would be no part of the block.
    if (line.content.length <= indent) {
      blankEnds += line.end;
      continue;
    }
    const shown = { content: line.content.slice(indent), end: line.end };
    const isFolded = indicators.startsWith('>') && last?.end === '\n' && ![last, shown].some(isMoreIndented);
    const join = isFolded ? (blankEnds === '' ? ' ' : '') : (last?.end ?? '');
    result += join + blankEnds + shown.content;
    last = shown;
    blankEnds = '';
  }
  if (indicators.includes('-')) return result;
  return result + (last?.end ?? '') + (indicators.includes('+') ? blankEnds : '');
}

function linesOf(text: string): readonly Line[] {
  return text.split(/(?<=[\n\u2028\u2029])/).map((line) => {
    const [end = ''] = /[\n\u2028\u2029]$/.exec(line) ?? [];
    return { content: line.slice(0, line.length - end.length), end };
  });
}

/** That of the first line with a text; if there is none, all lines are blank. */
function detectedIndent(lines: readonly Line[]): number {
  return lines.map(({ content }) => content.search(/[^ ]/)).find((indent) => indent >= 0) ?? Infinity;
}

/** Lines that begin with a blank are not folded. */
function isMoreIndented({ content }: Line): boolean {
  return /^[ \t]/.test(content);
}
