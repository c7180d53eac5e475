import { type FactoryProvider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SchedulerRegistry } from '@nestjs/schedule';

/**
 * The application's `SchedulerRegistry`: the one of its `ScheduleModule`, or one of our own if the application imports
 * no `ScheduleModule`. If this module imported `ScheduleModule` itself, there would be a second one beside the
 * application's, and every `@Cron()` method would run twice.
 *
 * Nest may construct the application's registry after this provider, and offers no way to change the order. So this is
 * a proxy, which forwards to the application's registry as soon as that exists.
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
