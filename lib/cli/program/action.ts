import { type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';
import { type CommonOptions } from '../surroundings.js';

/** Carries a command out: with what it needs, the words after its name, and its own options. */
export type Task = (
  invocation: Invocation,
  words: readonly (string & readonly string[])[],
  options: never,
) => Promise<ExitCode>;

/** Makes the action of a command out of its task. */
export type Action = (task: Task) => (...given: unknown[]) => Promise<void>;

/** How a task is carried out. */
export type CarryOut = (options: CommonOptions, task: (invocation: Invocation) => Promise<ExitCode>) => Promise<void>;
