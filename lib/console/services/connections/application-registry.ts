import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ElasticJobLifecycle } from '../../../nest/elastic-job.lifecycle.js';
import { OperationAudit } from '../../../operations/operation-audit.js';
import { type RegistryCenter } from '../../../registry/registry-center.js';

/** The parts that the console shares with an `ElasticJobModule` in the same application, if there is one. */
@Injectable()
export class ApplicationJobs {
  readonly #modules: ModuleRef;

  constructor(@Inject(ModuleRef) modules: ModuleRef) {
    this.#modules = modules;
  }

  /** Its registry centres by name; empty without such a module, until it has booted, and after it has shut down. */
  get registryCenters(): ReadonlyMap<string, RegistryCenter> {
    return this.#find(ElasticJobLifecycle)?.hosts?.registryCenters ?? new Map<string, RegistryCenter>();
  }

  /** The module's records of operations. */
  get audit(): OperationAudit | undefined {
    return this.#find(OperationAudit);
  }

  /** The DataSources in which it records runs: that of `elasticjob.tracing` under the name '', and those that jobs name. */
  get traceDataSources(): ReadonlyMap<string, object> {
    return this.#find(ElasticJobLifecycle)?.tracing?.dataSources ?? new Map<string, object>();
  }

  /**
   * The first TypeORM `DataSource` of the application, as `@nestjs/typeorm` provides it. The caller gives the class, as
   * TypeORM is optional.
   */
  provider<T>(token: abstract new (...parameters: never[]) => T): T | undefined {
    return this.#find(token);
  }

  #find<T>(token: abstract new (...parameters: never[]) => T): T | undefined {
    try {
      return this.#modules.get<T>(token, { strict: false });
    } catch {
      // Nest throws if there is no such provider: the application runs no jobs.
      return undefined;
    }
  }
}
