import { describe, expect, test } from '@jest/globals';
import { JobConfiguration } from '../../../../lib/api/job/job-configuration.js';
import { type SimpleJob } from '../../../../lib/api/job/job.js';
import { OneOffJobBootstrap } from '../../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../../lib/kernel/job-host.js';
import { EmbeddedRegistryCenter } from '../../../../lib/registry/embedded/embedded-registry-center.js';
import { until } from '../../../support/until.js';

let namespaces = 0;

/** The jobs of one cluster: `run` starts job `bill` in a new process, `stored` is the text of its root node. */
async function aCluster() {
  const namespace = `job-class-${++namespaces}`;
  const operator = new EmbeddedRegistryCenter({ namespace });
  operator.connect();
  await until(() => operator.session.state.phase === 'connected', 'the operator to connect');
  const processes: (() => Promise<void>)[] = [() => operator.close()];
  const configuration = JobConfiguration.newBuilder('bill', 1).build();
  return {
    operator,
    stored: () => operator.get('/bill'),
    run: async (job: SimpleJob | string, jobClassName?: string): Promise<void> => {
      const registryCenter = new EmbeddedRegistryCenter({ namespace });
      registryCenter.connect();
      const logger = { debug: () => undefined, log: () => undefined, warn: () => undefined, error: () => undefined };
      const executors = [{ type: 'SCRIPT', process: () => undefined }];
      const host = new JobHost({ registryCenter, logger, executors });
      processes.unshift(async () => {
        await host.stop();
        await registryCenter.close();
      });
      const options = { host, ...(jobClassName !== undefined && { jobClassName }) };
      await new OneOffJobBootstrap(registryCenter, job, configuration, options).start();
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of processes) await end();
    },
  };
}

class BillJob implements SimpleJob {
  execute(): void {}
}

class RenamedJob extends BillJob {}

const CONFIG = 'jobName: bill\nshardingTotalCount: 1\n';

describe('a Node job', () => {
  test('stores its name, so that instances whose classes have other names join', async () => {
    await using cluster = await aCluster();

    await cluster.run(new BillJob());
    await cluster.run(new RenamedJob());
    await cluster.run({ execute: () => undefined });

    expect(await cluster.stored()).toBe('bill');
    expect(await cluster.operator.children('/bill/instances')).toHaveLength(3);
  });

  test.each(['BillJob', '_x'])(
    'joins a job of a former version, which stored the class name %s, and keeps that',
    async (former) => {
      await using cluster = await aCluster();
      await cluster.run(new BillJob(), former);

      await cluster.run(new RenamedJob());

      expect(await cluster.stored()).toBe(former);
      expect(await cluster.operator.children('/bill/instances')).toHaveLength(2);
    },
  );

  test('lets an instance of a former version, which compares class names, join after it', async () => {
    await using cluster = await aCluster();
    await cluster.run(new BillJob(), 'BillJob');
    await cluster.run(new RenamedJob());

    await cluster.run(new BillJob(), 'BillJob');

    expect(await cluster.operator.children('/bill/instances')).toHaveLength(3);
  });

  test.each(['org.acme.BillJob', 'Bill$$Lambda', 'SCRIPT'])('refuses the job of %s, naming both', async (other) => {
    await using cluster = await aCluster();
    await cluster.run(other === 'SCRIPT' ? 'SCRIPT' : new BillJob(), other);

    await expect(cluster.run(new RenamedJob())).rejects.toThrow(
      `Job conflict with register center. The job 'bill' in register center's class is '${other}', ` +
        `your job class is 'bill' (class RenamedJob). Set jobClassName to the former if they are the same job, or rename one of them.`,
    );
  });

  test('refuses a Java class without a package, which no instance of this library has run', async () => {
    await using cluster = await aCluster();
    await cluster.operator.put('/bill', 'BillJob');
    await cluster.operator.put('/bill/config', CONFIG);

    await expect(cluster.run(new BillJob())).rejects.toMatchObject({ code: 'JOB_CONFLICT' });
  });

  test('refuses a Java class without a package that a Java instance runs now, although Node instances have joined it', async () => {
    await using cluster = await aCluster();
    await cluster.run(new BillJob(), 'BillJob');
    await cluster.operator.put('/bill/instances/192.0.2.9@-@7', 'jobInstanceId: 192.0.2.9@-@7\nserverIp: 192.0.2.9\n');

    await expect(cluster.run(new BillJob())).rejects.toMatchObject({ code: 'JOB_CONFLICT' });
  });
});

describe('a job with jobClassName', () => {
  test('joins the Java job of that class, and no other', async () => {
    await using cluster = await aCluster();
    await cluster.operator.put('/bill', 'org.acme.BillJob');
    await cluster.operator.put('/bill/config', CONFIG);

    await cluster.run(new BillJob(), 'org.acme.BillJob');

    await expect(cluster.run(new BillJob(), 'org.acme.OtherJob')).rejects.toThrow(
      "class is 'org.acme.BillJob', your job class is 'org.acme.OtherJob'",
    );
  });

  test('does not join a Node job without it, and says what to do', async () => {
    await using cluster = await aCluster();
    await cluster.run(new BillJob());

    await expect(cluster.run(new BillJob(), 'org.acme.BillJob')).rejects.toThrow(
      "The former is that of a Node job without jobClassName. If they are the same job, leave jobClassName out, or, if Java instances are to join, stop all instances and set the text of the job's root node to 'org.acme.BillJob'.",
    );
  });
});

test('a job without class stores its type', async () => {
  await using cluster = await aCluster();

  await cluster.run('SCRIPT');

  expect(await cluster.stored()).toBe('SCRIPT');
});
