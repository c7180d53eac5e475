import { type FactoryProvider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';

/**
 * The application's `SchedulerRegistry`: the one of its `ScheduleModule`, or, if it imports none, one of our own. Importing
 * `ScheduleModule` here instead would make a second one, beside the application's, which runs every `@Cron()` method twice.
 *
 * The application's registry may be constructed later than this provider, and Nest cannot be asked to construct it earlier.
 * So what is provided then is a stand-in that forwards to it.
 */
export const schedulerRegistryProvider: FactoryProvider<SchedulerRegistry> = {
  provide: SchedulerRegistry,
  useFactory: (discovery: DiscoveryService) => {
    const theirs = discovery
      .getProviders()
      .find(({ token, metatype }) => token === SchedulerRegistry && metatype === SchedulerRegistry);
    const ours = new SchedulerRegistry();
    if (theirs === undefined) return ours;
    const registry = (): SchedulerRegistry => (theirs.instance as SchedulerRegistry | null | undefined) ?? ours;
    return new Proxy(ours, {
      get: (_, property): unknown => {
        const value: unknown = Reflect.get(registry(), property);
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(registry()) : value;
      },
    });
  },
  inject: [DiscoveryService],
};
