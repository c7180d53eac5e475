import { type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type CommonOptions } from '../surroundings.js';

/** Carries out a command, with the invocation, the words after the command's name and its own options. */
export type Task = (
  invocation: Invocation,
  words: readonly (string & readonly string[])[],
  options: never,
) => Promise<ExitCode>;

/** Makes commander's action from the task of a command. */
export type Action = (task: Task) => (...given: unknown[]) => Promise<void>;

/** Carries out a task: makes its invocation, and reports failures. */
export type CarryOut = (options: CommonOptions, task: (invocation: Invocation) => Promise<ExitCode>) => Promise<void>;
