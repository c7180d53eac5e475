import { type Command, type Option } from 'commander';
import { jobNames } from '../../operations/job-reading.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Invocation } from '../invocation.js';
import { type CommonOptions } from '../surroundings.js';
import { printable } from '../terminal/text.js';

/** A possible completion of a word. */
interface Candidate {
  readonly word: string;
  readonly description: string;
}

/** The most milliseconds that a person waits at a key: names of jobs that take longer are not offered. */
const DEADLINE_MS = 2_000;

/** `complete -- words…`: the completions of the last word, one a line, each with a description behind a tab. */
export async function printCandidates(
  { output, surroundings }: Invocation,
  words: readonly string[],
  program: Command,
): Promise<ExitCode> {
  const begun = words.at(-1) ?? '';
  const position = positionOf(program, words.slice(0, -1));
  const all = await candidates(position, begun, program, () => jobsOf(position.given, surroundings));
  for (const { word, description } of all.filter((each) => each.word.startsWith(begun)))
    output.text(`${word}\t${printable(description)}\n`);
  return EXIT.done;
}

/** The position of the next word in a command line. */
interface Position {
  readonly command: Command;
  /** The number of words after the name of the command, without options. */
  readonly operands: number;
  /** The option whose value is the next word. */
  readonly option: Option | undefined;
  /** Values of options that all commands have, by name. */
  readonly given: Readonly<Record<string, string>>;
}

function positionOf(program: Command, words: readonly string[]): Position {
  let command = program;
  let operands = 0;
  let option: Option | undefined;
  const given: Record<string, string> = {};
  for (const word of words) {
    if (option !== undefined) {
      given[option.attributeName()] = word;
      option = undefined;
    } else if (word.startsWith('-')) {
      const [flag = '', value] = word.split(/=(.*)/s);
      const found = optionsOf(command, program).find((each) => each.long === flag || each.short === flag);
      if (value !== undefined && found !== undefined) given[found.attributeName()] = value;
      else if (found?.required === true) option = found;
    } else {
      const inner = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
      if (inner === undefined) operands++;
      else [command, operands] = [inner, 0];
    }
  }
  return { command, operands, option, given };
}

async function candidates(
  { command, operands, option }: Position,
  begun: string,
  program: Command,
  jobs: () => Promise<readonly string[]>,
): Promise<readonly Candidate[]> {
  const named = async (): Promise<readonly Candidate[]> => (await jobs()).map((word) => ({ word, description: 'job' }));
  // The shell completes files itself; other values have no completions.
  if (option !== undefined) return option.attributeName() === 'job' ? named() : [];
  if (begun.startsWith('-'))
    return optionsOf(command, program).map(({ long, short, description }) => ({
      word: long ?? short ?? '',
      description,
    }));
  const commands = program.createHelp().visibleCommands(command);
  if (commands.length > 0) return commands.map((each) => ({ word: each.name(), description: each.description() }));
  const argument = command.registeredArguments[operands];
  if (argument?.name() === 'job') return named();
  return (argument?.argChoices ?? []).map((word) => ({ word, description: '' }));
}

function optionsOf(command: Command, program: Command): readonly Option[] {
  const help = program.createHelp();
  const own = help.visibleOptions(command);
  return command === program
    ? own
    : [...own, ...help.visibleOptions(program).filter(({ long }) => long !== '--version' && long !== '--help')];
}

async function jobsOf(given: Position['given'], surroundings: Invocation['surroundings']): Promise<readonly string[]> {
  const options: CommonOptions = { color: false, ...given, timeout: DEADLINE_MS };
  await using invocation = new Invocation(options, surroundings);
  try {
    return await jobNames(await invocation.registry());
  } catch {
    // No completion is better than an error in the middle of a line.
    return [];
  }
}
