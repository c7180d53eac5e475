import { describe, expect, test } from '@jest/globals';
import { createRegistryCenter } from '../../lib/settings/create-registry-center.js';
import { mergeSettings } from '../../lib/settings/merge-settings.js';
import { RecordingLogger } from '../unit/nest/application.js';
import { etcd } from './etcd-kind.js';
import { nestApplications, type WrongSettings } from './nest-applications.suite.js';
import { zookeeper } from './zookeeper-kind.js';

const WRONG_FOR_ZOOKEEPER: readonly WrongSettings[] = [
  [
    'no servers',
    { type: 'ZOOKEEPER', namespace: 'orders' },
    [
      "elasticjob.regCenter.serverLists: is required with type ZOOKEEPER and must be a list of servers like 'host1:2181,host2:2181'",
    ],
  ],
];

const WRONG_FOR_ETCD: readonly WrongSettings[] = [
  [
    'endpoints of another kind',
    { endpoints: 'postgres://localhost:5432', namespace: 'orders' },
    [
      "elasticjob.regCenter.endpoints: must be a list like 'http://host1:2379,http://host2:2379', and 'postgres://localhost:5432' is no such endpoint",
    ],
  ],
  [
    'endpoints with and without TLS',
    { endpoints: 'https://one:2379,http://two:2379', namespace: 'orders' },
    ['elasticjob.regCenter.endpoints: must have https in all of its endpoints or in none'],
  ],
  [
    'no endpoints',
    { type: 'etcd', namespace: 'orders' },
    [
      "elasticjob.regCenter.endpoints: is required with type ETCD and must be a list of members like 'http://host1:2379,http://host2:2379'",
    ],
  ],
  [
    'settings of ZooKeeper',
    { endpoints: 'localhost', namespace: 'orders', digest: 'a:b' },
    ['elasticjob.regCenter.digest: is a setting of ZooKeeper, and the registry centre is etcd; remove it'],
  ],
  [
    'a user without password',
    { endpoints: 'localhost', namespace: 'orders', username: 'jobs' },
    ['elasticjob.regCenter.username: must be given together with password, got "jobs"'],
  ],
  [
    'too few operations in a transaction',
    { endpoints: 'localhost', namespace: 'orders', maxTxnOps: 3 },
    ['elasticjob.regCenter.maxTxnOps: must be 0 (the default) or an integer of at least 16, got 3'],
  ],
  [
    'a namespace with a colon',
    { endpoints: 'localhost', namespace: 'team:orders' },
    [
      "elasticjob.regCenter.namespace: must be a name such as 'orders' or 'team/orders', without colons and quotes, got \"team:orders\"",
    ],
  ],
  [
    'certificates for endpoints without TLS',
    { endpoints: 'http://localhost', namespace: 'orders', tls: {} },
    ["elasticjob.regCenter.tls: is given, but endpoints have no https; write 'https://host:2379'"],
  ],
  ['no namespace', { endpoints: 'localhost' }, ['elasticjob.regCenter.namespace: is required']],
];

describe('Nest applications on ZooKeeper', () => {
  nestApplications(zookeeper, WRONG_FOR_ZOOKEEPER);
});

describe('Nest applications on etcd', () => {
  nestApplications(etcd, WRONG_FOR_ETCD);
});

test('endpoints, user and password may come from the environment and from a file', () => {
  const merged = mergeSettings({
    code: [],
    file: { regCenter: { namespace: 'orders', maxTxnOps: 1_024, tls: { servername: 'etcd' } } },
    environment: {
      ELASTICJOB_REGCENTER_ENDPOINTS: 'https://etcd1:2379,https://etcd2:2379',
      ELASTICJOB_REGCENTER_USERNAME: 'jobs',
      ELASTICJOB_REGCENTER_PASSWORD: 's3cret',
    },
  });

  expect(merged?.problems).toEqual([]);
  const centre = createRegistryCenter(merged!.regCenters.get('default')!, new RecordingLogger());
  expect(centre.description).toBe("etcd at etcd1:2379,etcd2:2379, namespace 'orders'");
  expect(centre.limits.operations).toBe(300);
});
