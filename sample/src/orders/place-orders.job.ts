import { ElasticJob, type ShardingContext, type SimpleJob } from 'nestjs-elasticjob';
import { OrderDesk } from './order-desk.js';

/** A one-off job: when an instance executes it, all instances place new orders, each in its own regions. */
@ElasticJob('placeOrders')
export class PlaceOrdersJob implements SimpleJob {
  readonly #desk: OrderDesk;

  constructor(desk: OrderDesk) {
    this.#desk = desk;
  }

  async execute(context: ShardingContext): Promise<void> {
    if (context.shardingParameter === undefined) throw new Error(`Item ${context.shardingItem} has no region.`);
    await this.#desk.place(context.shardingParameter, Number(context.jobParameter), context);
  }
}
