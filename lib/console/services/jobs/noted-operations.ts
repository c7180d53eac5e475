import { type OperationContext } from '../../../api/events/operation-record.js';
import { JobConfigurationAPI } from '../../../operations/job-configuration-api.js';
import { JobGraphAPI } from '../../../operations/job-graph-api.js';
import { JobOperateAPI } from '../../../operations/job-operate-api.js';
import { type ChangeNotes, OperationAudit, type OperationTarget } from '../../../operations/operation-audit.js';
import { ShardingOperateAPI } from '../../../operations/sharding-operate-api.js';
import { type Clock } from '../../../time/clock.js';
import { actorOf } from '../../security/callers/account.js';
import { type Caller } from '../../security/callers/caller.js';
import { type AuditNotes, type ConsoleAudit } from '../../security/audit/console-audit.js';
import { type ConsoleRegistry } from '../registries/console-registry.js';

/** The caller, registry centre and reason of an operation. */
export interface ConsoleAction {
  readonly registry: ConsoleRegistry;
  readonly caller: Caller;
  readonly reason?: string | undefined;
}

/** The operations for one action of a caller. */
export interface NotedOperations {
  readonly jobs: JobOperateAPI;
  readonly items: ShardingOperateAPI;
  readonly configurations: JobConfigurationAPI;
  readonly graphs: JobGraphAPI;
  readonly audit: OperationAudit;
  /** The operator and the reason, for the records of operations. */
  readonly context: OperationContext;
}

/**
 * Carries out operations, with a record in the audit of the console and, if the application keeps them, in its own
 * records.
 */
export async function operate<T>(
  audit: ConsoleAudit,
  { registry, caller, reason }: ConsoleAction,
  { action, target, clock }: { readonly action: string; readonly target: string; readonly clock: Clock },
  task: (operations: NotedOperations) => Promise<T>,
): Promise<T> {
  return audit.record({ action, registry: registry.name, target, reason, caller }, async (notes) => {
    const noted = new NotedAudit(registry.audit ?? new OperationAudit({ clock }), notes);
    const options = { audit: noted, clock };
    const { center } = registry;
    return task({
      jobs: new JobOperateAPI(center, options),
      items: new ShardingOperateAPI(center, options),
      configurations: new JobConfigurationAPI(center, options),
      graphs: new JobGraphAPI(center, options),
      audit: noted,
      context: { by: actorOf(caller), ...(reason !== undefined && { reason }) },
    });
  });
}

/** Copies the records of operations into the audit of the console. */
class NotedAudit extends OperationAudit {
  readonly #inner: OperationAudit;
  readonly #notes: AuditNotes;

  constructor(inner: OperationAudit, notes: AuditNotes) {
    super();
    this.#inner = inner;
    this.#notes = notes;
  }

  override record<T>(target: OperationTarget, task: (changes: ChangeNotes) => Promise<T>): Promise<T> {
    return this.#inner.record(target, (changes) =>
      task({
        note: (what, before, after) => {
          changes.note(what, before, after);
          this.#notes.note(what, before, after);
        },
      }),
    );
  }
}
