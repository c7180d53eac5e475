import { bystanderContract } from '../../campaigns/chaos/bystander.contract.js';
import { serverOf } from '../support/servers.js';

bystanderContract('PostgreSQL', () => {
  const { port } = serverOf('postgres');
  return Promise.resolve({
    address: `127.0.0.1:${port}`,
    settings: (address: string) => ({ url: `postgres://postgres@${address}/postgres` }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
});
