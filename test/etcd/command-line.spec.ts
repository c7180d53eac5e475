import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { untilConnected } from '../support/etcd-centres.js';
import { EtcdServer } from '../support/etcd-server.js';
import { aConfiguration } from '../support/views.js';
import { CommandStage } from '../unit/cli/stage.js';

let server: EtcdServer;
beforeAll(async () => {
  server = await EtcdServer.start();
});
afterAll(() => server.dispose());

test('the command line lists and changes the jobs of an etcd that --registry names', async () => {
  const endpoints = `http://${server.address}`;
  const centre = new EtcdRegistryCenter({ endpoints, namespace: 'orders' });
  centre.connect();
  await untilConnected(centre);
  await centre.create('/bill', 'bill');
  await centre.create('/bill/config', toYaml(aConfiguration({ jobName: 'bill', cron: '0 0 * * * ?' })));
  await using stage = await CommandStage.open();
  const run = (command: string): ReturnType<CommandStage['run']> =>
    stage.run(`${command} --registry ${endpoints} --namespace orders`, {}, { openRegistry: createRegistryCenter });

  expect(await run('jobs')).toMatchObject({ exitCode: 0, err: '' });
  expect((await run('jobs')).out).toMatch(/^bill +\S+ +2 +0 +0 0 \* \* \* \?/m);
  expect(await run('config set bill description=monthly')).toMatchObject({ exitCode: 0 });
  expect(await centre.get('/bill/config')).toContain('description: monthly');
  expect((await run('doctor')).err).toBe('');
  await centre.close();
});
