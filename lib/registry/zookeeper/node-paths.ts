import { RegistryRefusedError } from '../../api/errors.js';

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
    return withAncestors(this.root);
  }
}

/** The nodes between the namespace and `path`, from the top; neither the namespace node nor `path` itself. */
export function ancestors(path: string): readonly string[] {
  return withAncestors(path).slice(0, -1);
}

/** The path of a child. */
export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

/** The path above; `/` for the topmost nodes. */
export function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** Whether `path` is `root` or below it. */
export function isWithin(path: string, root: string): boolean {
  return root === '/' || path === root || path.startsWith(`${root}/`);
}

/** @throws RegistryRefusedError unless `path` is absolute, and names a node without `.`, `..`, empty names or characters ZooKeeper refuses */
export function requireUsable(operation: string, path: string): void {
  const fault = faultOf(path);
  if (fault) throw new RegistryRefusedError(operation, JSON.stringify(path), fault);
}

/** What ZooKeeper's own check refuses: its rule is about UTF-16 units, so all pairs of surrogates are meant. */
// eslint-disable-next-line no-control-regex
const UNUSABLE = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

function faultOf(path: string): string | undefined {
  if (!path.startsWith('/')) return "a path must begin with '/'";
  if (path === '/') return undefined;
  const names = path.slice(1).split('/');
  if (names.includes('')) return "a path must not end with '/' or contain '//'";
  if (names.includes('.') || names.includes('..')) return "a path must not contain '.' or '..'";
  if (UNUSABLE.test(path))
    return 'ZooKeeper takes no control characters in a path, and none beyond U+D7FF such as emoji';
  return undefined;
}

function withAncestors(path: string): readonly string[] {
  const names = path.split('/').slice(1);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
}
