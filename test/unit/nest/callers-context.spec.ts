import { expect, test } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { JobExecutor } from '../../../lib/nest/decorators/extension.decorators.js';
import { runsSeeNoCaller } from '../../support/callers-context.contract.js';
import { elasticJob, started } from './application.js';

runsSeeNoCaller('in one process', () => undefined);

test('an executor that prepares for a job while the application boots does not see the store of the code that boots it', async () => {
  const request = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  @JobExecutor('CAREFUL')
  class Careful {
    prepare(): void {
      seen.push(request.getStore());
    }
    process(): void {}
  }
  const jobs = { bill: { elasticJobType: 'CAREFUL', shardingTotalCount: 1 } };
  const metadata = { imports: [elasticJob({ jobs, failOnJobError: true })], providers: [Careful] };

  const app = await request.run('boot', () => started(metadata));
  await app.close();

  expect([...new Set(seen)]).toEqual([undefined]);
});
