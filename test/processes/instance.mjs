// One instance of a job, in a process of its own: a Nest application that writes down every run of an item.
import 'reflect-metadata';
import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { appendFileSync } from 'node:fs';
import { ElasticJobModule, JobBootstraps } from 'nestjs-elasticjob';

const { RUN_LOG, INSTANCE, SERVERS, NAMESPACE, TOTAL = '5', CRON = '* * * * * ?', WORK_MS = '50' } = process.env;

function write(entry) {
  appendFileSync(RUN_LOG, `${JSON.stringify({ instance: INSTANCE, at: Date.now(), ...entry })}\n`);
}

class RecordedJob {
  async execute({ shardingItem: item, scheduledAt, fencingToken, signal }) {
    const run = { item, scheduledAt: scheduledAt?.getTime(), fencingToken };
    write({ event: 'start', ...run });
    await new Promise((resolve) => setTimeout(resolve, Number(WORK_MS)));
    write({ event: signal.aborted ? 'aborted' : 'end', ...run });
  }
}

class AppModule {}
Module({
  imports: [
    ElasticJobModule.forRoot({
      regCenter: { serverLists: SERVERS, namespace: NAMESPACE, sessionTimeoutMilliseconds: 2_000 },
      jobs: {
        recorded: { elasticJobClass: 'RecordedJob', cron: CRON, shardingTotalCount: Number(TOTAL), timeZone: 'GMT' },
      },
    }),
  ],
  providers: [RecordedJob],
})(AppModule);

Logger.overrideLogger(['warn', 'error', 'log']);
const app = await NestFactory.createApplicationContext(AppModule);
app.enableShutdownHooks();
await app.init();
write({ event: 'ready', jobs: app.get(JobBootstraps).names });
// The library keeps no process up by itself being idle; a server would.
await new Promise(() => setTimeout(() => undefined, 2 ** 31 - 1));
