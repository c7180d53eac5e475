import { ElasticJob, type ShardingContext, type SimpleJob } from 'nestjs-elasticjob';
import { OrderDesk } from './order-desk.js';

/** Ships orders, one region per sharding item. Its schedule and number of items are in elasticjob.yaml. */
@ElasticJob('shipOrders')
export class ShipOrdersJob implements SimpleJob {
  readonly #desk: OrderDesk;

  constructor(desk: OrderDesk) {
    this.#desk = desk;
  }

  async execute(context: ShardingContext): Promise<void> {
    if (context.shardingParameter === undefined) throw new Error(`Item ${context.shardingItem} has no region.`);
    await this.#desk.ship(context.shardingParameter, context);
  }
}
