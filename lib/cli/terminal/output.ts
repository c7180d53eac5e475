import { type Surroundings, type CommonOptions } from '../surroundings.js';
import { type Paint, paintFor } from './style.js';
import { type Column, tableText } from './table.js';
import { type TextStream } from './terminal.js';
import { linesOf } from './text.js';

/** Sentences are not broken into narrower lines than these. */
const NARROWEST = 20;

/** A list as a table for people. */
export interface Listing<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** The sentence that is shown instead of an empty table. */
  readonly empty: string;
}

/** Writes the results of a command: tables and sentences for people, or JSON for programs. */
export class Output {
  /** True if the output is JSON for programs (`--json`). */
  readonly isJson: boolean;
  readonly paint: Paint;
  readonly #paintNote: Paint;
  readonly #out: TextStream;
  readonly #err: TextStream;

  constructor({ json = false, color }: CommonOptions, { terminal, environment }: Surroundings) {
    this.isJson = json;
    this.#out = terminal.out;
    this.#err = terminal.err;
    this.paint = paintFor({ isTerminal: terminal.out.isTerminal, environment, color });
    this.#paintNote = paintFor({ isTerminal: terminal.err.isTerminal, environment, color });
  }

  /** Writes a value as JSON, on one line. */
  json(value: unknown): void {
    this.#out.write(`${JSON.stringify(value)}\n`);
  }

  /** Writes a list: a table for people, `json` for programs. */
  list<Row>(listing: Listing<Row>, json: unknown): void {
    if (this.isJson) this.json(json);
    else if (listing.rows.length === 0) this.note(listing.empty);
    else this.text(this.table(listing));
  }

  /** A table that fits the terminal. */
  table<Row>({ columns, rows }: Pick<Listing<Row>, 'columns' | 'rows'>): string {
    return tableText(columns, rows, { width: this.#out.columns, paint: this.paint });
  }

  /** A sentence in lines that fit the terminal, each but the first after a margin of that many columns. */
  wrapped(sentence: string, margin: number): string {
    const { columns } = this.#out;
    if (columns === undefined || columns - margin < NARROWEST) return sentence;
    return linesOf(sentence, columns - margin).join(`\n${' '.repeat(margin)}`);
  }

  /** Writes text as it is. */
  text(text: string): void {
    this.#out.write(text);
  }

  /** Writes a sentence to the error stream, as the results may go into a file. With `--json` it writes nothing. */
  note(sentence: string): void {
    if (!this.isJson) this.#err.write(`${this.#paintNote('faint', sentence)}\n`);
  }
}
