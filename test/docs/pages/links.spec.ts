import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../support/program.js';
import { pages } from './pages.js';

/** The anchor that a heading gets on a page. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

/** The anchors of a page. */
function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

/** True if a link of a page leads to a heading or file that exists. */
function isAlive(page: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page : join(dirname(page), file);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** The links of a page that do not lead to other sites. */
function linksOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^https?:/.test(link));
}

test.each([...pages.keys(), 'CONTRIBUTING.md', 'sample/README.md'])('the links of %s lead somewhere', (page) => {
  expect(linksOf(page).filter((link) => !isAlive(page, link))).toEqual([]);
});

test('the README leads to every page', () => {
  const linked = linksOf('README.md').map((link) => link.replace(/#.*/, ''));

  expect([...pages.keys()].filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
});

test('the README is short', () => {
  expect(pages.get('README.md')?.split('\n').length).toBeLessThanOrEqual(250);
});

test.each(['#no-such-heading', 'docs/no-such-page.md', 'docs/glossary.md#no-such-term'])(
  'the link %s is dead',
  (link) => {
    expect(isAlive('README.md', link)).toBe(false);
  },
);
