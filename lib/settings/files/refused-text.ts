/**
 * A text of a file or the environment that no setting can use. It is a problem only if no stronger source has the
 * setting.
 */
export class RefusedText {
  /** @param problem with the text, as a requirement (`must not …`) */
  constructor(readonly problem: string) {}
}

/** The property in which quotes have a meaning: a command line may name a program whose path has blanks. */
export const COMMAND_LINE = 'script.command.line';

/** The refusal of a text in quotes, which neither the environment nor Java's properties remove. */
export const QUOTED = new RefusedText(
  'must not stand in quotes: nothing removes them here, so that they would be part of the value; leave them out, or set it in YAML or in code if they are meant',
);

/** True if one pair of quotes stands around a whole text. */
export function isQuoted(text: string): boolean {
  const [quote = ''] = text;
  return text.length >= 2 && /["']/.test(quote) && text.indexOf(quote, 1) === text.length - 1;
}
