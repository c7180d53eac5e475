import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { type Readable } from 'node:stream';
import { type Clock } from '../../time/clock.js';
import { OutputLines } from '../output-lines.js';
import { endGroup, forget, isGroupAlive, prepareGroup, remember } from '../process/process-group.js';
import { type Invocation } from './windows-batch.js';

/**
 * The milliseconds that a program has to end after SIGTERM, before it is killed with all processes that it has started.
 * An instance that is stopped waits a second for its aborted items; then peers run them.
 */
const GRACE_MS = 800;

/**
 * The most milliseconds that the output of a killed program may stay open: a process that has left the group can hold
 * it.
 */
const DRAIN_MS = 100;

/** The milliseconds that the output of an exited program may stay open before that is reported. */
const HELD_MS = 5_000;

/** Options of running a program. */
export interface ProgramRunOptions {
  readonly clock: Clock;
  /** Ends the program, and everything that it has started. */
  readonly signal: AbortSignal;
  readonly onOutput: (line: string) => void;
  readonly onErrorOutput: (line: string) => void;
  /**
   * Called at most once: the program exited five seconds ago, but a process that it has started still holds its output.
   */
  readonly onHeldOutput: (exit: ProgramExit) => void;
  /** Called if there is no watchdog, so that the program goes on if this process is killed. */
  readonly onUnwatched: () => void;
}

/** The exit of a program: either the code or the signal is set. */
export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The end of a program, with its last error output. */
export interface ProgramEnd extends ProgramExit {
  /** Empty if it had no error output. */
  readonly lastErrorLine: string;
}

/**
 * Runs a program without a shell, in this process's current directory and environment, without input. It has ended when
 * it has exited and its output is closed: processes that it has left in the background still count as long as they can
 * write to the output.
 * @throws the signal's reason once it has aborted and the program has ended
 * @throws the error of Node if the program cannot be started
 */
export async function runProgram(invocation: Invocation, options: ProgramRunOptions): Promise<ProgramEnd> {
  const { signal, onUnwatched } = options;
  signal.throwIfAborted();
  const { program, args, windowsVerbatimArguments } = invocation;
  if (!prepareGroup()) onUnwatched();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments,
  });
  remember(child);
  const ended = endOf(child, options);
  try {
    return await endedOrAborted(child, ended, options);
  } finally {
    forget(child);
  }
}

async function endedOrAborted(
  child: ChildProcess,
  ended: Promise<ProgramEnd>,
  { clock, signal }: ProgramRunOptions,
): Promise<ProgramEnd> {
  let ending: Promise<void> | undefined;
  const onAbort = (): void => void (ending ??= endProgram(child, ended, clock));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const end = await ended;
    await ending;
    signal.throwIfAborted();
    return end;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves when the program has ended, and its group is gone or killed. */
async function endProgram(child: ChildProcess, ended: Promise<ProgramEnd>, clock: Clock): Promise<void> {
  endGroup(child, 'SIGTERM');
  let cancelDrain = (): void => undefined;
  let cancelGrace = (): void => undefined;
  const killed = new Promise<void>((resolve) => {
    cancelGrace = clock.after(GRACE_MS, () => {
      endGroup(child, 'SIGKILL');
      cancelDrain = clock.after(DRAIN_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
      resolve();
    });
  });
  await ended.catch(() => undefined);
  // Processes that the program has left in its group, with another output, may ignore the request to end.
  if (isGroupAlive(child)) await killed;
  cancelGrace();
  cancelDrain();
}

/** Resolves when the program has exited, its output is closed, and all its lines have been passed on. */
async function endOf(
  child: ChildProcessByStdio<null, Readable, Readable>,
  options: ProgramRunOptions,
): Promise<ProgramEnd> {
  const exited = exitOf(child);
  const outputs = Promise.all([
    passOnLines(child.stdout, options.onOutput),
    passOnLines(child.stderr, options.onErrorOutput),
  ]);
  const exit = await exited;
  const cancel = options.clock.after(HELD_MS, () => options.onHeldOutput(exit));
  const [, lastErrorLine] = await outputs;
  cancel();
  return { ...exit, lastErrorLine };
}

function exitOf(child: ChildProcess): Promise<ProgramExit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

/**
 * Passes on the lines of an output. It is not read meanwhile, so the program waits once the pipe is full.
 * @returns the last line
 */
async function passOnLines(output: Readable, onLine: (line: string) => void): Promise<string> {
  const lines = new OutputLines(onLine);
  try {
    for await (const chunk of output) await lines.write(chunk as Buffer);
  } catch {
    // A broken pipe ends the output like its end does.
  }
  lines.end();
  return lines.last;
}
