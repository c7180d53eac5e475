import { readFileSync } from 'node:fs';
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

/** The text of the project's README. */
export const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** All pieces of code in a page, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => ({
    language,
    code,
    line: markdown.slice(0, index).split('\n').length + 1,
    file: /^(?:\/\/|#) (\S+\.\w+)\n/.exec(code)?.[1],
  }));
}

/** The code of the README in the file of that name. @throws if there is not exactly one */
export function exampleFile(name: string): string {
  const [found, ...more] = codeBlocks(readme).filter(({ file }) => file === name);
  if (found === undefined || more.length > 0) throw new Error(`README.md must have one example in ${name}.`);
  return found.code;
}

/** The rows of the table below a heading or introduction, each as its cells without markup. */
export function tableAfter(text: string): readonly (readonly string[])[] {
  const from = readme.indexOf(text);
  if (from < 0) throw new Error(`README.md does not say: ${text}`);
  const [table = ''] = /\n\|[^]*?\n\n/.exec(readme.slice(from)) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1));
  return rows.slice(2).map((cells) => cells.map((cell) => cell.trim().replace(/^`|`$/g, '')));
}
