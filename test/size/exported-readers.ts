/**
 * All exported functions of lib/ that take a text, and so may read a foreign one, found in the sources: a reader that
 * somebody adds is found as well.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../support/program.js';

/** An exported function, or a constructor or method of an exported class. */
export interface ExportedReader {
  /** Its file, relative to lib/, and its name: `time/cron.ts QuartzCron.parse`. */
  readonly name: string;
  readonly file: string;
  readonly exportedAs: string;
  /** How many texts are all that it needs; `undefined` if it needs other things too, or is part of a class. */
  readonly texts: number | undefined;
}

/**
 * Texts with these names have been written by others. Those with other names (paths, names of jobs) have been checked
 * before.
 */
const FOREIGN =
  /^(text|yaml|json|lines?|expression|stored|source|values?|body|challenge|address|url|given|raw|header|cursor|cookie|cron|words?|tree)$/;

/** The page reads the answers of its own server. */
const LEFT_OUT = /^console\/(ui|contract)\//;

const lib = join(root, 'lib');

/** @returns functions that need nothing but texts, and those of all that need a text with the name of a foreign one */
export function exportedReaders(): readonly ExportedReader[] {
  return readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !LEFT_OUT.test(file))
    .sort()
    .flatMap((file) => readersIn(file, readFileSync(join(lib, file), 'utf8')));
}

/** @param file relative to lib/ */
export function readersIn(file: string, source: string): readonly ExportedReader[] {
  const { statements } = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true);
  return statements
    .filter((statement) => isExported(statement))
    .flatMap((statement) => callablesOf(statement))
    .flatMap(({ exportedAs, member, parameters }) => {
      const needed = parameters.filter((each) => !each.questionToken && !each.initializer && !each.dotDotDotToken);
      const isPlain = member === undefined && needed.length > 0 && needed.every(isText);
      const name = `${file} ${exportedAs}${member === undefined ? '' : `.${member}`}`;
      if (!isPlain && !parameters.some((each) => isText(each) && FOREIGN.test(each.name.getText()))) return [];
      return [{ name, file, exportedAs, texts: isPlain ? needed.length : undefined }];
    });
}

interface Callable {
  readonly exportedAs: string;
  readonly member?: string;
  readonly parameters: readonly ts.ParameterDeclaration[];
}

function callablesOf(statement: ts.Statement): readonly Callable[] {
  // Overloads have no body; what they describe has.
  if (ts.isFunctionDeclaration(statement) && statement.body !== undefined)
    return [{ exportedAs: statement.name?.text ?? '', parameters: [...statement.parameters] }];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))
        ? [{ exportedAs: name.getText(), parameters: [...initializer.parameters] }]
        : [],
    );
  if (!ts.isClassDeclaration(statement)) return [];
  return statement.members.flatMap((member) => {
    const isHidden = member.name !== undefined && ts.isPrivateIdentifier(member.name);
    if (isHidden || !(ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member))) return [];
    const name = member.name?.getText() ?? 'new';
    return [{ exportedAs: statement.name?.text ?? '', member: name, parameters: [...member.parameters] }];
  });
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    !!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function isText({ type }: ts.ParameterDeclaration): boolean {
  return type !== undefined && /^(string|unknown)( \| undefined)?$/.test(type.getText());
}
