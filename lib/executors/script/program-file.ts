import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describeValue } from '../../api/text/describe-value.js';

/**
 * Finds the reason why this process cannot start a program at present.
 * @returns the reason, one clause, or undefined. Undefined on Windows, where names lack their ends, such as `.exe`
 */
export function missingProgram(
  program: string,
  { platform, path = '' }: { readonly platform: NodeJS.Platform; readonly path: string | undefined },
): string | undefined {
  if (platform === 'win32') return undefined;
  const isFile = program.includes('/');
  const files = isFile ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  if (files.some((file) => may(file, constants.X_OK))) return undefined;
  if (files.some((file) => may(file, constants.F_OK))) return notExecutable(program);
  const hint = /\s/.test(program)
    ? '; quotes make it one name with its blanks: leave them out if it is a program with arguments'
    : '';
  return noProgram(program) + hint;
}

/** The clause that there is no such program. */
export function noProgram(program: string): string {
  const name = describeValue(program);
  return /[\\/]/.test(program)
    ? `there is no file ${name}, or not the interpreter that its first line names; relative paths begin at ${process.cwd()}`
    : `there is no program ${name} in the folders of PATH`;
}

/** The clause that a program may not be run. */
export function notExecutable(program: string): string {
  return `${describeValue(program)} is not executable for the user of this process`;
}

function may(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
