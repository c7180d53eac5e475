/**
 * Files of the kinds that applications in Java have in public: each starts here, or is refused with a reason that the
 * pages give.
 */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import { type DataflowJob, type SimpleJob } from '../../lib/api/job/job.js';
import { type Running, metadataOf, running } from './application.js';
import { refusalOf } from '../unit/nest/application.js';

@Injectable()
class SpringBootSimpleJob implements SimpleJob {
  execute(): void {}
}

@Injectable()
class SpringBootDataflowJob implements DataflowJob {
  fetchData(): readonly unknown[] {
    return [];
  }

  processData(): void {}
}

const providers = [SpringBootSimpleJob, SpringBootDataflowJob];
const start = (file: string): Promise<Running> => running({ file, providers });

const VARIABLES = { JOB_CRON: '0 0 3 * * ?', SPRING_APPLICATION_NAME: 'shop' };
beforeEach(() => void Object.assign(process.env, VARIABLES));
afterEach(() => {
  for (const name of Object.keys(VARIABLES)) delete process.env[name];
});

test('the first YAML of both manuals, whose dataflow job has the interface as its class, starts', async () => {
  await using app = await start(`
elasticjob:
  regCenter:
    serverLists: localhost:6181
    namespace: elasticjob-lite-springboot
  jobs:
    dataflowJob:
      elasticJobClass: org.apache.shardingsphere.elasticjob.dataflow.job.DataflowJob
      cron: 0/5 * * * * ?
      shardingTotalCount: 3
      shardingItemParameters: 0=Beijing,1=Shanghai,2=Guangzhou
    scriptJob:
      elasticJobType: SCRIPT
      cron: 0/10 * * * * ?
      shardingTotalCount: 3
      props:
        script.command.line: "echo SCRIPT Job: "
`);

  expect(app.stored('dataflowJob')).toMatchObject({ cron: '0/5 * * * * ?', shardingTotalCount: 3 });
  expect(app.node('/dataflowJob')).toBe('dataflowJob');
});

test('placeholders are replaced from the environment and the file, and empty values count as not set', async () => {
  await using app = await start(`
spring: { application: { name: order-service }, profiles: { active: dev } }
my: { simple: { cron: 0 0 4 * * ? } }
elasticjob:
  tracing: { type: , includeJobNames: , excludeJobNames: }
  reg-center:
    server-lists: \${ZK_ADDR:localhost:2181}
    namespace: lite-job/\${spring.application.name}
    digest:
  jobs:
    simple-job:
      elastic-job-class: com.example.job.SpringBootSimpleJob
      cron: \${JOB_CRON}
      sharding-total-count: \${COUNT:2}
      description: runs in \${spring.application.name} for \${spring.profiles.active}
      props:
    other:
      elastic-job-class: com.example.job.SpringBootSimpleJob
      cron: \${my.simple.cron}
      sharding-total-count: 1
`);

  expect(app.stored('simple-job')).toMatchObject({
    ...{ cron: '0 0 3 * * ?', shardingTotalCount: 2, description: 'runs in shop for dev' },
  });
  expect(app.stored('other').cron).toBe('0 0 4 * * ?');
});

describe('a file is refused, with everything that is wrong,', () => {
  const refusal = (file: string): Promise<readonly string[]> => refusalOf(metadataOf({ file, providers }));

  test('because placeholders have no value', async () => {
    expect(
      await refusal(`
elasticjob:
  regCenter: { serverLists: "\${zk_addr}", namespace: n }
  jobs: { j: { elasticJobClass: SimpleJob, cron: "\${nope}", shardingTotalCount: 1 } }
`),
    ).toEqual([
      expect.stringMatching(/elasticjob\.regCenter\.serverLists: has the placeholder \$\{zk_addr\}, for which/),
      expect.stringMatching(/elasticjob\.jobs\.j\.cron: has the placeholder \$\{nope\}, for which/),
    ]);
  });

  test('because the settings of a data source are in it', async () => {
    expect(
      await refusal(`
elasticjob:
  tracing:
    type: RDB
    dataSource: { driverClassName: com.mysql.cj.jdbc.Driver, url: "jdbc:mysql://db/jobs", username: jobs, password: secret }
  jobs: { j: { elasticJobClass: SimpleJob, cron: 0 0 3 * * ?, shardingTotalCount: 1 } }
`),
    ).toEqual([expect.stringMatching(/elasticjob\.tracing\.dataSource: must be the name of a TypeORM DataSource/)]);
  });

  test('because a setting of jobs stands beside them', async () => {
    expect(
      await refusal(`
elasticjob:
  jobErrorHandlerType: LOG
  jobs: { j: { elasticJobClass: SimpleJob, cron: 0 0 3 * * ?, shardingTotalCount: 1 } }
`),
    ).toEqual([
      expect.stringMatching(/elasticjob\.jobErrorHandlerType: unknown key; it belongs to elasticjob\.jobs\.<name>/),
    ]);
  });
});
