import { Logger } from '@nestjs/common';
import { AbstractDistributeOnceElasticJobListener, JobListener } from 'nestjs-elasticjob';
import { OrderDesk } from './order-desk.js';

/**
 * Called once for all instances: counts orders before the first region gets new ones, and after the last region has got
 * them.
 */
@JobListener('STOCK_TAKING')
export class StockTaking extends AbstractDistributeOnceElasticJobListener {
  readonly #logger = new Logger('StockTaking');
  readonly #desk: OrderDesk;

  constructor(desk: OrderDesk) {
    // Milliseconds to wait for the items of all instances, before and after.
    super(10_000, 60_000);
    this.#desk = desk;
  }

  async doBeforeJobExecutedAtLastStarted(): Promise<void> {
    this.#logger.log(`Before: ${await this.#count()} orders`);
  }

  async doAfterJobExecutedAtLastCompleted(): Promise<void> {
    this.#logger.log(`After: ${await this.#count()} orders`);
  }

  async #count(): Promise<number> {
    return (await this.#desk.totals()).reduce((sum, { orders }) => sum + orders, 0);
  }
}
