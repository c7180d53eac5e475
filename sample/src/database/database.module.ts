import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type DataSourceOptions } from 'typeorm';
import { Order } from '../orders/order.entity.js';
import { Region } from '../orders/region.entity.js';
import { Run } from '../orders/run.entity.js';
import { sharedMemory } from './shared-memory.js';
import { Transactions } from './transactions.js';

/** PostgreSQL if `DATABASE_URL` is set (`postgres://user:password@host/database`), otherwise sql.js in memory. */
export function databaseOptions(): DataSourceOptions {
  const url = process.env['DATABASE_URL'];
  const common = { entities: [Order, Region, Run], synchronize: true };
  return url === undefined
    ? { ...common, type: 'sqljs', driver: sharedMemory }
    : { ...common, type: 'postgres', url, applicationName: 'orders-sample' };
}

/** The database, for all modules. */
@Global()
@Module({
  imports: [
    // Instances that start together also create the tables together: the second one fails, tries again, and finds them.
    TypeOrmModule.forRootAsync({ useFactory: () => ({ ...databaseOptions(), retryAttempts: 5, retryDelay: 1000 }) }),
  ],
  providers: [Transactions],
  exports: [Transactions],
})
export class DatabaseModule {}
