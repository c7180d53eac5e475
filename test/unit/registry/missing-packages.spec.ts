/** Registry centres whose optional packages are not installed: that is known at start, and no waiting cures it. */
import { expect, jest, test } from '@jest/globals';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { until } from '../../support/until.js';

const notInstalled = (name: string) => (): never => {
  throw new Error(`Cannot find package '${name}'\nRequire stack: …`);
};
jest.unstable_mockModule('pg', notInstalled('pg'));
jest.unstable_mockModule('@grpc/grpc-js', notInstalled('@grpc/grpc-js'));

const { PostgresqlRegistryCenter } = await import('../../../lib/registry/postgresql/postgresql-registry-center.js');
const { EtcdRegistryCenter } = await import('../../../lib/registry/etcd/etcd-registry-center.js');

const log: string[] = [];
const error = (message: unknown): void => void log.push(String(message));
const logger = { debug: () => undefined, log: () => undefined, warn: error, error };

test.each<[string, () => RegistryCenter, string]>([
  [
    'PostgreSQL',
    () => new PostgresqlRegistryCenter({ url: 'postgres://127.0.0.1:1/a', namespace: 'a' }, { logger }),
    "a registry centre on PostgreSQL needs the package pg: npm install pg (Error: Cannot find package 'pg')",
  ],
  [
    'etcd',
    () => new EtcdRegistryCenter({ endpoints: 'http://127.0.0.1:1', namespace: 'a' }, { logger }),
    "a registry centre on etcd needs two packages: npm install @grpc/grpc-js @grpc/proto-loader (Error: Cannot find package '@grpc/grpc-js')",
  ],
])('a registry centre on %s is closed for good, with the command that installs its packages', async (_, make, says) => {
  const centre = make();
  log.length = 0;

  centre.connect();
  await until(() => centre.session.state.phase === 'closed', 'the registry centre is closed');

  expect(centre.session.state).toMatchObject({ refusal: { code: 'REGISTRY_CREDENTIALS' } });
  expect(String((centre.session.state as { refusal?: unknown }).refusal)).toBe(
    `RegistryCredentialsError: The registry centre refuses this client: ${says}. Check the installed packages, and start the application again.`,
  );
  expect(log).toEqual([expect.stringContaining(`${says}. Check the installed packages`)]);
  await centre.close();
});
