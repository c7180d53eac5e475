import { RegistryRefusedError } from '../../../lib/api/errors/errors.js';
import {
  EmbeddedRegistryCenter,
  type EmbeddedRegistryCenterOptions,
} from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type Operation } from '../../../lib/registry/registry-center.js';

/** A registry centre that refuses commits of many operations, as ZooKeeper does; fewer are many here. */
export class LimitedRegistryCenter extends EmbeddedRegistryCenter {
  readonly #mostOperations: number;

  constructor(options: EmbeddedRegistryCenterOptions, mostOperations: number) {
    super(options);
    this.#mostOperations = mostOperations;
  }

  override commit(operations: readonly Operation[]): Promise<number> {
    const count = operations.length;
    if (count <= this.#mostOperations) return super.commit(operations);
    const reason = `the commit has ${count} operations, the limit is ${this.#mostOperations}`;
    return Promise.reject(new RegistryRefusedError('commit changes of', operations[0]?.path ?? '/', reason));
  }
}
