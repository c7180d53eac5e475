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

/** The inverse of `toRanges`; without a text there are no items. What it cannot read it leaves out. */
export function fromRanges(text = ''): readonly number[] {
  return text.split(',').flatMap(itemsOf);
}

function itemsOf(range: string): readonly number[] {
  const [, first, last = first] = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(range) ?? [];
  const length = Number(last) - Number(first) + 1;
  // A range that no job can have is garbage, and must not cost memory.
  return length <= GREATEST_COUNT ? Array.from({ length }, (_, index) => Number(first) + index) : [];
}

const GREATEST_COUNT = 100_000;
