import { expect, test } from '@jest/globals';
import { ZookeeperRegistryCenter } from '../../../lib/registry/zookeeper/zookeeper-registry-center.js';
import { sharedZooKeeper } from '../../support/shared-zookeeper.js';
import { untilConnected } from '../../support/zookeeper-centres.js';

const zooKeeper = sharedZooKeeper();

/** The messages of a centre that asks for a session timeout, after it is connected, and the granted timeout. */
async function granted(
  sessionTimeoutMilliseconds: number,
): Promise<{ readonly lines: readonly string[]; readonly ms: number }> {
  const lines: string[] = [];
  const quiet = (): void => undefined;
  const logger = { debug: quiet, log: (line: string) => void lines.push(line), warn: quiet, error: quiet };
  const centre = new ZookeeperRegistryCenter(
    { serverLists: zooKeeper.servers, namespace: zooKeeper.namespace(), sessionTimeoutMilliseconds },
    { logger },
  );
  centre.connect();
  await untilConnected(centre);
  const ms = centre.session.timeoutMs;
  await centre.close();
  return { lines, ms };
}

test('a session timeout that the server shortens is logged with what it grants', async () => {
  const { lines, ms } = await granted(10_000_000);

  expect(ms).toBeLessThan(10_000_000);
  expect(lines).toEqual([
    `ZooKeeper grants a session timeout of ${ms} ms instead of the 10000000 ms asked for (sessionTimeoutMilliseconds): ` +
      'its limits are minSessionTimeout and maxSessionTimeout, 2 and 20 ticks by default.',
  ]);
});

test('a session timeout that is granted as asked for is not logged', async () => {
  expect(await granted(8_000)).toEqual({ lines: [], ms: 8_000 });
});
