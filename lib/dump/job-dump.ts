import { parentPath } from '../registry/node-paths.js';
import { AddressMask } from '../api/text/address-mask.js';
import { withoutSecrets } from '../api/text/secrets.js';

/** The part of a node that a dump shows. */
export interface DumpedNode {
  /** `undefined` if it has not been read. */
  readonly value: string | undefined;
}

/** The nodes that a dump of a job shows. */
export interface JobDumpInput {
  /** Path of the job's root, such as `/syncOrders`. */
  readonly root: string;
  /** The nodes as the registry centre has them now, by absolute path. */
  readonly nodes: ReadonlyMap<string, DumpedNode>;
  /** The nodes as this process sees them; `undefined` if the job does not run in it. */
  readonly local: ReadonlyMap<string, DumpedNode> | undefined;
}

/**
 * The nodes below a job's root as text, in the form of ElasticJob's dump: one entry a node, parents before their
 * children, siblings in descending order of their names. An entry is `{path} | {value}`, and goes on with ` | {path} |
 * {value}` as this process sees it if that differs; both are empty if the process does not see the node. Addresses and
 * secrets are masked.
 * @returns the entries, each with a line feed; a line feed alone if there is no such job
 */
export function jobDump({ root, nodes, local }: JobDumpInput): string {
  const mask = new AddressMask();
  const shown = (path: string, value: string | undefined): string => `${path} | ${withoutSecrets(value ?? '')}`;
  const lines = inOrder(root, nodes).map((path) => {
    const value = nodes.get(path)?.value;
    const entry = shown(path, value);
    const own = local?.get(path);
    // A value that this process has not read counts as equal.
    const isSame = local === undefined || (own !== undefined && (own.value ?? value) === value);
    if (isSame) return mask.apply(entry);
    return mask.apply(`${entry} | ${own === undefined ? ' | ' : shown(path, own.value)}`);
  });
  return `${lines.join('\n')}\n`;
}

/** Paths below the root, parents before children, siblings in descending order. */
function inOrder(root: string, nodes: ReadonlyMap<string, unknown>): readonly string[] {
  const children = new Map<string, string[]>();
  for (const path of nodes.keys()) {
    if (path === root) continue;
    const parent = parentPath(path);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [path]);
    else siblings.push(path);
  }
  const found: string[] = [];
  const open = [root];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path !== root) found.push(path);
    // The last one is taken next, so that the greatest name comes first.
    for (const child of (children.get(path) ?? []).sort()) open.push(child);
  }
  return found;
}
