import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toYaml } from '../../lib/layout/job-configuration-yaml.js';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { DoctorAPI } from '../../lib/operations/doctor-api.js';
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
  const { exitCode, out, err } = await run('doctor --settle 1ms');
  expect(err).toBe('Not examined: Clocks were not compared, as this registry centre has no clock that can be asked.\n');
  expect(out).toContain('etcd asks for no user.');
  expect(out).toContain('etcd has one member.');
  expect(out).toContain('No instance of the job lives.');
  expect(out).not.toContain('fewer operations');
  expect(exitCode).toBe(1);
  await centre.close();
});

test('the doctor finds an alarm of etcd, and that the servers accept fewer operations than configured', async () => {
  const small = await EtcdServer.start({ args: ['--max-txn-ops=64'] });
  const endpoints = `http://${small.address}`;
  await using centre = Object.assign(new EtcdRegistryCenter({ endpoints, namespace: 'orders' }), {
    [Symbol.asyncDispose]: () => small.dispose(),
  });
  centre.connect();
  try {
    await untilConnected(centre);
    await small.call('maintenance/alarm', { action: 'ACTIVATE', alarm: 'NOSPACE' });

    const { findings } = await new DoctorAPI(centre).examine();

    expect(findings.map(({ type, severity }) => `${severity} ${type}`)).toEqual([
      ...['critical etcd-alarm', 'critical etcd-max-txn-ops', 'notice etcd-open', 'notice etcd-single'],
    ]);
  } finally {
    await centre.close();
  }
});
