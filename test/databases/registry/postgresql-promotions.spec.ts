/** How a registry centre on PostgreSQL judges sessions and revisions by the timeline and the system of the server. */
import { describe, expect, test } from '@jest/globals';
import { type PostgresqlRegistryCenter } from '../../../lib/registry/postgresql/postgresql-registry-center.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { ASYNCHRONOUS, FailoverStage, statesOf, untilConnected } from '../support/failover-stage.js';
import { asAdministrator, newName, openPostgresql } from '../support/postgresql-centres.js';
import { PgBouncer } from '../support/pg-bouncer.js';
import { DatabaseServer } from '../support/servers.js';

const idOf = ({ session: { state } }: PostgresqlRegistryCenter): string => ('id' in state ? state.id : '');

/** A centre behind a proxy of its own, with a node of its session. */
async function proxied(of: FailoverStage, node: string, sessionTimeoutMilliseconds: number) {
  const proxy = await TcpProxy.start(of.primary.port, 'other');
  const centre = await of.open({ port: proxy.port, sessionTimeoutMilliseconds });
  await centre.create(node, '', 'session');
  return { centre, proxy, id: idOf(centre), [Symbol.asyncDispose]: () => proxy.close() };
}

describe('After a promotion, whatever the clock of the former server was', () => {
  test('sessions have their whole timeout to come back, and no longer', async () => {
    await using of = await FailoverStage.start(ASYNCHRONOUS);
    await using late = await proxied(of, '/job/late', 40_000);
    await using dead = await proxied(of, '/job/dead', 3_000);
    await of.untilReplicated('/job/dead');
    const states = statesOf(late.centre);
    for (const { proxy } of [late, dead]) proxy.refuse();
    await of.failOver();
    const end = 'UPDATE elasticjob.ej_session SET expires_at = clock_timestamp() + $2::interval WHERE id = $1';
    await asAdministrator(of.replica.port, end, [late.id, '-1 hour']);
    await asAdministrator(of.replica.port, end, [dead.id, '1 hour']);

    const peer = await of.open({ port: of.replica.port, sessionTimeoutMilliseconds: 3_000 });
    await until(async () => !(await peer.children('/job')).includes('dead'), 'the peer ends the session that is over');
    expect(await peer.children('/job')).toEqual(['late']);
    late.proxy.retarget(of.replica.port);
    late.proxy.heal();
    await untilConnected(late.centre);

    expect(states).toEqual(['suspended', 'connected']);
    expect(idOf(late.centre)).toBe(late.id);
    expect(await peer.children('/job')).toEqual(['late']);
  });
});

describe('A PgBouncer that goes on to the promoted standby without a word', () => {
  const set = { type: 'set', path: '/job', value: 'x' } as const;
  const DAY_US = 86_400_000_000;

  test('has the session go on with its nodes, if the standby has everything; fencing tokens rise', async () => {
    await using of = await FailoverStage.start(ASYNCHRONOUS);
    await using pooler = await PgBouncer.start(of.primary.port);
    const centre = of.centreAt(`127.0.0.1:${pooler.port}`, { notify: false });
    await untilConnected(centre);
    await centre.create('/job/mine', '', 'session');
    const [before, id, states] = [await centre.commit([set]), idOf(centre), statesOf(centre)];
    await centre.create('/job/last', '');
    await of.untilReplicated('/job/last');

    await pooler.switchTo(of.replica.port, () => of.failOver());
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');

    expect(states).toEqual(['suspended', 'connected']);
    expect(idOf(centre)).toBe(id);
    expect(await centre.children('/job')).toContain('mine');
    expect(await centre.commit([set])).toBeGreaterThan(before + DAY_US / 2);
  });

  test('has the session end with its nodes, if the standby lacks the last commit; fencing tokens rise', async () => {
    await using of = await FailoverStage.start(ASYNCHRONOUS);
    await using pooler = await PgBouncer.start(of.primary.port);
    const centre = of.centreAt(`127.0.0.1:${pooler.port}`, { notify: false });
    await untilConnected(centre);
    await centre.create('/job/kept', '', 'session');
    await of.untilReplicated('/job/kept');
    of.replication.blackHole('up', 'down');
    await centre.create('/job/lost', '', 'session');
    const [before, states] = [await centre.commit([set]), statesOf(centre)];

    await pooler.switchTo(of.replica.port, () => of.failOver());
    await until(() => states.includes('lost'), 'the session is lost');
    await untilConnected(centre);

    expect(states.filter((phase) => phase !== 'connecting')).toEqual(['suspended', 'lost', 'connected']);
    expect(await centre.children('/job')).toEqual([]);
    expect(await centre.commit([set])).toBeGreaterThan(before + DAY_US / 2);
  });
});

describe('A role that may not ask which server this is', () => {
  test('is taken for a client of the same server, and neither ends sessions of others nor loses its own', async () => {
    await using server = await DatabaseServer.start('postgres');
    const [role, namespace] = [newName(), newName()];
    const { centre: owner, ...own } = await openPostgresql(server.address, { namespace });
    await asAdministrator(
      server.port,
      `REVOKE EXECUTE ON FUNCTION pg_control_system(), pg_walfile_name(pg_lsn), pg_current_wal_lsn() FROM PUBLIC;
       CREATE ROLE ${role} LOGIN;
       GRANT USAGE ON SCHEMA elasticjob TO ${role};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA elasticjob TO ${role}`,
    );
    await owner.create('/job/owner', '', 'session');

    const url = `postgres://${role}@127.0.0.1:${server.port}/postgres`;
    const other = await openPostgresql(server.address, { namespace, url, sessionTimeoutMilliseconds: 2_000 });
    await other.centre.create('/job/other', '', 'session');
    const again = await openPostgresql(server.address, { namespace, sessionTimeoutMilliseconds: 2_000 });
    const revision = await again.centre.commit([{ type: 'set', path: '/job', value: 'x' }]);
    const beats = 'SELECT min(beats) AS n FROM elasticjob.ej_session WHERE timeout_ms = 2000';
    await until(async () => Number((await asAdministrator(server.port, beats))[0]?.['n']) >= 4, 'both sweep');

    expect(revision).toBeLessThan((Date.now() + 3_600_000) * 1_000);
    expect([...(await again.centre.children('/job'))].sort()).toEqual(['other', 'owner']);
    await Promise.all([own.close(), other.close(), again.close()]);
  });
});
