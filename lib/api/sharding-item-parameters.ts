import { legible } from './describe-value.js';

/** What `parseShardingItemParameters` found: the parameters by item, or what is wrong. */
export type ParsedItemParameters =
  | { readonly parameters: ReadonlyMap<number, string> }
  | { readonly fault: 'format' | 'key' | 'twice'; readonly at: string };

/**
 * Reads `0=Beijing,1=Shanghai`, by Java's rules: split at commas (empty pieces at the end do not count), each piece split
 * at its one `=`, both sides trimmed. The empty text has no parameters.
 */
export function parseShardingItemParameters(text: string): ParsedItemParameters {
  const parameters = new Map<number, string>();
  const list = text.trim().replace(/[,\s]+$/, '');
  if (list === '') return { parameters };
  for (const piece of list.split(',')) {
    const [key = '', value = '', ...rest] = piece.split('=').map((side) => side.trim());
    if (key === '' || value === '' || rest.length > 0) return { fault: 'format', at: piece };
    if (!/^\d{1,10}$/.test(key)) return { fault: 'key', at: key };
    if (parameters.has(Number(key))) return { fault: 'twice', at: String(Number(key)) };
    parameters.set(Number(key), value);
  }
  return { parameters };
}

/** What is wrong with the text as the parameters of a job with so many items, said as what it must be; `undefined`: nothing. */
export function itemParametersProblem(text: string, shardingTotalCount: unknown): string | undefined {
  const parsed = parseShardingItemParameters(text);
  if ('fault' in parsed)
    return `must be like '0=Beijing,1=Shanghai', but ${COMPLAINTS[parsed.fault](legible(parsed.at))}`;
  if (!Number.isInteger(shardingTotalCount)) return undefined;
  const total = shardingTotalCount as number;
  const beyond = [...parsed.parameters.keys()].find((item) => item >= total);
  if (beyond === undefined || total < 1) return undefined;
  return `must only name items from 0 to ${total - 1}, as shardingTotalCount is ${total}, but names item ${beyond}`;
}

const COMPLAINTS = {
  format: (piece: string) => `'${piece}' is not of the form item=parameter`,
  key: (key: string) => `'${key}' is not the number of an item`,
  twice: (key: string) => `item ${key} has two parameters`,
} as const;
