import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { nextTurn } from '../time/event-loop.js';

/** The most UTF-16 code units of a line that are kept. */
const LONGEST_LINE = 8_192;

/** The most lines of one output that are passed on, and the most bytes that are read for them. */
const MOST_LINES = 10_000;
const MOST_BYTES = 4 * 1_048_576;

/** The most lines that are passed on in one turn of the event loop, which waits while they are logged. */
const LINES_IN_A_TURN = 200;

const LINE_BREAK = 0x0a;

/**
 * The output of a program, line by line, without colours and blank lines. A longer line is cut, so that output without
 * line breaks takes no memory. Long output is passed on up to 10,000 lines or 4 MiB, then one line counts the others;
 * the last of these is kept.
 */
export class OutputLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #line = '';
  #dropped = 0;
  #lines = 0;
  #bytes = 0;
  /** The end of the output that is not passed on. */
  #tail = Buffer.alloc(0);
  #unread = { lineBreaks: 0, bytes: 0 };
  #last = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** The last line so far, even if it was not passed on; empty if there was none. */
  get last(): string {
    return this.#last;
  }

  /**
   * Takes the next piece of the output. Resolves when the next piece may come, so that other work of the process gets
   * its turns.
   */
  async write(chunk: Buffer): Promise<void> {
    let begin = 0;
    let lines = 0;
    while (begin < chunk.length) {
      if (this.#lines >= MOST_LINES || this.#bytes >= MOST_BYTES) return this.#count(chunk.subarray(begin));
      const lineBreak = chunk.indexOf(LINE_BREAK, begin);
      const end = lineBreak === -1 ? chunk.length : lineBreak + 1;
      // With its line break, at which a character with missing bytes ends.
      this.#append(this.#decoder.write(chunk.subarray(begin, end)).replace(/\n$/, ''));
      this.#bytes += end - begin;
      begin = end;
      if (lineBreak === -1) return;
      this.#flush();
      if (++lines % LINES_IN_A_TURN === 0) await nextTurn();
    }
  }

  /** The output has ended: its last line need not end with a line break. */
  end(): void {
    this.#append(this.#decoder.end());
    this.#flush();
    if (this.#unread.bytes === 0) return;
    const lines = this.#tail.toString('utf8').split('\n').map(readable);
    this.#last = lines.findLast((line) => line !== '') ?? this.#last;
    const { lineBreaks, bytes } = this.#unread;
    this.#onLine(`… (${lineBreaks} more lines, ${bytes} bytes, are not logged; the last line: ${this.#last})`);
  }

  #count(chunk: Buffer): void {
    this.#unread.bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_BREAK); at !== -1; at = chunk.indexOf(LINE_BREAK, at + 1))
      this.#unread.lineBreaks++;
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-LONGEST_LINE)]).subarray(-LONGEST_LINE);
  }

  #append(piece: string): void {
    const kept = piece.slice(0, LONGEST_LINE - this.#line.length);
    this.#line += kept;
    this.#dropped += piece.length - kept.length;
  }

  #flush(): void {
    const line = readable(this.#line);
    const more = this.#dropped > 0 ? `… (${this.#dropped} more characters)` : '';
    this.#line = '';
    this.#dropped = 0;
    if (line === '') return;
    this.#lines++;
    this.#last = line + more;
    this.#onLine(this.#last);
  }
}

const readable = (line: string): string => onOneLine(stripVTControlCharacters(line));

/** A text without spaces at its end, and without characters that would spoil the log. */
export function onOneLine(text: string): string {
  return text
    .trimEnd()
    .replace(/[\p{Cc}\u2028\u2029]/gu, (char) =>
      char === '\t' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
