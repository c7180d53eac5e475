import { type Paint, type Tone } from './style.js';
import { cutTo, printable, widthOf } from './text.js';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly tone?: (row: Row) => Tone | undefined;
  /** `right` for numbers. Default: left. */
  readonly align?: 'right';
}

/** The layout of a table. */
export interface TableStyle {
  /** Width of the terminal in characters; `undefined` cuts nothing. */
  readonly width: number | undefined;
  readonly paint: Paint;
}

const GAP = '  ';
/** A column is not made narrower than this, unless its texts are. */
const NARROWEST = 6;

/**
 * Rows as lines below a line of titles. If they are wider than the terminal, the widest columns are cut. If not even
 * that is enough, each row becomes a paragraph of `title: text`.
 * @returns the lines, each with a line feed
 */
export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: TableStyle): string {
  const cells = rows.map((row) => columns.map(({ text }) => printable(text(row))));
  const natural = columns.map(({ title }, column) => {
    const widths = cells.map((row) => widthOf(row[column] ?? ''));
    return widths.reduce((most, width) => Math.max(most, width), widthOf(title));
  });
  const widths = style.width === undefined ? natural : fitted(natural, style.width - GAP.length * (columns.length - 1));
  if (widths === undefined) return paragraphs(columns, rows, { cells, paint: style.paint });
  const line = (texts: readonly string[], tones: readonly (Tone | undefined)[]): string => {
    const last = texts.length - 1;
    return texts
      .map((text, column) => {
        const width = widths[column] ?? 0;
        const cut = style.width === undefined ? text : cutTo(width, text);
        const blanks = ' '.repeat(Math.max(0, width - widthOf(cut)));
        const painted = style.paint(tones[column], cut);
        if (columns[column]?.align === 'right') return blanks + painted;
        return column === last ? painted : painted + blanks;
      })
      .join(GAP)
      .trimEnd()
      .concat('\n');
  };
  const titles = line(
    columns.map(({ title }) => title),
    columns.map(() => 'head'),
  );
  const lines = rows.map((row, index) =>
    line(
      cells[index] ?? [],
      columns.map(({ tone }) => tone?.(row)),
    ),
  );
  return titles + lines.join('');
}

/** Widths whose sum is at most `available`: the widest columns are cut first. `undefined` if the columns do not fit. */
function fitted(natural: readonly number[], available: number): readonly number[] | undefined {
  const least = natural.map((width) => Math.min(width, NARROWEST));
  if (sum(least) > available) return undefined;
  const widths = [...natural];
  for (let excess = sum(widths) - available; excess > 0; excess--) {
    const [widest] = widths
      .map((width, column) => ({ width, column }))
      .filter(({ width, column }) => width > (least[column] ?? 0))
      .sort((one, other) => other.width - one.width);
    if (widest !== undefined) widths[widest.column] = widest.width - 1;
  }
  return widths;
}

function paragraphs<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { cells, paint }: { readonly cells: readonly (readonly string[])[]; readonly paint: Paint },
): string {
  const paragraph = (row: Row, index: number): string =>
    columns
      .map(({ title, tone }, column) => {
        const text = cells[index]?.[column] ?? '';
        return text === '' ? '' : `${paint('head', `${title}:`)} ${paint(tone?.(row), text)}\n`;
      })
      .join('');
  return rows.map(paragraph).join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
