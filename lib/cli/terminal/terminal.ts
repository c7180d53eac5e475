/**
 * What a command has of the world outside: two streams for text, and perhaps a person at a keyboard. Commands write
 * through this port only, so that tests see what they print, in-process and without a terminal.
 */

/** Where text goes. */
export interface TextStream {
  /** Writes text as it is. Once the reader has gone away, does nothing. */
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in characters; `undefined` if it is no terminal. */
  readonly columns: number | undefined;
  /** Height in lines; `undefined` if it is no terminal. */
  readonly rows: number | undefined;
}

/** The streams of a command, and who sits there. */
export interface Terminal {
  /** For results. */
  readonly out: TextStream;
  /** For what is said to people besides: questions, notes, errors. */
  readonly err: TextStream;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Asks a person for a line of text. `undefined`: Ctrl-C, or the end of the input. */
  ask(question: string): Promise<string | undefined>;
  /**
   * Asks a person for a line that is not shown; without a terminal, reads the first line of the input. `undefined`: as
   * of `ask`.
   */
  askSecret(question: string): Promise<string | undefined>;
  /**
   * Calls `listener` when a command that goes on for ever is to end: at a signal, the key q, or if the reader of `out`,
   * or the npm that has started it, goes away.
   */
  onEnd(listener: () => void): () => void;
  /** Calls `listener` when the terminal has another size. */
  onResize(listener: () => void): () => void;
}
