import { RegistryRefusedError } from '../../api/errors/errors.js';
import { nodeName, parentPath } from '../node-paths.js';
import { PATH } from '../request-limits.js';
import { type KeyRange } from './client/messages.js';

/** Longest path within the namespace, in bytes: see `etcdLimits`. */
export const LONGEST_PATH_BYTES = 512;

/** It has no bytes of its own in UTF-8, so that another text would be stored. */
export const HALF_CHARACTER = /\p{Cs}/u;

/**
 * The keys of one namespace, which all begin with it and a colon, so that a role of etcd can be given just these:
 *
 * ```
 *   /orders:n/job/config        a node: its text. On the lease of its session, or on none
 *   /orders:n                   the root, which is made with the first session
 *   /orders:j/job               index of the jobs: the children of the root, without all that is below them
 *   /orders:s/6f…1c             a session, as long as it lives. On its lease
 *   /orders:s/6f…1c/0           the last commit of that session through this slot (see `SessionWrites`). On its lease
 *   /orders:id                  which tree this is: made with the root
 * ```
 */
export class EtcdKeys {
  readonly #prefix: string;

  constructor(namespace: string) {
    this.#prefix = `/${namespace}:`;
  }

  get lineage(): string {
    return `${this.#prefix}id`;
  }

  node(path: string): string {
    return path === '/' ? `${this.#prefix}n` : `${this.#prefix}n${path}`;
  }

  /** The path of a node's key; `undefined` if it is no node's. */
  pathOf(key: string): string | undefined {
    const root = this.node('/');
    if (key === root) return '/';
    return key.startsWith(`${root}/`) ? key.slice(root.length) : undefined;
  }

  /** All that is below a node. */
  below(path: string): Required<KeyRange> {
    return prefixed(`${this.node(path)}/`);
  }

  /** All nodes, and the marks by which a watch finds out how far it is. */
  get watched(): Required<KeyRange> {
    return prefixed(this.node('/'));
  }

  /** A key within `watched` that is no node's. */
  mark(session: string): string {
    return `${this.node('/')}!${session}`;
  }

  /** The index entry of a child of the root. */
  indexed(path: string): string {
    return `${this.#prefix}j${path}`;
  }

  get index(): Required<KeyRange> {
    return prefixed(`${this.#prefix}j/`);
  }

  session(id: string): string {
    return `${this.#prefix}s/${id}`;
  }

  slot(session: string, number: number): string {
    return `${this.session(session)}/${number}`;
  }
}

/** All keys that begin like this. */
function prefixed(key: string): Required<KeyRange> {
  const last = key.charCodeAt(key.length - 1);
  return { key, rangeEnd: key.slice(0, -1) + String.fromCharCode(last + 1) };
}

/** Names of the direct children among nodes below `path`, given by their paths. */
export function childNames(path: string, below: Iterable<string>): readonly string[] {
  const names: string[] = [];
  for (const each of below) if (parentPath(each) === path) names.push(nodeName(each));
  return names;
}

/**
 * @throws RegistryRefusedError unless the path is `/`, or like `/a/b` without empty, `.` or `..` parts, NUL characters
 *   and halves of characters, and not too long
 */
export function requirePath(operation: string, path: string): void {
  if (path === '/') return;
  const problem = pathProblem(path);
  if (problem !== undefined) throw new RegistryRefusedError(operation, JSON.stringify(path), problem);
}

function pathProblem(path: string): string | undefined {
  if (typeof (path as unknown) !== 'string' || !PATH.test(path) || path.includes('\0'))
    return 'a path starts with a slash, does not end with one, and has no empty, "." or ".." part and no NUL character';
  if (HALF_CHARACTER.test(path)) return 'a path must not contain half of a character (a lone surrogate)';
  return Buffer.byteLength(path) > LONGEST_PATH_BYTES ? `a path has at most ${LONGEST_PATH_BYTES} bytes` : undefined;
}
