/** Argument of a job's listeners for one firing on this instance: Java's fields, and `scheduledAt` and `signal`. */
export interface ShardingContexts {
  readonly jobName: string;
  /** `{jobName}@-@{items}@-@READY@-@{instanceId}`; without items its second part is empty. */
  readonly taskId: string;
  readonly shardingTotalCount: number;
  /** The job's `jobParameter`; the empty text if none is configured. */
  readonly jobParameter: string;
  /** This instance's items of the firing, each with its entry of the job's `shardingItemParameters`, if it has one. */
  readonly shardingItemParameters: ReadonlyMap<number, string | undefined>;
  /** Always 0; a field of Java's for ElasticJob-Cloud, as are the next two. */
  readonly jobEventSamplingCount: number;
  /** Always 0. */
  readonly currentJobEventSamplingCount: number;
  /** Always true. */
  readonly allowSendJobEvent: boolean;
  /**
   * The instant for which the firing was scheduled; `undefined` for a manual one, and for listeners of every instance
   * if a takeover runs items of several firings.
   */
  readonly scheduledAt: Date | undefined;
  /** Aborts when the run should end, as in `ShardingContext`, and when the listener's time is up. */
  readonly signal: AbortSignal;
}
