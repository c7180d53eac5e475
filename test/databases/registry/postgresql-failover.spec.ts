/** A replica of PostgreSQL that is promoted in the middle, and a URL that names several hosts. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type RegistryCenter } from '../../../lib/registry/registry-center.js';
import { PostgresqlRegistryCenter } from '../../../lib/registry/postgresql/postgresql-registry-center.js';
import { type JobLogger } from '../../../lib/api/text/logger.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { until } from '../../support/until.js';
import { RecordingLogger } from '../../unit/nest/application.js';
import { asAdministrator, newName } from '../support/postgresql-centres.js';
import { DatabaseServer, serverOf } from '../support/servers.js';

const ASYNCHRONOUS: readonly string[] = [];
const SYNCHRONOUS = ['synchronous_standby_names=replica'];

const SESSIONS = 'SELECT id FROM elasticjob.ej_session WHERE namespace = $1';

interface Stage extends AsyncDisposable {
  readonly primary: DatabaseServer;
  readonly replica: DatabaseServer;
  readonly namespace: string;
  /** Between the replica and its primary. */
  readonly replication: TcpProxy;
  /** A centre that knows both servers, and is connected. */
  open(options?: { readonly notify?: boolean; readonly port?: number }): Promise<PostgresqlRegistryCenter>;
  /** The primary dies, and the replica takes its place. */
  failOver(): Promise<void>;
}

let stage: Stage | undefined;
const opened: PostgresqlRegistryCenter[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await stage?.[Symbol.asyncDispose]();
  stage = undefined;
});

async function setStage(settings: readonly string[]): Promise<Stage> {
  let replication: TcpProxy | undefined;
  const { primary, replica } = await DatabaseServer.startPair(settings, async ({ port }) => {
    replication = await TcpProxy.start(port, 'other');
    return replication.port;
  });
  const namespace = newName();
  stage = {
    ...{ primary, replica, namespace, replication: replication! },
    open: ({ notify = true, port } = {}) =>
      connected(port === undefined ? `127.0.0.1:${replica.port},127.0.0.1:${primary.port}` : `127.0.0.1:${port}`, {
        ...{ namespace, notify },
      }),
    async failOver() {
      await primary.end('SIGKILL');
      await asAdministrator(replica.port, 'SELECT pg_promote()');
    },
    async [Symbol.asyncDispose]() {
      await primary[Symbol.asyncDispose]();
      await replica[Symbol.asyncDispose]();
      await replication?.close();
    },
  };
  return stage;
}

async function connected(
  hosts: string,
  { namespace, notify }: { readonly namespace: string; readonly notify: boolean },
): Promise<PostgresqlRegistryCenter> {
  const centre = centreOf(hosts, namespace, { notify });
  await untilConnected(centre);
  return centre;
}

function centreOf(
  hosts: string,
  namespace: string,
  { notify = true, logger }: { readonly notify?: boolean; readonly logger?: JobLogger } = {},
): PostgresqlRegistryCenter {
  const centre = new PostgresqlRegistryCenter(
    {
      url: `postgres://postgres@${hosts}/postgres`,
      ...{ namespace, notify, sessionTimeoutMilliseconds: 40_000, connectionTimeoutMilliseconds: 4_000 },
    },
    logger && { logger },
  );
  opened.push(centre);
  centre.connect();
  return centre;
}

const untilConnected = (centre: RegistryCenter): Promise<void> =>
  until(() => centre.session.state.phase === 'connected', 'the centre is connected');

function statesOf(centre: RegistryCenter): readonly string[] {
  const states: string[] = [];
  centre.session.onChange(({ phase }) => states.push(phase));
  return states;
}

/** Resolves when the replica shows the node. */
async function untilReplicated({ replica, namespace }: Stage, path: string): Promise<void> {
  const text = 'SELECT 1 FROM elasticjob.ej_node WHERE namespace = $1 AND path = $2';
  const isThere = async (): Promise<boolean> =>
    (await asAdministrator(replica.port, text, [namespace, path])).length > 0;
  await until(() => isThere().catch(() => false), `the replica has ${path}`);
}

/** Has the job's revisions run ahead of the clock, as after a clock that was set back. */
async function setRevisionAhead({ primary, namespace }: Stage): Promise<void> {
  const ahead = (Date.now() + 3_600_000) * 1_000;
  await asAdministrator(primary.port, 'UPDATE elasticjob.ej_job SET revision = $2 WHERE namespace = $1', [
    namespace,
    ahead,
  ]);
}

const set = (path: string, value: string) => ({ type: 'set', path, value }) as const;
const create = (path: string) => ({ type: 'create', path, value: '' }) as const;

describe('When an asynchronous replica is promoted that lacks the last commits', () => {
  let of: Stage;
  beforeEach(async () => void (of = await setStage(ASYNCHRONOUS)));

  test('no revision comes a second time, of jobs that it knows or not, although the clock was set back', async () => {
    const centre = await of.open();
    await centre.create('/job', '');
    await setRevisionAhead(of);
    await centre.create('/job/known', '');
    await untilReplicated(of, '/job/known');
    of.replication.blackHole('up', 'down');
    const lost = [];
    for (let n = 0; n < 3; n++) lost.push(await centre.commit([set('/job', 'lost')]));
    lost.push(await centre.commit([set('/job', 'lost'), create('/new')]));

    await of.failOver();
    await until(() => centre.session.state.phase !== 'connected', 'the centre is not connected');
    await untilConnected(centre);

    expect(await centre.commit([create('/new')])).toBeGreaterThan(Math.max(...lost));
    expect(await centre.commit([set('/job', 'later')])).toBeGreaterThan(Math.max(...lost));
  });

  test('the session is lost, and is followed by another one without its nodes', async () => {
    const centre = await of.open();
    await centre.create('/job/kept', '', 'session');
    await untilReplicated(of, '/job/kept');
    const lineage = await centre.lineage();
    of.replication.blackHole('up', 'down');
    await centre.create('/job/lost', '', 'session');
    const states = statesOf(centre);

    await of.failOver();
    await until(() => states.includes('lost'), 'the session is lost');
    await untilConnected(centre);

    expect(states.filter((phase) => phase !== 'connecting')).toEqual(['suspended', 'lost', 'connected']);
    expect(await centre.children('/job')).toEqual([]);
    expect((await centre.lineage())?.id).not.toBe(lineage?.id);
  });

  test('and nothing but a heartbeat, the session is lost all the same', async () => {
    const centre = await of.open({ notify: false });
    await centre.create('/job/kept', '', 'session');
    await untilReplicated(of, '/job/kept');
    of.replication.blackHole('up', 'down');
    const beats = async (): Promise<number> =>
      Number((await asAdministrator(of.primary.port, 'SELECT max(beats) AS n FROM elasticjob.ej_session'))[0]?.['n']);
    const before = await beats();
    await until(async () => (await beats()) >= before + 2, 'a heartbeat is confirmed');
    const states = statesOf(centre);

    await of.failOver();
    await until(() => states.includes('lost'), 'the session is lost');
    await untilConnected(centre);

    expect(await centre.children('/job')).toEqual([]);
  });

  test('mirrors that were ahead of it show its tree, and follow it', async () => {
    const centre = await of.open();
    await centre.create('/job', 'kept');
    const mirrors = [await centre.mirror('/job'), await centre.mirror('/')];
    await untilReplicated(of, '/job');
    of.replication.blackHole('up', 'down');
    await centre.put('/job', 'lost');
    await centre.put('/job/lost', '');
    await until(() => mirrors.every(({ nodes }) => nodes.has('/job/lost')), 'the mirrors are ahead');

    await of.failOver();
    await until(() => mirrors.every(({ isCurrent }) => !isCurrent), 'the mirrors are out of date');
    await until(() => mirrors.every(({ isCurrent }) => isCurrent), 'the mirrors are current again');
    expect(mirrors.map(({ nodes }) => [nodes.get('/job')?.value, nodes.has('/job/lost')])).toEqual([
      ['kept', false],
      ['kept', false],
    ]);
    await untilConnected(centre);
    await centre.put('/job', 'later');

    await until(() => mirrors.every(({ nodes }) => nodes.get('/job')?.value === 'later'), 'the mirrors follow');
  });
});

describe('When a replica is promoted that has everything', () => {
  test.each([
    ['because commits wait for it', SYNCHRONOUS],
    ['because it was fast enough', ASYNCHRONOUS],
  ])('%s, the session goes on with its nodes, and revisions grow', async (_, settings) => {
    const of = await setStage(settings);
    const centre = await of.open();
    await centre.create('/job/mine', 'x', 'session');
    const revision = await centre.commit([set('/job/mine', 'y')]);
    await centre.create('/job/last', '');
    if (settings === ASYNCHRONOUS) await untilReplicated(of, '/job/last');
    const [lineage, { state }] = [await centre.lineage(), centre.session];
    const states = statesOf(centre);

    await of.failOver();
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');

    expect(states).toEqual(['suspended', 'connected']);
    expect(centre.session.state).toEqual(state);
    expect((await centre.lineage())?.id).toBe(lineage?.id);
    expect(await centre.get('/job/mine')).toBe('y');
    expect(await centre.commit([set('/job/mine', 'z')])).toBeGreaterThan(revision);
  });

  test('behind a name or a proxy that leads to it, one host in the URL is enough', async () => {
    const of = await setStage(SYNCHRONOUS);
    await using proxy = Object.assign(await TcpProxy.start(of.primary.port, 'other'), {
      [Symbol.asyncDispose]: () => proxy.close(),
    });
    const centre = await of.open({ port: proxy.port });
    await centre.create('/job', 'x');
    const states = statesOf(centre);

    await of.failOver();
    proxy.retarget(of.replica.port);
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');

    expect(states).toEqual(['suspended', 'connected']);
    expect(await centre.get('/job')).toBe('x');
  });
});

describe('Tables that are made again within a day of a promotion', () => {
  test('give greater revisions than those before them', async () => {
    const of = await setStage(ASYNCHRONOUS);
    const centre = await of.open();
    await centre.create('/job', '');
    await untilReplicated(of, '/job');
    await of.failOver();
    await until(() => centre.session.state.phase !== 'connected', 'the centre is not connected');
    await untilConnected(centre);
    const before = await centre.commit([set('/job', 'x')]);

    await asAdministrator(of.replica.port, 'DROP SCHEMA elasticjob CASCADE');
    const again = await connected(`127.0.0.1:${of.replica.port}`, { namespace: of.namespace, notify: true });

    expect(await again.commit([create('/job')])).toBeGreaterThan(before);
  });
});

describe('A pooler that goes on to a promoted server without a word', () => {
  test('has the session come back before it writes', async () => {
    const of = await setStage(ASYNCHRONOUS);
    const centre = await of.open({ notify: false });
    const states = statesOf(centre);

    await asAdministrator(of.primary.port, "UPDATE elasticjob.ej_session SET timeline = '000000FF'");
    const write = centre.put('/job', 'x').catch((error: unknown) => error);

    expect(await write).toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    await until(() => states.at(-1) === 'connected', 'the centre is connected again');
    expect(states).toEqual(['suspended', 'connected']);
    await centre.put('/job', 'x');
  });
});

describe('A former primary that takes writes again', () => {
  const sessionsAt = async (port: number, namespace: string): Promise<number> =>
    (await asAdministrator(port, SESSIONS, [namespace])).length;
  const formerPlace = ({ primary }: Stage): string => `127.0.0.1:${primary.port}`;

  test('is passed over by a process that starts, which logs it once, although the URL names it first', async () => {
    const of = await setStage(ASYNCHRONOUS);
    await (await of.open()).close();
    await of.failOver();
    await of.primary.start();
    const logger = new RecordingLogger();

    const centre = centreOf(`${formerPlace(of)},127.0.0.1:${of.replica.port}`, of.namespace, { logger });
    await untilConnected(centre);

    expect(await sessionsAt(of.replica.port, of.namespace)).toBe(1);
    expect(await sessionsAt(of.primary.port, of.namespace)).toBe(0);
    expect(logger.lines.filter((line) => line.includes('former primary'))).toEqual([
      `warn PostgreSQL at ${formerPlace(of)} is a former primary: it takes writes on timeline 1, and timeline 2 has begun. It is passed over: end it, or make it a standby.`,
    ]);
  });

  test('is not used by a process that knows its successor, whichever host answers at its address', async () => {
    const of = await setStage(ASYNCHRONOUS);
    await (await of.open()).close();
    await of.failOver();
    await of.primary.start();
    await using proxy = Object.assign(await TcpProxy.start(of.replica.port, 'other'), {
      [Symbol.asyncDispose]: () => proxy.close(),
    });
    const centre = await of.open({ port: proxy.port });

    proxy.retarget(of.primary.port);
    proxy.cut();
    await until(() => centre.session.reason?.includes('former primary') === true, 'the reason names it');
    expect(await sessionsAt(of.primary.port, of.namespace)).toBe(0);

    proxy.retarget(of.replica.port);
    await untilConnected(centre);
  });
});

describe('A URL with several hosts', () => {
  test('says of each host why it cannot be used', async () => {
    const of = await setStage(ASYNCHRONOUS);
    await of.open();
    await of.primary.end('SIGKILL');
    const centre = centreOf(`127.0.0.1:${of.primary.port},127.0.0.1:${of.replica.port}`, of.namespace);

    await until(() => centre.session.reason?.includes(';') === true, 'the reason names both');

    expect(centre.session.reason).toBe(
      `ECONNREFUSED 127.0.0.1:${of.primary.port}; it is a standby, which takes no writes (127.0.0.1:${of.replica.port})`,
    );
    expect(centre.description).toContain(`127.0.0.1:${of.primary.port},127.0.0.1:${of.replica.port}`);
  });

  test('leaves a server that lets it in and takes no writes', async () => {
    await using readOnly = await DatabaseServer.start('postgres');
    const { port } = serverOf('postgres');
    const first = `127.0.0.1:${readOnly.port}`;
    const namespace = newName();
    const centre = await connected(`${first},127.0.0.1:${port}`, { namespace, notify: true });
    expect(await asAdministrator(readOnly.port, SESSIONS, [namespace])).toHaveLength(1);

    await asAdministrator(readOnly.port, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await asAdministrator(readOnly.port, 'SELECT pg_reload_conf()');
    const late = centreOf(`${first},127.0.0.1:${port}`, namespace);
    await untilConnected(late);
    await until(
      () =>
        centre.put('/job', 'x').then(
          () => true,
          () => false,
        ),
      'the other one writes elsewhere, too',
    );

    expect(await asAdministrator(port, SESSIONS, [namespace])).toHaveLength(2);
  });
});
