/**
 * Says how many items of a job may run at once on this instance, those of all its firings together (Java:
 * JobExecutorThreadPoolSizeProvider).
 */
export interface JobExecutorThreadPoolSizeProvider {
  /** The name by which `jobExecutorThreadPoolSizeProviderType` refers to it; compared without regard to case. */
  readonly type: string;
  /**
   * An integer of at least 1. Asked when a job that names the provider is defined, which is refused if this throws or
   * returns anything else, and at each firing: then the former size stays in force, and the job is `impaired`, or
   * `blocked` if there is none.
   */
  getSize(): number;
}
