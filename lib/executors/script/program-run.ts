import { type ChildProcess, spawn } from 'node:child_process';
import { type Readable } from 'node:stream';
import { type Clock } from '../../time/clock.js';
import { OutputLines } from '../output-lines.js';
import { endGroup, forget, isGroupAlive, remember } from './process-group.js';
import { type Invocation } from './windows-batch.js';

/**
 * How long a program has to end after it was asked to, in milliseconds, before it is killed with all that it has started. An
 * instance that is stopped waits a second for its aborted items; then peers run them.
 */
const GRACE_MS = 800;

/** How long the output of a killed program may stay open, in milliseconds: a process that has left the group can hold it. */
const DRAIN_MS = 100;

/** How a program is run. */
export interface ProgramRunOptions {
  readonly clock: Clock;
  /** Ends the program, and everything that it has started. */
  readonly signal: AbortSignal;
  readonly onOutput: (line: string) => void;
  readonly onErrorOutput: (line: string) => void;
}

/** How a program has ended: one of both is set. */
export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a program without a shell, in this process's current directory and environment, without input. It has ended when it
 * has exited and its output is closed: what it has left in the background still counts, as long as that may write there.
 * @throws the signal's reason once it has aborted and the program has ended
 * @throws what keeps the program from being started
 */
export async function runProgram(invocation: Invocation, options: ProgramRunOptions): Promise<ProgramEnd> {
  const { signal, onOutput, onErrorOutput } = options;
  signal.throwIfAborted();
  const { program, args, windowsVerbatimArguments } = invocation;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments,
  });
  readLines(child.stdout, onOutput);
  readLines(child.stderr, onErrorOutput);
  const closed = endOf(child);
  remember(child);
  try {
    return await endedOrAborted(child, closed, options);
  } finally {
    forget(child);
  }
}

async function endedOrAborted(
  child: ChildProcess,
  closed: Promise<ProgramEnd>,
  { clock, signal }: ProgramRunOptions,
): Promise<ProgramEnd> {
  let ending: Promise<void> | undefined;
  const onAbort = (): void => void (ending ??= endProgram(child, closed, clock));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const end = await closed;
    await ending;
    signal.throwIfAborted();
    return end;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves when the program has ended, and its group is gone or killed. */
async function endProgram(child: ChildProcess, closed: Promise<ProgramEnd>, clock: Clock): Promise<void> {
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
  await closed.catch(() => undefined);
  // Something that the program has left in its group, without its output, may ignore the request to end.
  if (isGroupAlive(child)) await killed;
  cancelGrace();
  cancelDrain();
}

function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

function readLines(output: Readable, onLine: (line: string) => void): void {
  const lines = new OutputLines(onLine);
  output.on('data', (chunk: Buffer) => lines.write(chunk));
  // A broken pipe ends the output like its end does; 'close' comes after either.
  output.on('error', () => undefined);
  output.once('close', () => lines.end());
}
