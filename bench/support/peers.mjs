// Schedulers that the library is measured beside and that it does not depend on: they have a package.json of their own
// in `bench/peers/`, and are installed there at first use.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { quietly } from '../../.config/prepare.mjs';

const folder = new URL('../peers/', import.meta.url);
const require = createRequire(new URL('package.json', folder));

/** Installs the peers if they are missing, or not those of the lock file. */
export function installPeers() {
  const wanted = lockedVersions('package-lock.json');
  const installed = lockedVersions('node_modules/.package-lock.json');
  if (wanted.every((each) => installed.includes(each))) return;
  process.stderr.write('Installing the peers …\n');
  quietly('npm', ['ci', '--ignore-scripts', '--no-progress', '--loglevel=error'], { cwd: fileURLToPath(folder) });
}

/** A peer's module. */
export function peer(name) {
  return import(pathToFileURL(require.resolve(name)).href);
}

/** `name version` of a peer, or of a dependency of this project. */
export function versionOf(name) {
  const own = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  const theirs = new URL(`node_modules/${name}/package.json`, folder);
  return `${name} ${JSON.parse(readFileSync(existsSync(theirs) ? theirs : own, 'utf8')).version}`;
}

function lockedVersions(file) {
  const url = new URL(file, folder);
  if (!existsSync(url)) return [];
  const { packages } = JSON.parse(readFileSync(url, 'utf8'));
  return Object.entries(packages).flatMap(([path, { version, optional }]) =>
    path === '' || optional ? [] : [`${path} ${version}`],
  );
}
