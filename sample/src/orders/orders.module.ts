import { type DynamicModule, Module } from '@nestjs/common';
import { InstanceName } from './instance-name.js';
import { OrderDesk } from './order-desk.js';
import { OrdersController } from './orders.controller.js';
import { PlaceOrdersJob } from './place-orders.job.js';
import { ShipOrdersJob } from './ship-orders.job.js';
import { StockTaking } from './stock-taking.listener.js';
import { Stopwatch } from './stopwatch.listener.js';

/** Orders, the jobs that process them, and the listeners of these jobs. */
@Module({
  controllers: [OrdersController],
  providers: [OrderDesk, ShipOrdersJob, PlaceOrdersJob, Stopwatch, StockTaking],
})
export class OrdersModule {
  /** The module with the name that this instance has in the run log. */
  static named(instance: string): DynamicModule {
    return { module: OrdersModule, providers: [{ provide: InstanceName, useValue: new InstanceName(instance) }] };
  }
}
