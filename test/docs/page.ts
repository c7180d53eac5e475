import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/program.js';

/** A row of a table that says what becomes of something Java has. */
export interface Row {
  /** The first cell, without the marks of code: what Java has. */
  readonly java: string;
  /** The other cells by the heads of their columns, as they are written. */
  readonly cells: Readonly<Record<string, string>>;
}

/** Holds one row against the code. */
export type Check = (row: Row) => void | Promise<void>;

/** Checks by the first cells of the rows of one table. */
export type Checks = Readonly<Record<string, Check>>;

/** The text of the page. */
export const page = readFileSync(join(root, 'docs/running-beside-java.md'), 'utf8');

/** Tables by the heading they stand under; those of the whole page. */
export const tables: ReadonlyMap<string, readonly Row[]> = tablesOf(page);

/** A known fault of Java peers, from its section. */
export interface KnownFault {
  readonly name: string;
  /** The versions that have it, and whether it was seen or read. */
  readonly versions: string;
  /** The texts of its items, by the label with which each begins. */
  readonly items: Readonly<Record<string, string>>;
}

/** The known faults, in the order of the page. */
export const knownFaults: readonly KnownFault[] = faultsOf(page);

function faultsOf(markdown: string): readonly KnownFault[] {
  const [, chapter = ''] = /^## Known faults of Java peers\n([^]*?)^## /m.exec(markdown) ?? [];
  return chapter
    .split(/^#### /m)
    .slice(1)
    .map((section) => {
      const [name = '', versions = ''] = section.split(/\n+/);
      const items = [...section.matchAll(/^- \*\*([^*]+):\*\*([^]*?)(?=^- |^#|(?![^]))/gm)];
      return {
        name,
        versions,
        items: Object.fromEntries(items.map(([, label = '', text = '']) => [label, text.trim()])),
      };
    });
}

function tablesOf(markdown: string): ReadonlyMap<string, readonly Row[]> {
  const found = new Map<string, readonly Row[]>();
  for (const section of markdown.split(/^#{2,3} /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n')).replaceAll('`', '');
    const lines = section.split('\n').filter((line) => line.startsWith('|'));
    const [heads = [], , ...rows] = lines.map(cellsOf);
    if (rows.length > 0)
      found.set(
        heading,
        rows.map(([first = '', ...cells]) => ({
          java: first.replaceAll('`', ''),
          cells: Object.fromEntries(cells.map((cell, index) => [heads[index + 1] ?? '', cell])),
        })),
      );
  }
  return found;
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The first piece of code in a row's column; the empty text if there is none. */
export function codeIn({ cells }: Row, column: string): string {
  return /`([^`]*)`/.exec(cells[column] ?? '')?.[1] ?? '';
}

/** The message that a row quotes. @throws if it quotes none */
export function quoted(row: Row): string {
  const messages = [...(row.cells['Remark'] ?? '').matchAll(/`(elasticjob\.[^`]*: [^`]*)`/g)].map(([, text]) => text);
  if (messages.length !== 1) throw new Error(`The row of ${row.java} must quote one message, not ${messages.length}.`);
  return String(messages[0]);
}
