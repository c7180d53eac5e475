import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, ModulesContainer } from '@nestjs/core';
import { JobStateError } from '../api/errors/errors.js';
import { detached } from '../time/detached.js';
import { ElasticJobLifecycle } from './elastic-job.lifecycle.js';

/**
 * Receives Nest's hooks after all other modules at start, and before all other modules at shutdown. So no job runs
 * before the services that it uses have booted, and none of them shuts down before the last item has ended.
 */
@Module({ imports: [DiscoveryModule] })
export class LifecycleHooks implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #lifecycle: ElasticJobLifecycle;
  readonly #discovery: DiscoveryService;

  constructor(
    @Inject(ElasticJobLifecycle) lifecycle: ElasticJobLifecycle,
    @Inject(DiscoveryService) discovery: DiscoveryService,
    @Inject(ModulesContainer) modules: ModulesContainer,
  ) {
    this.#lifecycle = lifecycle;
    this.#discovery = discovery;
    for (const module of modules.values()) {
      // Nest orders hooks by a module's distance from the root module, whose own is 1, and offers no other way to be
      // last.
      if (module.metatype === LifecycleHooks) module.distance = -1;
    }
  }

  /**
   * Starts the jobs.
   * @throws JobStateError if the module was imported more than once; otherwise see `ElasticJobLifecycle.boot`
   */
  async onApplicationBootstrap(): Promise<void> {
    const { length: times } = this.#discovery.getProviders().filter(({ token }) => token === ElasticJobLifecycle);
    if (times > 1) {
      throw new JobStateError(
        `ElasticJobModule.forRoot() is imported ${times} times in one application. Import it once; it is global.`,
      );
    }
    // Jobs belong to no caller, not even to the one that boots the application.
    await detached(() => this.#lifecycle.boot());
  }

  /** Stops the jobs. Here and not in a later hook, because services close their connections in this one, too. */
  async onModuleDestroy(): Promise<void> {
    await this.#lifecycle.stop();
  }
}
