/** The meaning of a piece of text, which a terminal shows by a colour. */
export type Tone = 'good' | 'bad' | 'doubtful' | 'busy' | 'faint' | 'head';

/** Colours text, or returns it unchanged. */
export type Paint = (tone: Tone | undefined, text: string) => string;

/** The facts that decide about colours. */
export interface ColourChoice {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False: `--no-color`. */
  readonly color: boolean;
}

/**
 * Colours if the text goes to a terminal that has them. `NO_COLOR` and `--no-color` switch them off, `FORCE_COLOR` on.
 */
export function paintFor({ isTerminal, environment, color }: ColourChoice): Paint {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM = '' } = environment;
  const isForced = FORCE_COLOR !== '' && FORCE_COLOR !== '0';
  const hasColours = color && NO_COLOR === '' && (isForced || (isTerminal && TERM !== 'dumb'));
  return hasColours ? (tone, text) => (tone === undefined ? text : `${CODES[tone]}${text}${RESET}`) : plain;
}

/** Returns text unchanged. */
export const plain: Paint = (_, text) => text;

const RESET = '\u001b[0m';

const CODES: Readonly<Record<Tone, string>> = {
  good: '\u001b[32m',
  bad: '\u001b[31m',
  doubtful: '\u001b[33m',
  busy: '\u001b[36m',
  faint: '\u001b[2m',
  head: '\u001b[1m',
};
