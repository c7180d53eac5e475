import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { describeCause } from '../api/text/describe-cause.js';
import { DeadlineExceededError } from '../api/errors/errors.js';
import { type JobLogger } from '../api/text/logger.js';
import { withoutSecrets } from '../api/text/secrets.js';
import {
  type OperationContext,
  type OperationListener,
  type OperationName,
  type OperationRecord,
} from '../api/events/operation-record.js';
import {
  aClock,
  checkOptions,
  listOf,
  nonEmptyText,
  type OptionRules,
  text,
  withMethods,
} from '../api/settings/call-options.js';
import { isOutcomeUnknown } from '../api/errors/registry-errors.js';
import { timedCall } from '../async/timed-call.js';
import { withDeadline } from '../async/wait.js';
import { type Clock, systemClock } from '../time/clock.js';

/** Options of the operations. */
export interface OperationsOptions {
  /** Listeners that receive a record of each operation. Default: none. */
  readonly listeners?: readonly OperationListener[];
  /** The name of the operator in the records. Default: the user of this process, such as `anna@host`. */
  readonly operator?: string;
  /** Logs failures of listeners. Must not throw. Default: nothing is logged. */
  readonly logger?: Pick<JobLogger, 'warn'>;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
}

export const OPERATIONS_RULES: OptionRules<OperationsOptions> = {
  listeners: listOf(withMethods('onOperation'), 'objects with the method onOperation'),
  operator: nonEmptyText,
  logger: withMethods('warn'),
  clock: aClock,
};

/** The rules of two options that each operation has: the operator's name (`by`) and the reason. */
export const CONTEXT_RULES: OptionRules<OperationContext> = { by: nonEmptyText, reason: text };

/** The kind of an operation, its target, operator and reason. */
export interface OperationTarget extends OperationContext {
  readonly operation: OperationName;
  readonly registryCenter?: string | undefined;
  readonly jobName?: string | undefined;
  readonly serverIp?: string | undefined;
  readonly item?: number | undefined;
}

/**
 * The changes that an operation has made so far, by the path or the name of the setting; `undefined` if there was no
 * value before, or is none now.
 */
export interface ChangeNotes {
  note(what: string, before: string | undefined, after: string | undefined): void;
}

/** The most milliseconds that a listener may take for one record. */
const LISTENER_TIMEOUT_MS = 10_000;

/** Records operations: see `OperationAudit`. */
export type OperationRecorder = Pick<OperationAudit, 'record'>;

/** Records operations, and passes the records to the listeners. */
export class OperationAudit {
  readonly #listeners: OperationListener[];
  readonly #operator: string;
  #logger: Pick<JobLogger, 'warn'> | undefined;
  readonly #clock: Clock;
  readonly #deliveries = new Set<Promise<void>>();

  /** @throws InvalidConfigurationError if an option is unknown or of a wrong kind */
  constructor(options: OperationsOptions = {}) {
    checkOptions('new OperationAudit()', options, OPERATIONS_RULES);
    const { listeners = [], operator = currentUser(), logger, clock = systemClock } = options;
    this.#listeners = [...listeners];
    this.#operator = operator;
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Adds listeners, which receive the records from now on, and the logger for their failures. */
  attach(listeners: readonly OperationListener[], logger: Pick<JobLogger, 'warn'>): void {
    this.#listeners.push(...listeners);
    this.#logger = logger;
  }

  /** A recorder for the operations on one of several registry centres, which names it in the records. */
  on(registryCenter: string): OperationRecorder {
    return { record: (target, task) => this.record({ ...target, registryCenter }, task) };
  }

  /** Carries out an operation, and records it whether it succeeds or fails. Settles as `task` does. */
  async record<T>(target: OperationTarget, task: (changes: ChangeNotes) => Promise<T>): Promise<T> {
    const before = new Map<string, string>();
    const after = new Map<string, string>();
    const startedAt = new Date(this.#clock.now());
    const note: ChangeNotes['note'] = (what, was, is) => {
      if (was !== undefined && !before.has(what) && !after.has(what)) before.set(what, was);
      if (is === undefined) after.delete(what);
      else after.set(what, is);
    };
    const end = (outcome: OperationRecord['outcome'], error?: string): void => {
      const { operation, registryCenter, jobName, serverIp, item, by = this.#operator, reason } = target;
      this.#deliver({
        id: randomUUID(),
        operation,
        registryCenter,
        jobName,
        serverIp,
        item,
        operator: by,
        reason: reason === undefined ? undefined : withoutSecrets(reason),
        startedAt,
        before: withoutSecretsIn(before),
        after: withoutSecretsIn(after),
        outcome,
        error,
      });
    };
    try {
      const result = await task({ note });
      end('done');
      return result;
    } catch (error) {
      end(isOutcomeUnknown(error) ? 'unknown' : 'failed', withoutSecrets(describeCause(error)));
      throw error;
    }
  }

  /**
   * Resolves when all listeners have handled the records so far, at the latest after `timeoutMs` milliseconds. A
   * process that ends after an operation waits for it.
   */
  async delivered(timeoutMs: number): Promise<void> {
    const all = Promise.all(this.#deliveries).then(() => undefined);
    const late = new DeadlineExceededError('listeners of operations', timeoutMs);
    await withDeadline(this.#clock, all, timeoutMs, () => late).catch((error: unknown) => {
      if (error !== late) throw error;
      this.#logger?.warn(`The process goes on without listeners of operations: ${late.message}`);
    });
  }

  #deliver(record: OperationRecord): void {
    Object.freeze(record);
    for (const listener of this.#listeners) {
      const delivery = this.#call(listener, record).finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
    }
  }

  async #call(listener: OperationListener, record: OperationRecord): Promise<void> {
    const error = (): Error => new DeadlineExceededError('a listener of operations', LISTENER_TIMEOUT_MS);
    const { signal } = new AbortController();
    try {
      await timedCall(() => listener.onOperation(record), {
        clock: this.#clock,
        signal,
        limitMs: LISTENER_TIMEOUT_MS,
        error,
      });
    } catch (failure) {
      this.#logger?.warn(
        `A listener of operations failed at the record of '${record.operation}' by ${record.operator}: ${describeCause(failure)}`,
      );
    }
  }
}

/**
 * Hides secrets inside the text of values. Settings with a secret name are hidden before they are noted here; the path
 * of a node does not show whether its value is secret.
 */
function withoutSecretsIn(values: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.freeze(Object.fromEntries([...values].map(([what, value]) => [what, withoutSecrets(value)])));
}

function currentUser(): string {
  return `${userName()}@${hostname()}`;
}

/** In containers, the user of a process may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
