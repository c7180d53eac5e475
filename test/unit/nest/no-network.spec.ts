/**
 * An application on a machine whose only network interface is the loopback one, as of a container that has just
 * started.
 */
import * as os from 'node:os';
import { describe, expect, jest, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { type ElasticJobModuleOptions } from '../../../lib/nest/settings/module-options.js';

const loopback: os.NetworkInterfaceInfo = {
  address: '127.0.0.1',
  internal: true,
  family: 'IPv4',
  netmask: '255.0.0.0',
  mac: '00:00:00:00:00:00',
  cidr: '127.0.0.1/8',
};
jest.unstable_mockModule('node:os', () => ({ ...os, networkInterfaces: () => ({ lo: [loopback] }) }));
const { elasticJob, RecordingLogger, started } = await import('./application.js');

const warningsOf = async (options: ElasticJobModuleOptions): Promise<readonly string[]> => {
  const logger = new RecordingLogger();
  const app = await started({ imports: [elasticJob({ ...options, logger })] });
  await app.close();
  // That no ZooKeeper listens there does not matter here.
  return logger.lines.filter((line) => line.startsWith('warn ') && !line.startsWith('warn ZooKeeper server '));
};

describe('a server without an address of its own', () => {
  test('is warned of at start, as ZooKeeper cannot tell it from others', async () => {
    expect(await warningsOf({ regCenter: { serverLists: '127.0.0.1:1' } })).toEqual([
      'warn No network interface of this machine has an address that others can reach, so this server is registered as 127.0.0.1, like every ' +
        'other machine without one: an operator who disables one of them disables all. Start the application when the ' +
        'network is up.',
    ]);
  });

  test('needs none on an embedded registry centre, be it a default or its own', async () => {
    expect(await warningsOf({})).toEqual([]);
    expect(await warningsOf({ registryCenter: new EmbeddedRegistryCenter({ namespace: 'no-network' }) })).toEqual([]);
  });
});
