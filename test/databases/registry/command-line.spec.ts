import { expect, test } from '@jest/globals';
import { toYaml } from '../../../lib/layout/job-configuration-yaml.js';
import { createRegistryCenter } from '../../../lib/settings/create-registry-center.js';
import { aConfiguration } from '../../support/views.js';
import { CommandStage } from '../../unit/cli/stage.js';
import { newName, openPostgresql } from '../support/postgresql-centres.js';
import { serverOf } from '../support/servers.js';

const server = serverOf('postgres');

test('the command line names the settings to check if PostgreSQL refuses it', async () => {
  await using stage = await CommandStage.open();
  const registry = `postgres://nobody@127.0.0.1:${server.port}/postgres`;

  const { err, exitCode } = await stage.run(
    `jobs --registry ${registry} --namespace orders`,
    {},
    { openRegistry: createRegistryCenter },
  );

  expect(exitCode).toBe(7);
  expect(err).toContain('role "nobody" does not exist');
  expect(err).toMatch(/Check regCenter\.url and regCenter\.schema\.\n$/);
});

test('the command line lists and changes the jobs of a PostgreSQL that --registry names', async () => {
  const namespace = newName();
  await using jobs = await openPostgresql(server, { namespace });
  await jobs.centre.create('/bill', 'bill');
  await jobs.centre.create('/bill/config', toYaml(aConfiguration({ jobName: 'bill', cron: '0 0 * * * ?' })));
  await using stage = await CommandStage.open();
  const registry = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
  const run = (command: string): ReturnType<CommandStage['run']> =>
    stage.run(`${command} --registry ${registry} --namespace ${namespace}`, {}, { openRegistry: createRegistryCenter });

  expect(await run('jobs')).toMatchObject({ exitCode: 0, err: '' });
  expect((await run('jobs')).out).toMatch(/^bill +\S+ +2 +0 +0 0 \* \* \* \?/m);
  expect(await run('config set bill description=monthly')).toMatchObject({ exitCode: 0 });
  expect(await jobs.centre.get('/bill/config')).toContain('description: monthly');
  expect((await run('doctor')).err).toBe('');
});
