/**
 * The port between a command and its user: two streams for text, and perhaps a person at a keyboard. Commands write
 * through this port only, so that tests see their output in-process and without a terminal.
 */

/** A stream to which text is written. */
export interface TextStream {
  /** Writes text as it is. Does nothing after the reader has closed the stream. */
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in characters; `undefined` if it is no terminal. */
  readonly columns: number | undefined;
  /** Height in lines; `undefined` if it is no terminal. */
  readonly rows: number | undefined;
}

/** The streams of a command, and the input of a person. */
export interface Terminal {
  /** For results. */
  readonly out: TextStream;
  /** For questions, notes and errors. */
  readonly err: TextStream;
  /** True if a person can be asked. */
  readonly isInteractive: boolean;
  /** Asks a person for a line of text. `undefined` after Ctrl-C or at the end of the input. */
  ask(question: string): Promise<string | undefined>;
  /**
   * Asks a person for a line that is not shown; without a terminal, reads the first line of the input. `undefined` as
   * for `ask`.
   */
  askSecret(question: string): Promise<string | undefined>;
  /**
   * Calls `listener` when a command without an end of its own must end: at a signal, at the key q, when the reader of
   * `out` closes it, or when the npm that started the command ends.
   */
  onEnd(listener: () => void): () => void;
  /** Calls `listener` when the size of the terminal has changed. */
  onResize(listener: () => void): () => void;
}
