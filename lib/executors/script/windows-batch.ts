import { type Command } from './command-line.js';

/** The arguments of Node's `spawn` for a program. */
export interface Invocation extends Command {
  /** Windows: true passes the arguments unchanged, without quotes of Node's. */
  readonly windowsVerbatimArguments: boolean;
}

/**
 * How to run a command on `platform`. Everywhere it is the program itself; on Windows a `.bat` or `.cmd` file has to be
 * run by `cmd.exe`, which reads its arguments as code unless they are quoted for it.
 * @param interpreter path of `cmd.exe`
 */
export function invocationOf(command: Command, platform: NodeJS.Platform, interpreter = 'cmd.exe'): Invocation {
  if (!isBatchFile(command, platform)) return { ...command, windowsVerbatimArguments: false };
  const line = [command.program, ...command.args].map(quotedForBatch).join(' ');
  // /d: no AutoRun commands of the registry. /v:off: `!` is no code. /s: exactly the outer quotes are taken away.
  return {
    program: interpreter,
    args: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`],
    windowsVerbatimArguments: true,
  };
}

/**
 * A word in quotes that neither `cmd.exe` nor a batch file that passes on `%*` ever leaves: a quote is doubled, which
 * programs read as one quote. `%` would begin a variable also in quotes; the empty piece of `%cd%` before it prevents
 * that.
 */
function quotedForBatch(word: string): string {
  const text = word
    // cmd.exe ends the command at a line break, even within quotes.
    .replace(/[\r\n]+/g, ' ')
    .replace(/(?<!\\)(\\*)"/g, '$1$1""')
    .replace(/(?<!\\)\\+$/, '$&$&')
    .replace(/%/g, '%%cd:~,%');
  return `"${text}"`;
}

/** True if a command is a batch file, which only `cmd.exe` can run. */
export function isBatchFile({ program }: Command, platform: NodeJS.Platform): boolean {
  // Windows ignores spaces and dots at the end of a file's name.
  return platform === 'win32' && /\.(?:bat|cmd)[ .]*$/i.test(program);
}
