import { Logger } from '@nestjs/common';
import { type ElasticJobListener, JobListener, type ShardingContexts } from 'nestjs-elasticjob';

/** Called on every instance: logs how long its items of a firing took. */
@JobListener('STOPWATCH')
export class Stopwatch implements ElasticJobListener {
  readonly #logger = new Logger('Stopwatch');
  readonly #began = new Map<string, number>();

  beforeJobExecuted({ jobName }: ShardingContexts): void {
    this.#began.set(jobName, performance.now());
  }

  afterJobExecuted({ jobName, shardingItemParameters }: ShardingContexts): void {
    const ms = performance.now() - (this.#began.get(jobName) ?? performance.now());
    const regions = [...shardingItemParameters.values()].join(', ');
    this.#logger.log(`${jobName}: ${regions || 'no regions'} here, in ${ms.toFixed(0)} ms`);
  }
}
