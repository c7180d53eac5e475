import { Injectable } from '@nestjs/common';
import { type SimpleJob } from '../../../lib/api/job/job.js';
import { type ShardingContext } from '../../../lib/api/job/sharding-context.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { ElasticJobModule } from '../../../lib/nest/elastic-job.module.js';
import { RecordingLogger } from '../../unit/nest/application.js';

/** An application's module with one job of four items that fires each second, and what it has run. */
export function application(regCenter: Readonly<Record<string, unknown>>) {
  const ran: { readonly item: number; readonly scheduledAt: number }[] = [];
  @ElasticJob('job', { cron: '* * * * * ?', shardingTotalCount: 4 })
  @Injectable()
  class Job implements SimpleJob {
    execute({ shardingItem, scheduledAt }: ShardingContext): void {
      ran.push({ item: shardingItem, scheduledAt: Number(scheduledAt) });
    }
  }
  const logger = new RecordingLogger();
  const imports = [ElasticJobModule.forRoot({ logger, regCenter })];
  return { metadata: { imports, providers: [Job] }, ran, logger };
}
