import * as grpc from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { expect, test } from '@jest/globals';
import { EtcdRegistryCenter } from '../../lib/registry/etcd/etcd-registry-center.js';
import { until } from '../support/until.js';

const API = fromJSON({
  nested: {
    etcdserverpb: {
      nested: {
        StatusRequest: { fields: {} },
        StatusResponse: { fields: { version: { type: 'string', id: 2 } } },
        Maintenance: {
          methods: { Status: { requestType: 'StatusRequest', responseType: 'StatusResponse', comment: '' } },
        },
      },
    },
  },
});

/** Such a server is not among Debian's packages: this one says that it is one. */
async function memberOf(version: string): Promise<{ readonly address: string } & Disposable> {
  const server = new grpc.Server();
  server.addService(API['etcdserverpb.Maintenance'] as grpc.ServiceDefinition, {
    Status: (_: unknown, answer: (error: null, status: object) => void) => answer(null, { version }),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => server.forceShutdown() };
}

test('an etcd that is too old is refused for good, with its version and the one that is needed', async () => {
  using member = await memberOf('3.3.27');
  const centre = new EtcdRegistryCenter({ endpoints: `http://${member.address}`, namespace: 'old' });
  centre.connect();

  await until(() => centre.session.state.phase === 'closed', 'the centre is refused');

  expect(centre.session.state).toMatchObject({
    refusal: { code: 'REGISTRY_INCOMPATIBLE' },
    reason:
      `etcd at ${member.address} is of version 3.3.27, and version 3.4 or later is needed: upgrade it, or name other ` +
      'members in regCenter.endpoints',
  });
  await centre.close();
});
