/** The path of a node's child. */
export function childPath(parent: string, name: string): string {
  return parent === '/' ? `/${name}` : `${parent}/${name}`;
}

/** The path of a node's parent; `/` for the topmost nodes. */
export function parentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

/** The last part of a path: the node's name. */
export function nodeName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** True if `path` is `root` or below it. */
export function isWithin(path: string, root: string): boolean {
  return root === '/' || (path.startsWith(root) && (path.length === root.length || path[root.length] === '/'));
}

/** The path itself, its parent, and so on up to `/`. */
export function* pathsUpwards(path: string): Generator<string> {
  for (let each = path; each !== '/'; each = parentPath(each)) yield each;
  yield '/';
}

/** The nodes above `path` from the top down, without `/`. */
export function ancestors(path: string): readonly string[] {
  return [...pathsUpwards(path)].slice(1, -1).reverse();
}

/** The nodes below `root` on the way to `path`, from the top down, `path` included. */
export function pathsDownTo(path: string, root: string): readonly string[] {
  return [...ancestors(path), path].filter((each) => each !== root && isWithin(each, root));
}

/** Paths for a message: the first three, and how many more there are. */
export function pathsInWords(paths: readonly string[]): string {
  return paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
}
