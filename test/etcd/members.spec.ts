/** Whom the doctor asks among the members of etcd, and whom it believes. */
import { expect, test } from '@jest/globals';
import { resolveEtcdConfiguration } from '../../lib/registry/etcd/etcd-configuration.js';
import { type AskedMembers, askMembers } from '../../lib/registry/etcd/etcd-members.js';
import { systemClock } from '../../lib/time/clock.js';
import { standInOf } from '../support/etcd-stand-in.js';

const member = (id: string, url: string) => ({ id, name: `m${id}`, clientUrls: [url], isLearner: false });

/** Asks two members, of which the second is at no configured endpoint. */
function ask(endpoint: string, [own, other]: readonly [string, string]): Promise<AskedMembers> {
  const settings = resolveEtcdConfiguration({
    ...{ endpoints: endpoint, namespace: 'members', username: 'jobs', password: 's3cret' },
  });
  return askMembers([member('1', own), member('2', other)], '1', settings, systemClock);
}

test('a member gets user and password at a configured endpoint, and not at an address that it advertises', async () => {
  using configured = await standInOf('3.5.1');
  using advertised = await standInOf('3.5.2', { memberId: 2 });
  const urls = [`http://${configured.address}`, `http://${advertised.address}`] as const;

  const { versions } = await ask(urls[0], urls);

  expect(Object.fromEntries(versions)).toEqual({ m1: '3.5.1', m2: '3.5.2' });
  expect(configured.calls).toEqual(['Authenticate', 'Status']);
  expect(advertised.calls).toEqual(['Status']);
});

test('a member of another cluster, such as one at localhost, is not taken for one of this cluster', async () => {
  using configured = await standInOf('3.5.1');
  using stranger = await standInOf('3.1.0', { clusterId: 2, memberId: 2 });
  const urls = [`http://${configured.address}`, `http://${stranger.address}`] as const;

  const { versions, unheard } = await ask(urls[0], urls);

  expect(Object.fromEntries(versions)).toEqual({ m1: '3.5.1' });
  expect(unheard).toEqual([
    `Member m2 of etcd was not examined: no answer at ${stranger.address} (a member of another cluster answers)`,
  ]);
});

test('a member that advertises http is not asked if the endpoints have https', async () => {
  using configured = await standInOf('3.5.1');
  using advertised = await standInOf('3.5.2', { memberId: 2 });

  const { unheard } = await ask(`https://${configured.address}`, [
    `http://${configured.address}`,
    `http://${advertised.address}`,
  ]);

  expect(unheard).toEqual([
    `Member m2 of etcd was not examined: no answer at ${advertised.address} (not asked by http, as the endpoints have https)`,
  ]);
  expect([configured.calls, advertised.calls]).toEqual([[], []]);
});
