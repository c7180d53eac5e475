import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { EmbeddedRegistryCenter } from '../../../lib/registry/embedded/embedded-registry-center.js';
import { SnapshotService } from '../../../lib/dump/snapshot-service.js';
import { root } from '../../support/program.js';
import { until } from '../../support/until.js';

test('the command of the page prints what the registry centre has of the job', async () => {
  const page = readFileSync(join(root, 'docs/dump.md'), 'utf8');
  const command = /```sh\n(.*nc.*)\n```/.exec(page)?.[1] ?? '';
  const answer = /```\n(\/syncOrders[^`]*)```/.exec(page)?.[1] ?? '';
  const registry = new EmbeddedRegistryCenter({ namespace: 'page-dump' });
  registry.connect();
  // `localhost` may be an IPv6 address first.
  const service = new SnapshotService(registry, { port: 0, host: 'localhost' });
  try {
    await until(() => registry.session.state.phase === 'connected');
    await registry.put('/syncOrders/sharding/0/instance', '10.0.0.7@-@4711');
    await registry.put('/syncOrders/servers/10.0.0.7', 'ENABLED');
    await service.listen();

    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('9888', String(service.port))]);

    expect(command).toBe('echo "dump@syncOrders" | nc localhost 9888');
    // A page keeps no blanks at the ends of lines.
    expect(stdout.replace(/ +$/gm, '')).toBe(answer);
  } finally {
    await service.close();
    await registry.close();
  }
});
