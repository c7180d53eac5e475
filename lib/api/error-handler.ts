/** What to do with a failure of a job: a throwing item, or a firing that could not start. */
export interface JobErrorHandler {
  /** The name by which `jobErrorHandlerType` refers to it; compared without regard to case. */
  readonly type: string;
  /** Told of each failure. What it throws itself is logged and never hurts the job's other items. */
  handleException(jobName: string, cause: unknown): void | Promise<void>;
}
