// The results as a table: a line for each measure, a column for each side.
import { NODE } from './instances.mjs';

/** Collects values by measure and side. */
export class Results {
  #measures = new Map();

  /**
   * Adds values of a measure: `unit` says what they are counted in, `better` whether `less` or `more` of it is better.
   */
  add(measure, side, values, { unit = 'ms', better = 'less' } = {}) {
    if (!this.#measures.has(measure)) this.#measures.set(measure, { unit, better, sides: new Map() });
    const { sides } = this.#measures.get(measure);
    sides.set(side, [...(sides.get(side) ?? []), ...values]);
  }

  /** The table in Markdown. Each cell is the median and, in brackets, the least and the greatest value. */
  table(versions) {
    const titles = [
      '',
      'unit',
      ...versions.map((each) => `Java ${each}`),
      NODE,
      ...versions.map((each) => `ahead of ${each}`),
    ];
    const lines = [...this.#measures].map(([measure, { unit, better, sides }]) => [
      measure,
      unit,
      ...[...versions, NODE].map((side) => cell(sides.get(side))),
      ...versions.map((side) => ahead(better, sides.get(side), sides.get(NODE))),
    ]);
    return aligned([titles, ...lines]);
  }
}

function cell(values) {
  if (values === undefined) return '–';
  const [least, greatest] = [Math.min(...values), Math.max(...values)].map(rounded);
  const middle = rounded(median(values));
  return least === greatest ? middle : `${middle} (${least}–${greatest})`;
}

/** The better side, and how many times as good it is. */
function ahead(better, java, node) {
  if (java === undefined || node === undefined) return '–';
  if (median(node) === 0) return median(java) === 0 ? 'even' : 'Node: none';
  const ratio = better === 'less' ? median(java) / median(node) : median(node) / median(java);
  if (ratio > 0.95 && ratio < 1 / 0.95) return 'even';
  return ratio > 1 ? `Node ${rounded(ratio)}×` : `Java ${rounded(1 / ratio)}×`;
}

export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function rounded(value) {
  return value >= 100 ? `${Math.round(value)}` : `${Number(value.toPrecision(value >= 10 ? 3 : 2))}`;
}

function aligned(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = (line) => `| ${line.map((each, column) => each.padEnd(widths[column])).join(' | ')} |`;
  return [
    text(lines[0]),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...lines.slice(1).map(text),
  ].join('\n');
}
