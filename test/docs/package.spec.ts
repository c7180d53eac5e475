import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
  readonly repository: { readonly url: string };
};
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((page) => `docs/${page}`),
];

/** The files that a page links to, from the root of the package. */
function linkedFrom(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !target.includes('://')).map((target) => normalize(join(dirname(page), target)));
}

test('all pages that the README of the package links to are in the package, and there', () => {
  const linked = pages.flatMap(linkedFrom);

  expect(linked).toContain('docs/running-beside-java.md');
  expect(linked.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(
    linked.filter((path) => !packageJson.files.some((file) => path === file || path.startsWith(`${file}/`))),
  ).toEqual([]);
});

test('links to files that are not in the package lead to the repository', () => {
  const home = packageJson.repository.url.replace(/^git\+|\.git$/g, '');
  const links = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/https:\/\/github\.com\/[^)\s]+/g)].join();

  expect(links).toContain(`${home}/blob/main/sample/README.md`);
});
