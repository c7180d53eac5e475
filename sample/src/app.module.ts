import { fileURLToPath } from 'node:url';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ElasticJobModule, elasticJobConfig } from 'nestjs-elasticjob';
import { DatabaseModule } from './database/database.module.js';
import { OrdersModule } from './orders/orders.module.js';

const SETTINGS = fileURLToPath(new URL('../../sample/elasticjob.yaml', import.meta.url));

/** The sample: orders that are shipped by region, on as many instances as there are. */
@Module({})
export class AppModule {
  /** One instance of the application. */
  static named(instance: string): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({ load: [elasticJobConfig(SETTINGS)] }),
        ElasticJobModule.forRoot(),
        DatabaseModule,
        OrdersModule.named(instance),
      ],
    };
  }
}
