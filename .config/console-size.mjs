/**
 * Checks that the built page of the console stays small: the files of the first visit, all files, and all files
 * unpacked.
 *
 *   node .config/console-size.mjs
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const KB = 1000;
const LIMITS = { first: 200 * KB, all: 400 * KB, unpacked: 1500 * KB };

const folder = fileURLToPath(new URL('../dist/console-ui/', import.meta.url));
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const bytes = new Map(files.map((file) => [file.slice(folder.length), readFileSync(file)]));
const zipped = (names) => names.reduce((sum, name) => sum + gzipSync(bytes.get(name) ?? '').length, 0);

const index = String(bytes.get('index.html'));
const named = [...index.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name);
const sizes = {
  first: zipped(['index.html', ...named]),
  all: zipped([...bytes.keys()]),
  unpacked: [...bytes.values()].reduce((sum, content) => sum + content.length, 0),
};

for (const [what, size] of Object.entries(sizes)) {
  const line = `Console page, ${what}: ${Math.ceil(size / KB)} kB of ${LIMITS[what] / KB} kB`;
  console.log(line);
  if (size > LIMITS[what]) {
    console.error(`${line} is too large.`);
    process.exitCode = 1;
  }
}
