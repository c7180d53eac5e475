/**
 * Limits the number of items of a job that run at once on this instance, those of all its firings together (Java:
 * JobExecutorThreadPoolSizeProvider).
 */
export interface JobExecutorThreadPoolSizeProvider {
  /** The name by which `jobExecutorThreadPoolSizeProviderType` refers to it; compared without regard to case. */
  readonly type: string;
  /**
   * An integer of at least 1. Called when a job that names the provider is defined, and at each firing. If it throws or
   * returns anything else when the job is defined, the job is refused; at a firing, the former size stays in force, and
   * the job is `impaired`, or, without a former size, `blocked`.
   */
  getSize(): number;
}
