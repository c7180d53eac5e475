/** Says how many items of one firing may run at once on this instance (Java: JobExecutorThreadPoolSizeProvider). */
export interface JobExecutorThreadPoolSizeProvider {
  /** The name by which `jobExecutorThreadPoolSizeProviderType` refers to it; compared without regard to case. */
  readonly type: string;
  /** An integer of at least 1; asked at each firing. */
  getSize(): number;
}
