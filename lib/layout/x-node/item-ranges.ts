/** Items as our own records write them, in ascending order: `0-3,7`. */
export function toRanges(items: Iterable<number>): string {
  const sorted = [...items].sort((one, other) => one - other);
  const written: string[] = [];
  let first = sorted[0];
  sorted.forEach((item, index) => {
    if (sorted[index + 1] === item + 1) return;
    written.push(first === item ? `${item}` : `${first}-${item}`);
    first = sorted[index + 1];
  });
  return written.join(',');
}

const RANGE = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/;

/** No job has more items. */
const MOST_ITEMS = 100_000;

/**
 * Reads the lists of items of one text. A few bytes can claim any number of items, and a text that claims more than any
 * job has is garbage, which must cost neither time nor memory. So there is one budget for the whole text, regardless of
 * the number of its ranges.
 */
export class ItemRanges {
  #left: number;

  /** @param lists number of lists of all items of the largest job, which has 100,000, that such a text may hold */
  constructor(lists: number) {
    this.#left = lists * MOST_ITEMS;
  }

  /**
   * The inverse of `toRanges`, each item once; without a text there are no items. It leaves out parts that it cannot
   * read, and ranges of more items than a job can have, or than the budget has left.
   */
  read(text = ''): readonly number[] {
    const items = new Set<number>();
    for (const range of text.split(',')) {
      const [, first, last = first] = RANGE.exec(range) ?? [];
      const length = Number(last) - Number(first) + 1;
      // Also false if it is no range.
      if (!(length <= Math.min(this.#left, MOST_ITEMS))) continue;
      this.#left -= Math.max(0, length);
      for (let index = 0; index < length; index++) items.add(Number(first) + index);
    }
    return [...items];
  }
}

/** The inverse of `toRanges` for a text that is one list, as `ItemRanges` reads it. */
export function fromRanges(text?: string): readonly number[] {
  return new ItemRanges(1).read(text);
}

/** True if a text is one list that `fromRanges` reads without leaving anything out. */
export function isReadWhole(text: string): boolean {
  let left = MOST_ITEMS;
  return text.split(',').every((range) => {
    const [, first, last = first] = RANGE.exec(range) ?? [];
    const length = Number(last) - Number(first) + 1;
    left -= length;
    // Also false if it is no range.
    return length >= 1 && left >= 0;
  });
}
