import { describeValue } from '../api/text/describe-value.js';
import { InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { type OperationContext, type OperationName } from '../api/events/operation-record.js';
import { AuditedOperations } from './audited-operations.js';
import { readJob } from './job-reading.js';
import { changeNodes } from './node-changes.js';

/** Excludes single items of jobs from their firings: no job need run in this process. */
export class ShardingOperateAPI extends AuditedOperations {
  /**
   * Excludes an item from the job's firings until it is enabled. A run of it that goes on is not ended.
   * @param item its number, or the same as text, as Java takes it
   * @throws UnknownJobError if there is no job of that name
   * @throws JobStateError if the job has no such item
   */
  disable(jobName: string, item: number | string, context: OperationContext = {}): Promise<void> {
    return this.#mark('disable-item', { jobName, item, context });
  }

  /** Lets an item fire again. Otherwise as `disable`. */
  enable(jobName: string, item: number | string, context: OperationContext = {}): Promise<void> {
    return this.#mark('enable-item', { jobName, item, context });
  }

  #mark(
    operation: Extract<OperationName, 'disable-item' | 'enable-item'>,
    { jobName, item: given, context }: { jobName: string; item: number | string; context: OperationContext },
  ): Promise<void> {
    const item = /^\d{1,10}$/.test(String(given)) ? Number(given) : undefined;
    return this.audit.record({ ...context, operation, jobName, item }, async (changes) => {
      await changeNodes(this.registry, changes, async () => {
        if (item === undefined)
          throw new InvalidConfigurationError([`item must be the number of an item, got ${describeValue(given)}`]);
        const { nodes, paths, view } = await readJob(this.registry, jobName);
        const last = Math.max((view.config?.shardingTotalCount ?? 0) - 1, ...view.items.map((each) => each.item));
        if (item > last) throw new JobStateError(`Job '${jobName}' has items 0 to ${last}, got ${item}.`);
        const value = operation === 'disable-item' ? '' : undefined;
        return { nodes, wanted: [{ path: paths.item(item, 'disabled'), value }], result: undefined };
      });
    });
  }
}
