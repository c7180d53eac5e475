import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ElasticJobHealth, type ElasticJobHealthReport, InjectOneOffJob, OneOffJobBootstrap } from 'nestjs-elasticjob';
import { OrderDesk } from './order-desk.js';

/** `GET /orders`, `POST /orders` and `GET /health`. */
@Controller()
export class OrdersController {
  readonly #desk: OrderDesk;
  readonly #placeOrders: OneOffJobBootstrap;
  readonly #health: ElasticJobHealth;

  constructor(
    desk: OrderDesk,
    @InjectOneOffJob('placeOrders') placeOrders: OneOffJobBootstrap,
    health: ElasticJobHealth,
  ) {
    this.#desk = desk;
    this.#placeOrders = placeOrders;
    this.#health = health;
  }

  /** The number of orders by region and status. */
  @Get('orders')
  totals(): ReturnType<OrderDesk['totals']> {
    return this.#desk.totals();
  }

  /** Makes all instances place new orders; answers when all have been triggered. */
  @Post('orders')
  @HttpCode(202)
  async place(): Promise<void> {
    await this.#placeOrders.execute();
  }

  @Get('health')
  health(): ElasticJobHealthReport {
    return this.#health.report;
  }
}
