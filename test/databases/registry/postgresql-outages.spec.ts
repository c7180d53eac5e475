/** What becomes of a registry centre on PostgreSQL when connections, processes and the server itself fail. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { until } from '../../support/until.js';
import {
  asAdministrator,
  newName,
  openPostgresql,
  openTransaction,
  type ProxiedPostgresql,
} from '../support/postgresql-centres.js';
import { DatabaseServer, type ServerAddress, serverOf, signalServer } from '../support/servers.js';

const phaseOf = (centre: RegistryCenter): string => centre.session.state.phase;

/** Two centres of one namespace: one that fails, and one that looks on. */
async function two(server: ServerAddress, options: { readonly sessionTimeoutMilliseconds?: number } = {}) {
  const namespace = newName();
  const [failing, other] = [
    await openPostgresql(server, { namespace, ...options }),
    await openPostgresql(server, { namespace }),
  ];
  return {
    ...{ failing, other, namespace },
    [Symbol.asyncDispose]: async () => void (await Promise.all([failing.close(), other.close()])),
  };
}

/** Has the centre make all its connections, so that a request need not wait for a new one. */
async function connectFully({ centre }: ProxiedPostgresql): Promise<void> {
  await Promise.all(Array.from({ length: 3 }, () => centre.get('/')));
}

function statesOf({ centre }: ProxiedPostgresql): readonly string[] {
  const states: string[] = [];
  centre.session.onChange(({ phase }) => states.push(phase));
  return states;
}

describe('When its connections break', () => {
  test('all at once by pg_terminate_backend, the session goes on, and the mirrors catch up', async () => {
    const server = serverOf('postgres');
    await using stage = await two(server);
    const { centre } = stage.failing;
    await centre.create('/job/mine', '', 'session');
    const mirror = await centre.mirror('/job');
    const states = statesOf(stage.failing);
    const { state } = centre.session;

    await asAdministrator(
      server.port,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nestjs-elasticjob'",
    );
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');
    await until(() => phaseOf(stage.other.centre) === 'connected', 'the other is connected again');
    await stage.other.centre.put('/job/theirs', 'x');

    expect(states).toEqual(['suspended', 'connected']);
    expect(centre.session.state).toEqual(state);
    await until(() => mirror.nodes.get('/job/theirs')?.value === 'x', 'the mirror follows');
    expect(mirror.nodes.has('/job/mine')).toBe(true);
  });

  test('after a commit has arrived and before its answer comes, the commit is found out to be done', async () => {
    await using stage = await two(serverOf('postgres'));
    const { centre, proxy } = stage.failing;
    await centre.create('/job', '');
    const mirror = await centre.mirror('/job');

    await connectFully(stage.failing);
    proxy.blackHole('down');
    const committed = centre.commit([{ type: 'create', path: '/job/a', value: 'x' }]);
    await until(async () => (await stage.other.centre.get('/job/a')) === 'x', 'the server has carried it out');
    proxy.cut();
    proxy.heal();

    const [node] = await stage.other.centre.getAll(['/job/a']);
    expect(await committed).toBe(node?.revision);
    await mirror.sync();
    expect(mirror.nodes.get('/job/a')).toEqual(node);
  });

  test('before a commit arrives, the commit is found out to have done nothing, and does nothing later', async () => {
    await using stage = await two(serverOf('postgres'));
    const { centre, proxy } = stage.failing;
    await centre.create('/job', '');

    proxy.blackHole('up');
    const created = centre.create('/job/a', 'x').catch((error: unknown) => error);
    await until(() => proxy.heldBytes('up') > 0, 'the request is on its way');
    proxy.cut();
    proxy.heal();

    expect(await created).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await until(() => phaseOf(centre) === 'connected', 'the centre is connected again');
    expect(await stage.other.centre.get('/job/a')).toBeUndefined();
  });

  test('and the session ends meanwhile, an answer that was lost stays unknown', async () => {
    await using stage = await two(serverOf('postgres'), { sessionTimeoutMilliseconds: 1_000 });
    const { centre, proxy } = stage.failing;
    await centre.create('/job', '');

    await connectFully(stage.failing);
    proxy.blackHole('down');
    const written = centre.put('/job', 'x').catch((error: unknown) => error);
    await until(async () => (await stage.other.centre.get('/job')) === 'x', 'the server has carried it out');
    proxy.refuse();
    proxy.cut();

    expect(await written).toMatchObject({ code: 'REGISTRY_OUTCOME_UNKNOWN' });
    expect(phaseOf(centre)).toBe('lost');
  });

  test('silently in both directions, the session is suspended and lost by its own clock, and another one follows', async () => {
    await using stage = await two(serverOf('postgres'), { sessionTimeoutMilliseconds: 1_500 });
    const { centre, proxy } = stage.failing;
    await centre.create('/job/mine', '', 'session');
    const states = statesOf(stage.failing);

    proxy.blackHole('up', 'down');
    await until(() => states.includes('lost'), 'the session is lost');
    await until(async () => (await stage.other.centre.get('/job/mine')) === undefined, 'its node is swept by a peer');
    proxy.cut();
    proxy.heal();
    await until(() => phaseOf(centre) === 'connected', 'the centre is connected again', 30_000);

    expect(states.filter((phase) => phase !== 'connecting')).toEqual(['suspended', 'lost', 'connected']);
  });
});

describe('When notices are lost', () => {
  const commitSilently = (server: ServerAddress, namespace: string, session: string, operations: unknown) =>
    asAdministrator(
      server.port,
      `SELECT elasticjob.ej_commit($1, $2, (SELECT epoch FROM elasticjob.ej_session WHERE id = $2::uuid), 0, $3, NULL)`,
      [namespace, session, JSON.stringify(operations)],
    );
  const idOf = ({ centre }: ProxiedPostgresql): string => {
    const { state } = centre.session;
    return 'id' in state ? state.id : '';
  };

  test('the next heartbeat brings the news', async () => {
    const server = serverOf('postgres');
    await using stage = await two(server);
    await stage.other.centre.create('/job', '');
    const mirror = await stage.failing.centre.mirror('/job');

    await commitSilently(server, stage.namespace, idOf(stage.other), [['create', '/job/a', 'x', null, null]]);

    await until(() => mirror.nodes.get('/job/a')?.value === 'x', 'the mirror shows what it was not notified of');
  });

  test('the answer to a commit of our own brings it', async () => {
    const server = serverOf('postgres');
    await using stage = await two(server);
    await stage.other.centre.create('/job', '');
    const mirror = await stage.failing.centre.mirror('/job');

    await commitSilently(server, stage.namespace, idOf(stage.other), [['create', '/job/a', 'x', null, null]]);
    await stage.failing.centre.commit([{ type: 'set', path: '/job', value: 'y' }]);

    expect([...mirror.nodes].map(([path, { value }]) => [path, value])).toEqual([
      ['/job', 'y'],
      ['/job/a', 'x'],
    ]);
  });

  test('a notice that came during a commit of our own that changed nothing is not forgotten', async () => {
    const server = serverOf('postgres');
    await using stage = await two(server, { sessionTimeoutMilliseconds: 60_000 });
    await stage.other.centre.create('/job', '');
    const { centre } = stage.failing;
    const mirror = await centre.mirror('/job');
    const theirs = await stage.other.centre.mirror('/job');
    const blocker = await openTransaction(
      server.port,
      `SELECT FROM elasticjob.ej_session WHERE id = '${idOf(stage.failing)}' FOR UPDATE`,
    );

    const refused = centre.commit([{ type: 'create', path: '/job', value: '' }]).catch((error: unknown) => error);
    await stage.other.centre.create('/job/a', 'x');
    await until(() => theirs.nodes.has('/job/a'), 'the other one shows it');
    await blocker[Symbol.asyncDispose]();

    expect(await refused).toMatchObject({ code: 'REGISTRY_CONFLICT' });
    // Before the next heartbeat.
    await until(() => mirror.nodes.get('/job/a')?.value === 'x', 'the mirror shows it', 5_000);
  });

  test('sync shows it, in a mirror of a job and in one of all jobs', async () => {
    const server = serverOf('postgres');
    await using stage = await two(server);
    await stage.other.centre.create('/job', '');
    const mirrors = [await stage.failing.centre.mirror('/job'), await stage.failing.centre.mirror('/')];
    const creations = [
      ['create', '/job/a', 'x', null, null],
      ['create', '/new', 'y', null, null],
    ];

    for (const mirror of mirrors) {
      await commitSilently(server, stage.namespace, idOf(stage.other), creations.splice(0, 1));
      await mirror.sync();
      expect(mirror.nodes.get('/job/a')?.value).toBe('x');
    }

    expect(mirrors[1]!.nodes.get('/new')?.value).toBe('y');
    expect([...mirrors[1]!.nodes.keys()].sort()).toEqual(['/', '/job', '/job/a', '/new']);
  });

  test('and the journal has forgotten what they were about, the mirror reads everything again', async () => {
    const server = serverOf('postgres');
    await using stage = await two(server);
    await stage.other.centre.create('/job', '');
    const mirror = await stage.failing.centre.mirror('/job');

    await commitSilently(server, stage.namespace, idOf(stage.other), [['create', '/job/a', 'x', null, null]]);
    await asAdministrator(server.port, 'DELETE FROM elasticjob.ej_change WHERE namespace = $1', [stage.namespace]);
    await stage.other.centre.create('/job/b', 'y');

    await until(() => mirror.nodes.get('/job/b')?.value === 'y', 'the mirror shows the latest commit');
    expect(mirror.nodes.get('/job/a')?.value).toBe('x');
  });
});

describe('When the server', () => {
  let server: DatabaseServer;
  beforeEach(async () => void (server = await DatabaseServer.start('postgres')));
  afterEach(() => server[Symbol.asyncDispose]());

  test('crashes and starts again, the session goes on, and says meanwhile why it is suspended', async () => {
    await using stage = await two(server.address, { sessionTimeoutMilliseconds: 60_000 });
    const { centre, proxy } = stage.failing;
    await centre.create('/job/mine', 'x', 'session');
    const { state } = centre.session;

    await server.end('SIGKILL');
    await until(() => phaseOf(centre) === 'suspended', 'the centre is suspended');
    await until(() => centre.session.reason?.includes(proxy.address) === true, 'the reason names the server');
    await expect(centre.get('/job/mine')).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await server.start();
    await until(() => phaseOf(centre) === 'connected', 'the centre is connected again', 30_000);

    expect(centre.session.state).toEqual(state);
    expect(centre.session.reason).toBeUndefined();
    expect(await centre.get('/job/mine')).toBe('x');
  });

  test('hangs for longer than the session lasts, the session is lost first, and ends before another one begins', async () => {
    await using stage = await two(server.address, { sessionTimeoutMilliseconds: 1_500 });
    const { centre } = stage.failing;
    await centre.create('/job/mine', 'x', 'session');
    const states = statesOf(stage.failing);

    signalServer(server.address, 'SIGSTOP');
    await until(() => states.includes('lost'), 'the session is lost');
    signalServer(server.address, 'SIGCONT');
    await until(() => phaseOf(centre) === 'connected', 'the centre is connected again', 30_000);

    expect(await centre.get('/job/mine')).toBeUndefined();
  });
});
