import { type RegistryCenter } from '../registry/registry-center.js';
import { type Clock, systemClock } from '../time/clock.js';
import { OperationAudit, type OperationsOptions } from './operation-audit.js';
import { registryFrom, type RegistrySource } from './registry-source.js';

/** What operations that change something, and leave records of that, have in common. */
export abstract class AuditedOperations {
  protected readonly audit: OperationAudit;
  protected readonly clock: Clock;
  readonly #source: RegistrySource;

  /** @param registryCenter is to be connected, and stays the caller's to close; a function is asked at each operation */
  constructor(registryCenter: RegistrySource, options: OperationsOptions & { readonly audit?: OperationAudit } = {}) {
    this.#source = registryCenter;
    this.audit = options.audit ?? new OperationAudit(options);
    this.clock = options.clock ?? systemClock;
  }

  /** The registry centre that is meant now. */
  protected get registry(): RegistryCenter {
    return registryFrom(this.#source);
  }
}
