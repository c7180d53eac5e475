/**
 * `npm run mutants -- --relocate`: code that moves to another file takes its mutants along. An edit whose text is not
 * in the file that the list names, but once in exactly one other file of `lib/`, gets that file's name. All else needs
 * a person: the text has changed, or occurs more than once.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { applyEdits, type Edit, type Mutant, placesOf } from './mutant.js';

/** The text of each source of the library, by its path below `lib/`. */
export type Sources = ReadonlyMap<string, string>;

/** An edit that does not fit the file that the list names. */
export interface Misfit {
  readonly mutant: string;
  /** The index of the edit within the mutant, from 0. */
  readonly index: number;
  readonly edit: Edit;
  /** The files of `lib/` that have the edit's text now. */
  readonly candidates: readonly string[];
  /** The file that the edit belongs to now; `undefined` if the text does not tell. */
  readonly newFile: string | undefined;
}

/** The edits of these mutants that do not fit the file that the list names. */
export function misfits(mutants: readonly Mutant[], sources: Sources): readonly Misfit[] {
  return mutants.flatMap(({ name, edits }) => {
    // An edit may fit only after those before it.
    const edited = new Map(sources);
    return edits.flatMap((edit, index) => {
      const misfit = misfitOf(edit, edited);
      const file = misfit === undefined ? edit.file : misfit.newFile;
      if (file !== undefined) edited.set(file, applyEdits(edited.get(file) ?? '', [edit]));
      return misfit === undefined ? [] : [{ mutant: name, index, edit, ...misfit }];
    });
  });
}

function misfitOf({ file, find }: Edit, sources: Sources): Pick<Misfit, 'candidates' | 'newFile'> | undefined {
  const places = [...sources].map(([path, text]) => ({ path, count: placesOf(text, find) }));
  const hits = places.filter(({ count }) => count > 0);
  const named = hits.find(({ path }) => path === file);
  if (named?.count === 1) return undefined;
  const candidates = hits.map(({ path }) => path);
  const [only] = hits;
  const isClear = named === undefined && hits.length === 1 && only?.count === 1;
  return { candidates, newFile: isClear ? only.path : undefined };
}

/** A list of mutants, as TypeScript, in which the edits that have a new file name it. */
export function withNewFiles(list: string, moved: readonly Misfit[]): string {
  const changes: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    for (const { mutant, index, newFile } of moved) {
      const file = newFile === undefined ? undefined : fileOfEdit(node, mutant, index);
      if (file !== undefined) changes.push({ from: file.getStart(), to: file.getEnd(), text: `'${newFile}'` });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('list.ts', list, ts.ScriptTarget.Latest, true));
  return changes
    .sort((a, b) => b.from - a.from)
    .reduce((text, { from, to, text: name }) => text.slice(0, from) + name + text.slice(to), list);
}

/** The expression that names the file of a mutant's edit, if `node` is that mutant. */
function fileOfEdit(node: ts.Node, mutant: string, index: number): ts.Expression | undefined {
  const name = property(node, 'name');
  if (name === undefined || !ts.isStringLiteralLike(name) || name.text !== mutant) return undefined;
  const edits = property(node, 'edits');
  const edit = edits !== undefined && ts.isArrayLiteralExpression(edits) ? edits.elements[index] : undefined;
  return edit && property(edit, 'file');
}

function property(node: ts.Node, name: string): ts.Expression | undefined {
  if (!ts.isObjectLiteralExpression(node)) return undefined;
  const found = node.properties.find((each) => each.name?.getText() === name);
  return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

/**
 * Rewrites the lists in `test/campaigns/mutants/known-bugs/` below `root`, so that they name the present files of these
 * mutants' edits.
 * @returns all edits that did not fit; those without a new file still do not
 */
export function relocate(mutants: readonly Mutant[], root: string): readonly Misfit[] {
  const found = misfits(mutants, sourcesBelow(join(root, 'lib')));
  const lists = join(root, 'test/campaigns/mutants/known-bugs');
  for (const name of readdirSync(lists)) {
    const before = readFileSync(join(lists, name), 'utf8');
    const after = withNewFiles(before, found);
    if (after !== before) writeFileSync(join(lists, name), after);
  }
  return found;
}

function sourcesBelow(folder: string): Sources {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** A line about an edit that did not fit. */
export function describeMisfit({ mutant, edit, candidates, newFile }: Misfit): string {
  if (newFile !== undefined) return `${mutant}: moved from lib/${edit.file} to lib/${newFile}`;
  const where = candidates.length === 0 ? 'no file of lib/ has it' : `it is in ${candidates.join(', ')}`;
  return `${mutant}: lib/${edit.file} is to have this text exactly once; ${where}\n    ${edit.find.split('\n').join('\n    ')}`;
}
