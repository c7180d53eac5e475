import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ShardingContext } from 'nestjs-elasticjob';
import { type EntityManager, In, LessThanOrEqual } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import { InstanceName } from './instance-name.js';
import { Order } from './order.entity.js';
import { Region, REGIONS } from './region.entity.js';
import { Run } from './run.entity.js';

/** The most orders that a firing ships in a region. */
const BATCH = 10;

/** Pending orders of a region when the sample starts with an empty database. */
const FIRST_ORDERS = 100;

/** The work of the jobs on orders. Each method is one transaction. */
@Injectable()
export class OrderDesk implements OnModuleInit {
  readonly #transactions: Transactions;
  readonly #instance: InstanceName;

  constructor(transactions: Transactions, instance: InstanceName) {
    this.#transactions = transactions;
    this.#instance = instance;
  }

  /** Stores the regions with their first orders, before any job starts. Several instances may do this at once. */
  async onModuleInit(): Promise<void> {
    await this.#transactions.run(async (database) => {
      const regions = REGIONS.map((name) => ({ name, fencingToken: 0 }));
      const orders = REGIONS.flatMap((region) =>
        Array.from({ length: FIRST_ORDERS }, (_, index) => newOrder(region, String(index + 1).padStart(4, '0'))),
      );
      await database.createQueryBuilder().insert().into(Region).values(regions).orIgnore().execute();
      await database.createQueryBuilder().insert().into(Order).values(orders).orIgnore().execute();
    });
  }

  /**
   * Ships the oldest pending orders of a region, and stores the run; all of it or nothing.
   * @throws if this instance no longer owns the region
   */
  async ship(region: string, context: ShardingContext): Promise<void> {
    await this.#transactions.run(async (database) => {
      await passFence(database, region, context.fencingToken);
      const pending = await database.find(Order, {
        select: { number: true },
        where: { region, status: 'pending' },
        order: { number: 'ASC' },
        take: BATCH,
      });
      await database.update(
        Order,
        { number: In(pending.map(({ number }) => number)) },
        { status: 'shipped', shippedBy: this.#instance.value, fencingToken: context.fencingToken },
      );
      await this.#note(database, { region, orders: pending.length, context });
    });
  }

  /** Places `count` new orders in a region. */
  async place(region: string, count: number, context: ShardingContext): Promise<void> {
    await this.#transactions.run(async (database) => {
      const suffix = Date.now().toString(36);
      const orders = Array.from({ length: count }, (_, index) => newOrder(region, `${suffix}-${index + 1}`));
      await database.insert(Order, orders);
      await this.#note(database, { region, orders: orders.length, context });
    });
  }

  /** The number of orders by region and status. */
  async totals(): Promise<readonly { readonly region: string; readonly status: string; readonly orders: number }[]> {
    return this.#transactions.run(async (database) => {
      const rows = await database
        .createQueryBuilder(Order, 'o')
        .select(['o.region AS region', 'o.status AS status', 'COUNT(*) AS orders'])
        .groupBy('o.region')
        .addGroupBy('o.status')
        .getRawMany<{ region: string; status: string; orders: string | number }>();
      return rows.map((row) => ({ ...row, orders: Number(row.orders) }));
    });
  }

  async #note(
    database: EntityManager,
    { region, orders, context }: Pick<Run, 'region' | 'orders'> & { readonly context: ShardingContext },
  ): Promise<void> {
    // The last moment to notice that the item may belong to a peer by now: an error here rolls the transaction back.
    context.signal.throwIfAborted();
    await database.insert(Run, {
      jobName: context.jobName,
      item: context.shardingItem,
      region,
      scheduledAt: context.scheduledAt?.getTime() ?? null,
      instance: this.#instance.value,
      orders,
    });
  }
}

/**
 * Throws unless this is the present owner of the region: fencing tokens grow with each run, so a former owner is
 * refused, however late it comes. Until the transaction ends, the row is locked, and other transactions wait here.
 */
async function passFence(database: EntityManager, region: string, token: number): Promise<void> {
  const { affected } = await database.update(
    Region,
    { name: region, fencingToken: LessThanOrEqual(token) },
    { fencingToken: token },
  );
  if (affected !== 1)
    throw new Error(`Region ${region} belongs to another instance by now: token ${token} is too old.`);
}

function newOrder(region: string, suffix: string): Pick<Order, 'number' | 'region' | 'amountInCents' | 'status'> {
  return {
    number: `${region}-${suffix}`,
    region,
    amountInCents: 500 + Math.floor(Math.random() * 9_500),
    status: 'pending',
  };
}
