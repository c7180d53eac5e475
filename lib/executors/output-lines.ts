import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

/** How much of a line is kept, in UTF-16 code units. */
const LONGEST_LINE = 8_192;

/**
 * The output of a program, line by line, without colours and blank lines. Of a longer line only the beginning is kept, so that
 * output without line breaks takes no memory.
 */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #line = '';
  #dropped = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes the next piece of the output. */
  write(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    this.#append(first);
    for (const piece of others) {
      this.#flush();
      this.#append(piece);
    }
  }

  /** The output has ended: its last line need not end with a line break. */
  end(): void {
    this.#append(this.#decoder.end());
    this.#flush();
  }

  #append(piece: string): void {
    const kept = piece.slice(0, LONGEST_LINE - this.#line.length);
    this.#line += kept;
    this.#dropped += piece.length - kept.length;
  }

  #flush(): void {
    const line = onOneLine(stripVTControlCharacters(this.#line));
    const more = this.#dropped > 0 ? `… (${this.#dropped} more characters)` : '';
    this.#line = '';
    this.#dropped = 0;
    if (line !== '') this.#onLine(line + more);
  }
}

/** A text without spaces at its end, and without characters that would spoil the log. */
export function onOneLine(text: string): string {
  return text
    .trimEnd()
    .replace(/[\p{Cc}\u2028\u2029]/gu, (char) =>
      char === '\t' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
