import { type Wording, wording } from '../../wording/wording.js';
import { RegistryRefusedError } from '../../api/errors/errors.js';
import { hasRefusedCharacters } from '../../api/text/node-name.js';
import { ancestors } from '../node-paths.js';

/** Translates paths within a namespace to paths at the servers, and back. */
export class Namespace {
  constructor(
    /** Absolute path of the namespace node at the servers, such as `/orders`. */
    readonly root: string,
  ) {}

  /** The path at the servers of a path within the namespace. */
  at(path: string): string {
    return path === '/' ? this.root : this.root + path;
  }

  /** The path within the namespace of a path at the servers; `undefined` for paths outside the namespace. */
  within(serverPath: string): string | undefined {
    if (serverPath === this.root) return '/';
    return serverPath.startsWith(`${this.root}/`) ? serverPath.slice(this.root.length) : undefined;
  }

  /**
   * The path at the servers of the job that has a node at `serverPath`: of the child of the namespace's node above it,
   * or itself.
   */
  jobRootOf(serverPath: string): string {
    const end = serverPath.indexOf('/', this.root.length + 1);
    return end === -1 ? serverPath : serverPath.slice(0, end);
  }

  /** Paths at the servers of the namespace node and of the nodes above it, from the top. */
  get containers(): readonly string[] {
    return [...ancestors(this.root), this.root];
  }
}

/**
 * Checks a namespace, which may be a path such as `team/orders`.
 * @returns the problem, phrased as a requirement (`must be …`), or undefined
 */
export function namespaceProblem(text: unknown): Wording | undefined {
  // Quotes come from a place where nothing removes them; instances with and without them would not meet.
  const isName = (part: string): boolean =>
    part !== '' && part === part.trim() && part !== '.' && part !== '..' && !/["']/.test(part);
  const isUsable = typeof text === 'string' && !hasRefusedCharacters(text) && text.split('/').every(isName);
  if (!isUsable) return wording('namespace');
  return text.split('/')[0] === 'zookeeper' ? wording('namespace-zookeeper') : undefined;
}

/**
 * Checks a path within a namespace.
 * @throws RegistryRefusedError unless `path` is absolute, without `.`, `..` and empty parts and characters that
 *   ZooKeeper refuses
 */
export function requireUsable(operation: string, path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new RegistryRefusedError(operation, JSON.stringify(path), problem);
}

function pathProblem(path: string): string | undefined {
  if (typeof (path as unknown) !== 'string' || !path.startsWith('/')) return "a path must begin with '/'";
  if (path === '/') return undefined;
  const [, odd] = ODD_NAME.exec(path) ?? [];
  if (odd === '') return "a path must not end with '/' or contain '//'";
  if (odd !== undefined) return "a path must not contain '.' or '..'";
  if (hasRefusedCharacters(path))
    return 'ZooKeeper accepts no control characters in a path, and none beyond U+D7FF, such as emoji';
  return undefined;
}

/** No name, `.` or `..`. Each commit of each job is checked, so the path is not cut into its names. */
const ODD_NAME = /\/(\.{0,2})(?:\/|$)/;
