/** Services that close in Nest's hooks: running items of a job are given them until they have ended. */
import { Global, Inject, Injectable, Module, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { expect, test } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Deferred } from '../../../lib/async/deferred.js';
import { type OneOffJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { elasticJob, started } from './application.js';

const notes: string[] = [];
const begun = new Deferred();
const end = new Deferred();

/** As the clients of caches are wrapped. */
@Injectable()
class Cache implements OnModuleDestroy {
  #isOpen = true;

  read(): string {
    return this.#isOpen ? 'cached' : 'closed';
  }

  onModuleDestroy(): void {
    notes.push('the cache closes');
    this.#isOpen = false;
  }
}

/** As TypeOrmModule closes its DataSource. */
@Global()
@Module({
  providers: [{ provide: DataSource, useFactory: () => new DataSource({ type: 'sqljs' }).initialize() }, Cache],
  exports: [DataSource, Cache],
})
class Services implements OnApplicationShutdown {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  async onApplicationShutdown(): Promise<void> {
    // Nest 11 calls the hooks of an application that is closed a second time.
    if (!this.dataSource.isInitialized) return;
    notes.push('the database closes');
    await this.dataSource.destroy();
  }
}

@ElasticJob('report', { shardingTotalCount: 1 })
class ReportJob {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(Cache) private readonly cache: Cache,
  ) {}

  async execute(): Promise<void> {
    begun.resolve();
    await end.promise;
    const [row] = await this.dataSource.query<{ readonly one: number }[]>('SELECT 1 AS one');
    notes.push(`the item reads ${row?.one} and is given what is ${this.cache.read()}`);
  }
}

test('an item that runs while the application closes has its database and its cache until it ends', async () => {
  await using app = await started({ imports: [Services, elasticJob()], providers: [ReportJob] });
  await app.get<OneOffJobBootstrap>('report').execute();
  await begun.promise;

  const closed = app.close();
  end.resolve();
  await closed;

  expect(notes).toEqual(['the item reads 1 and is given what is cached', 'the cache closes', 'the database closes']);
});
