import { describe, expect, test } from '@jest/globals';
import { nestApplications, type WrongSettings } from '../../registries/nest-applications.suite.js';
import { refusalOf } from '../../unit/nest/application.js';
import { application } from '../support/nest-application.js';
import { asAdministrator, newName } from '../support/postgresql-centres.js';
import { postgresql } from '../support/postgresql-kind.js';
import { serverOf } from '../support/servers.js';

const { port } = serverOf('postgres');
const url = `postgres://postgres@127.0.0.1:${port}/postgres`;

const WRONG_SETTINGS: readonly WrongSettings[] = [
  [
    'a URL of another database',
    { url: 'mysql://localhost/jobs', namespace: 'orders' },
    ['elasticjob.regCenter.url: must be a URL such as postgres://user@host:5432/database'],
  ],
  [
    'settings of ZooKeeper',
    { url, namespace: 'orders', digest: 'a:b', serverLists: 'zoo:2181' },
    [
      'elasticjob.regCenter.serverLists: is a setting of ZooKeeper, and the registry centre is PostgreSQL; remove it',
      'elasticjob.regCenter.digest: is a setting of ZooKeeper, and the registry centre is PostgreSQL; remove it',
    ],
  ],
  [
    'no URL',
    { type: 'POSTGRESQL', namespace: 'orders' },
    [
      "elasticjob.regCenter.url: is required with type POSTGRESQL and must be a URL like 'postgres://user:password@host:5432/database'",
    ],
  ],
  [
    'an unknown type',
    { type: 'REDIS', url, namespace: 'orders' },
    ['elasticjob.regCenter.type: must be ZOOKEEPER or POSTGRESQL'],
  ],
  ['no namespace', { url }, ['elasticjob.regCenter.namespace: is required with serverLists or url']],
  [
    'a schema that is no name',
    { url, namespace: 'orders', schema: 'a"b' },
    ['elasticjob.regCenter.schema: must be a name of lower-case letters, digits and _, such as elasticjob'],
  ],
];

describe('Nest applications on PostgreSQL', () => {
  nestApplications(postgresql, WRONG_SETTINGS);
});

test('a wrong password, database or right is refused at start, with the reason and without the password', async () => {
  const user = newName();
  await asAdministrator(port, `CREATE ROLE ${user} LOGIN`);
  const refusal = async (wrong: string): Promise<string> =>
    (await refusalOf(application({ url: wrong, namespace: 'orders', schema: newName() }).metadata)).join('\n');

  expect(await refusal(`postgres://nobody:secret@127.0.0.1:${port}/postgres`)).toMatch(/role "nobody" does not exist/);
  expect(await refusal(`postgres://postgres:secret@127.0.0.1:${port}/none`)).toMatch(/database "none" does not exist/);
  const noRight = await refusal(`postgres://${user}:secret@127.0.0.1:${port}/postgres`);
  expect(noRight).toMatch(/permission denied for database postgres/);
  expect(noRight).not.toContain('secret');
});
