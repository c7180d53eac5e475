import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock, systemClock } from '../time/clock.js';
import { type OptionRules, aClock, anything, checkOptions } from '../api/settings/call-options.js';
import { OPERATIONS_RULES, OperationAudit, type OperationRecorder, type OperationsOptions } from './operation-audit.js';
import { checkedSource, registryFrom, type RegistrySource } from './registry-source.js';

interface AuditedOptions extends OperationsOptions {
  readonly audit?: OperationRecorder;
}

const RULES: OptionRules<AuditedOptions> = { ...OPERATIONS_RULES, clock: aClock, audit: anything };

/** The base of operations that change something, which are recorded. */
export abstract class AuditedOperations {
  protected readonly audit: OperationRecorder;
  protected readonly clock: Clock;
  readonly #source: RegistrySource;

  /**
   * @param registryCenter must be connected, and is closed by the caller; a function is called at each operation
   * @throws InvalidConfigurationError if it is none, or an option is unknown or of a wrong kind
   */
  constructor(registryCenter: RegistrySource, options: AuditedOptions = {}) {
    const call = `new ${new.target.name}()`;
    this.#source = checkedSource(call, registryCenter);
    checkOptions(call, options, RULES);
    this.audit = options.audit ?? new OperationAudit(options);
    this.clock = options.clock ?? systemClock;
  }

  /** The registry centre to operate on now. */
  protected get registry(): RegistryCenter {
    return registryFrom(this.#source);
  }
}
