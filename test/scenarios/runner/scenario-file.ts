/** One line that does something: `fire  hold=1   # a comment`. */
export interface Command {
  /** The line as it was written. */
  readonly line: string;
  readonly verb: string;
  /** Words that are no settings. */
  readonly words: readonly string[];
  /** `hold=1`, `cron="0/5 * * * * ?"`; a value may be quoted. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Commands, and what happened because of them. */
export interface Block {
  /** Command lines and comment lines as they were written. */
  readonly lines: readonly string[];
  readonly commands: readonly Command[];
  readonly transcript: readonly string[];
}

/** A scenario file: comment lines that say what it shows, then blocks divided by empty lines. */
export interface ScenarioFile {
  readonly heading: readonly string[];
  readonly blocks: readonly Block[];
}

const RULE = '----';

/**
 * Reads a scenario file.
 * @throws Error if it does not begin with a comment, or a block has no commands
 */
export function parseScenario(text: string): ScenarioFile {
  const [heading = [], ...blocks] = text
    .split(/\n(?:[ \t]*\n)+/)
    .map((block) => block.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0);
  if (heading.length === 0 || !heading.every(isComment))
    throw new Error('A scenario begins with comment lines that say what it shows, and an empty line after them');
  return { heading, blocks: blocks.map(parseBlock) };
}

function parseBlock(lines: readonly string[]): Block {
  const rule = lines.indexOf(RULE);
  const before = rule < 0 ? lines : lines.slice(0, rule);
  const commands = before.filter((line) => !isComment(line)).map(parseCommand);
  if (commands.length === 0) throw new Error(`There is no command before ${lines.join('\n')}`);
  return { lines: before, commands, transcript: rule < 0 ? [] : lines.slice(rule + 1) };
}

function parseCommand(line: string): Command {
  const parts = line.replace(/\s#.*$/, '').match(/[^\s"]+(?:"[^"]*")?|"[^"]*"/g) ?? [];
  const [verb = '', ...rest] = parts.map((part) => part.replaceAll('"', ''));
  const settings = rest.filter((part) => part.includes('='));
  return {
    line,
    verb,
    words: rest.filter((part) => !part.includes('=')),
    settings: new Map(
      settings.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)] as const),
    ),
  };
}

function isComment(line: string): boolean {
  return line.startsWith('#');
}

/** The text of a file, the inverse of `parseScenario`. */
export function printScenario({ heading, blocks }: ScenarioFile): string {
  const texts = blocks.map(({ lines, transcript }) => [...lines, RULE, ...transcript].join('\n'));
  return `${[heading.join('\n'), ...texts].join('\n\n')}\n`;
}
