import { Injectable } from '@nestjs/common';
import { describe, expect, test } from '@jest/globals';
import { SnapshotService } from '../../../lib/dump/snapshot-service.js';
import { ElasticJob } from '../../../lib/nest/decorators/elastic-job.decorator.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';
import { until } from '../../support/until.js';
import { elasticJob, RecordingLogger, started } from './application.js';

@Injectable()
@ElasticJob('bill', { cron: '0 0 0 1 1 ? 2099', shardingTotalCount: 2 })
class BillJob {
  execute(): void {}
}

async function portOf(dump: ElasticJobModuleOptions['dump']) {
  const logger = new RecordingLogger();
  const app = await started({ imports: [elasticJob({ logger, ...(dump && { dump }) })], providers: [BillJob] });
  const line = logger.lines.find((each) => each.includes('dump@')) ?? '';
  return { app, port: Number(/on 127\.0\.0\.1, port (\d+)\.$/.exec(line)?.[1] ?? NaN) };
}

describe('an application with a dump port', () => {
  test('answers for its jobs, as it sees them itself, until it is closed', async () => {
    const { app, port } = await portOf({ port: 0 });
    try {
      await until(async () => /\/instance \| /.test(await SnapshotService.dumpJob('127.0.0.1', port, 'bill')));
      const dump = await SnapshotService.dumpJob('127.0.0.1', port, 'bill');

      expect(dump).toContain('\n/bill/config | cron: 0 0 0 1 1 ? 2099\n');
      expect(dump).not.toContain(' |  | ');
      expect(dump).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
    } finally {
      await app.close();
    }
    await expect(SnapshotService.dumpJob('127.0.0.1', port, 'bill')).rejects.toThrow('ECONNREFUSED');
  });

  test.each([undefined, { enabled: false, port: 0 }, { enabled: true }])(
    'opens none if it is given %j',
    async (dump) => {
      const { app, port } = await portOf(dump);
      await app.close();

      expect(port).toBeNaN();
    },
  );

  test('goes on without it if the port is taken', async () => {
    const first = await portOf({ port: 0 });
    const second = await portOf({ port: first.port });
    await second.app.close();
    await first.app.close();

    expect(second.port).toBeNaN();
  });
});
