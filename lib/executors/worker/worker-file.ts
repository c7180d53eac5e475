import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describeValue } from '../../api/text/describe-value.js';
import { workerProblem, workerText } from '../../api/job/worker-job.js';

/** The sources that a loader such as tsx finds under the name of the compiled file. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

/**
 * The URL of a worker module.
 * @param worker a `file:` URL or a path, as users write it; relative paths begin at the process's current directory, as
 *   all instances share the text, and each has its own folder
 * @returns the URL, or the problem with `worker`, as a requirement
 */
export function workerFile(worker: string | URL): { readonly url: string } | { readonly problem: string } {
  const kind = workerProblem(worker);
  const text = workerText(worker);
  const got = `got ${describeValue(text)}`;
  if (kind !== undefined) return { problem: `${kind}, got ${describeValue(worker)}` };
  // A single letter before the colon is a drive of Windows.
  if (/^[a-z][a-z\d+.-]+:/i.test(text) && !/^file:/i.test(text))
    return { problem: `must be a file: URL or a path, ${got}` };
  try {
    const path = /^file:/i.test(text) ? fileURLToPath(text) : resolve(text);
    const problem = fileProblem(path);
    return problem === undefined ? { url: pathToFileURL(path).href } : { problem: `${problem}, ${got}` };
  } catch {
    return { problem: `must be a file: URL that names a file of this machine, ${got}` };
  }
}

function fileProblem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return undefined;
  if (stats !== undefined) return `must be a file, but ${path} is a folder or something else`;
  if (sourceOf(path) !== undefined) return undefined;
  return `must be a file that exists, but there is no ${path}; relative paths begin at ${process.cwd()}`;
}

/** The source of a file that has not been compiled; `undefined` if there is none. */
export function sourceOf(path: string): string | undefined {
  const ending = /\.[cm]?js$/.exec(path)?.[0] ?? '';
  const candidates = (SOURCES[ending] ?? []).map((source) => path.slice(0, -ending.length) + source);
  return candidates.find((candidate) => existsSync(candidate));
}
