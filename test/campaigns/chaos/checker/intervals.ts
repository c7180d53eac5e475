/** From a moment to a later one; with a word on why, where that matters. */
export interface Interval {
  readonly from: number;
  readonly to: number;
  readonly why?: string;
}

/** Intervals that touch each other, as one. */
interface Block {
  readonly from: number;
  to: number;
  readonly parts: Interval[];
}

/** A set of moments, kept as intervals. */
export class Intervals {
  /** Disjoint, in order. */
  readonly #blocks: readonly Block[];

  constructor(intervals: readonly Interval[]) {
    const sorted = intervals.filter(({ from, to }) => to > from).sort((one, other) => one.from - other.from);
    const blocks: Block[] = [];
    for (const part of sorted) {
      const last = blocks.at(-1);
      if (last === undefined || part.from > last.to) blocks.push({ from: part.from, to: part.to, parts: [part] });
      else {
        last.to = Math.max(last.to, part.to);
        last.parts.push(part);
      }
    }
    this.#blocks = blocks;
  }

  /** Its moments as disjoint intervals, in order. */
  [Symbol.iterator](): Iterator<Interval> {
    return this.#blocks[Symbol.iterator]();
  }

  contains(t: number): boolean {
    return this.at(t) !== undefined;
  }

  /** The interval around a moment. */
  at(t: number): Interval | undefined {
    const block = this.#blocks[this.#indexAfter(t) - 1];
    return block !== undefined && t < block.to ? block : undefined;
  }

  /** True if any moment from `from` to `to` is in the set. */
  touches(from: number, to: number): boolean {
    const block = this.#blocks[this.#indexAfter(to) - 1];
    return block !== undefined && block.to > from;
  }

  /** The longest stretch between `from` and `to` that is not in the set. */
  longestGap(from: number, to: number): number {
    return Math.max(0, ...this.gapsIn({ from, to }).map((gap) => gap.to - gap.from));
  }

  /** How much of `from` to `to` is not in the set. */
  uncovered(from: number, to: number): number {
    return this.gapsIn({ from, to }).reduce((sum, gap) => sum + gap.to - gap.from, 0);
  }

  /** Why a moment is in the set. */
  why(t: number): string {
    return this.#within(t, t).find(({ from, to }) => from <= t && t < to)?.why ?? '?';
  }

  /** Why most of `from` to `to` is in the set. */
  reason(from: number, to: number): string {
    const shares = new Map<string, number>();
    for (const part of this.#within(from, to)) {
      const share = Math.min(part.to, to) - Math.max(part.from, from);
      if (share > 0) shares.set(part.why ?? '?', (shares.get(part.why ?? '?') ?? 0) + share);
    }
    return [...shares].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 'nothing';
  }

  /** The stretches of an interval that are not in the set. */
  gapsIn({ from, to }: Interval): readonly Interval[] {
    const gaps: Interval[] = [];
    let at = from;
    for (let index = Math.max(0, this.#indexAfter(from) - 1); at < to; index++) {
      const block = this.#blocks[index];
      const until = Math.min(to, block?.from ?? to);
      if (until > at) gaps.push({ from: at, to: until });
      if (block === undefined) break;
      at = Math.max(at, block.to);
    }
    return gaps;
  }

  #within(from: number, to: number): readonly Interval[] {
    return this.#blocks
      .slice(Math.max(0, this.#indexAfter(from) - 1), this.#indexAfter(to))
      .flatMap(({ parts }) => parts);
  }

  /** Index of the first interval that begins after `t`. */
  #indexAfter(t: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.from ?? Infinity) <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
