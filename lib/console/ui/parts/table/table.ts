/** A column of a table. The value of `of` is sorted by, and shown if the column has no slot. */
export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  readonly of?: (row: Row) => string | number | undefined;
  readonly isSortable?: boolean;
  readonly align?: 'end';
  /** `fill` takes the rest of the table and is never squeezed; `narrow` is cut early. */
  readonly width?: 'fill' | 'narrow';
}

export interface Sorting {
  readonly key: string;
  readonly isDescending: boolean;
}

const compareText = new Intl.Collator(undefined, { numeric: true }).compare;

/** The sorted rows; unknown values come last in both directions. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const of = sorting && columns.find(({ key }) => key === sorting.key)?.of;
  if (of === undefined) return rows;
  const sign = sorting?.isDescending === true ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: of(row) }));
  keyed.sort((one, other) => {
    if (one.key === undefined) return other.key === undefined ? 0 : 1;
    if (other.key === undefined) return -1;
    const order =
      typeof one.key === 'number' && typeof other.key === 'number'
        ? one.key - other.key
        : compareText(String(one.key), String(other.key));
    return sign * order;
  });
  return keyed.map(({ row }) => row);
}

/** Parses a sorting: `-name` is by name, descending. */
export const parseSorting = (text: string): Sorting | undefined =>
  text === '' ? undefined : { key: text.replace(/^-/, ''), isDescending: text.startsWith('-') };
export const sortingText = (sorting: Sorting | undefined): string =>
  sorting === undefined ? '' : `${sorting.isDescending ? '-' : ''}${sorting.key}`;

/** The rows in their former order; new rows follow, and removed rows are left out. */
export function inOrderOf<Row>(
  rows: readonly Row[],
  before: readonly string[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const left = new Map(rows.map((row) => [keyOf(row), row]));
  const kept = before.flatMap((key) => {
    const row = left.get(key);
    left.delete(key);
    return row === undefined ? [] : [row];
  });
  return [...kept, ...left.values()];
}
