/** The unit in which a database measures the width of a text column. */
export type TextUnit = 'code-points' | 'utf-16' | 'utf-8-bytes';

/** Marks the place where a text was cut. */
const MARK = '…';

/** Characters that a database's text cannot hold: NUL, and halves of surrogate pairs. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** `text` if it fits into `width` units; otherwise its beginning, never half a character, and a mark. */
export function cutEnd(text: string, width: number, unit: TextUnit): string {
  if (widthOf(text, unit) <= width) return text;
  return takeFrom([...text], width - widthOf(MARK, unit), unit).join('') + MARK;
}

/** As `cutEnd`, for ids with information at both ends: keeps beginning and end, with a mark between them. */
export function cutMiddle(text: string, width: number, unit: TextUnit): string {
  if (widthOf(text, unit) <= width) return text;
  const room = width - widthOf(MARK, unit);
  const end = takeFrom([...text].reverse(), Math.floor(room / 2), unit)
    .reverse()
    .join('');
  return takeFrom([...text], room - widthOf(end, unit), unit).join('') + MARK + end;
}

/** `text` with replacements for characters that no text column can hold. */
export function storable(text: string): string {
  return text.replace(UNSTORABLE, '\uFFFD');
}

/** `text` with `?` for each character that is not ASCII: for columns whose character set is small. */
export function ascii(text: string): string {
  return text.replace(/[^\0-\x7F]/gu, '?');
}

function takeFrom(characters: readonly string[], width: number, unit: TextUnit): string[] {
  let used = 0;
  const end = characters.findIndex((character) => (used += widthOf(character, unit)) > width);
  return characters.slice(0, end === -1 ? undefined : end);
}

function widthOf(text: string, unit: TextUnit): number {
  switch (unit) {
    case 'utf-16':
      return text.length;
    case 'utf-8-bytes':
      return Buffer.byteLength(text);
    case 'code-points':
      // Only a text that is longer in UTF-16 units may be longer in code points.
      return [...text].length;
    default:
      return unit satisfies never;
  }
}
