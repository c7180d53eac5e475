/**
 * Makes a clone ready to run: installs the dependencies if they are missing or not those of package-lock.json, and
 * builds lib/ and sample/ if dist/ does not stem from the present sources. Does nothing, in milliseconds, if all is
 * well.
 *
 *   node .config/prepare.mjs
 *
 * PREPARED=1 changes nothing: for runs on purpose with other dependencies than the lockfile's.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/.built-from');

/** Installs and builds if needed; throws with the whole output of the step that failed. */
export function prepare() {
  requireNode();
  if (process.env.PREPARED === '1') return;
  if (!dependenciesAreCurrent()) {
    step('Installing the dependencies', 'npm', ['ci', '--no-progress', '--loglevel=error']);
  }
  const sources = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  // Without its stamp, a build that fails half-way is never taken for a finished one.
  rmSync(stamp, { force: true });
  step('Building', 'npm', ['run', '--silent', 'build']);
  if (filesBelow('sample').some((file) => file.endsWith('.ts'))) {
    step('Building the samples', 'npm', ['run', '--silent', 'build:sample']);
  }
  writeFileSync(stamp, sources);
}

/** Runs a program and keeps its output for the case that it fails. */
export function quietly(command, args, options = {}) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  if (status === 0) return stdout;
  const end = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
  throw new Error(`${[command, ...args].join(' ')}: ${end}\n${stdout ?? ''}${stderr ?? ''}`.trimEnd());
}

function step(title, command, args) {
  const began = performance.now();
  process.stderr.write(`${title} … `);
  try {
    quietly(command, args);
  } catch (error) {
    process.stderr.write('failed\n');
    throw error;
  }
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  throw new Error(
    `Node ${process.versions.node} is not supported: use 20.19 or later, 22.12 or later, or 24 and above.`,
  );
}

/** npm notes in node_modules/.package-lock.json what it installed; packages for other platforms are missing there. */
function dependenciesAreCurrent() {
  const installed = lockedPackages('node_modules/.package-lock.json');
  if (installed === undefined) return false;
  const { '': project, ...wanted } = lockedPackages('package-lock.json');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  if (kinds.some((kind) => !sameEntries(manifest[kind], project[kind]))) return false;
  return (
    Object.keys(installed).every((path) => path in wanted) &&
    Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
      const found = installed[path];
      return found === undefined ? optional === true : found.version === version && found.integrity === integrity;
    })
  );
}

function lockedPackages(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

function sameEntries(some = {}, other = {}) {
  const names = Object.keys(some);
  return names.length === Object.keys(other).length && names.every((name) => some[name] === other[name]);
}

/** Identifies the inputs of a build: every source, the settings of the compiler, and the dependencies. */
function fingerprint() {
  const hash = createHash('sha256');
  const settings = [
    'package.json',
    'package-lock.json',
    'nest-cli.json',
    'tsconfig.json',
    '.config/bundle.mjs',
    '.config/entries.json',
    '.config/vite.console.config.mjs',
  ];
  for (const path of [...settings, ...filesBelow('lib'), ...filesBelow('sample')]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    prepare();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
