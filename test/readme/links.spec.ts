import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/program.js';

/** The anchor that a heading gets on a page. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

test.each(['README.md', 'sample/README.md', 'docs/running-beside-java.md'])(
  'the links of %s lead somewhere',
  (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`);
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^https?:/.test(link));

    const dead = links.filter((link) =>
      link.startsWith('#') ? !anchors.includes(link) : !existsSync(join(root, dirname(page), link)),
    );

    expect(links.length).toBeGreaterThan(3);
    expect(dead).toEqual([]);
  },
);
