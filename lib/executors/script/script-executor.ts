import { inEnglish } from '../../wording/wording.js';
import { describeValue } from '../../api/text/describe-value.js';
import { JobExecutionError } from '../../api/errors/errors.js';
import { type JobConfiguration } from '../../api/job/job-configuration.js';
import { type PropertyProblem, type RunningJob, type TypedJobItemExecutor } from '../../api/extensions/job-executor.js';
import { type ShardingContext } from '../../api/job/sharding-context.js';
import { type Clock } from '../../time/clock.js';
import { type Command, parseCommandLine, shellSyntaxIn } from './command-line.js';
import { idleStreamingDoubts } from '../dataflow-executor.js';
import { unknownKeyDoubts } from '../../api/settings/known-properties.js';
import { contextJson, escaped } from '../context-json.js';
import { missingProgram, noProgram, notExecutable } from './program-file.js';
import { type ProgramEnd, type ProgramExit, runProgram } from './program-run.js';
import { throwProblems } from '../properties.js';
import { invocationOf, isBatchFile } from './windows-batch.js';

const COMMAND_LINE = 'script.command.line';

/** The most UTF-16 code units of a program's last error output that its failure quotes. */
const LONGEST_QUOTE = 500;

/**
 * Runs jobs of the type SCRIPT: for each item the program of `script.command.line`, with the sharding context as JSON
 * for its last argument. Its output goes to the job's log, line by line. Exit code 0 is success.
 */
export function scriptExecutor(clock: Clock): TypedJobItemExecutor {
  let isUnwatchedReported = false;
  const reportUnwatched = ({ logger }: RunningJob): void => {
    if (isUnwatchedReported) return;
    isUnwatchedReported = true;
    logger.warn(
      'there is no /bin/sh that could end scripts if this process is killed: they would run on beside those of its successor.',
    );
  };
  return {
    type: 'SCRIPT',
    validate: commandLineProblems,
    doubts: (configuration) => [...scriptDoubts(configuration), ...idleStreamingDoubts(configuration)],
    process: (configuration, context, job) =>
      runScript({ configuration, context, job, clock, onUnwatched: () => reportUnwatched(job) }),
  };
}

interface ScriptRun {
  readonly configuration: JobConfiguration;
  readonly context: ShardingContext;
  readonly job: RunningJob;
  readonly clock: Clock;
  readonly onUnwatched: () => void;
}

async function runScript({ configuration, context, job, clock, onUnwatched }: ScriptRun): Promise<void> {
  throwProblems(configuration.jobName, commandLineProblems(configuration));
  const command = parseCommandLine(configuration.props[COMMAND_LINE] ?? '', process.platform) as Command;
  const { logger } = job;
  const { signal } = context;
  const json = jsonFor(command, context);
  const end = await runProgram(invocationOf(withArgument(command, json), process.platform, process.env['ComSpec']), {
    clock,
    signal,
    onOutput: (line) => logger.log(line),
    onErrorOutput: (line) => logger.warn(line),
    onHeldOutput: (exit) => {
      const reason =
        `${describeValue(command.program)} ${howIt(exit)}, but a process that it has started holds its output, so that the item ` +
        'still runs. Redirect the output of what stays in the background: >/dev/null 2>&1';
      logger.warn(reason);
      job.noteImpairment(reason);
    },
    onUnwatched,
  }).catch((cause: unknown) => {
    if (signal.aborted && cause === signal.reason) throw cause;
    throw new JobExecutionError(`Execute script failure: ${startProblem(command, json, cause)}.`, { cause });
  });
  if (end.exitCode !== 0) throw new JobExecutionError(failureOf(command, end));
}

/** In a batch file, arguments are read as code again; there, these characters could do harm. */
function jsonFor(command: Command, context: ShardingContext): string {
  const json = contextJson(context);
  return isBatchFile(command, process.platform) ? escaped(json, /[%!^|()]/g) : json;
}

function withArgument({ program, args }: Command, argument: string): Command {
  return { program, args: [...args, argument] };
}

function failureOf({ program }: Command, end: ProgramEnd): string {
  const { lastErrorLine } = end;
  const said = lastErrorLine === '' ? '.' : `; the last line of its error output: ${quote(lastErrorLine)}`;
  return `Execute script failure: ${describeValue(program)} ${howIt(end)}${said}`;
}

function howIt({ exitCode, signal }: ProgramExit): string {
  return exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `has exited with code ${exitCode}`;
}

function quote(line: string): string {
  return line.length <= LONGEST_QUOTE ? line : `${line.slice(0, LONGEST_QUOTE)}…`;
}

function startProblem({ program }: Command, json: string, cause: unknown): string {
  const { code } = cause as NodeJS.ErrnoException;
  const name = describeValue(program);
  switch (code) {
    case 'ENOENT':
      return noProgram(program);
    case 'EACCES':
      return notExecutable(program);
    case 'E2BIG':
      return `the arguments of ${name} are longer than the system allows; the sharding context alone has ${json.length} characters`;
    default:
      return `${name} could not be started: ${code ?? String(cause)}`;
  }
}

function scriptDoubts({ props }: JobConfiguration): readonly string[] {
  const line = props[COMMAND_LINE] ?? '';
  const command = parseCommandLine(line, process.platform);
  const { platform, env } = process;
  const missing = 'problem' in command ? undefined : missingProgram(command.program, { platform, path: env['PATH'] });
  const syntax = shellSyntaxIn(line);
  const shell =
    `the property ${COMMAND_LINE} has ${describeValue(syntax)} outside of quotes, which the program is given as it is, since no shell ` +
    "is involved; if you want a shell, write sh -c '…'";
  return [
    ...unknownKeyDoubts(props, [COMMAND_LINE], 'SCRIPT jobs').map(inEnglish),
    ...(syntax === undefined ? [] : [shell]),
    ...(missing === undefined || syntax !== undefined
      ? []
      : [`the property ${COMMAND_LINE} cannot be run now: ${missing}`]),
  ];
}

function commandLineProblems({ props }: JobConfiguration): readonly PropertyProblem[] {
  const line = props[COMMAND_LINE];
  const got = `got ${line === undefined ? 'nothing' : describeValue(line)}`;
  if (line === undefined || line.trim() === '') {
    const problem = `Cannot find script command line, job is not executed: must be a command such as "python3 /opt/jobs/sync.py", ${got}`;
    return [{ property: COMMAND_LINE, problem }];
  }
  const command = parseCommandLine(line, process.platform);
  return 'problem' in command ? [{ property: COMMAND_LINE, problem: `${command.problem}, ${got}` }] : [];
}
