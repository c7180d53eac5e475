/** Holds the tour of the code against the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/program.js';

const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

/** The folders directly below a folder. */
const foldersIn = (path: string): readonly string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The pieces of code in the first cells of the table below a heading. */
function named(heading: string): readonly string[] {
  const [section = ''] = page.split(`${heading}\n`).slice(1);
  const [table = ''] = /^\|[^]*?\n\n/m.exec(section) ?? [];
  return table
    .split('\n')
    .map((row) => row.split('|')[1] ?? '')
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));
}

test('every folder and file that the page names exists', () => {
  const paths = [...page.matchAll(/`((?:lib|test|bench|docs|sample)\/[\w./-]*)`/g)].map(([, path = '']) => path);

  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the tour passes through every folder of lib/', () => {
  const visited = named('## A tour of the code').filter((path) => path.startsWith('lib/'));

  expect(foldersIn('lib').filter((name) => !visited.some((path) => path.startsWith(`lib/${name}/`)))).toEqual([]);
});

test('the tour of the kernel passes through each of its rooms', () => {
  const rooms = named('### The kernel').filter((name) => name.endsWith('/'));

  expect(foldersIn('lib/kernel').filter((name) => !rooms.includes(`${name}/`))).toEqual([]);
});
