/** A command line as a program and its arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Splits a command line as Java's ElasticJob does (Apache Commons Exec): spaces separate the words, `'…'` and `"…"`
 * keep spaces together and are dropped, and no character is escaped. Adjoining pieces are one word. No shell is
 * involved: `|`, `>`, `$NAME` and `*` are ordinary characters. In the program's name, `/` and `\` both mean the
 * platform's separator.
 * @returns the command, or the problem with the line, as a requirement
 */
export function parseCommandLine(line: string, platform: NodeJS.Platform): Command | { readonly problem: string } {
  const words = wordsOf(line);
  if (words === undefined) return { problem: 'must have an end to each quotation: its quotes are unbalanced' };
  const [program = '', ...args] = words;
  if (program.trim() === '') return { problem: 'must begin with the program to run' };
  if (line.includes('\0')) return { problem: 'must not contain the character U+0000' };
  return { program: program.replace(/[\\/]/g, platform === 'win32' ? '\\' : '/'), args };
}

/**
 * The first unquoted piece of a command line that has a meaning for a shell: `|`, `>`, `&&`, a backquote, `$NAME`, a
 * `~` before a folder, a second line. `cmd.exe`, which reads its arguments itself, is a shell.
 */
export function shellSyntaxIn(line: string): string | undefined {
  if (/^\s*["']?(?:\S*[\\/])?cmd(?:\.exe)?["']?(?:\s|$)/i.test(line)) return undefined;
  const unquoted = line.replace(/'[^']*'|"[^"]*"/g, (quoted) => '_'.repeat(quoted.length));
  const [syntax] =
    /(?<=\s)(?:&&?|\|\|?|;|\d?>>?(?:&\d)?|<)(?=\s|$)|(?<=\s)(?:\d?>>?|<)\S+|;(?=\s|$)|`|\$[({]|\$[A-Za-z_]\w{0,79}|(?<=^|\s)~(?=\/)|\n/.exec(
      unquoted.trim(),
    ) ?? [];
  return syntax;
}

/** The words of a command line; `undefined` if a quotation has no end. */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  // Each match is a piece of a word, or spaces; a quote without an end matches neither.
  const pieces = /'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<plain>[^ '"]+)|(?<spaces> +)/y;
  let word: string | undefined;
  while (pieces.lastIndex < line.length) {
    const groups = pieces.exec(line)?.groups;
    if (groups === undefined) return undefined;
    const piece = groups['single'] ?? groups['double'] ?? groups['plain'];
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
