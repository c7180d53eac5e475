import { type ElasticJobErrorCode } from '../api/errors/errors.js';

/** The exit codes of the command line. `docs/command-line.md` has the same table. */
export const EXIT = {
  /** Done. */
  done: 0,
  /** Done, and a difference or a problem was found. */
  found: 1,
  /** The command, an option, a value or the settings cannot be used. */
  usage: 2,
  /** There is no job of that name. */
  unknownJob: 3,
  /** The job's present state does not allow it, or another operator has changed it at the same moment. */
  state: 4,
  /** Not confirmed: the answer was no, or there was no terminal to ask on. */
  notConfirmed: 5,
  /** The registry centre cannot be reached. */
  unreachable: 6,
  /** The registry centre refuses the credentials, or its data are of another version. */
  refused: 7,
  /** The deadline has passed. */
  timeUp: 8,
  /** The connection broke during a change, which may have been made or not. */
  unknownOutcome: 9,
  /** Any other failure, such as a fault of the program. */
  failed: 70,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command could not do its work, for a reason that the library has no error for. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

const BY_CODE: Readonly<Partial<Record<ElasticJobErrorCode, ExitCode>>> = {
  INVALID_CONFIGURATION: EXIT.usage,
  INVALID_CRON: EXIT.usage,
  UNKNOWN_JOB: EXIT.unknownJob,
  UNKNOWN_GRAPH: EXIT.unknownJob,
  JOB_STATE: EXIT.state,
  JOB_CONFLICT: EXIT.state,
  REGISTRY_CONFLICT: EXIT.state,
  REGISTRY_UNAVAILABLE: EXIT.unreachable,
  SESSION_LOST: EXIT.unreachable,
  REGISTRY_OUTCOME_UNKNOWN: EXIT.unknownOutcome,
  REGISTRY_CREDENTIALS: EXIT.refused,
  REGISTRY_INCOMPATIBLE: EXIT.refused,
  DEADLINE_EXCEEDED: EXIT.timeUp,
};

/** The exit code for an error, also for one of another copy of the library. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return (typeof code === 'string' && BY_CODE[code as ElasticJobErrorCode]) || EXIT.failed;
}
