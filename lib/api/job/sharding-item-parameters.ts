import { legible } from '../text/describe-value.js';

/**
 * Checks `0=Beijing,1=Shanghai`, the parameters of a job's items. Java reads the text by the same rules, but late, when
 * the job fires (see `readItemParameters` in lib/layout); so everything that Java would refuse then is refused here, and
 * mistakes that it would ignore too.
 * @param shardingTotalCount the number of items; items from it on are refused
 * @returns the problem with the text, as a requirement, or undefined
 */
export function itemParametersProblem(text: string, shardingTotalCount: unknown): string | undefined {
  const items = new Set<number>();
  for (const piece of pieces(text)) {
    const [key = '', value = '', ...rest] = piece.split('=').map((side) => side.trim());
    if (key === '' || value === '' || rest.length > 0)
      return unlike(`'${legible(piece)}' is not of the form item=parameter`);
    if (!/^\+?\d{1,10}$/.test(key)) return unlike(`'${legible(key)}' is not the number of an item`);
    if (items.has(Number(key))) return unlike(`item ${Number(key)} has two parameters`);
    items.add(Number(key));
  }
  return totalProblem(items, shardingTotalCount);
}

/**
 * Texts that Java reads without an error, but perhaps not as they were meant.
 * @returns a clause for each, saying how the text is read
 */
export function itemParametersDoubts(text: string): readonly string[] {
  const odd = pieces(text)
    .map((piece) => (piece.split('=')[0] ?? '').trim())
    .filter((key) => /^(\+|0\d)/.test(key));
  return [
    ...(text.endsWith(',')
      ? [
          `the commas at the end of shardingItemParameters '${legible(text)}' have no effect: no item gets an empty parameter`,
        ]
      : []),
    ...odd.map((key) => `shardingItemParameters names item '${key}', which is read as item ${Number(key)}`),
  ];
}

/** As Java splits the text: empty pieces at the end do not count. */
function pieces(text: string): readonly string[] {
  const list = text.replace(/,+$/, '');
  return list === '' ? [] : list.split(',');
}

function unlike(complaint: string): string {
  return `must be like '0=Beijing,1=Shanghai', but ${complaint}`;
}

function totalProblem(items: ReadonlySet<number>, shardingTotalCount: unknown): string | undefined {
  if (!Number.isInteger(shardingTotalCount)) return undefined;
  const total = shardingTotalCount as number;
  const beyond = [...items].find((item) => item >= total);
  if (beyond === undefined || total < 1) return undefined;
  return `must only name items from 0 to ${total - 1}, as shardingTotalCount is ${total}, but names item ${beyond}`;
}
