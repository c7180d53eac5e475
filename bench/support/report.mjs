// The output of benchmarks: Markdown tables, and the machine on which they were made.
import { cpus, totalmem } from 'node:os';

/**
 * A table: `columns` are the titles, `rows` arrays of cells; cells after the first are numbers or texts, and aligned
 * right.
 */
export function table(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** A number with separated thousands, and only significant digits. */
export function number(value, digits = value < 100 ? 1 : 0) {
  if (!Number.isFinite(value)) return '–';
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

/** The middle one; of an even count, the lower of the two. */
export function median(values) {
  return share(values, 0.5);
}

/** The value below which this share of the values lies. */
export function share(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length - (part === 0.5 ? 1 : 0)) * part))];
}

/** One line: date, versions, processors. `servers` are texts such as `ZooKeeper 3.8.0`. */
export function machine(...servers) {
  const date = new Date().toISOString().slice(0, 10);
  const processors = `${cpus().length} × ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return [date, `Node ${process.versions.node}`, ...servers, processors].join('; ');
}

/** `ZooKeeper 3.8.0`, as the server says. */
export async function zooKeeperVersion(server) {
  return `ZooKeeper ${/\d+\.\d+\.\d+/.exec(await server.ask('srvr'))?.[0]}`;
}
