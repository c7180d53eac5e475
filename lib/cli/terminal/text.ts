/** Text for terminals: its width, cutting it to a width, and escaping its control characters. */
import measured from 'fast-string-truncated-width';

const ELLIPSIS = '…';

/** The number of columns that the text takes. Chinese characters and emoji take two. */
export function widthOf(text: string): number {
  return measured(text).width;
}

/** The text if it fits, else its beginning and `…`. */
export function cutTo(width: number, text: string): string {
  const { index, ellipsed, truncated } = measured(text, { limit: width, ellipsis: ELLIPSIS, ellipsisWidth: 1 });
  if (!truncated) return text;
  return ellipsed ? text.slice(0, index) + ELLIPSIS : text.slice(0, index);
}

/** The text on one line, with control characters and those that turn the text direction escaped as `\u001b`. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (char) => {
    if (char === '\n') return '\\n';
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** As `printable`, with line breaks as they are. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The words of a sentence in lines of at most that width; a longer word has a line of its own. */
export function linesOf(sentence: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(last) + 1 + widthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
