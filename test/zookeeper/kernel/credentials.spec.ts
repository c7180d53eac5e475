/** Jobs on a ZooKeeper whose nodes belong to other credentials than theirs. */
import { expect, test } from '@jest/globals';
import { ScheduleJobBootstrap } from '../../../lib/kernel/job-bootstrap.js';
import { JobHost } from '../../../lib/kernel/job-host.js';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { aConfiguration } from '../../support/views.js';

const zookeeper = sharedZooKeeper();
const nothing = (): void => undefined;
const silent = { debug: nothing, log: nothing, warn: nothing, error: nothing };

/**
 * Starts job `bill` without credentials after `owner`, who has some, has written.
 * @returns the failure, and the health of the job
 */
async function failureAfter(owner: { readonly writes: string; readonly alone: boolean }) {
  const namespace = zookeeper.namespace();
  const at = { serverLists: zookeeper.servers, namespace };
  const centres = [
    // The credentials that make the namespace own it.
    new ZookeeperRegistryCenter(owner.alone ? { ...at, digest: 'app:right' } : at),
    new ZookeeperRegistryCenter({ ...at, digest: 'app:right' }),
    new ZookeeperRegistryCenter(at),
  ] as const;
  const [first, writer, registryCenter] = centres;
  const host = new JobHost({ registryCenter, logger: silent });
  try {
    first.connect();
    await first.put('/first', '');
    writer.connect();
    await writer.put(owner.writes, '');
    const configuration = aConfiguration({ cron: '0 0 0 * * ?' });
    const bootstrap = new ScheduleJobBootstrap(registryCenter, { execute: nothing }, configuration, { host });
    const failure = await bootstrap.schedule().catch((error: unknown) => error);
    return { failure, health: host.jobs.get('bill')?.health };
  } finally {
    await host.stop();
    await Promise.all(centres.map((centre) => centre.close()));
  }
}

test.each([
  ['of the whole namespace', { writes: '/bill', alone: true }, 'and no digest is configured'],
  ['of the job', { writes: '/bill', alone: false }, '/bill, as the node belongs to other credentials'],
])(
  'a job without the credentials %s fails with an error of its own, which says what to check',
  async (_, owner, words) => {
    const { failure, health } = await failureAfter(owner);

    expect(failure).toMatchObject({
      code: 'REGISTRY_CREDENTIALS',
      message: expect.stringContaining(words) as unknown,
    });
    expect(String(failure)).toContain('Check regCenter.digest or regCenter.sasl, and regCenter.namespace');
    expect(health).toMatchObject({ state: 'failed', reason: expect.stringContaining(words) as unknown });
  },
);
