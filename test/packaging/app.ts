/**
 * An application as a user writes it: one decorated job on the embedded registry fires on all items, and all closes.
 */
import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ElasticJob, ElasticJobModule, type ShardingContext, type SimpleJob } from 'nestjs-elasticjob';

const fired = new Set<number>();

@Injectable()
@ElasticJob('packedJob', { cron: '* * * * * ?', shardingTotalCount: 3 })
class PackedJob implements SimpleJob {
  execute({ shardingItem }: ShardingContext): void {
    fired.add(shardingItem);
  }
}

@Module({
  imports: [ElasticJobModule.forRoot({ regCenter: { namespace: 'packaging' } })],
  providers: [PackedJob],
})
class AppModule {}

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'], abortOnError: false });
  const deadline = Date.now() + 20_000;
  while (fired.size < 3 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
  await app.close();
  if (fired.size < 3)
    throw new Error(`Of the items 0, 1, 2 only these fired within 20 s: ${[...fired].join() || 'none'}`);
  console.log(`fired ${[...fired].sort().join()} and closed`);
}

// Nothing ends the process but its having nothing left to do: what stays open runs into the caller's deadline.
main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
