/**
 * The positions of items in the picture. Only the position of an item changes when it moves, so that the move is
 * visible.
 */

export interface Lane {
  /** The instance; empty for unowned items. */
  readonly id: string;
  readonly items: readonly number[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly lanes: ReadonlyMap<string, Box>;
  readonly items: ReadonlyMap<number, { readonly x: number; readonly y: number }>;
  readonly size: number;
  readonly height: number;
}

export const LANE_HEAD = 58;
const PADDING = 12;
const GAP = 16;
const NARROWEST_LANE = 290;

/** The size of an item: the more items, the smaller. */
export function sizeFor(count: number, width: number): { readonly size: number; readonly gap: number } {
  if (count <= 36) return { size: width < 500 ? 52 : 64, gap: 8 };
  if (count <= 120) return { size: 42, gap: 6 };
  return { size: 32, gap: 4 };
}

/** A layout with a lane for each instance, side by side if there is room. */
export function byInstance(lanes: readonly Lane[], width: number): Layout {
  const count = lanes.reduce((sum, { items }) => sum + items.length, 0);
  const { size, gap } = sizeFor(count, width);
  const columns = Math.max(1, Math.min(lanes.length, Math.floor((width + GAP) / (NARROWEST_LANE + GAP)), 4));
  const laneWidth = (width - GAP * (columns - 1)) / columns;
  const inRow = Math.max(1, Math.floor((laneWidth - 2 * PADDING + gap) / (size + gap)));
  const boxes = new Map<string, Box>();
  const items = new Map<number, { x: number; y: number }>();
  let top = 0;
  for (let start = 0; start < lanes.length; start += columns) {
    const row = lanes.slice(start, start + columns);
    const most = Math.max(1, ...row.map((lane) => Math.ceil(lane.items.length / inRow)));
    const height = LANE_HEAD + most * (size + gap) - gap + PADDING;
    for (const [column, lane] of row.entries()) {
      const x = column * (laneWidth + GAP);
      boxes.set(lane.id, { x, y: top, width: laneWidth, height });
      for (const [index, item] of lane.items.entries())
        items.set(item, {
          x: x + PADDING + (index % inRow) * (size + gap),
          y: top + LANE_HEAD + Math.floor(index / inRow) * (size + gap),
        });
    }
    top += height + GAP;
  }
  return { lanes: boxes, items, size, height: Math.max(0, top - GAP) };
}

/** A layout with all items in ascending order. */
export function byItem(numbers: readonly number[], width: number): Layout {
  const { size, gap } = sizeFor(numbers.length, width);
  const inRow = Math.max(1, Math.floor((width + gap) / (size + gap)));
  const place = (index: number): { x: number; y: number } => ({
    x: (index % inRow) * (size + gap),
    y: Math.floor(index / inRow) * (size + gap),
  });
  const rows = Math.ceil(numbers.length / inRow);
  const items = new Map(numbers.map((item, index) => [item, place(index)]));
  return { lanes: new Map(), items, size, height: Math.max(0, rows * (size + gap) - gap) };
}
