import { describe, expect, test } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { type SimpleJob } from '../../../lib/api/job/job.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { until } from '../../support/until.js';

@Injectable()
class Orders {
  readonly seen: string[] = [];
}

@ElasticJob('syncOrders', {
  cron: '* * * * * ?',
  shardingTotalCount: 3,
  shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou',
})
class SyncOrdersJob implements SimpleJob {
  constructor(private readonly orders: Orders) {}
  execute(context: ShardingContext): void {
    this.orders.seen.push(`${context.shardingItem}=${context.shardingParameter}`);
  }
}

describe('a module with a decorated job', () => {
  @Module({
    imports: [ElasticJobModule.forRoot({ regCenter: { namespace: 'smoke' } })],
    providers: [SyncOrdersJob, Orders],
  })
  class AppModule {}

  test('runs every item of the job, with the services of the application', async () => {
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    await app.init();

    await until(() => app.get(Orders).seen.length >= 3);

    expect(app.get(Orders).seen.slice(0, 3).sort()).toEqual(['0=Beijing', '1=Shanghai', '2=Guangzhou']);
    expect(app.get(SchedulerRegistry, { strict: false }).getCronJob('syncOrders').nextDate().toMillis() % 1000).toBe(0);
    await app.close();
  });
});
