import { expect, test } from '@jest/globals';
import {
  placeOfSettings,
  withoutSecretsInAddress,
} from '../../../../lib/console/services/connections/registry-address.js';
import { type RegistryType } from '../../../../lib/console/contract/registries.js';

test.each<[serverLists: string, type: RegistryType | undefined]>([
  ['postgres://jobs:hush?hash@127.0.0.1/app', undefined],
  ['postgres://jobs:1?hash@127.0.0.1/app', undefined],
  ['postgres://jobs:hush#hash@127.0.0.1/app', undefined],
  ['postgres://jobs:1/hash?hash@127.0.0.1/app', undefined],
  ['postgres://jobs:hush@127.0.0.1/app', 'ETCD'],
  ['postgres://jobs:hush@127.0.0.1/app', 'ZOOKEEPER'],
  ['https://jobs:hush@127.0.0.1:2379', undefined],
  ['jobs:hush@127.0.0.1:2181', undefined],
])('of the address %s, which is refused, no part of the password is kept', (serverLists, type) => {
  const change = withoutSecretsInAddress({ name: 'mine', serverLists, namespace: 'orders', ...(type && { type }) });

  expect(change.serverLists).toContain('…');
  expect(JSON.stringify(change)).not.toMatch(/hush|hash/);
});

test('a path of ZooKeeper with an @ is kept', () => {
  const change = { name: 'mine', serverLists: 'zk1:2181/jobs@home', namespace: 'orders' };

  expect(withoutSecretsInAddress(change)).toEqual(change);
});

test.each([
  ['postgres://jobs:hush@db1:1/app?password=hash', 'postgres://db1:1/app'],
  ['postgres://jobs:hush@db1:1,[::1]:2/app?password=hash', 'postgres://db1:1,[::1]:2/app'],
  ['postgres://jobs:hu@sh@db1:1/app', 'postgres://db1:1/app'],
  ['postgres://jobs:hush?hash@db1/app', 'postgres://…'],
  ['postgres://jobs:5432/1?hash@db1/app', 'postgres://…'],
  ['postgres:///app?host=/hash', 'postgres://…'],
])('of the URL %s of the settings, %s is shown', (url, serverLists) => {
  expect(placeOfSettings({ url })).toMatchObject({ type: 'POSTGRESQL', serverLists });
});
