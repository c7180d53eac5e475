import { describeValue } from '../api/text/describe-value.js';
import { InvalidConfigurationError, JobStateError } from '../api/errors/errors.js';
import { type OperationContext, type OperationName } from '../api/events/operation-record.js';
import { checkOptions } from '../api/settings/call-options.js';
import { AuditedOperations } from './audited-operations.js';
import { readJob } from './job-reading.js';
import { changeNodes } from './changes/node-changes.js';
import { CONTEXT_RULES } from './operation-audit.js';

/** Excludes single items of jobs from their firings: no job need run in this process. */
export class ShardingOperateAPI extends AuditedOperations {
  /**
   * Excludes an item from the job's firings until it is enabled. A run that goes on is not ended.
   * @param item its number, or the same as text, as Java takes it
   * @throws UnknownJobError if there is no job of that name
   * @throws InvalidConfigurationError if the item is no number, or an option is unknown or of a wrong kind
   * @throws JobStateError if the job has no such item
   */
  disable(jobName: string, item: number | string, context: OperationContext = {}): Promise<void> {
    return this.#mark('disable-item', { jobName, item, context });
  }

  /** Lets an item fire again. Otherwise as `disable`. */
  enable(jobName: string, item: number | string, context: OperationContext = {}): Promise<void> {
    return this.#mark('enable-item', { jobName, item, context });
  }

  async #mark(
    operation: Extract<OperationName, 'disable-item' | 'enable-item'>,
    { jobName, item: given, context }: { jobName: string; item: number | string; context: OperationContext },
  ): Promise<void> {
    checkOptions(`ShardingOperateAPI.${operation === 'disable-item' ? 'disable' : 'enable'}()`, context, CONTEXT_RULES);
    const isNumber = ['number', 'string'].includes(typeof given) && /^\d{1,10}$/.test(String(given));
    const item = isNumber ? Number(given) : undefined;
    await this.audit.record({ ...context, operation, jobName, item }, async (changes) => {
      await changeNodes(this.registry, changes, async () => {
        if (item === undefined)
          throw new InvalidConfigurationError([`item must be the number of an item, got ${describeValue(given)}`]);
        const { nodes, paths, view } = await readJob(this.registry, jobName);
        const last = Math.max((view.config?.shardingTotalCount ?? 0) - 1, ...view.items.map((each) => each.item));
        if (item > last)
          throw new JobStateError(`Job '${jobName}' has items 0 to ${last}, got ${item}.`, {
            because: { code: 'no-item', values: { jobName, item, last } },
          });
        const value = operation === 'disable-item' ? '' : undefined;
        return { nodes, wanted: [{ path: paths.item(item, 'disabled'), value }], result: undefined };
      });
    });
  }
}
