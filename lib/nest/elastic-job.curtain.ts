import {
  type BeforeApplicationShutdown,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, ModulesContainer } from '@nestjs/core';
import { ElasticJobLifecycle, refuseSecondImport } from './elastic-job.lifecycle.js';

/**
 * Rises when everything else on the stage is ready, and falls before anything is cleared away: its hooks are called after those
 * of all other modules at start, and before them at the end. So no job runs before the services it uses have booted, and none
 * starts after one of them was told to go.
 *
 * Nest orders hooks by a module's distance from the application's root module, and has no other means to say "last".
 */
@Module({ imports: [DiscoveryModule] })
export class ElasticJobCurtain implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
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
      // The root module's distance is 1.
      if (module.metatype === ElasticJobCurtain) module.distance = -1;
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    const lifecycles = this.#discovery.getProviders().filter(({ token }) => token === ElasticJobLifecycle);
    if (lifecycles.length > 1) refuseSecondImport(lifecycles.length);
    await this.#lifecycle.boot();
  }

  onModuleDestroy(): void {
    this.#lifecycle.stopFirings();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#lifecycle.stop();
  }
}
