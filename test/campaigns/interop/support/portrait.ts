import { withSortedProps } from './sorted-props.js';

/** A node in the answer of the Java peer's command `tree`. */
export interface JavaNode {
  readonly path: string;
  readonly kind: 'persistent' | 'container' | 'ephemeral';
  readonly value: string | null;
  /** Hexadecimal. Only an ephemeral node has one of its own. */
  readonly session: string;
  /** How often its value has been set. */
  readonly version: string;
  /** Number of its last change among all changes on the server. */
  readonly change: string;
}

/**
 * A job's nodes by their paths below the job: the kind of each, and under it a line for each line of its value. Values
 * that change from run to run are replaced: numbers of processes and of places in a queue, and the order of a job's
 * properties, for which Java has that of its hash table (in Java 8 another one than today).
 */
export type Portrait = Readonly<Record<string, string>>;

/** The portraits of all jobs of a namespace, by job. Node's own additions, `x-node`, are left out. */
export function portraits(namespace: string, nodes: readonly JavaNode[]): Readonly<Record<string, Portrait>> {
  const jobs: Record<string, Record<string, string>> = {};
  for (const { path, kind, value } of nodes) {
    const [job, ...below] = path.slice(`/${namespace}/`.length).split('/');
    if (!job || below[0] === 'x-node') continue;
    if (job === NEVER_LED && below[0] === 'leader') continue;
    (jobs[job] ??= {})[named(`/${below.join('/')}`)] = [kind, ...linesOf(value)].join('\n');
  }
  return jobs;
}

/** Java leads this job for a moment, before it takes in that its server is disabled; what comes of that is chance. */
const NEVER_LED = 'disabled';

/** The nodes whose paths match. */
export function only(portrait: Portrait, paths: RegExp): Portrait {
  return Object.fromEntries(Object.entries(portrait).filter(([path]) => paths.test(path)));
}

/** A portrait as it stands in a record. */
export function toText(portrait: Portrait): string {
  return Object.entries(portrait)
    .map(([path, text]) => `${path}  ${text.replaceAll('\n', '\n    ')}\n`)
    .join('');
}

/** Reads a text of `toText`. */
export function fromText(text: string): Portrait {
  const nodes = text.split(/^(?=\/)/m).filter((node) => node.trim() !== '');
  return Object.fromEntries(
    nodes.map((node) => {
      const [head = '', ...lines] = node.trimEnd().split('\n');
      const at = head.lastIndexOf('  ');
      return [head.slice(0, at), [head.slice(at + 2), ...lines.map((line) => line.slice(4))].join('\n')];
    }),
  );
}

function linesOf(value: string | null): readonly string[] {
  if (!value) return [];
  const lines = withSortedProps(named(value)).split('\n');
  return lines.map((line) => `|${visible(line)}`);
}

function named(text: string): string {
  return text
    .replaceAll(/@-@\d+(-node[0-9a-z]+)?/g, '@-@{pid}')
    .replaceAll(/cron: \d+,\d+ \d+ \d+ \* \* \?/g, 'cron: {soon}')
    .replaceAll(/_c_[0-9a-f-]{36}-latch-\d{10}/g, '_c_{uuid}-latch-{number}');
}

/** Shows characters that no editor shows, or that it takes for the end of a line. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u00a0\ufeff]/gu, (char) => `{${char.codePointAt(0)!.toString(16)}}`);
}
