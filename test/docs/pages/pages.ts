import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/program.js';

/** A piece of code in a page. */
export interface CodeBlock {
  /** `ts`, `sql`, … */
  readonly language: string;
  readonly code: string;
  /** Line of the page on which the code begins. */
  readonly line: number;
  /** The file's name, if the first line is a comment that holds nothing else. */
  readonly file: string | undefined;
}

/** The pages for users: their texts by their paths, the README first. */
export const pages: ReadonlyMap<string, string> = new Map(
  ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)]
    .filter((file) => file.endsWith('.md'))
    .map((page) => [page, readFileSync(join(root, page), 'utf8')]),
);

/** The text of a page. @throws if there is no such page */
export function textOf(page: string): string {
  const text = pages.get(page);
  if (text === undefined) throw new Error(`There is no page ${page}.`);
  return text;
}

/** All pieces of code in a page, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length + 1,
    file: /^(?:\/\/|#) (\S+\.\w+)\n/.exec(code)?.[1],
  }));
}

/** The code of the example in the file of that name, on whichever page. @throws if there is not exactly one */
export function exampleFile(name: string): string {
  const [found, ...more] = [...pages.values()].flatMap(codeBlocks).filter(({ file }) => file === name);
  if (found === undefined || more.length > 0) throw new Error(`One page must have one example in ${name}.`);
  return found.code;
}

/** The rows of the table below a heading or introduction on a page, each as its cells without markup. */
export function tableAfter(page: string, text: string): readonly (readonly string[])[] {
  const from = textOf(page).indexOf(text);
  if (from < 0) throw new Error(`${page} does not say: ${text}`);
  const [table = ''] = /\n\|[^]*?(?:\n\n|(?![^]))/.exec(textOf(page).slice(from)) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1));
  return rows.slice(2).map((cells) => cells.map((cell) => cell.trim().replace(/^`|`$/g, '')));
}
