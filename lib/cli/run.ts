import { type Command, CommanderError } from 'commander';
import { describeFailure } from '../api/text/describe-cause.js';
import { withoutSecrets } from '../api/text/secrets.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { createProgram } from './program/program.js';
import { type Surroundings } from './surroundings.js';
import { printableLines } from './terminal/text.js';

/**
 * Carries out a command line.
 * @param args the words after the name of the program
 * @returns the exit code; nothing is thrown
 */
export async function runCommandLine(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { terminal } = surroundings;
  let exitCode: ExitCode = EXIT.done;
  const program = createProgram(surroundings.version, async (options, task) => {
    const [{ Invocation }, { reportFailure }] = await Promise.all([import('./invocation.js'), import('./failures.js')]);
    await using invocation = new Invocation(options, surroundings);
    try {
      exitCode = await task(invocation);
    } catch (error) {
      exitCode = reportFailure(error, invocation);
    }
  });
  const isJson = args.includes('--json');
  for (const command of [program, ...program.commands, ...program.commands.flatMap((each) => each.commands)])
    command.exitOverride().configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      outputError: (text, write) => write(isJson ? usageJson(text) : `${printableLines(text)}${hintFor(command)}`),
      getOutHelpWidth: () => terminal.out.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => terminal.err.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // A fault of the program, such as a registry centre that cannot be closed; failures of the command itself are
    // already reported.
    terminal.err.write(`elasticjob: ${withoutSecrets(describeFailure(error))}\n`);
    return EXIT.failed;
  }
}

function usageJson(text: string): string {
  const message = text.trim().replace(/^error: /, '');
  return `${JSON.stringify({ error: { code: null, exitCode: EXIT.usage, message } })}\n`;
}

/** The advice after wrong usage. */
function hintFor(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
  return `How it is used: ${names.join(' ')} --help\n`;
}

const HELP_WIDTH = 100;
