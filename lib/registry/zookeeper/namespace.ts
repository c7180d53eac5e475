import { RegistryRefusedError } from '../../api/errors.js';
import { hasRefusedCharacters } from '../../api/node-name.js';
import { ancestors } from '../node-paths.js';

/** Paths within a namespace and what they are at the servers. */
export class Namespace {
  constructor(
    /** Absolute path of the namespace node at the servers, such as `/orders`. */
    readonly root: string,
  ) {}

  /** The server's path of a path within the namespace. */
  at(path: string): string {
    return path === '/' ? this.root : this.root + path;
  }

  /** The path within the namespace of a server's path; `undefined` for paths outside. */
  within(serverPath: string): string | undefined {
    if (serverPath === this.root) return '/';
    return serverPath.startsWith(`${this.root}/`) ? serverPath.slice(this.root.length) : undefined;
  }

  /** Server's paths of the namespace node and those above it, from the top. */
  get containers(): readonly string[] {
    return [...ancestors(this.root), this.root];
  }
}

/** @throws RegistryRefusedError unless `path` is absolute, and names a node without `.`, `..`, empty names or characters ZooKeeper refuses */
export function requireUsable(operation: string, path: string): void {
  const fault = faultOf(path);
  if (fault) throw new RegistryRefusedError(operation, JSON.stringify(path), fault);
}

function faultOf(path: string): string | undefined {
  if (!path.startsWith('/')) return "a path must begin with '/'";
  if (path === '/') return undefined;
  const names = path.slice(1).split('/');
  if (names.includes('')) return "a path must not end with '/' or contain '//'";
  if (names.includes('.') || names.includes('..')) return "a path must not contain '.' or '..'";
  if (hasRefusedCharacters(path))
    return 'ZooKeeper takes no control characters in a path, and none beyond U+D7FF such as emoji';
  return undefined;
}
