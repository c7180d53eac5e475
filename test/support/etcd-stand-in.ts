import * as grpc from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';

const method = (requestType: string, responseType: string) => ({ requestType, responseType, comment: '' });

const API = fromJSON({
  nested: {
    etcdserverpb: {
      nested: {
        ResponseHeader: { fields: { clusterId: { type: 'uint64', id: 1 }, memberId: { type: 'uint64', id: 2 } } },
        StatusRequest: { fields: {} },
        StatusResponse: { fields: { header: { type: 'ResponseHeader', id: 1 }, version: { type: 'string', id: 2 } } },
        Maintenance: { methods: { Status: method('StatusRequest', 'StatusResponse') } },
        AuthenticateRequest: { fields: { name: { type: 'string', id: 1 }, password: { type: 'string', id: 2 } } },
        AuthenticateResponse: {
          fields: { header: { type: 'ResponseHeader', id: 1 }, token: { type: 'string', id: 2 } },
        },
        Auth: { methods: { Authenticate: method('AuthenticateRequest', 'AuthenticateResponse') } },
      },
    },
  },
});

/** A server that says that it is a member of etcd, of this version and cluster. */
export interface EtcdStandIn extends Disposable {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** The calls that it has received, in order, such as `Status`. */
  readonly calls: readonly string[];
}

/** Starts one. Default of the cluster's and the member's number: 1. */
export async function standInOf(version: string, { clusterId = 1, memberId = 1 } = {}): Promise<EtcdStandIn> {
  const server = new grpc.Server();
  const calls: string[] = [];
  const header = { clusterId, memberId };
  const answering = (name: string, response: object) => ({
    [name]: (_: unknown, answer: (error: null, response: object) => void) => {
      calls.push(name);
      answer(null, { header, ...response });
    },
  });
  const service = (name: string): grpc.ServiceDefinition => API[`etcdserverpb.${name}`] as grpc.ServiceDefinition;
  server.addService(service('Maintenance'), answering('Status', { version }));
  server.addService(service('Auth'), answering('Authenticate', { token: 'token' }));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return { address: `127.0.0.1:${port}`, calls, [Symbol.dispose]: () => server.forceShutdown() };
}
