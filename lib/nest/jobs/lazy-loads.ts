import { type LazyModuleLoader } from '@nestjs/core';

/**
 * Calls `onLoaded` after each module that the application loads lazily, before `load()` resolves. Nest has no hook for
 * that, so the application's one loader is given another `load`.
 * @param onLoaded never rejects
 */
export function afterLazyLoads(loader: LazyModuleLoader, onLoaded: () => Promise<void>): void {
  const load = loader.load.bind(loader);
  loader.load = async (...args) => {
    const loaded = await load(...args);
    await onLoaded();
    return loaded;
  };
}
